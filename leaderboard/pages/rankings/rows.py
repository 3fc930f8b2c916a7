"""The rows of a ranking: stored standings, and models whose runs ended without a score."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple, Protocol

from django.db.models import IntegerField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import FaultKind, Origin, ReferenceScore, Run, Status
from evaluation.statistics.score_interval import is_without_spread
from leaderboard import rounding
from leaderboard.models import Standing
from leaderboard.standings.vouchers import with_voucher

PRESENT_SCORERS = frozenset(benchmark.scorer_version for benchmark in BENCHMARKS.values())


def old_scorers(versions: str) -> str:
    """Of versions joined by commas those that are no longer this code's; "" where all are, or none is named."""
    return ", ".join(version for version in versions.split(", ") if version and version not in PRESENT_SCORERS)


class ModelCells(NamedTuple):
    """What a row says of its model, whatever its runs: `size` in billions, `weights` open, closed or unknown ("").

    `references` are its preferred published figures, by benchmark. Of `released_on` the month alone is known where
    `month_only`. The fields with a default are None, "" or empty in a light row (see `light_rows`).
    """

    name: str
    full_name: str
    slug: str
    organisation: str
    weights: str = ""
    size: float | None = None
    size_text: str = rounding.MISSING
    references: Mapping[str, float] = {}
    released_on: date | None = None
    month_only: bool = False


class RankingRow(NamedTuple):
    """A model in the table. `score` is None where too few replies were read; `rank` where the row does not compete.

    `low` and `high` bound its possible ranks and are None where no range is known; `low_all` and `high_all` do so
    corrected for all comparisons at once. `tied_with` counts the models that it is tied with; `interval_low` and
    `interval_high` bound the 95 % interval in points. `approximate`: both come from the field, not from items.
    `run_ids` are the runs behind it, oldest first, `other_settings` says how they were asked otherwise than the
    benchmark's standard, `vouched_by` who vouches for them, `reason` in two or three words why there is no rank.
    `model_id` is the model's primary key. `figures` are its further figures by the keys of their measures; `score` is
    the one that ranks.

    A tuple, because 2,000 rows are made for a page. A light row has what is asked for of the fields after `run_id`.
    """

    model: ModelCells
    origin: str
    score: float | None
    rank: int | None = None
    low: int | None = None
    high: int | None = None
    group: int | None = None
    high_all: int | None = None
    interval_low: float | None = None
    interval_high: float | None = None
    approximate: bool = False
    run_id: int | None = None
    tied_with: int | None = None
    low_all: int | None = None
    figures: Mapping[str, float | None] = {}
    standard_error: float | None = None
    n_items: int | None = None
    n_scored: int | None = None
    runs_used: int = 0
    repeats: int = 0
    cv_percent: float | None = None
    measured_on: date | None = None
    run_ids: Sequence[int] = ()
    other_settings: str = ""
    scorer_version: str = ""
    added_on: date | None = None
    vouched_by: str = ""
    reason: str = ""
    model_id: int = 0

    @property
    def old_scorer(self) -> str:
        """The versions behind the score that are no longer those of this code; "" where all are, or none is named."""
        return old_scorers(self.scorer_version)

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


REASONS: Mapping[str, str] = {
    Origin.BASELINE: "no model",
    Origin.DEMO: "a demonstration",
}
RENAMED = {
    "low": "rank_low",
    "high": "rank_high",
    "group": "tie_group",
    "high_all": "rank_high_all",
    "low_all": "rank_low_all",
}
SOURCES: Mapping[str, str] = {
    name: RENAMED.get(name, name) for name in RankingRow._fields if name not in {"model", "reason", "model_id"}
}
"""Field of a row -> the column of its standing, in the order of the fields."""
OF_FIGURES = "figures."
LIGHT = tuple(SOURCES)[: RankingRow._fields.index("run_id")]
"""What a light row always has of its standing."""
MODEL_COLUMNS = (
    "display_name", "name", "slug", "organisation", "open_weights", "params_billion", "params", "released_on",
    "released_month_only",
)  # fmt: skip
LIGHT_MODEL = MODEL_COLUMNS[:4]
STANDING_COLUMNS = ("model_id", *SOURCES.values())
OF_MODEL = tuple(f"model__{name}" for name in MODEL_COLUMNS)
RUN_COLUMNS = ("model_id", "origin", "n_items", "n_scored", "parse_share", "finished_at", "pk", "vouched_by")
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
    vouched_by: str
    display_name: str
    name: str
    slug: str
    organisation: str
    open_weights: bool | None
    params_billion: float | None
    params: str
    released_on: date | None
    month_only: bool


def light_rows(ranking: str, wanted: Collection[str], references: References) -> list[RankingRow]:
    """The rows with a standing, unordered, of which only the fields are read that every page needs of all rows, and
    those in `wanted`: names of a row's fields, "figures.<key>" for one figure, or "model.size" and "model.weights". One
    query.

    `references` are given to the models as they are.
    """
    extra = [name for name in wanted if source_of(name) and name not in LIGHT]
    sources: list[Any] = [*(source_of(name) for name in (*LIGHT, *extra)), *(f"model__{name}" for name in LIGHT_MODEL)]
    # As a number: SQLite's truths are converted one by one, which takes a fifth of the time of all rows.
    sources[LIGHT.index("approximate")] = Cast("approximate", IntegerField())
    of_model = [name for name in ("model.size", "model.weights") if name in wanted]
    sources += [{"model.size": "model__params_billion", "model.weights": "model__open_weights"}[n] for n in of_model]
    found = Standing.objects.filter(ranking=ranking).order_by().values_list("model_id", *sources)
    if extra or of_model or references:
        return [light_row(columns, extra, of_model, references) for columns in found]
    at = 1 + len(LIGHT)
    return [
        RankingRow(ModelCells(columns[at] or columns[at + 1], *columns[at + 1 :]), *columns[1:at]) for columns in found
    ]


def light_row(
    columns: tuple[Any, ...], extra: Sequence[str], of_model: Sequence[str], references: References
) -> RankingRow:
    at = 1 + len(LIGHT) + len(extra)
    display_name, name, slug, organisation = columns[at : at + 4]
    more: dict[str, Any] = dict(zip((name.removeprefix("model.") for name in of_model), columns[at + 4 :], strict=True))
    if "weights" in more:
        more["weights"] = WEIGHTS[more["weights"]]
    if references:
        more["references"] = references.get(columns[0], {})
    model = ModelCells(display_name or name, name, slug, organisation, **more)
    own = columns[1 : 1 + len(LIGHT)]
    if not extra:
        return RankingRow(model, *own)
    found: dict[str, Any] = dict(zip(extra, columns[1 + len(LIGHT) : at], strict=True))
    figures = {name.removeprefix(OF_FIGURES): found.pop(name) for name in extra if name.startswith(OF_FIGURES)}
    if figures:
        found["figures"] = figures
    return RankingRow(model, *own, **found)


def lightened(row: RankingRow) -> RankingRow:
    """The light row of a row."""
    of_model: tuple[Any, ...] = row.model[: len(LIGHT_MODEL)]
    own: tuple[Any, ...] = row[1 : 1 + len(LIGHT)]
    return RankingRow(ModelCells(*of_model), *own)


def source_of(name: str) -> Any:
    """Where a field of a row is read from its standing; None for what no standing has."""
    return KeyTransform(name.removeprefix(OF_FIGURES), "figures") if name.startswith(OF_FIGURES) else SOURCES.get(name)


def full_rows(ranking: str, benchmarks: Collection[str], slugs: Collection[str] | None = None) -> list[RankingRow]:
    """The rows with a standing, unordered: all of them, or those of these models. Two queries.

    `benchmarks` names the published figures that the rows carry.
    """
    found = Standing.objects.filter(ranking=ranking).order_by()
    if slugs is not None:
        found = found.filter(model__slug__in=slugs)
    standings = list(found.values_list(*STANDING_COLUMNS, *OF_MODEL))
    references = reference_scores(benchmarks, None if slugs is None else [columns[0] for columns in standings])
    return [standing_row(columns, references) for columns in standings]


def unread_rows(unread: Sequence[Unread], benchmarks: Collection[str]) -> list[RankingRow]:
    """The rows of models without a score. One query, none where there is none."""
    references = reference_scores(benchmarks, [run.model_id for run in unread]) if unread else {}
    return [unread_row(run, references) for run in unread]


def runs_without_score(ranking: str, bank_id: int | None, benchmark: str, variant: str = "") -> list[Unread]:
    """The newest public, whole run of each model without a standing of which too few replies could be read. One query,
    and one where there are such runs: who vouches for a run takes most of the work."""
    standing = Standing.objects.filter(ranking=ranking).values("model_id")
    runs = unread_runs().filter(bank_id=bank_id, benchmark=benchmark, variant=variant)
    newest = dict(runs.exclude(model_id__in=standing).order_by("pk").values_list("model_id", "pk"))
    if not newest:
        return []
    vouched = with_voucher(Run.objects.filter(pk__in=newest.values()))
    return [Unread(*columns) for columns in vouched.order_by("pk").values_list(*RUN_COLUMNS, *OF_MODEL)]


def unread_runs() -> Any:
    """Public, whole runs that ended without a score because too few replies could be read."""
    runs = Run.objects.listed().filter(status=Status.FAILED, failure_kind=FaultKind.PARSE)
    return runs.filter(limit__isnull=True).exclude(origin=Origin.DEMO)


def reference_scores(benchmarks: Collection[str], models: Collection[int] | None = None) -> References:
    """Model -> benchmark -> preferred value, of these models or of all. A model without any is not in it."""
    scores: defaultdict[int, dict[str, float]] = defaultdict(dict)
    figures = ReferenceScore.objects.filter(benchmark__in=benchmarks, preferred=True).order_by()
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


def row_of(standing: Standing) -> RankingRow:
    """The row of a stored standing with its model, without published figures."""
    model = model_cells(tuple(getattr(standing.model, name) for name in MODEL_COLUMNS), {})
    row = RankingRow(model, *(getattr(standing, name) for name in SOURCES.values()))
    return row._replace(model_id=standing.model_id)


def unread_row(run: Unread, references: References) -> RankingRow:
    return RankingRow(
        model=model_cells(run[len(RUN_COLUMNS) :], references.get(run.model_id, {})),
        origin=run.origin,
        score=None,
        n_items=run.n_items,
        n_scored=run.n_scored,
        measured_on=run.finished_at.date() if run.finished_at else None,
        run_id=run.run_id,
        vouched_by=run.vouched_by,
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
        references=references,
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
