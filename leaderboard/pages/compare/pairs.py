"""Two models of a comparison against each other, in words and drawn. No query in here.

Who is ahead and who is tied is read from the table of the ranking, as everywhere on the site. The paired test stands
beside it; it decides alone only for models without a rank, such as baselines.
"""

from collections.abc import Mapping, Sequence
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
from leaderboard.pages.shared.measures import item_measure, points_an_item, ranking_measure
from leaderboard.rounding import figure, with_sign
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
    """A pair; where `tied`, `ahead` is only the one with the better score. `scatter`: ahead up, behind across."""

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
class PairCell:
    """A pair as seen from the model of its row: "ahead", "behind" or "tied", and the difference over the shared items,
    above 0 where the row's model is better. `interval` is "" for a single item."""

    verdict: str
    difference: str
    interval: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One model against all. A cell is None on the diagonal, and for two models that share no item."""

    side: Side
    cells: tuple[PairCell | None, ...]


@dataclass(frozen=True, slots=True)
class Tested:
    ahead: Side
    behind: Side
    tied: bool
    difference: PairedDifference


def tested_pairs(sides: Sequence[Side], numbers: Sequence[int], benchmark: str) -> Pairs:
    """One row for each two models that share an item. `numbers` are those of the items, in the order of the scores."""
    measure, run = item_measure(benchmark), ranking_measure(benchmark)
    factor = measure.turned(points_an_item(benchmark))
    found = [pair for pair in (tested(first, second, factor, run) for first, second in combinations(sides, 2)) if pair]
    scale = difference_scale([end for pair in found for end in ends(pair.difference)])
    return Pairs(tuple(pair_row(pair, scale, numbers, measure, run) for pair in found), ticks(scale, signed))


def matrix_of(sides: Sequence[Side], rows: Sequence[PairRow]) -> tuple[MatrixRow, ...]:
    """Each model against each other, best first as in the pairs; empty for fewer than three models."""
    if len(sides) < 3:
        return ()
    by_kinds = {(row.ahead.kind, row.behind.kind): row for row in rows}
    return tuple(MatrixRow(side, tuple(cell_of(side, other, by_kinds) for other in sides)) for side in sides)


def cell_of(side: Side, other: Side, by_kinds: Mapping[tuple[str, str], PairRow]) -> PairCell | None:
    if row := by_kinds.get((side.kind, other.kind)):
        return pair_cell(row.difference, 1, "tied" if row.tied else "ahead")
    if row := by_kinds.get((other.kind, side.kind)):
        return pair_cell(row.difference, -1, "tied" if row.tied else "behind")
    return None


def pair_cell(difference: PairedDifference, sign: int, verdict: str) -> PairCell:
    interval = difference.interval
    low, high = sorted((sign * interval.low, sign * interval.high)) if interval else (None, None)
    span = "" if interval is None else f"{with_sign(low, 1)} to {with_sign(high, 1)}"
    return PairCell(verdict, with_sign(sign * difference.mean, 2), span)


def tested(first: Side, second: Side, factor: float, measure: Measure) -> Tested | None:
    """Two models with their paired test, the better one first; None where they share no item. The scores of items times
    `factor` are points of a run, turned where a lower item score is better: a difference says how much better the first
    one is. `measure` is that of the runs' scores.

    By Student's t: two models may share a handful of items, where the normal bound would part equal ones too often.
    """
    if is_better(second, first, measure):
        first, second = second, first
    difference = paired_difference(factor * first.scores, factor * second.scores, distribution="t")
    if difference is None:
        return None
    if first.leads is None or second.leads is None:
        return Tested(first, second, difference.tied, difference)
    return Tested(first, second, second.kind not in first.leads, difference)


def is_better(first: Side, second: Side, measure: Measure) -> bool:
    """Ahead in the ranking, or tied there with a better score."""
    if (
        first.leads is not None
        and second.leads is not None
        and (second.kind in first.leads or first.kind in second.leads)
    ):
        return second.kind in first.leads
    return measure.turned(first.score) > measure.turned(second.score)


def ends(difference: PairedDifference) -> tuple[float, ...]:
    interval = difference.interval
    return (difference.mean, interval.low, interval.high) if interval else (difference.mean,)


def pair_row(pair: Tested, scale: Scale, numbers: Sequence[int], measure: Measure, run: Measure) -> PairRow:
    difference, interval = pair.difference, pair.difference.interval
    gap = run.turned(pair.ahead.score - pair.behind.score)
    both = ~np.isnan(pair.ahead.scores - pair.behind.scores)
    up, across = pair.ahead.scores[both].tolist(), pair.behind.scores[both].tolist()
    low, high = (interval.low, interval.high) if interval else (None, None)
    return PairRow(
        ahead=pair.ahead,
        behind=pair.behind,
        tied=pair.tied,
        difference=difference,
        text=comparing.difference_text(difference, gap, run.unit, tied=pair.tied),
        wins=comparing.wins_text(difference, run.unit, tied=pair.tied),
        plot=interval_plot(difference.mean, low, high, scale),
        scatter=item_scatter(
            pair, up, across, [number for number, held in zip(numbers, both, strict=True) if held], measure
        ),
        scatter_text=comparing.scatter_text([*map(measure.turned, up)], [*map(measure.turned, across)]),
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
            kind=kind(measure.turned(up[at]), measure.turned(across[at]), pair),
            title=f"item {numbers[at]}: {figure(up[at], measure)} and {figure(across[at], measure)}",
            label=f"item {numbers[at]}" if at in named and not equal(up[at], across[at]) else "",
        )
        for at in sorted(order, key=lambda at: abs(up[at] - across[at]))
    ]
    room = 0.02 * (axis.high - low)
    low, high = low - room, axis.high + room
    return scatter(spots, Scale(low, high, 5.0, 97.0), Scale(low, high, 330.0, 24.0), diagonal=True)


def kind(up: float, across: float, pair: Tested) -> str:
    """The mark of the model that does better; both values are turned, so that higher is better."""
    if equal(up, across):
        return "equal"
    return pair.ahead.kind if up > across else pair.behind.kind


def equal(up: float, across: float) -> bool:
    """Whether only rounding parts the two, as the paired test counts it: means over repeats need not be exact."""
    return abs(up - across) <= ROUNDING * max(abs(up), abs(across))
