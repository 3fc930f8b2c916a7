"""Which ranks the data leave open for each model, and the groups of models that are tied with their leader.

Pure: may not import Django, HTTP or a clock. Two ways to the ranges: paired tests (`rank_ranges`, the rule of the
published figures, and the board's) and resampling of the items (`resampled_ranks`). Both look at one model at a time
and correct for nothing. In simulated fields of 40 models with true scores spread by 12, 3 and 0.5 points, ranges from
tests hold the true rank of 99, 99 and 98 % of the models, those from resampling of 97, 94 and 83 %: the draws scatter
around the observed ranks, and where models crowd together the observed ranks already stray.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, Ints, as_floats, as_matrix, present_mean, ratio
from evaluation.statistics.intervals import resampling_weights
from evaluation.statistics.pairs import pair_blocks


@dataclass(frozen=True, slots=True, eq=False)
class RankRanges:
    """Ranks of m models in the order of the rows, 1 is best; `low` <= `rank` <= `high`. Equal scores share a rank."""

    score: Floats
    rank: Ints
    low: Ints
    high: Ints

    @property
    def width(self) -> Ints:
        """How many ranks are left open for each model, its own among them."""
        return self.high - self.low + 1


@dataclass(frozen=True, slots=True)
class TieGroup:
    """The models at the places `first` to `last`, counted from 1; `rows` are their rows, best first."""

    first: int
    last: int
    rows: tuple[int, ...]


def rank_ranges(scores: ArrayLike, totals: ArrayLike | None = None) -> RankRanges:
    """The ranks that the paired tests of `pairs.pair_table` do not exclude.

    Each model separated from another and above it shifts that one's best possible rank down by one, each separated and
    below lifts the worst by one. The rank by score always belongs to the range, also where missing items make score
    and paired test disagree.

    Args:
        scores: Models x items, NaN where missing; average repeats before.
        totals: The scores that rank, where they are not the means of the rows.

    Returns:
        The ranges; empty arrays without models, 1 to 1 for a single one. A model without any item score whose total is
        given is separated from none, so that all ranks are left open for it.

    Raises:
        ValueError: A model has no score; it cannot be ranked and must be left out.

    Source: published EQ-Bench figures, range of ranks that the paired tests leave open.
    """
    matrix = as_matrix(scores)
    total = _totals(matrix, totals)
    rank = ranks_of(total)
    above, below = _separated(matrix)
    return RankRanges(total, rank, np.minimum(1 + above, rank), np.maximum(len(matrix) - below, rank))


def _separated(matrix: Floats) -> tuple[Ints, Ints]:
    """How many models are separated from each and above it, and how many below."""
    above, below = np.zeros((2, len(matrix)), np.int64)
    at = 0
    for block in pair_blocks(matrix):
        above += block.ahead.sum(axis=0)
        below[at : at + len(block.ahead)] = block.ahead.sum(axis=1)
        at += len(block.ahead)
    return above, below


def resampled_ranks(scores: ArrayLike, *, seed: int, draws: int = 1_000, totals: ArrayLike | None = None) -> RankRanges:
    """The middle 95 % of each model's rank when the items are drawn anew, the same items for all models.

    The weights of the items are drawn once, so that one matrix product gives every score of every draw (two where items
    are missing); 1,000 draws of 2,000 models x 171 items take about a second on one core.

    Args:
        scores: Models x items, NaN where missing; average repeats before.
        seed: Of the draws; the same seed gives the same ranges.
        draws: How many resamples.
        totals: The scores that rank, where they are not the means of the rows.

    Returns:
        The ranges, their ends rounded outwards to whole ranks and widened to hold the rank by score. Models with the
        same scores on all items share a range that holds all their places.

    Raises:
        ValueError: A model has no score.
    """
    matrix = as_matrix(scores)
    _refuse_empty(matrix)
    total = _totals(matrix, totals)
    rank = ranks_of(total)
    if not len(matrix):
        return RankRanges(total, rank, rank, rank)
    best, worst = _places(_resampled_means(matrix, draws, seed))
    low = np.percentile(best, 2.5, axis=0, method="lower").astype(np.int64)
    high = np.percentile(worst, 97.5, axis=0, method="higher").astype(np.int64)
    return RankRanges(total, rank, np.minimum(low, rank), np.maximum(high, rank))


def ranks_of(totals: ArrayLike) -> Ints:
    """The rank of each score, 1 for the highest; equal scores share the better rank."""
    total = as_floats(totals)
    return 1 + total.size - np.searchsorted(np.sort(total), total, side="right")


def _totals(matrix: Floats, totals: ArrayLike | None) -> Floats:
    if totals is None:
        _refuse_empty(matrix)
        return present_mean(matrix, axis=1)
    total = as_floats(totals)
    if total.shape != (len(matrix),) or np.isnan(total).any():
        raise ValueError("totals must hold one score for each row")
    return total


def _refuse_empty(matrix: Floats) -> None:
    empty = np.flatnonzero(np.isnan(matrix).all(axis=1))
    if empty.size:
        raise ValueError(f"a model without any score has no rank: rows {empty.tolist()}")


def _resampled_means(matrix: Floats, draws: int, seed: int) -> Floats:
    """Draws x models. A draw that has none of a model's items keeps the score of all its items."""
    present = ~np.isnan(matrix)
    weights = resampling_weights(matrix.shape[1], draws, seed)
    sums = weights @ np.where(present, matrix, 0.0).T
    if present.all():
        return np.asarray(sums / matrix.shape[1])
    means = ratio(sums, weights @ present.astype(np.float64).T)
    return np.where(np.isnan(means), present_mean(matrix, axis=1), means)


def _places(means: Floats) -> tuple[Ints, Ints]:
    """The best and the worst place of each model in each draw; they differ where scores are equal but for rounding."""
    rounded = np.round(means / max(np.abs(means).max(), 1e-300), 12)
    order = np.argsort(-rounded, axis=1)
    ordered = np.take_along_axis(rounded, order, axis=1)
    steps = np.diff(ordered, axis=1) != 0
    places = np.arange(means.shape[1])
    starts = np.zeros(means.shape, dtype=np.int64)
    starts[:, 1:] = np.maximum.accumulate(np.where(steps, places[1:], 0), axis=1)
    ends = np.full(means.shape, places[-1])
    ends[:, :-1] = np.minimum.accumulate(np.where(steps, places[:-1], places[-1])[:, ::-1], axis=1)[:, ::-1]
    return _scattered(starts, order), _scattered(ends, order)


def _scattered(places: Ints, order: Ints) -> Ints:
    """Places by order, counted from 0, turned into places by model, counted from 1."""
    by_model = np.empty_like(places)
    np.put_along_axis(by_model, order, places + 1, axis=1)
    return by_model


def tie_groups(ranges: RankRanges) -> tuple[TieGroup, ...]:
    """The groups of the rankings page: a leader and all down to the worst rank that it may hold, then the next leader.

    Only the first of a group is tied with all of it. Equal scores stand in the order of their rows; `ranges` may come
    from either way. Empty without models.
    """
    order = np.lexsort((np.arange(ranges.rank.size), ranges.rank))
    groups: list[TieGroup] = []
    start = 0
    while start < order.size:
        end = max(start + 1, int(ranges.high[order[start]]))
        groups.append(TieGroup(start + 1, end, tuple(order[start:end].tolist())))
        start = end
    return tuple(groups)
