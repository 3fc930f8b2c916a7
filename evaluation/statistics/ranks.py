"""Which ranks the data leave open for each model.

Pure: may not import Django, HTTP or a clock. The ranges come from resampling the items (`resampled_ranks`): a thousand
times the items are drawn anew, the same for all models, and two models are tied unless one is above the other in nearly
every draw. `open_ranges` turns any such table of who is ahead of whom into ranges; `one_order` makes the board's table.

Each two models are compared by themselves and nothing is corrected for many comparisons. In simulated fields of 40
models with true scores spread by 12, 3 and 0.5 points, the ranges hold the true rank of 99, 99 and 98 % of the models.
The middle 95 % of each model's drawn ranks, which may seem simpler, hold it for 97, 94 and 83 %: the draws scatter
around observed scores that have strayed once already, and where models crowd together that is most of their spread.
Of two equal models one is ahead in 5 to 6 of 100 fields on 30 items or more, in 7 on 20, 10 on 10 and 17 on 5.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Bools, Floats, Ints, as_floats, as_matrix, present_mean, ratio, rounding_of
from evaluation.statistics.intervals import resampling_weights

SEED, DRAWS = 171, 1_000
"""Of the ranges on the board, so that the same results give the same ranges."""
OUTLIERS = 40
"""One draw of so many may say otherwise about two models: 2.5 % to either side, a level of 5 %."""
CHUNK = 250
"""Draws a matrix product: of 2,000 models an array of 4 MB."""


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


def resampled_ranks(
    scores: ArrayLike, *, seed: int = SEED, draws: int = DRAWS, totals: ArrayLike | None = None
) -> RankRanges:
    """The ranks that are left open when the items are drawn anew, by `resampled_ahead`.

    Args:
        scores: Models x items, NaN where missing; average repeats before.
        seed: Of the draws; the same seed gives the same ranges.
        draws: How many resamples.
        totals: The scores that rank, where they are not the means of the rows.

    Returns:
        The ranges; empty arrays without models, 1 to 1 for a single one. Models with the same scores on all items share
        a range. A model without any item score whose total is given is tied with all, so that all ranks are left open.

    Raises:
        ValueError: A model has no score; it cannot be ranked and must be left out.
    """
    matrix = as_matrix(scores)
    total = _totals(matrix, totals)
    return open_ranges(resampled_ahead(matrix, seed=seed, draws=draws), total)


def open_ranges(ahead: Bools, totals: ArrayLike) -> RankRanges:
    """The ranks that a table of comparisons does not exclude.

    Each model ahead of another shifts that one's best possible rank down by one, each that is behind lifts the worst by
    one. The rank by score always belongs to the range, also where missing items make score and comparison disagree.

    Args:
        ahead: Models x models, whether the model of the row is ahead of that of the column.
        totals: The scores that rank.
    """
    total = as_floats(totals)
    rank = ranks_of(total)
    low, high = 1 + ahead.sum(axis=0), total.size - ahead.sum(axis=1)
    return RankRanges(total, rank, np.minimum(low, rank), np.maximum(high, rank))


def resampled_ahead(scores: ArrayLike, *, seed: int = SEED, draws: int = DRAWS) -> Bools:
    """Whether each model is ahead of each other one: its mean is higher, and in 97.5 % of the draws or more as well.

    A draw takes as many items as there are, each anew from all of them, the same items for all models. So what is hard
    for everybody shifts everybody alike, as in a paired test. Scores count less the mean of their item, so that models
    which lack some items are compared by what they did better than others, and not by how easy the rest was.

    Args:
        scores: Models x items, NaN where missing.
        seed: Of the draws.
        draws: How many; a share of 97.5 % of 1,000 has a Monte Carlo error of 0.5 percentage points.

    Returns:
        Models x models. Neither ahead of the other means tied, as do fewer than two shared items, and scores that are
        equal in a draw but for rounding. 1,000 draws of 2,000 models x 171 items take about 0.7 seconds on one core.
    """
    matrix = as_matrix(scores)
    return ahead_in_draws(matrix, drawn_means(matrix, seed=seed, draws=draws))


def drawn_means(
    scores: ArrayLike, *, seed: int = SEED, draws: int = DRAWS, groups: Sequence[Hashable] | None = None
) -> Floats:
    """The mean of each model in each draw of the items, less what the items do to all models alike.

    Args:
        scores: Models x items, NaN where missing.
        seed: Of the draws.
        draws: How many.
        groups: The group of each item, which is drawn by itself; None where all items are alike.

    Returns:
        Draws x models, in the unit of the scores; NaN for a model without any item score.
    """
    matrix = as_matrix(scores)
    above_item, order = _centred_best_first(matrix)
    means = np.full((draws, len(matrix)), np.nan)
    if matrix.size:
        means[:, order] = np.concatenate(list(_drawn_means(above_item[order], draws, seed, groups)))
    return means


def ahead_in_draws(scores: ArrayLike, means: Floats) -> Bools:
    """`resampled_ahead` by the draws that `drawn_means` gave for these scores."""
    matrix = as_matrix(scores)
    ahead = np.zeros((len(matrix), len(matrix)), dtype=np.bool_)
    if not matrix.size:
        return ahead
    order, rounding = _centred_best_first(matrix)[1], rounding_of(matrix)
    drawn = [_places(means[start : start + CHUNK, order], rounding) for start in range(0, len(means), CHUNK)]
    ahead[np.ix_(order, order)] = _separated(np.ascontiguousarray(np.concatenate(drawn).T))
    return ahead & _comparable(matrix)


def _centred_best_first(matrix: Floats) -> tuple[Floats, Ints]:
    """The scores less the mean of their item, and the rows from the best to the worst by their mean of these."""
    above_item = matrix - present_mean(matrix, axis=0)
    return above_item, np.argsort(-np.nan_to_num(present_mean(above_item, axis=1)), kind="stable")


def _drawn_means(matrix: Floats, draws: int, seed: int, groups: Sequence[Hashable] | None) -> Iterator[Floats]:
    """Draws x models, a chunk of draws at a time. A draw that has none of a model's items keeps the mean of all."""
    present, own = ~np.isnan(matrix), np.nan_to_num(present_mean(matrix, axis=1))
    filled, counted = np.where(present, matrix, 0.0).T, present.astype(np.float64).T
    weights = resampling_weights(matrix.shape[1], draws, seed, groups)
    for start in range(0, draws, CHUNK):
        chunk = weights[start : start + CHUNK]
        n = matrix.shape[1] if present.all() else chunk @ counted
        means = ratio(chunk @ filled, n)
        yield np.where(np.isnan(means), own, means)


def _places(means: Floats, rounding: float) -> Ints:
    """The place of each model in each draw, 0 for the lowest; equal but for rounding is the same place."""
    order = np.argsort(means, axis=1)
    steps = np.diff(np.take_along_axis(means, order, axis=1), axis=1) > rounding
    # The smallest type that holds the places: comparing them two by two is most of the work.
    by_order = np.zeros(means.shape, dtype=np.min_scalar_type(means.shape[1]))
    np.cumsum(steps, axis=1, out=by_order[:, 1:])
    places = np.empty_like(by_order)
    np.put_along_axis(places, order, by_order, axis=1)
    return places


def _separated(places: Ints) -> Bools:
    """Whether each model is above each later one in all draws but one of 40. `places`: models x draws, best first."""
    n, draws = places.shape
    ahead = np.zeros((n, n), dtype=np.bool_)
    for at in range(n - 1):
        not_below = np.packbits(places[at + 1 :] >= places[at], axis=1)
        ahead[at, at + 1 :] = np.bitwise_count(not_below).sum(axis=1) <= draws // OUTLIERS
    return ahead


def _comparable(matrix: Floats) -> Bools:
    """Whether each two models share two items or more: a single one never varies, however it is drawn."""
    present = (~np.isnan(matrix)).astype(np.float64)
    return np.asarray(present @ present.T >= 2)


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
