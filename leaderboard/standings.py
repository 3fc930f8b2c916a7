"""Runs and published figures in, `Standing` rows out: the one place where ranking happens.

May not import numpy or pandas: it runs in every worker. The rules, in the order in which they apply:

1. A run counts when it is finished, published, whole (no `limit`) and has a score. The newest is not preferred and the
   best is not preferred: the board shows the mean of all that count.
2. A model has one row a ranking. Measured runs count before imported ones, these before a published figure; the means
   never mix origins.
3. Measured and imported rows compete for ranks. Published rows do so only where nothing else is ranked. Baselines and
   demo runs stand in the table without a rank.
4. A rank is one more than the number of strictly better scores at full precision, so equal scores share it.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from statistics import fmean
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import ItemBank, Origin, ReferenceScore, Run, Status
from leaderboard.models import Standing

NORMAL_975 = 1.959964  # the 97.5th percentile of the normal distribution: half of a 95 % interval in standard errors

PREFERENCE = (Origin.MEASURED, Origin.IMPORTED, Origin.PUBLISHED, Origin.BASELINE, Origin.DEMO)
COMPETING = frozenset({Origin.MEASURED, Origin.IMPORTED})


class Place(NamedTuple):
    """What names a row: a model in a ranking."""

    ranking: str
    model_id: int


@dataclass(frozen=True, slots=True)
class Result:
    """One run that counts, or one published figure."""

    place: Place
    origin: Origin
    score: float
    run_id: int | None = None
    strict_score: float | None = None
    standard_error: float | None = None
    n_items: int | None = None
    n_scored: int | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The computed columns of a `Standing`; the names are those of the model's fields."""

    ranking: str
    model_id: int
    run_id: int | None
    origin: str
    score: float
    strict_score: float | None
    interval_low: float | None
    interval_high: float | None
    n_items: int | None
    n_scored: int | None
    runs_used: int
    measured_on: date | None
    rank: int | None = None

    @property
    def place(self) -> Place:
        return Place(self.ranking, self.model_id)


RUN_COLUMNS = (
    "model_id", "benchmark", "origin", "score", "strict_score", "standard_error", "n_items", "n_scored", "finished_at",
)  # fmt: skip
COLUMNS = tuple(name for name in Row.__dataclass_fields__ if name not in Place._fields)


def ranking_key(bank_slug: str, bank_benchmark: str, benchmark: str) -> str:
    """The key of the ranking that a run belongs to: the bank's slug under the bank's own scoring rule, else
    `slug--benchmark`, so that two rules on one bank never share a table."""
    return bank_slug if benchmark == bank_benchmark else f"{bank_slug}--{benchmark}"


def refresh_standings() -> None:
    """Bring the stored rows to what the runs and figures say now; rows that did not change keep `computed_at`.

    Safe to call at any time and twice at once: the banks' rows are locked first, so that on PostgreSQL two refreshes
    follow each other (SQLite's IMMEDIATE transactions do by themselves). Published figures of a known benchmark stand
    on the board before its bank is loaded.
    """
    with transaction.atomic():
        slugs = list(ItemBank.objects.select_for_update(no_key=True).order_by("pk").values_list("slug", flat=True))
        results = counted_runs()
        families = {benchmark.bank for benchmark in BENCHMARKS.values()}
        keys = {*slugs, *families, *(result.place.ranking for result in results)}
        store(ranked(rows_from([*results, *published_figures(keys)])))


def counted_runs() -> list[Result]:
    """Every run that may stand on the board, oldest first."""
    runs = (
        Run.objects.filter(status=Status.FINISHED, published=True, limit__isnull=True)
        .exclude(origin=Origin.PUBLISHED)
        .select_related("bank")
        .only(*RUN_COLUMNS, "bank__slug", "bank__benchmark")
        .order_by("pk")
    )
    return [counted_run(run, run.score) for run in runs if run.score is not None]


def counted_run(run: Run, score: float) -> Result:
    return Result(
        place=Place(ranking_key(run.bank.slug, run.bank.benchmark, run.benchmark), run.model_id),
        origin=Origin(run.origin),
        score=score,
        run_id=run.pk,
        strict_score=run.strict_score,
        standard_error=run.standard_error,
        n_items=run.n_items,
        n_scored=run.n_scored,
        finished_at=run.finished_at,
    )


def published_figures(keys: Iterable[str]) -> list[Result]:
    """The preferred figures that carry a ranking's key as their benchmark."""
    figures = ReferenceScore.objects.filter(benchmark__in=keys, preferred=True).order_by("pk")
    return [
        Result(Place(benchmark, model_id), Origin.PUBLISHED, value)
        for benchmark, model_id, value in figures.values_list("benchmark", "model_id", "value")
    ]


def rows_from(results: Iterable[Result]) -> list[Row]:
    """One row a model and ranking, not yet ranked, from the results of the origin that counts first."""
    by_place: defaultdict[Place, defaultdict[Origin, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        by_place[result.place][result.origin].append(result)
    return [
        row_from(next(by_origin[origin] for origin in PREFERENCE if origin in by_origin))
        for by_origin in by_place.values()
    ]


def row_from(results: Sequence[Result]) -> Row:
    """The row of one model's results of one origin, oldest first: their mean. Counts and date are the newest run's."""
    newest, score = results[-1], fmean(result.score for result in results)
    half = half_interval(results)
    return Row(
        ranking=newest.place.ranking,
        model_id=newest.place.model_id,
        run_id=newest.run_id,
        origin=newest.origin.value,
        score=score,
        strict_score=mean_or_none([result.strict_score for result in results]),
        interval_low=None if half is None else score - half,
        interval_high=None if half is None else score + half,
        n_items=newest.n_items,
        n_scored=newest.n_scored,
        runs_used=sum(result.run_id is not None for result in results),
        measured_on=newest.finished_at.date() if newest.finished_at else None,
    )


def half_interval(results: Sequence[Result]) -> float | None:
    """Half of the 95 % interval in points, or None where a standard error is missing.

    Over several runs the mean of their standard errors is taken and not divided by the root of their number: the runs
    share the items, and which items a bank happens to hold is most of the error, so replicates do not average it out.
    """
    error = mean_or_none([result.standard_error for result in results])
    return None if error is None else NORMAL_975 * error


def mean_or_none(values: Sequence[float | None]) -> float | None:
    """The mean, or None as soon as one value is missing."""
    present = [value for value in values if value is not None]
    return fmean(present) if len(present) == len(values) else None


def ranked(rows: Iterable[Row]) -> list[Row]:
    """The same rows with ranks, each ranking for itself."""
    by_ranking: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_ranking[row.ranking].append(row)
    return [row for group in by_ranking.values() for row in ranked_alone(group)]


def ranked_alone(rows: Sequence[Row]) -> list[Row]:
    """The rows of one ranking; equal scores share a rank. Published figures compete only among themselves."""
    competing = COMPETING if any(row.origin in COMPETING for row in rows) else {Origin.PUBLISHED}
    scores = sorted(-row.score for row in rows if row.origin in competing)
    return [replace(row, rank=1 + bisect_left(scores, -row.score)) if row.origin in competing else row for row in rows]


def store(rows: Iterable[Row]) -> None:
    """Write what differs from the stored rows and delete those that no result stands behind any more."""
    stored = {Place(old.ranking, old.model_id): old for old in Standing.objects.all()}
    wanted = {row.place: row for row in rows}
    gone = [old.pk for place, old in stored.items() if place not in wanted]
    Standing.objects.filter(pk__in=gone).delete()
    now = timezone.now()
    Standing.objects.bulk_create(
        [
            Standing(ranking=row.ranking, model_id=row.model_id, computed_at=now, **columns(row))
            for place, row in wanted.items()
            if place not in stored or columns(row) != columns(stored[place])
        ],
        batch_size=500,
        update_conflicts=True,
        unique_fields=["ranking", "model"],
        update_fields=[*COLUMNS, "computed_at"],
    )


def columns(row: Row | Standing) -> dict[str, Any]:
    return {name: getattr(row, name) for name in COLUMNS}
