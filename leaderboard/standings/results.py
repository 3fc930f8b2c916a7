"""What stands behind the board: runs that may count and published figures, read from the database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Access, ItemBank, Origin, ReferenceScore, Run, Status
from evaluation.published_tables import PUBLISHED, measures_of
from evaluation.runs.departures import Departures
from evaluation.runs.private_runs import within_the_limit
from evaluation.runs.summaries import items_behind
from leaderboard.standings.keys import ranking_key
from leaderboard.standings.vouchers import with_voucher
from leaderboard.wording import vouching

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
    `departures` is how it asked otherwise than the benchmark's standard; `figures` are the values of its further
    measures, by their keys; `n_behind` counts the items that score and error are made of; `interval` is what its source
    published with it (95 %)."""

    place: Place
    origin: Origin
    score: float
    run_id: int | None = None
    figures: Mapping[str, float | None] = field(default_factory=dict)
    standard_error: float | None = None
    passes: tuple[float, ...] = ()
    n_items: int | None = None
    n_scored: int | None = None
    finished_at: datetime | None = None
    departures: Departures = field(default_factory=dict)
    scorer_version: str = ""
    vouched_by: str = ""
    n_behind: int | None = None
    benchmark: str = ""
    interval: tuple[float, float] | None = None


class Source(NamedTuple):
    """The runs of a ranking: all of one benchmark on one bank, in one of its variants."""

    bank_id: int
    benchmark: str
    private: bool = False
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """All results of some rankings, oldest first, where the runs of each ranking are found, and the benchmark of each
    ranking that has a bank."""

    results: tuple[Result, ...]
    sources: Mapping[str, Source]
    benchmarks: Mapping[str, str]


RUN_COLUMNS = (
    "bank__slug", "bank__benchmark", "bank__access", "bank_id", "benchmark", "variant", "model_id", "origin", "pk",
    "score", "figures", "standard_error", "repeat_scores", "n_items", "n_scored", "finished_at", "departures",
    "scorer_version", "vouched_by",
)  # fmt: skip


def findings_of_all() -> Findings:
    """Every result of every ranking. Published figures of a known benchmark stand on the board before its bank is
    loaded. Three queries."""
    banks = dict(ItemBank.objects.order_by("pk").values_list("slug", "benchmark"))
    families = {benchmark.bank for benchmark in BENCHMARKS.values()}
    results, sources = counted_runs(COUNTED)
    published = published_figures({*banks, *families, *sources, *PUBLISHED})
    return Findings((*results, *published), sources, banks | benchmarks_of(sources))


def findings_of(run_id: int) -> tuple[str, Findings] | None:
    """The ranking of a run and all results of this one ranking; None where there is no such run. Three queries."""
    columns = ("bank__slug", "bank__benchmark", "benchmark", "variant", "bank_id")
    run = Run.objects.filter(pk=run_id).values_list(*columns).first()
    if run is None:
        return None
    *names, bank_id = run
    ranking = ranking_key(*names)
    results, sources = counted_runs(COUNTED & Q(bank_id=bank_id, benchmark=names[2], variant=names[3]))
    benchmarks = {ranking: str(names[2])}
    return ranking, Findings((*results, *published_figures({ranking})), sources, benchmarks)


def benchmarks_of(sources: Mapping[str, Source]) -> dict[str, str]:
    return {ranking: source.benchmark for ranking, source in sources.items()}


def counted_runs(condition: Q) -> tuple[list[Result], dict[str, Source]]:
    """The runs that may count, oldest first, and the source of each ranking among them."""
    runs = with_voucher(Run.objects.filter(condition).exclude(origin=Origin.PUBLISHED)).order_by("pk")
    results, sources = [], {}
    for slug, family, access, bank_id, benchmark, variant, model_id, *columns in runs.values_list(*RUN_COLUMNS):
        ranking = ranking_key(slug, family, benchmark, variant)
        sources[ranking] = Source(bank_id, benchmark, private=access == Access.PRIVATE, variant=variant)
        results.append(counted_run(Place(ranking, model_id), benchmark, *columns))
    return within_limits(results, sources), sources


def within_limits(results: list[Result], sources: Mapping[str, Source]) -> list[Result]:
    """Without the runs beyond the number that may count on a private bank. One query a private bank."""
    allowed = {key: within_the_limit(source.bank_id) for key, source in sources.items() if source.private}
    return [each for each in results if each.place.ranking not in allowed or each.run_id in allowed[each.place.ranking]]


def counted_run(
    place: Place,
    benchmark: str,
    origin: str,
    run_id: int,
    score: float,
    figures: Mapping[str, Mapping[str, Any]],
    standard_error: float | None,
    repeat_scores: list[float | None],
    n_items: int,
    n_scored: int,
    *rest: Any,
) -> Result:
    """The result of a run's RUN_COLUMNS, which from its end on have the order of its fields."""
    passes = tuple(value for value in repeat_scores if value is not None) or (score,)
    own = further_figures(benchmark, figures)
    found = Result(place, Origin(origin), score, run_id, own, standard_error, passes, n_items, n_scored, *rest)
    return replace(found, n_behind=items_behind(benchmark, figures, n_scored), benchmark=benchmark)


def further_figures(benchmark: str, figures: Mapping[str, Mapping[str, Any]]) -> dict[str, float | None]:
    """The values of a run's figures that have a measure, by its key, without the one that ranks: that is the score."""
    return {measure.key: figures.get(measure.key, {}).get("value") for measure in measures_of(benchmark)[1:]}


def published_figures(keys: Iterable[str]) -> list[Result]:
    """The preferred figures that carry a ranking's key as their benchmark."""
    figures = ReferenceScore.objects.filter(benchmark__in=keys, preferred=True).order_by("pk")
    columns = ("benchmark", "model_id", "model__name", "value", "figures", "low", "high")
    return [published_figure(*row) for row in figures.values_list(*columns)]


def published_figure(
    benchmark: str,
    model_id: int,
    name: str,
    value: float,
    figures: Mapping[str, float | None] | None,
    low: float | None,
    high: float | None,
) -> Result:
    """A row of a published table that is no model but a line, as that of people, stands with the baselines."""
    table = PUBLISHED.get(benchmark)
    origin = Origin.BASELINE if table and name in table.lines else Origin.PUBLISHED
    place, own = Place(benchmark, model_id), {}
    if table and figures:
        own = {measure.key: figures.get(measure.key) for measure in table.measures[1:]}
    interval = None if low is None or high is None else (low, high)
    vouched_by = vouching.PUBLISHED if origin == Origin.PUBLISHED else ""
    return Result(place, origin, value, figures=own, vouched_by=vouched_by, interval=interval)
