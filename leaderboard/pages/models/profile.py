"""One profile of a model over all measures: its rank on each, in the field of this measure. No query in here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from evaluation.models import ItemResult, LanguageModel, Origin, Run
from leaderboard import rounding
from leaderboard.drawings.shapes import percent
from leaderboard.pages.models.standing import MAIN, ReferenceRow, StandingRow

FEWEST = 2  # measures that make a profile
TOP, BOTTOM = 12.0, 156.0  # px, of an upright track
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Track:
    """A rank on a track from the last place to the first: `y` in px upright, `x` in per cent lying; "" without a range.

    `low` ends are those of the worse rank.
    """

    y: str
    y_low: str
    y_high: str
    x: str
    x_low: str
    x_high: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run took: all tokens of the newest run that counts, the median time of a reply, and its price.

    "" is what is not known. The price is in US dollars, from the price that staff entered and the tokens of the run.
    """

    tokens: str
    latency: str
    cost: str


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A model's rank on one measure. `key` is that of its ranking, "" for a published figure without one; `hollow`: the
    source gives no error, so there is no range. `share` is 1 for the first place and 0 for the last, `share_low` and
    `share_high` are those of the worst and the best possible rank, the rank itself without a range."""

    title: str
    key: str
    score: str
    interval: str
    ranks: str
    n: int
    source: str
    hollow: bool
    share: float
    track: Track
    share_low: float
    share_high: float
    took: Measured | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    rows: tuple[ProfileRow, ...]

    @property
    def title(self) -> str:
        best = max(self.rows, key=lambda row: row.share)
        worst = min(self.rows, key=lambda row: row.share)
        if best.share - worst.share < 0.05:
            return "About the same place on every measure"
        if best.share_low <= worst.share_high:
            return "Its ranks do not clearly differ by measure"
        return f"Ranks highest on {best.title}, lowest on {worst.title}"

    @property
    def has_runs(self) -> bool:
        return any(row.took for row in self.rows)

    @property
    def has_cost(self) -> bool:
        return any(row.took and row.took.cost for row in self.rows)


def profile_of(
    model: LanguageModel,
    standings: Sequence[StandingRow],
    references: Sequence[ReferenceRow],
    runs: Sequence[Run],
    latencies: Mapping[int, Sequence[int]],
) -> Profile | None:
    """None for a model that fewer than two measures rank. `latencies` are those of a run's replies, as far as they were
    read for the page."""
    by_benchmark = {row.benchmark: row for row in references}
    took = measured(model, standings, runs, latencies)
    rows = [
        of_standing(row, by_benchmark.get(row.key), took.get(row.run_id or 0))
        for row in standings
        if row.rank is not None and row.n_ranked > 1
    ]
    rows += [of_figure(by_benchmark[name]) for name in MAIN if name in by_benchmark and by_benchmark[name].n > 1]
    return Profile(tuple(rows)) if len(rows) >= FEWEST else None


def of_standing(row: StandingRow, published: ReferenceRow | None, took: Measured | None) -> ProfileRow:
    rank, hollow = row.rank or 0, row.rank_low is None or row.rank_high is None
    low, high = (rank, rank) if hollow else (row.rank_low or rank, row.rank_high or rank)
    interval = "" if row.low is None or row.high is None else f"{row.low:.{row.digits}f} to {row.high:.{row.digits}f}"
    return ProfileRow(
        title=row.title,
        key=row.key,
        score=rounding.number(row.score, row.digits),
        interval=interval.replace("-", rounding.MINUS),
        ranks=f"{'≈' if row.approximate and not hollow else ''}{rounding.ranks(low, high)}",
        n=row.n_ranked,
        source=source_of(row, published),
        hollow=hollow,
        share=share(rank, row.n_ranked),
        track=track(rank, None if hollow else (low, high), row.n_ranked),
        share_low=share(high, row.n_ranked),
        share_high=share(low, row.n_ranked),
        took=took,
    )


def source_of(row: StandingRow, published: ReferenceRow | None) -> str:
    """Where the score comes from, and for a published one whether the source names the snapshot."""
    if row.origin == Origin.PUBLISHED:
        return source_of_figure(published) if published else "Published"
    where = "Asked and scored here" if row.origin == Origin.MEASURED else "Answered elsewhere, scored here"
    if row.is_private:
        return f"{where}; closed items"
    return f"{where}; run of {rounding.day(row.measured_on)}" if row.measured_on else where


def source_of_figure(row: ReferenceRow) -> str:
    """ "Published 2023-12-10 as “GPT-4”; the snapshot is not named"."""
    when = f" {row.as_of}" if row.as_of else f", {row.setting}" if row.setting else ""
    name = f" as “{row.matched_name}”" if row.matched_name and row.matched_name != row.model_name else ""
    _, _, doubt = row.match.partition(": ")
    return f"Published{when}{name}{f'; {doubt}' if row.match.startswith('approx') and doubt else ''}"


def of_figure(row: ReferenceRow) -> ProfileRow:
    """A figure of another benchmark, ranked among all models that have a preferred one."""
    rank, n = row.rank, row.n
    return ProfileRow(
        title=row.title,
        key="",
        score=rounding.number(row.value, row.digits),
        interval="",
        ranks=str(rank),
        n=n,
        source=source_of_figure(row),
        hollow=True,
        share=share(rank, n),
        track=track(rank, None, n),
        share_low=share(rank, n),
        share_high=share(rank, n),
    )


def share(rank: int, n: int) -> float:
    return (n - rank) / (n - 1)


def track(rank: int, ends: tuple[int, int] | None, n: int) -> Track:
    high, low = (None, None) if ends is None else (share(ends[0], n), share(ends[1], n))
    own = share(rank, n)
    return Track(
        y=upright(own),
        y_low="" if low is None else upright(low),
        y_high="" if high is None else upright(high),
        x=percent(100 * own),
        x_low="" if low is None else percent(100 * low),
        x_high="" if high is None else percent(100 * high),
    )


def upright(value: float) -> str:
    return f"{BOTTOM - (BOTTOM - TOP) * value:.1f}"


def measured(
    model: LanguageModel,
    standings: Sequence[StandingRow],
    runs: Sequence[Run],
    latencies: Mapping[int, Sequence[int]],
) -> Mapping[int, Measured]:
    """Run -> what it took, of the runs that were asked here."""
    wanted = {row.run_id for row in standings if row.origin == Origin.MEASURED and row.run_id}
    return {run.pk: took(model, run, latencies.get(run.pk, ())) for run in runs if run.pk in wanted}


def latencies_of(standings: Sequence[StandingRow], known: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """Run -> milliseconds of its replies, of the runs behind the standings; `known` are those read for the page. One
    query, none where all are known. A private bank's times are not told.
    """
    runs = {row.run_id for row in standings if row.origin == Origin.MEASURED and row.run_id and not row.is_private}
    found = {run: list(times) for run, times in known.items()}
    if runs - known.keys():
        results = ItemResult.objects.filter(run_id__in=runs - known.keys())
        for run, time in results.values_list("run_id", "latency_ms"):
            if time is not None:
                found.setdefault(run, []).append(time)
    return found


def took(model: LanguageModel, run: Run, times: Sequence[int]) -> Measured:
    tokens = run.prompt_tokens + run.completion_tokens
    return Measured(
        tokens=rounding.count(tokens) if tokens else "",
        latency=f"{rounding.number(median(times) / 1000, 1)} s" if times else "",
        cost=cost(model, run) if tokens else "",
    )


def cost(model: LanguageModel, run: Run) -> str:
    """In US dollars, two decimals; "" where staff entered no price."""
    if model.price_prompt is None or model.price_completion is None:
        return ""
    dollars = (run.prompt_tokens * model.price_prompt + run.completion_tokens * model.price_completion) / MILLION
    return f"${rounding.number(dollars, 2)}"
