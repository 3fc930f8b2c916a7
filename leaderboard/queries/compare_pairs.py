"""Two models of a comparison against each other, in words and drawn. No query in here.

Who is ahead and who is tied is read from the table of the ranking, as everywhere on the site. The paired test stands
beside it; it decides alone only for models without a rank, such as baselines.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evaluation.benchmarks.base import Measure
from evaluation.statistics.arrays import ROUNDING, Floats
from evaluation.statistics.differences import PairedDifference, paired_difference
from leaderboard.drawings.plots import (
    IntervalPlot,
    Scale,
    Scatter,
    Spot,
    Tick,
    difference_scale,
    interval_plot,
    scatter,
    signed,
    ticks,
)
from leaderboard.drawings.shapes import Axis
from leaderboard.queries.measures import item_measure, points_an_item
from leaderboard.rounding import figure
from leaderboard.wording import comparing

LABELLED = 3  # items named on each side of the line


@dataclass(frozen=True, slots=True)
class Side:
    """A model with answers: its mark, its score, and its item scores, NaN where there is none.

    `leads` names the marks of the models that it is ahead of in the ranking; None where it has no rank there.
    """

    kind: str
    name: str
    score: float
    scores: Floats
    leads: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair; where `tied`, `ahead` is only the one with the higher score. `scatter`: ahead up, behind across."""

    ahead: Side
    behind: Side
    tied: bool
    difference: PairedDifference
    text: str
    wins: str
    plot: IntervalPlot
    scatter: Scatter
    scatter_text: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs that share an item, and the ticks of the axis that their differences share."""

    rows: tuple[PairRow, ...]
    ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Tested:
    ahead: Side
    behind: Side
    tied: bool
    difference: PairedDifference


def tested_pairs(sides: Sequence[Side], numbers: Sequence[int], benchmark: str) -> Pairs:
    """One row for each two models that share an item. `numbers` are those of the items, in the order of the scores."""
    factor, measure = points_an_item(benchmark), item_measure(benchmark)
    found = [pair for pair in (tested(first, second, factor) for first, second in combinations(sides, 2)) if pair]
    scale = difference_scale([end for pair in found for end in ends(pair.difference)])
    return Pairs(tuple(pair_row(pair, scale, numbers, measure) for pair in found), ticks(scale, signed))


def tested(first: Side, second: Side, factor: float) -> Tested | None:
    """Two models with their paired test, the better one first; None where they share no item. The scores of items times
    `factor` are points of a run.

    By Student's t: two models may share a handful of items, where the normal bound would part equal ones too often.
    """
    if is_better(second, first):
        first, second = second, first
    difference = paired_difference(factor * first.scores, factor * second.scores, distribution="t")
    if difference is None:
        return None
    if first.leads is None or second.leads is None:
        return Tested(first, second, difference.tied, difference)
    return Tested(first, second, second.kind not in first.leads, difference)


def is_better(first: Side, second: Side) -> bool:
    """Ahead in the ranking, or tied there with a higher score."""
    if (
        first.leads is not None
        and second.leads is not None
        and (second.kind in first.leads or first.kind in second.leads)
    ):
        return second.kind in first.leads
    return first.score > second.score


def ends(difference: PairedDifference) -> tuple[float, ...]:
    interval = difference.interval
    return (difference.mean, interval.low, interval.high) if interval else (difference.mean,)


def pair_row(pair: Tested, scale: Scale, numbers: Sequence[int], measure: Measure) -> PairRow:
    difference, interval = pair.difference, pair.difference.interval
    both = ~np.isnan(pair.ahead.scores - pair.behind.scores)
    up, across = pair.ahead.scores[both].tolist(), pair.behind.scores[both].tolist()
    low, high = (interval.low, interval.high) if interval else (None, None)
    return PairRow(
        ahead=pair.ahead,
        behind=pair.behind,
        tied=pair.tied,
        difference=difference,
        text=comparing.difference_text(difference, pair.ahead.score - pair.behind.score, tied=pair.tied),
        wins=comparing.wins_text(difference, tied=pair.tied),
        plot=interval_plot(difference.mean, low, high, scale),
        scatter=item_scatter(
            pair, up, across, [number for number, held in zip(numbers, both, strict=True) if held], measure
        ),
        scatter_text=comparing.scatter_text(up, across),
    )


def item_scatter(
    pair: Tested, up: Sequence[float], across: Sequence[float], numbers: Sequence[int], measure: Measure
) -> Scatter:
    """Each shared item, in the mark of the model that does better on it; the widest gaps are named."""
    axis = Axis.of(measure, (*up, *across))
    low = max(axis.low, min(axis.zero, *up, *across))
    order = sorted(range(len(up)), key=lambda at: up[at] - across[at])
    named = {*order[:LABELLED], *order[-LABELLED:]}
    spots = [
        Spot(
            x=across[at],
            y=up[at],
            kind=kind(up[at], across[at], pair),
            title=f"item {numbers[at]}: {figure(up[at], measure)} and {figure(across[at], measure)}",
            label=f"item {numbers[at]}" if at in named and not equal(up[at], across[at]) else "",
        )
        for at in sorted(order, key=lambda at: abs(up[at] - across[at]))
    ]
    room = 0.02 * (axis.high - low)
    low, high = low - room, axis.high + room
    return scatter(spots, Scale(low, high, 5.0, 97.0), Scale(low, high, 330.0, 24.0), diagonal=True)


def kind(up: float, across: float, pair: Tested) -> str:
    if equal(up, across):
        return "equal"
    return pair.ahead.kind if up > across else pair.behind.kind


def equal(up: float, across: float) -> bool:
    """Whether only rounding parts the two, as the paired test counts it: means over repeats need not be exact."""
    return abs(up - across) <= ROUNDING * max(abs(up), abs(across))
