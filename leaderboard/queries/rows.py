"""The rows of a ranking: stored standings, and models whose runs ended without a score."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple, Protocol, TypeVar

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import FaultKind, Origin, ReferenceScore, Run, Status
from evaluation.statistics.score_interval import is_without_spread
from leaderboard import rounding
from leaderboard.models import Standing

REFERENCES = ("mmlu", "arena_elo", "magi_hard")
PRESENT_SCORERS = frozenset(benchmark.scorer_version for benchmark in BENCHMARKS.values())


@dataclass(frozen=True, slots=True)
class ModelCells:
    """What a row says of its model, whatever its runs: `size` in billions, `weights` open, closed or unknown ("").

    `references` has the order of REFERENCES. Of `released_on` the month alone is known where `month_only`.
    """

    name: str
    full_name: str
    slug: str
    organisation: str
    weights: str
    size: float | None
    size_text: str
    references: tuple[float | None, ...]
    released_on: date | None = None
    month_only: bool = False


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A model in the table. `score` is None where too few replies were read; `rank` where the row does not compete.

    `low` and `high` bound its possible ranks and are None where no range is known; `low_all` and `high_all` do so
    corrected for all comparisons at once. `tied_with` counts the models that it is tied with; `interval_low` and
    `interval_high` bound the 95 % interval in points. `approximate`: both come from the field, not from items.
    `run_ids` are the runs behind it, oldest first, `other_settings` says how they were asked otherwise than the
    benchmark's standard, `reason` in two or three words why there is no rank. `model_id` is the
    model's primary key.
    """

    model: ModelCells
    origin: str
    score: float | None
    rank: int | None = None
    low: int | None = None
    high: int | None = None
    group: int | None = None
    tied_with: int | None = None
    low_all: int | None = None
    high_all: int | None = None
    strict_score: float | None = None
    standard_error: float | None = None
    interval_low: float | None = None
    interval_high: float | None = None
    approximate: bool = False
    n_items: int | None = None
    n_scored: int | None = None
    runs_used: int = 0
    repeats: int = 0
    cv_percent: float | None = None
    measured_on: date | None = None
    run_id: int | None = None
    run_ids: Sequence[int] = ()
    other_settings: str = ""
    scorer_version: str = ""
    reason: str = ""
    model_id: int = 0

    @property
    def old_scorer(self) -> str:
        """The versions behind the score that are no longer those of this code; "" where all are, or none is named."""
        versions = self.scorer_version.split(", ") if self.scorer_version else []
        return ", ".join(version for version in versions if version not in PRESENT_SCORERS)

    @property
    def ties_with_leader(self) -> bool:
        """Whether it leads, or is tied with the leader: the first group holds exactly these."""
        return self.group == 1

    @property
    def is_without_error(self) -> bool:
        """Whether all its items have the same score, so that no error can be computed."""
        return is_without_spread(self.standard_error)

    @property
    def half(self) -> float | None:
        """Half of the 95 % interval in points."""
        if self.interval_low is None or self.interval_high is None or self.is_without_error:
            return None
        return (self.interval_high - self.interval_low) / 2


class SortedModel(Protocol):
    """What the search and the order of a table look at of a model."""

    @property
    def name(self) -> str: ...
    @property
    def full_name(self) -> str: ...
    @property
    def slug(self) -> str: ...
    @property
    def organisation(self) -> str: ...
    @property
    def size(self) -> float | None: ...
    @property
    def references(self) -> tuple[float | None, ...]: ...


class SortedRow(Protocol):
    """The same of a row."""

    @property
    def model(self) -> SortedModel: ...
    @property
    def origin(self) -> str: ...
    @property
    def score(self) -> float | None: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def strict_score(self) -> float | None: ...
    @property
    def n_scored(self) -> int | None: ...
    @property
    def cv_percent(self) -> float | None: ...
    @property
    def measured_on(self) -> date | None: ...


AnyRow = TypeVar("AnyRow", bound=SortedRow)
REASONS: Mapping[str, str] = {
    Origin.BASELINE: "no model",
    Origin.DEMO: "a demonstration",
}
MODEL_COLUMNS = (
    "display_name", "name", "slug", "organisation", "open_weights", "params_billion", "params", "released_on",
    "released_month_only",
)  # fmt: skip
STANDING_COLUMNS = (
    "model_id", "origin", "score", "rank", "rank_low", "rank_high", "tie_group", "tied_with", "rank_low_all",
    "rank_high_all", "strict_score", "standard_error",
    "interval_low", "interval_high", "approximate", "n_items", "n_scored", "runs_used", "repeats", "cv_percent",
    "measured_on", "run_id", "run_ids", "other_settings", "scorer_version",
)  # fmt: skip
OF_MODEL = tuple(f"model__{name}" for name in MODEL_COLUMNS)
RUN_COLUMNS = ("model_id", "origin", "n_items", "n_scored", "parse_share", "finished_at", "pk")
References = Mapping[int, Mapping[str, float]]
WEIGHTS: Mapping[bool | None, str] = {True: "open", False: "closed", None: ""}


class Unread(NamedTuple):
    """A run without a score, in the order of RUN_COLUMNS, and its model's OF_MODEL."""

    model_id: int
    origin: str
    n_items: int | None
    n_scored: int | None
    parse_share: float | None
    finished_at: datetime | None
    run_id: int
    display_name: str
    name: str
    slug: str
    organisation: str
    open_weights: bool | None
    params_billion: float | None
    params: str
    released_on: date | None
    month_only: bool


def ranking_rows(ranking: str, unread: Iterable[Unread]) -> list[RankingRow]:
    """All rows of a ranking, unordered: those with a standing, then those without a score. Two queries."""
    standings = list(Standing.objects.filter(ranking=ranking).values_list(*STANDING_COLUMNS, *OF_MODEL))
    references = reference_scores()
    return [
        *(standing_row(columns, references) for columns in standings),
        *(unread_row(run, references) for run in unread),
    ]


def rows_of(
    ranking: str, slugs: Collection[str], unread: Iterable[Unread], references: References | None = None
) -> dict[str, RankingRow]:
    """Slug -> row of these models: those with a standing are read, the others are among `unread`. One query, two where
    `references` are not known yet."""
    found = Standing.objects.filter(ranking=ranking, model__slug__in=slugs).order_by()
    standings = list(found.values_list(*STANDING_COLUMNS, *OF_MODEL))
    shown = [run for run in unread if run.slug in slugs]
    if references is None:
        references = reference_scores([*(columns[0] for columns in standings), *(run.model_id for run in shown)])
    rows = [
        *(standing_row(columns, references) for columns in standings),
        *(unread_row(run, references) for run in shown),
    ]
    return {row.model.slug: row for row in rows}


def runs_without_score(ranking: str, bank_id: int | None, benchmark: str) -> list[Unread]:
    """The newest public, whole run of each model without a standing of which too few replies could be read."""
    standing = Standing.objects.filter(ranking=ranking).values("model_id")
    runs = unread_runs().filter(bank_id=bank_id, benchmark=benchmark).exclude(model_id__in=standing)
    found = (Unread(*columns) for columns in runs.order_by("pk").values_list(*RUN_COLUMNS, *OF_MODEL))
    return list({run.model_id: run for run in found}.values())


def unread_runs() -> Any:
    """Public, whole runs that ended without a score because too few replies could be read."""
    runs = Run.objects.listed().filter(status=Status.FAILED, failure_kind=FaultKind.PARSE)
    return runs.filter(limit__isnull=True).exclude(origin=Origin.DEMO)


def reference_scores(models: Collection[int] | None = None) -> References:
    """Model -> benchmark -> preferred value, of these models or of all. A model without any is not in it."""
    scores: defaultdict[int, dict[str, float]] = defaultdict(dict)
    figures = ReferenceScore.objects.filter(benchmark__in=REFERENCES, preferred=True).order_by()
    if models is not None:
        figures = figures.filter(model__in=models)
    for model_id, benchmark, value in figures.values_list("model_id", "benchmark", "value"):
        scores[model_id][benchmark] = value
    return scores


def standing_row(columns: tuple[Any, ...], references: References) -> RankingRow:
    """The row of a standing's STANDING_COLUMNS and its model's OF_MODEL."""
    model_id, *own = columns[: len(STANDING_COLUMNS)]
    origin, _, rank, *_ = own
    model = model_cells(columns[len(STANDING_COLUMNS) :], references.get(model_id, {}))
    # The columns have the order of the row's fields; naming each of them would double the time of the page.
    return RankingRow(*(model, *own, REASONS.get(origin, "not ranked") if rank is None else "", model_id))


def unread_row(run: Unread, references: References) -> RankingRow:
    return RankingRow(
        model=model_cells(run[len(RUN_COLUMNS) :], references.get(run.model_id, {})),
        origin=run.origin,
        score=None,
        n_items=run.n_items,
        n_scored=run.n_scored,
        measured_on=run.finished_at.date() if run.finished_at else None,
        run_id=run.run_id,
        reason=f"{rounding.percent(run.parse_share)} read",
        model_id=run.model_id,
    )


def model_cells(columns: tuple[Any, ...], references: Mapping[str, float]) -> ModelCells:
    display_name, name, slug, organisation, open_weights, size, params, released_on, month_only = columns
    return ModelCells(
        name=display_name or name,
        full_name=name,
        slug=slug,
        organisation=organisation,
        weights=WEIGHTS[open_weights],
        size=size,
        size_text=rounding.size(size) if size else params or rounding.MISSING,
        references=tuple(map(references.get, REFERENCES)),
        released_on=released_on,
        month_only=month_only,
    )


class Placed(Protocol):
    """What a row says of where its score comes from."""

    @property
    def origin(self) -> str: ...
    @property
    def run_id(self) -> int | None: ...


def is_private(row: Placed) -> bool:
    """Whether the score is one of a private bank: of runs that are not named, in whole points, of a month."""
    return row.origin in {Origin.MEASURED, Origin.IMPORTED} and row.run_id is None


def ranks_text(standing: Standing) -> str:
    """The range of ranks where it is known, else the plain rank; "" without one."""
    if standing.rank is None:
        return ""
    if standing.rank_low is None or standing.rank_high is None:
        return str(standing.rank)
    return rounding.ranks(standing.rank_low, standing.rank_high)
