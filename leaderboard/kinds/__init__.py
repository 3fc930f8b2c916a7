"""The kinds of benchmarks by family: one module and one line each. What has no line here has the generic kind."""

from collections.abc import Iterator, Sequence

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Benchmark
from leaderboard.kinds.base import ItemScale, Kind, ScorerChange
from leaderboard.kinds.emotionbench import EMOTION_BENCH
from leaderboard.kinds.empathy import EMPATHY
from leaderboard.kinds.eqbench import EQ_BENCH
from leaderboard.kinds.published import PUBLISHED_KINDS
from leaderboard.kinds.seceu import SECEU

GENERIC = Kind()
KINDS: dict[str, Kind] = {kind.family: kind for kind in (EQ_BENCH, SECEU, EMOTION_BENCH, EMPATHY, *PUBLISHED_KINDS)}


def kind_of(family_or_benchmark: str) -> Kind:
    """The kind of a family, of a benchmark or of the banks that it scores; the generic one for other names."""
    if family_or_benchmark in KINDS:
        return KINDS[family_or_benchmark]
    return KINDS.get(family_of(family_or_benchmark), GENERIC)


def family_of(benchmark: str) -> str:
    """The family of a benchmark, or of the benchmarks that score banks of this name; "" where none does."""
    if benchmark in BENCHMARKS:
        return BENCHMARKS[benchmark].family
    return next((each.family for each in BENCHMARKS.values() if each.bank == benchmark), "")


def scale_of(benchmark: str) -> ItemScale:
    """How the score of a run follows from the mean of its items: as its kind says, else by the ends of both axes."""
    if scale := kind_of(benchmark).scale:
        return scale
    found = BENCHMARKS.get(benchmark)
    run, item = (found.measures[0].high, found.item_measures[0].high) if found and found.measures else (None, None)
    return ItemScale(1.0 if run is None or item is None else run / item)


def scorer_changes() -> Sequence[ScorerChange]:
    """The changes of all scorers, the newest first."""
    changes = [change for kind in KINDS.values() for change in kind.changes]
    return tuple(sorted(changes, key=lambda change: change.since, reverse=True))


def measures_without_note() -> Iterator[str]:
    """One sentence for each measure that says nothing about itself: legends, files and the API have no other words."""
    for benchmark in BENCHMARKS.values():
        for measure in (*benchmark.measures, *benchmark.item_measures):
            if not measure.note:
                yield f"The measure {measure.key} of {benchmark.name} has no note."


def benchmarks_without_kind() -> Iterator[Benchmark]:
    """Those that have pages, since runs of them can be opened."""
    return (benchmark for benchmark in BENCHMARKS.values() if benchmark.family not in KINDS)


def banks_without_items() -> list[str]:
    """What banks say of themselves whose items have no pages."""
    return [each.bank for each in BENCHMARKS.values() if not kind_of(each.family).has_item_pages]
