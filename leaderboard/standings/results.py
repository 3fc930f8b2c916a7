"""What stands behind the board: runs that may count and published figures, read from the database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q

from evaluation.benchmarks import BENCHMARKS
from evaluation.departures import Departures
from evaluation.models import Access, ItemBank, Origin, ReferenceScore, Run, Status
from evaluation.private_runs import within_the_limit

COUNTED = Q(status=Status.FINISHED, published=True, limit__isnull=True, score__isnull=False)
"""Which runs may stand on the board: finished, public, whole, and with a score. Which of them do, `rows` decides, and
the standing names them."""


class Place(NamedTuple):
    """What names a row: a model in a ranking."""

    ranking: str
    model_id: int


@dataclass(frozen=True, slots=True)
class Result:
    """One run that may count, or one published figure. `passes` are the scores of a run's repeats that have one;
    `departures` is how it asked otherwise than the benchmark's standard."""

    place: Place
    origin: Origin
    score: float
    run_id: int | None = None
    strict_score: float | None = None
    standard_error: float | None = None
    passes: tuple[float, ...] = ()
    n_items: int | None = None
    n_scored: int | None = None
    finished_at: datetime | None = None
    departures: Departures = field(default_factory=dict)
    scorer_version: str = ""


class Source(NamedTuple):
    """The runs of a ranking: all of one benchmark on one bank."""

    bank_id: int
    benchmark: str
    private: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """All results of some rankings, oldest first, and where the runs of each ranking are found."""

    results: tuple[Result, ...]
    sources: Mapping[str, Source]


RUN_COLUMNS = (
    "bank__slug", "bank__benchmark", "bank__access", "bank_id", "benchmark", "model_id", "origin", "pk", "score",
    "strict_score", "standard_error", "repeat_scores", "n_items", "n_scored", "finished_at", "departures",
    "scorer_version",
)  # fmt: skip


def ranking_key(bank_slug: str, bank_benchmark: str, benchmark: str) -> str:
    """The key of the ranking that a run belongs to: the bank's slug under the bank's own scoring rule, else
    `slug--benchmark`, so that two rules on one bank never share a table."""
    return bank_slug if benchmark == bank_benchmark else f"{bank_slug}--{benchmark}"


def findings_of_all() -> Findings:
    """Every result of every ranking. Published figures of a known benchmark stand on the board before its bank is
    loaded. Three queries."""
    slugs = ItemBank.objects.order_by("pk").values_list("slug", flat=True)
    families = {benchmark.bank for benchmark in BENCHMARKS.values()}
    results, sources = counted_runs(COUNTED)
    return Findings((*results, *published_figures({*slugs, *families, *sources})), sources)


def findings_of(run_id: int) -> tuple[str, Findings] | None:
    """The ranking of a run and all results of this one ranking; None where there is no such run. Three queries."""
    run = Run.objects.filter(pk=run_id).values_list("bank__slug", "bank__benchmark", "benchmark", "bank_id").first()
    if run is None:
        return None
    ranking = ranking_key(*run[:3])
    results, sources = counted_runs(COUNTED & Q(bank_id=run[3], benchmark=run[2]))
    return ranking, Findings((*results, *published_figures({ranking})), sources)


def counted_runs(condition: Q) -> tuple[list[Result], dict[str, Source]]:
    """The runs that may count, oldest first, and the source of each ranking among them."""
    runs = Run.objects.filter(condition).exclude(origin=Origin.PUBLISHED).order_by("pk")
    results, sources = [], {}
    for slug, family, access, bank_id, benchmark, model_id, *columns in runs.values_list(*RUN_COLUMNS):
        ranking = ranking_key(slug, family, benchmark)
        sources[ranking] = Source(bank_id, benchmark, private=access == Access.PRIVATE)
        results.append(counted_run(Place(ranking, model_id), *columns))
    return within_limits(results, sources), sources


def within_limits(results: list[Result], sources: Mapping[str, Source]) -> list[Result]:
    """Without the runs beyond the number that may count on a private bank. One query a private bank."""
    allowed = {key: within_the_limit(source.bank_id) for key, source in sources.items() if source.private}
    return [each for each in results if each.place.ranking not in allowed or each.run_id in allowed[each.place.ranking]]


def counted_run(
    place: Place,
    origin: str,
    run_id: int,
    score: float,
    strict_score: float | None,
    standard_error: float | None,
    repeat_scores: list[float | None],
    *rest: Any,
) -> Result:
    """The result of a run's RUN_COLUMNS, which from the scores of its repeats on have the order of its fields."""
    passes = tuple(value for value in repeat_scores if value is not None) or (score,)
    return Result(place, Origin(origin), score, run_id, strict_score, standard_error, passes, *rest)


def published_figures(keys: Iterable[str]) -> list[Result]:
    """The preferred figures that carry a ranking's key as their benchmark."""
    figures = ReferenceScore.objects.filter(benchmark__in=keys, preferred=True).order_by("pk")
    return [
        Result(Place(benchmark, model_id), Origin.PUBLISHED, value)
        for benchmark, model_id, value in figures.values_list("benchmark", "model_id", "value")
    ]
