"""A model's rows in the rankings: one query for its own, one for how many stand beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Max, OuterRef, Subquery

from evaluation.baselines import BaselineLine
from evaluation.benchmarks import BENCHMARKS
from evaluation.models import LanguageModel, ReferenceScore
from evaluation.statistics.score_interval import is_without_spread
from leaderboard.drawings.badges import rank_words
from leaderboard.drawings.model import Place, place
from leaderboard.drawings.shapes import Axis, Ribbon, ScoreBar, ribbon, score_bar
from leaderboard.models import Standing, StatisticsRow, StatisticsSection
from leaderboard.queries.directory import facts_now
from leaderboard.queries.measures import ranking_measure
from leaderboard.queries.model_field import Field, Stamp
from leaderboard.queries.rankings import Ranking
from leaderboard.queries.ready import told
from leaderboard.queries.rows import is_private, ranks_text
from leaderboard.standings.rows import ORIGINS


@dataclass(frozen=True, slots=True)
class Company:
    """How many rows a ranking has, how many of them hold a rank, and what changes when it does. `marks` are the values
    of what was asked for besides."""

    n_rows: int
    n_ranked: int
    newest: datetime
    marks: tuple[object, ...] = ()

    @property
    def stamp(self) -> Stamp:
        return Stamp(self.n_rows, self.newest)


NO_COMPANY = Company(0, 0, datetime.min)  # noqa: DTZ901  (stands for "never", is not shown)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far `n` passes of a model agree, as the statistics have it. `icc` is ICC(2,1) over items with its interval,
    None where it is not defined; `error` is the scatter of one score that re-running alone causes, in points."""

    n: int
    error: float | None
    icc: tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A model's place in one ranking. Scores in points; `ranks` is "" and `rank` None where it holds no rank.

    `is_without_error`: all its items have the same score, so that no error can be computed.
    `tied` is how many other models it is tied with, None where that is not known.
    `run_ids` are the runs that count, oldest first.
    """

    key: str
    title: str
    origin: str
    score: float
    low: float | None
    high: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    group: int | None
    ranks: str
    rank_words: str
    n_ranked: int
    tied: int | None
    approximate: bool
    n_scored: int | None
    n_items: int | None
    runs_used: int
    measured_on: date | None
    computed_at: datetime
    run_id: int | None
    run_ids: tuple[int, ...] = ()
    other_settings: str = ""
    scorer_version: str = ""
    agreement: Agreement | None = None
    is_without_error: bool = False

    @property
    def half(self) -> float | None:
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def is_private(self) -> bool:
        return is_private(self)

    @property
    def digits(self) -> int:
        """Of scores: a private bank's are whole points."""
        return 0 if self.is_private else 2

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Drawn:
    """The standing in the current ranking, drawn: ribbon and bar as in the table, and the place in the field with the
    baselines that are lines in it."""

    ribbon: Ribbon | None
    bar: ScoreBar
    place: Place | None
    lines: tuple[BaselineLine, ...] = ()


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """A figure that somebody else published for the model."""

    title: str
    value: float
    digits: int
    setting: str
    as_of: str
    source: str
    is_main: bool


TITLES: Mapping[str, str] = {
    "mmlu": "MMLU", "arena_elo": "Arena Elo", "magi_hard": "MAGI-Hard", "mmlu_pro": "MMLU-Pro", "arc": "ARC",
    "hellaswag": "HellaSwag", "gsm8k": "GSM8K", "mt_bench": "MT-Bench", "truthfulqa": "TruthfulQA",
    "winogrande": "WinoGrande", "eq-bench-v1": "EQ-Bench v1", "eq-bench-v2": "EQ-Bench v2",
}  # fmt: skip
SMALLEST_FIELD = 3  # ranked scores that make a picture
MAIN = ("mmlu", "arena_elo", "magi_hard")


def companies(**marks: Subquery) -> dict[str, Company]:
    """Every ranking that has rows. One query, which asks for these marks too."""
    rows = Standing.objects.order_by("ranking").values_list("ranking")
    counted = rows.annotate(n=Count("pk"), ranked=Count("rank"), at=Max("computed_at"), **marks)
    return {key: Company(n, ranked, at, tuple(found)) for key, n, ranked, at, *found in counted}


def facts_and_agreements() -> dict[str, Subquery]:
    """The marks of all facts, and of how far passes agree: that is stored before the sections of the statistics are."""
    return {**facts_now(), "told_sections": told(StatisticsSection.objects.all(), "computed_at")}


def standing_rows(
    model: LanguageModel, known: Mapping[str, Company], titles: Mapping[str, Ranking]
) -> tuple[StandingRow, ...]:
    """The model's places, those with runs behind them first, the fuller ranking first among equals. One query."""
    passes = StatisticsRow.objects.filter(model=model, ranking=OuterRef("ranking")).values("repeats")
    stored = Standing.objects.filter(model=model).annotate(agreed=Subquery(passes))
    rows = [
        standing_row(row, known.get(row.ranking, NO_COMPANY), titles[row.ranking].title, agreement_of(row.agreed))
        for row in stored
    ]
    return tuple(sorted(rows, key=lambda row: (ORIGINS.index(row.origin), -known[row.key].n_rows, row.key)))


def agreement_of(found: Mapping[str, Any] | None) -> Agreement | None:
    """None for a single pass, and where the statistics have not read the model yet."""
    if not found:
        return None
    icc = found["icc"]
    return Agreement(found["n"], found["sem"], (icc[0], icc[1], icc[2]) if icc else None)


def standing_row(standing: Standing, company: Company, title: str, agreement: Agreement | None = None) -> StandingRow:
    rank, low, high = standing.rank, standing.rank_low, standing.rank_high
    lowest, highest = (rank, rank) if low is None or high is None else (low, high)
    return StandingRow(
        key=standing.ranking,
        title=title,
        origin=standing.origin,
        score=standing.score,
        low=standing.interval_low,
        high=standing.interval_high,
        rank=rank,
        rank_low=low,
        rank_high=high,
        group=standing.tie_group,
        ranks=ranks_text(standing),
        rank_words=rank_words(lowest, highest, company.n_ranked, approximate=standing.approximate),
        n_ranked=company.n_ranked,
        tied=standing.tied_with,
        approximate=standing.approximate,
        n_scored=standing.n_scored,
        n_items=standing.n_items,
        runs_used=standing.runs_used,
        measured_on=standing.measured_on,
        computed_at=standing.computed_at,
        run_id=standing.run_id,
        run_ids=tuple(standing.run_ids),
        other_settings=standing.other_settings,
        scorer_version=standing.scorer_version,
        agreement=agreement,
        is_without_error=is_without_spread(standing.standard_error),
    )


def drawn(row: StandingRow, field: Field, benchmark: str) -> Drawn:
    low, high = row.interval or (None, None)
    axis = Axis.of(ranking_measure(benchmark), (row.score, *(other.score for other in field.ranked)))
    return Drawn(
        ribbon=ribbon_of(row, field),
        bar=score_bar(row.score, low, high, field.constant, axis),
        place=place_of(row, field, axis) if len(field.ranked) >= SMALLEST_FIELD else None,
        lines=field.lines,
    )


def ribbon_of(row: StandingRow, field: Field) -> Ribbon | None:
    if row.rank is None or row.rank_low is None or row.rank_high is None or not field.ranked:
        return None
    return ribbon(row.rank, row.rank_low, row.rank_high, field.tied_with_leader, len(field.ranked))


def place_of(row: StandingRow, field: Field, axis: Axis) -> Place:
    low, high = row.rank_low or row.rank, row.rank_high or row.rank
    near = [other.score for other in field.ranked if low is not None and high is not None and low <= other.rank <= high]
    scores, lines = [other.score for other in field.ranked], [line.score for line in field.lines]
    return place(scores, near, row.score, row.interval, lines, axis)


def reference_rows(model: LanguageModel) -> tuple[ReferenceRow, ...]:
    """The preferred published figures with their sources, the three of the board first. One query."""
    stored = ReferenceScore.objects.filter(model=model, preferred=True)
    rows = sorted(stored, key=lambda row: (MAIN.index(row.benchmark) if row.benchmark in MAIN else 9, row.benchmark))
    return tuple(
        ReferenceRow(
            title=TITLES.get(row.benchmark, row.benchmark),
            value=row.value,
            digits=0 if row.benchmark == "arena_elo" else 2 if row.benchmark in BENCHMARKS else 1,
            setting=row.setting,
            as_of=row.as_of,
            source=row.source,
            is_main=row.benchmark in MAIN,
        )
        for row in rows
    )
