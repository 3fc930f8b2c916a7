"""What the figures of a ranking are called, how they are written and on which axes they are drawn."""

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Benchmark, Measure
from leaderboard.drawings.shapes import Axis

RATINGS = Axis(0.0, 10.0)
"""The scale of a rating that answers and references are drawn on."""


def rule_of(benchmark: str) -> Benchmark:
    """The scoring rule of that name. Figures that none here has made are written as those of EQ-Bench."""
    return BENCHMARKS.get(benchmark) or next(iter(BENCHMARKS.values()))


def ranking_measure(benchmark: str) -> Measure:
    """The figure of a run that ranks it."""
    return rule_of(benchmark).measures[0]


def item_measure(benchmark: str) -> Measure:
    """The value of an item that its pages show."""
    return rule_of(benchmark).item_measures[0]


def points_an_item(benchmark: str) -> float:
    """What an item's points times this are in points of a run, whose score is the mean of its items."""
    run, item = ranking_measure(benchmark), item_measure(benchmark)
    if run.high is None or item.high is None:
        return 1.0
    return run.high / item.high
