"""The rows of a ranking: stored standings, and models whose runs ended without a score. Three queries."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from evaluation.models import FaultKind, Origin, ReferenceScore, Run, Status
from leaderboard import rounding
from leaderboard.models import Standing

REFERENCES = ("mmlu", "arena_elo", "magi_hard")


@dataclass(frozen=True, slots=True)
class ModelCells:
    """What a row says of its model, whatever its runs: `size` in billions, `weights` open, closed or unknown ("").

    `references` has the order of REFERENCES.
    """

    name: str
    full_name: str
    slug: str
    organisation: str
    weights: str
    size: float | None
    size_text: str
    references: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A model in the table. `score` is None where too few replies were read; `rank` where the row does not compete.

    `low` and `high` bound the ranks left open and are None where no test was made; `interval_low` and `interval_high`
    bound the 95 % interval in points. `approximate`: both come from the field, not from items. `reason` says in two or
    three words why there is no rank.
    """

    model: ModelCells
    origin: str
    score: float | None
    rank: int | None = None
    low: int | None = None
    high: int | None = None
    group: int | None = None
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
    reason: str = ""

    @property
    def half(self) -> float | None:
        """Half of the 95 % interval in points."""
        if self.interval_low is None or self.interval_high is None:
            return None
        return (self.interval_high - self.interval_low) / 2


REASONS: Mapping[str, str] = {
    Origin.BASELINE: "no model",
    Origin.DEMO: "a demonstration",
    Origin.PUBLISHED: "not ranked",
}
MODEL_COLUMNS = ("display_name", "name", "slug", "organisation", "open_weights", "params_billion", "params")
STANDING_COLUMNS = (
    "model_id", "origin", "score", "rank", "rank_low", "rank_high", "tie_group", "strict_score", "standard_error",
    "interval_low", "interval_high", "approximate", "n_items", "n_scored", "runs_used", "repeats", "cv_percent",
    "measured_on", "run_id",
)  # fmt: skip
OF_MODEL = tuple(f"model__{name}" for name in MODEL_COLUMNS)
WEIGHTS: Mapping[bool | None, str] = {True: "open", False: "closed", None: ""}


def ranking_rows(ranking: str, bank_id: int | None, benchmark: str) -> list[RankingRow]:
    """All rows of a ranking, unordered: those with a standing, then those without a score."""
    standings = list(Standing.objects.filter(ranking=ranking).values_list(*STANDING_COLUMNS, *OF_MODEL))
    standing = {columns[0] for columns in standings}
    unread = [columns for columns in runs_without_score(bank_id, benchmark) if columns[0] not in standing]
    references = reference_scores()
    return [
        *(standing_row(columns, references) for columns in standings),
        *(unread_row(columns, references) for columns in unread),
    ]


def runs_without_score(bank_id: int | None, benchmark: str) -> list[tuple[Any, ...]]:
    """The newest public, whole run of each model where too few replies could be read, in the order of UNREAD_COLUMNS
    and OF_MODEL."""
    runs = (
        unread_runs()
        .filter(bank_id=bank_id, benchmark=benchmark)
        .order_by("pk")
        .values_list("model_id", "origin", "n_items", "n_scored", "parse_share", "finished_at", "pk", *OF_MODEL)
    )
    return list({columns[0]: columns for columns in runs}.values())


def unread_runs() -> Any:
    """Public, whole runs that ended without a score because too few replies could be read."""
    runs = Run.objects.filter(status=Status.FAILED, failure_kind=FaultKind.PARSE)
    return runs.filter(published=True, limit__isnull=True).exclude(origin=Origin.DEMO)


def reference_scores() -> Mapping[int, dict[str, float]]:
    """Model -> benchmark -> preferred value; an empty dict for a model without any."""
    scores: defaultdict[int, dict[str, float]] = defaultdict(dict)
    figures = ReferenceScore.objects.filter(benchmark__in=REFERENCES, preferred=True).order_by()
    for model_id, benchmark, value in figures.values_list("model_id", "benchmark", "value"):
        scores[model_id][benchmark] = value
    return scores


def standing_row(columns: tuple[Any, ...], references: Mapping[int, Mapping[str, float]]) -> RankingRow:
    """The row of a standing's STANDING_COLUMNS and its model's OF_MODEL."""
    model_id, *own = columns[: len(STANDING_COLUMNS)]
    origin, _, rank, *_ = own
    model = model_cells(columns[len(STANDING_COLUMNS) :], references[model_id])
    # The columns have the order of the row's fields; naming each of them would double the time of the page.
    return RankingRow(*(model, *own, REASONS.get(origin, "not ranked") if rank is None else ""))


def unread_row(columns: tuple[Any, ...], references: Mapping[int, Mapping[str, float]]) -> RankingRow:
    model_id, origin, n_items, n_scored, parse_share, finished_at, run_id, *model = columns
    return RankingRow(
        model=model_cells(tuple(model), references[model_id]),
        origin=origin,
        score=None,
        n_items=n_items,
        n_scored=n_scored,
        measured_on=finished_at.date() if finished_at else None,
        run_id=run_id,
        reason=f"{rounding.percent(parse_share)} read",
    )


def model_cells(columns: tuple[Any, ...], references: Mapping[str, float]) -> ModelCells:
    display_name, name, slug, organisation, open_weights, size, params = columns
    return ModelCells(
        name=display_name or name,
        full_name=name,
        slug=slug,
        organisation=organisation,
        weights=WEIGHTS[open_weights],
        size=size,
        size_text=rounding.size(size) if size else params or rounding.MISSING,
        references=tuple(map(references.get, REFERENCES)),
    )


def ranks_text(standing: Standing) -> str:
    """The range of ranks where it is known, else the plain rank; "" without one."""
    if standing.rank is None:
        return ""
    if standing.rank_low is None or standing.rank_high is None:
        return str(standing.rank)
    return rounding.ranks(standing.rank_low, standing.rank_high)
