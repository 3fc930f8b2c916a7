"""What the figures of a ranking are called, how they are written and on which axes they are drawn."""

from collections.abc import Iterable
from dataclasses import replace

from evaluation import published_tables
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Benchmark, Measure
from leaderboard.drawings.shapes import Axis
from leaderboard.kinds import kind_of, scale_of


def rule_of(benchmark: str) -> Benchmark:
    """The scoring rule of that name. Figures that none here has made are written as those of EQ-Bench."""
    return published_tables.benchmark_of(benchmark) or next(iter(BENCHMARKS.values()))


def measures_of(benchmark: str) -> tuple[Measure, ...]:
    """The figures of a ranking, of which the first ranks: those of its benchmark, or of a table that others published.
    Figures that none here has made are written as those of EQ-Bench."""
    return published_tables.measures_of(benchmark) or rule_of(benchmark).measures


def ranks_nothing(benchmark: str) -> bool:
    """Whether a bank's own benchmark has no score: its replies are rated by judges or people."""
    return not measures_of(benchmark)


def ranking_measure(benchmark: str) -> Measure:
    """The figure of a run that ranks it; the first value of an item where a benchmark ranks nothing."""
    return (measures_of(benchmark) or rule_of(benchmark).item_measures)[0]


def item_measure(benchmark: str) -> Measure:
    """The value of an item that its pages show."""
    return rule_of(benchmark).item_measures[0]


def item_word(benchmark: str) -> str:
    """What the value of an item is called within a sentence: "score", "distance", "positive affect"."""
    return kind_of(benchmark).item_parts.score or item_measure(benchmark).title.lower()


def points_an_item(benchmark: str) -> float:
    """What a difference of items' points times this is in points of a run, whatever their directions."""
    return abs(scale_of(rule_of(benchmark).name).slope)


def is_lower_better(benchmark: str) -> bool:
    """Whether an item is done better the lower its value is."""
    return item_measure(benchmark).better == "lower"


def ranking_axis(benchmark: str, values: Iterable[float] = ()) -> Axis:
    """The axis that scores are drawn on, with the place where their bars begin."""
    axis, zero = Axis.of(ranking_measure(benchmark), values), kind_of(benchmark).zero
    return axis if zero is None else replace(axis, zero=zero)
