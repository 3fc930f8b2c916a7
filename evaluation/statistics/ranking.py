"""Rules by which the models of a benchmark are told apart. A rule belongs to a benchmark; `one_order` uses it.

Pure: may not import Django, HTTP, a clock, or a benchmark. Scores are turned once, at the door (`oriented`), so that
everything behind it takes higher for better. What a rule gives is in the unit of the score that ranks, and so turned.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Bools, Floats, as_floats, present_mean
from evaluation.statistics.corrections import holm
from evaluation.statistics.intervals import Z95, widened_weights
from evaluation.statistics.pairs import FEW_ITEMS, pair_table
from evaluation.statistics.ranks import DRAWS, SEED, RankRanges, ahead_in_draws, drawn_means, open_ranges

Better = Literal["higher", "lower", "neither"]

ENOUGH_ROWS = 10
"""Fewer models do not tell what the items do to all alike: a model centred by itself would have an error of 0."""
LEVEL = 0.05
"""Of the tests between two models by their counts, corrected for all of them."""


class AskedItem(Protocol):
    """What a rule may know of an item: items of one `group` are drawn among themselves."""

    @property
    def id(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def reference(self) -> Sequence[float]: ...


@dataclass(frozen=True, slots=True, eq=False)
class FieldScores:
    """What a rule ranks; the arrays are in the order of the models.

    `totals` are the scores that rank, as they are shown. `values` are models x items x values of an item: means over
    all passes that count, NaN where missing; `counts` are models x items, how many results are behind each mean. Where
    people judged and no items are compared, `counts` are models x kinds of answers, and `values` and `items` are empty.
    `passes` says how often each model was asked every item, over all runs that count. `norms` are those of the bank.
    """

    totals: Floats
    values: Floats
    counts: Floats
    passes: Floats
    items: Sequence[AskedItem] = ()
    norms: object = None

    @property
    def groups(self) -> list[str] | None:
        """The group of each item; None where all are of one."""
        names = [item.group for item in self.items]
        return names if len(set(names)) > 1 else None


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """n models in the draws of the items. `means` are draws x n and scatter around the n scores `observed`; where the
    items are hard for all models alike, both may be shifted. `errors` are each model's own, NaN where the draws do not
    tell it. `ahead` is n x n: whether the model of the row is ahead of that of the column.
    """

    means: Floats
    observed: Floats
    errors: Floats
    ahead: Bools


class RankRule(Protocol):
    """How a benchmark ranks."""

    def ranges(self, field: FieldScores, better: Better) -> RankRanges:
        """Ranks and what is left open of them."""
        ...


class ItemRule(RankRule, Protocol):
    """How a benchmark ranks by the answers to its items.

    `n_values` says how many values of an item it reads, `sees_items` whether it needs the items themselves. With
    `pools`, a model's score is the mean of its items' points, so that over several runs it is made of each item's mean
    over all passes.
    """

    n_values: int
    sees_items: bool
    pools: bool

    def points(self, field: FieldScores) -> Floats:
        """Models x items: what each item gives to the score, in its unit and not turned; NaN where missing."""
        ...

    def drawn(self, field: FieldScores, better: Better, *, seed: int = SEED, draws: int = DRAWS) -> Drawn: ...


def oriented(values: ArrayLike, better: Better) -> Floats:
    """The values, turned where lower is better, so that higher is better behind this."""
    found = as_floats(values)
    return -found if better == "lower" else found


class MeanOfItems:
    """The score is the mean of the points of the items, of which `points` says how they come from the values."""

    n_values = 1

    def __init__(self, points: Callable[[FieldScores], Floats], *, pools: bool = True, sees_items: bool = True) -> None:
        self.points = points
        self.pools = pools
        self.sees_items = sees_items

    def drawn(self, field: FieldScores, better: Better, *, seed: int = SEED, draws: int = DRAWS) -> Drawn:
        return drawn_of_points(oriented(self.points(field), better), field.groups, seed=seed, draws=draws)

    def ranges(self, field: FieldScores, better: Better) -> RankRanges:
        return open_ranges(self.drawn(field, better).ahead, oriented(field.totals, better))


def times(factor: float) -> Callable[[FieldScores], Floats]:
    """Points that are the first value of an item times a factor."""
    return lambda field: factor * field.values[..., 0]


MEAN_OF_ITEMS = MeanOfItems(times(1.0))
"""The mean of the items' first value."""


def drawn_of_points(
    points: Floats, groups: Sequence[str] | None = None, *, seed: int = SEED, draws: int = DRAWS
) -> Drawn:
    """Models in the draws of items whose mean is their score.

    Args:
        points: Models x items, turned; NaN where missing.
        groups: The group of each item, which is drawn by itself; None where all items are alike.
        seed: Of the draws.
        draws: How many.

    Returns:
        Errors from ten models on, of what is left when an item is as hard for all.
    """
    means = drawn_means(points, seed=seed, draws=draws, groups=groups)
    enough = len(points) >= ENOUGH_ROWS
    return Drawn(
        means=means,
        observed=present_mean(points - present_mean(points, axis=0), axis=1),
        errors=means.std(axis=0) if enough else np.full(len(points), np.nan),
        ahead=_ahead_by_items(points, means),
    )


def _ahead_by_items(points: Floats, means: Floats) -> Bools:
    if points.shape[1] < FEW_ITEMS:
        return pair_table(points, distribution="t").ahead
    return ahead_in_draws(points, means)


class ByItems:
    """Any score of the items, computed anew for each draw: `totals` takes the field and weights, draws x items, and
    gives draws x models, NaN for a model that lacks what the score needs.

    Items are drawn within their groups. Such a score may be lower in the draws than it is, since a draw repeats items:
    so no percentile of the draws is used, but the spread of paired differences around the difference that there is.
    """

    pools, sees_items = False, True

    def __init__(self, totals: Callable[[FieldScores, Floats], Floats], *, n_values: int = 1) -> None:
        self.totals = totals
        self.n_values = n_values

    def points(self, field: FieldScores) -> Floats:
        """No item gives points of its own; NaN where an item was not answered, and 0 elsewhere."""
        return np.where(field.counts > 0, 0.0, np.nan)

    def drawn(self, field: FieldScores, better: Better, *, seed: int = SEED, draws: int = DRAWS) -> Drawn:
        weights = widened_weights(len(field.items), draws, seed, [item.group for item in field.items])
        found = oriented(self.totals(field, weights), better)
        observed, known = oriented(field.totals, better), np.asarray(~np.isnan(found).any(axis=0))
        means = np.where(known, found - found.mean(axis=0) + observed, observed)
        errors = np.where(known, means.std(axis=0), np.nan)
        return Drawn(means, observed, errors, _ahead_by_spread(means, observed) & known & known[:, None])

    def ranges(self, field: FieldScores, better: Better) -> RankRanges:
        return open_ranges(self.drawn(field, better).ahead, oriented(field.totals, better))


def _ahead_by_spread(means: Floats, observed: Floats) -> Bools:
    """Whether each gap exceeds 1.96 standard deviations of the paired difference over the draws."""
    centred = means - observed
    together = centred.T @ centred / max(len(means), 1)
    own = np.diag(together)
    variance = own[:, None] + own - 2 * together
    gap = observed[:, None] - observed
    return np.asarray(gap > Z95 * np.sqrt(np.maximum(variance, 0.0)))


class ByPairs:
    """People judged each model's replies, and no two models by the same people: `p_value` tests the counts of two of
    them, Holm corrects for all pairs, and of two that differ the one with the better score is ahead.
    """

    def __init__(self, p_value: Callable[[Floats, Floats], float]) -> None:
        self.p_value = p_value

    def ahead(self, field: FieldScores, better: Better) -> Bools:
        """Models x models."""
        n, totals = field.totals.size, oriented(field.totals, better)
        pairs = list(combinations(range(n), 2))
        corrected = holm([self.p_value(field.counts[first], field.counts[second]) for first, second in pairs])
        ahead = np.zeros((n, n), dtype=np.bool_)
        for (first, second), p in zip(pairs, corrected, strict=True):
            if p < LEVEL:
                ahead[first, second] = totals[first] > totals[second]
                ahead[second, first] = totals[second] > totals[first]
        return ahead

    def ranges(self, field: FieldScores, better: Better) -> RankRanges:
        return open_ranges(self.ahead(field, better), oriented(field.totals, better))
