"""A model's rows in the rankings: one query for its own, one for how many stand beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Case, Count, Max, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

from evaluation.baselines import BaselineLine
from evaluation.benchmarks import BENCHMARKS
from evaluation.models import LanguageModel, ReferenceScore
from evaluation.published_tables import PUBLISHED
from evaluation.statistics.score_interval import is_without_spread
from leaderboard.drawings.badges import rank_words
from leaderboard.drawings.model import Place, place
from leaderboard.drawings.shapes import Axis, Ribbon, ScoreBar, ribbon, score_bar
from leaderboard.models import Standing, StatisticsRow, StatisticsSection
from leaderboard.pages.models.field import Field, Stamp
from leaderboard.pages.rankings.directory import facts_now, title_of
from leaderboard.pages.rankings.page import Ranking
from leaderboard.pages.rankings.ready import told
from leaderboard.pages.rankings.rows import is_private, ranks_text
from leaderboard.pages.shared.measures import ranking_axis, ranking_measure
from leaderboard.rounding import known_date
from leaderboard.standings.rows import ORIGINS
from leaderboard.wording.sources import Source, source_of
from leaderboard.wording.vouching import words_of


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
    `run_ids` are the runs that count, oldest first. Scores have `digits` decimals: a private bank's are whole points.
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
    digits: int = 2
    unit: str = "points"
    vouched_for: str = ""

    @property
    def half(self) -> float | None:
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def is_private(self) -> bool:
        return is_private(self)

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
    """A figure that somebody else published for the model. `match` says how sure it is that it is this one's.

    Of those in MAIN `rank` is its rank among the `n` models that have such a figure, 1 for the highest; 0 for others.
    """

    title: str
    value: float
    digits: int
    setting: str
    as_of: str
    source: Source
    is_main: bool
    benchmark: str = ""
    rank: int = 0
    n: int = 0
    match: str = ""
    matched_name: str = ""
    model_name: str = ""


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
    """The model's places, those with runs behind them first, the fuller ranking first among equals. One query.

    A ranking that got its first row after `known` was looked up is left out: the next request has it in both.
    """
    passes = StatisticsRow.objects.filter(model=model, ranking=OuterRef("ranking")).values("repeats")
    stored = Standing.objects.filter(model=model).annotate(agreed=Subquery(passes))
    rows = [
        standing_row(row, known[row.ranking], titles[row.ranking], agreement_of(row.agreed))
        for row in stored
        if row.ranking in known
    ]
    return tuple(sorted(rows, key=lambda row: (ORIGINS.index(row.origin), -known[row.key].n_rows, row.key)))


def agreement_of(found: Mapping[str, Any] | None) -> Agreement | None:
    """None for a single pass, and where the statistics have not read the model yet."""
    if not found:
        return None
    icc = found["icc"]
    return Agreement(found["n"], found["sem"], (icc[0], icc[1], icc[2]) if icc else None)


def standing_row(
    standing: Standing, company: Company, ranking: Ranking, agreement: Agreement | None = None
) -> StandingRow:
    measure = ranking_measure(ranking.benchmark)
    rank, low, high = standing.rank, standing.rank_low, standing.rank_high
    lowest, highest = (rank, rank) if low is None or high is None else (low, high)
    return StandingRow(
        key=standing.ranking,
        title=ranking.title,
        digits=0 if is_private(standing) else measure.digits,
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
        computed_at=ranking.told(standing.computed_at),
        run_id=standing.run_id,
        run_ids=tuple(standing.run_ids),
        other_settings=standing.other_settings,
        scorer_version=standing.scorer_version,
        agreement=agreement,
        is_without_error=is_without_spread(standing.standard_error),
        unit=measure.unit,
        vouched_for=words_of(standing.vouched_by),
    )


def drawn(row: StandingRow, field: Field, benchmark: str) -> Drawn:
    low, high = row.interval or (None, None)
    axis = ranking_axis(benchmark, (row.score, *(other.score for other in field.ranked)))
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


def number_of(figures: "QuerySet[ReferenceScore]") -> Case:
    """How many figures there are, counted for those in MAIN alone; 0 for others."""
    counted = figures.values("benchmark").annotate(n=Count("pk")).values("n")
    return Case(When(benchmark__in=MAIN, then=Coalesce(Subquery(counted), 0)), default=0)


def digits_of_figure(benchmark: str) -> int:
    if benchmark in PUBLISHED:
        return ranking_measure(benchmark).digits
    return 0 if benchmark == "arena_elo" else 2 if benchmark in BENCHMARKS else 1


def reference_rows(model: LanguageModel) -> tuple[ReferenceRow, ...]:
    """The preferred published figures with their sources, the three of the board first. One query."""
    field = ReferenceScore.objects.filter(preferred=True, benchmark=OuterRef("benchmark")).order_by()
    above = field.filter(value__gt=OuterRef("value"))
    stored = ReferenceScore.objects.filter(model=model, preferred=True).annotate(
        n=number_of(field), above=number_of(above)
    )
    rows = sorted(stored, key=lambda row: (MAIN.index(row.benchmark) if row.benchmark in MAIN else 9, row.benchmark))
    return tuple(
        ReferenceRow(
            title=TITLES.get(row.benchmark) or title_of(row.benchmark),
            value=row.value,
            digits=digits_of_figure(row.benchmark),
            setting=row.setting,
            as_of=known_date(row.as_of),
            source=source_of(row.source),
            is_main=row.benchmark in MAIN,
            benchmark=row.benchmark,
            rank=row.above + 1 if row.n else 0,
            n=row.n,
            match=row.match,
            matched_name=row.matched_name,
            model_name=model.name,
        )
        for row in rows
    )
