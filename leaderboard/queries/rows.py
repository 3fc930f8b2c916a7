"""The rows of a ranking: stored standings, and models whose runs ended without a score. Three queries."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from evaluation.models import FaultKind, LanguageModel, Origin, ReferenceScore, Run, Status
from leaderboard import rounding
from leaderboard.drawings import Ribbon, ScoreBar, ribbon, score_bar
from leaderboard.models import Standing

REFERENCES = ("mmlu", "arena_elo", "magi_hard")


@dataclass(frozen=True, slots=True)
class ModelCells:
    """What a row says of its model, whatever its runs: `size` in billions, `weights` open, closed or unknown ("").

    `references` has the order of REFERENCES.
    """

    name: str
    full_name: str
    organisation: str
    weights: str
    size: float | None
    size_text: str
    references: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A model in the table. `score` is None where too few replies were read; `rank` where the row does not compete.

    `reason` says in two or three words why there is no rank; `half` is half of the 95 % interval in points.
    """

    model: ModelCells
    origin: str
    rank: int | None
    ranks: str
    group: int | None
    score: float | None
    half: float | None
    bar: ScoreBar | None
    ribbon: Ribbon | None
    n_scored: int | None
    n_items: int | None
    measured_on: date | None
    run_id: int | None
    runs_used: int
    reason: str

    @property
    def outside(self) -> bool:
        return self.rank is None

    @property
    def approximate(self) -> bool:
        return self.origin == Origin.PUBLISHED


@dataclass(frozen=True, slots=True)
class Field:
    """What the drawings of a row are measured against: ranked models, tie groups, the best baseline's score."""

    n_ranked: int
    groups: Mapping[int, tuple[int, int]]
    constant: float | None


REASONS: Mapping[str, str] = {
    Origin.BASELINE: "no model",
    Origin.DEMO: "a demonstration",
    Origin.PUBLISHED: "not ranked",
}


def ranking_rows(ranking: str, bank_id: int | None, benchmark: str) -> list[RankingRow]:
    """All rows of a ranking, unordered: those with a standing, then those without a score."""
    standings = list(Standing.objects.filter(ranking=ranking).select_related("model"))
    unread = runs_without_score(bank_id, benchmark, {standing.model_id for standing in standings})
    references = reference_scores()
    field = field_of(standings)
    return [
        *(standing_row(standing, references[standing.model_id], field) for standing in standings),
        *(unread_row(run, references[run.model_id]) for run in unread),
    ]


def field_of(standings: list[Standing]) -> Field:
    ranks = [standing.rank for standing in standings if standing.rank is not None]
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for standing in standings:
        if standing.tie_group is not None and standing.rank is not None:
            groups[standing.tie_group].append(standing.rank)
    baselines = [standing.score for standing in standings if standing.origin == Origin.BASELINE]
    return Field(
        n_ranked=len(ranks),
        groups={group: (min(held), max(held)) for group, held in groups.items()},
        constant=max(baselines, default=None),
    )


def runs_without_score(bank_id: int | None, benchmark: str, standing: set[int]) -> list[Run]:
    """The newest public, whole run of each model without a standing, where too few replies could be read."""
    runs = (
        Run.objects.filter(bank_id=bank_id, benchmark=benchmark, published=True, limit__isnull=True)
        .filter(status=Status.FAILED, failure_kind=FaultKind.PARSE)
        .exclude(origin=Origin.DEMO)
        .select_related("model")
        .order_by("pk")
    )
    newest = {run.model_id: run for run in runs}
    return [run for model_id, run in newest.items() if model_id not in standing]


def reference_scores() -> Mapping[int, dict[str, float]]:
    """Model -> benchmark -> preferred value; an empty dict for a model without any."""
    scores: defaultdict[int, dict[str, float]] = defaultdict(dict)
    figures = ReferenceScore.objects.filter(benchmark__in=REFERENCES, preferred=True)
    for model_id, benchmark, value in figures.values_list("model_id", "benchmark", "value"):
        scores[model_id][benchmark] = value
    return scores


def standing_row(standing: Standing, references: Mapping[str, float], field: Field) -> RankingRow:
    low, high = standing.interval_low, standing.interval_high
    return RankingRow(
        model=model_cells(standing.model, references),
        origin=standing.origin,
        rank=standing.rank,
        ranks=ranks_text(standing),
        group=standing.tie_group,
        score=standing.score,
        half=None if low is None or high is None else (high - low) / 2,
        bar=score_bar(standing.score, low, high, field.constant),
        ribbon=ribbon_of(standing, field),
        n_scored=standing.n_scored,
        n_items=standing.n_items,
        measured_on=standing.measured_on,
        run_id=standing.run_id,
        runs_used=standing.runs_used,
        reason=REASONS.get(standing.origin, "not ranked") if standing.rank is None else "",
    )


def unread_row(run: Run, references: Mapping[str, float]) -> RankingRow:
    return RankingRow(
        model=model_cells(run.model, references),
        origin=run.origin,
        rank=None,
        ranks="",
        group=None,
        score=None,
        half=None,
        bar=None,
        ribbon=None,
        n_scored=run.n_scored,
        n_items=run.n_items,
        measured_on=run.finished_at.date() if run.finished_at else None,
        run_id=run.pk,
        runs_used=0,
        reason=f"{rounding.percent(run.parse_share)} read",
    )


def model_cells(model: LanguageModel, references: Mapping[str, float]) -> ModelCells:
    size = model.params_billion
    return ModelCells(
        name=str(model),
        full_name=model.name,
        organisation=model.organisation,
        weights={True: "open", False: "closed", None: ""}[model.open_weights],
        size=size,
        size_text=rounding.size(size) if size else model.params or rounding.MISSING,
        references=tuple(references.get(benchmark) for benchmark in REFERENCES),
    )


def ranks_text(standing: Standing) -> str:
    """The range of ranks where it is known, else the plain rank; "" without one."""
    if standing.rank is None:
        return ""
    if standing.rank_low is None or standing.rank_high is None:
        return str(standing.rank)
    return rounding.ranks(standing.rank_low, standing.rank_high)


def ribbon_of(standing: Standing, field: Field) -> Ribbon | None:
    if standing.rank is None or standing.rank_low is None or standing.rank_high is None:
        return None
    group = None if standing.tie_group is None else field.groups[standing.tie_group]
    return ribbon(standing.rank, standing.rank_low, standing.rank_high, group, field.n_ranked)
