"""One order of all models of a ranking, whether their answers are stored or only a published score is known.

Pure: may not import Django, HTTP or a clock.

All claims about ranks come from one table, "model i is ahead of model j", which is filled in two ways:

- Both models have answers: by the benchmark's rule (`ranking`). Mostly the items are drawn anew a thousand times
  (`ranks.resampled_ahead`), or, on a bank of fewer than 30 items, the paired t test decides, since draws of few items
  reject equal models too often.
- Otherwise: the gap of the two scores exceeds 1.959964 x sqrt(e_i² + e_j²). Here e is a model's own error, without what
  the items do to all models alike. All models answered the same items, so that part cancels in a difference.

This table compares each two models at a level of 5 %, without correction for many comparisons. A second table corrects
for them: if all models of the field were equal, it would put any of them ahead of any other in 5 % of fields only. A
sentence that looks at the whole field at once, such as "the best model", has to use the second one.
"""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Bools, Floats, Ints, as_floats, as_matrix
from evaluation.statistics.intervals import Z95
from evaluation.statistics.pairs import FEW_ITEMS
from evaluation.statistics.ranking import Drawn, drawn_of_points
from evaluation.statistics.ranks import DRAWS, SEED, RankRanges, open_ranges
from evaluation.statistics.students_t import t_critical

FIELD_LEVEL = 95
"""Per cent of fields of equal models in which the corrected table puts no model ahead of another."""


@dataclass(frozen=True, slots=True, eq=False)
class OneOrder:
    """The order of n models; all arrays are in the order of the given rows.

    `ranges` and `tied_with` (how many models each one is tied with) come from `ahead`, `ranges_all` from `ahead_all`,
    which is corrected for many comparisons. `error` is each model's own error, NaN where unknown. `group` numbers the
    tie groups from 1, the best first. Ties are not transitive: models of one group may be apart from each other, and
    models of two groups may be tied; only the tie with the group's leader is certain.
    """

    ranges: RankRanges
    ranges_all: RankRanges
    ahead: Bools
    ahead_all: Bools
    tied_with: Ints
    group: Ints
    error: Floats


def one_order(
    totals: ArrayLike,
    scores: ArrayLike,
    errors: ArrayLike,
    *,
    seed: int = SEED,
    draws: int = DRAWS,
) -> OneOrder:
    """The order of the models and what is claimed about it.

    Args:
        totals: The n scores that rank.
        scores: n x items in the unit of the totals, NaN where missing; a row of NaN for a model without answers. May
            have no column.
        errors: The n own errors to use where the draws give none: for models without answers, and for all where fewer
            than ten have answers. NaN where unknown.
        seed: Of the draws.
        draws: How many.

    Returns:
        The order; empty arrays without models. A model of unknown error borrows the error of the model that it is
        compared with; two such models are tied.

    Raises:
        ValueError: The three do not have the same number of rows, or a total is missing.
    """
    total, matrix, known = as_floats(totals), as_matrix(scores), as_floats(errors)
    if not total.shape == known.shape == (len(matrix),) or np.isnan(total).any():
        raise ValueError("one score and one error are needed for each row of item scores")
    answered = np.asarray(~np.isnan(matrix).all(axis=1))
    drawn = drawn_of_points(matrix[answered], seed=seed, draws=draws)
    return order_of(total, known, answered, drawn, n_items=matrix.shape[1], seed=seed)


def order_of(
    totals: ArrayLike, errors: ArrayLike, answered: Bools, drawn: Drawn, *, n_items: int, seed: int = SEED
) -> OneOrder:
    """The same from the draws of a benchmark's rule.

    Args:
        totals: The n scores that rank, turned so that higher is better.
        errors: The n own errors to use where the draws give none, NaN where unknown.
        answered: Which of the n models have answers.
        drawn: These models in the draws.
        n_items: How many items were drawn.
        seed: Of the deviates of models without answers.
    """
    total, error = as_floats(totals), _own_errors(as_floats(errors), answered, drawn)
    ahead = _ahead_by_errors(total, error)
    ahead[np.ix_(answered, answered)] = drawn.ahead
    ahead_all = _ahead_in_the_field(total, error, _deviations(answered, drawn, error, seed), n_items)
    ranges = open_ranges(ahead, total)
    tied_with = total.size - 1 - ahead.sum(axis=0) - ahead.sum(axis=1)
    return OneOrder(
        ranges, open_ranges(ahead_all, total), ahead, ahead_all, tied_with, _groups(ahead, ranges.rank), error
    )


def _own_errors(known: Floats, answered: Bools, drawn: Drawn) -> Floats:
    error = known.copy()
    error[answered] = np.where(np.isnan(drawn.errors), error[answered], drawn.errors)
    return error


def _ahead_by_errors(totals: Floats, error: Floats) -> Bools:
    gap = totals[:, None] - totals
    # A comparison with NaN is false: neither of two models of unknown error is ahead.
    return np.asarray(gap > Z95 * _combined(error))


def _combined(error: Floats) -> Floats:
    """sqrt(e_i² + e_j²) for each two models; an unknown error is taken to equal that of the other."""
    column = error[:, None]
    first, second = np.where(np.isnan(column), error, column), np.where(np.isnan(error), column, error)
    return np.hypot(first, second)


def _deviations(answered: Bools, drawn: Drawn, error: Floats, seed: int) -> Floats:
    """Draws x models: how far each draw is from the observed score, in errors of the model.

    Models whose error does not come from the draws get normal deviates of a fixed seed.
    """
    deviates = np.random.default_rng(seed).standard_normal((len(drawn.means), error.size))
    told = ~np.isnan(drawn.errors)
    varies = drawn.errors > 0
    columns = np.flatnonzero(answered)
    deviates[:, columns[told]] = 0.0
    spread = drawn.errors[varies]
    deviates[:, columns[varies]] = (drawn.means[:, varies] - drawn.observed[varies]) / spread
    return deviates


def _ahead_in_the_field(totals: Floats, error: Floats, deviations: Floats, n_items: int) -> Bools:
    """The table for all comparisons at once: the largest gap between any two models that chance explains."""
    if totals.size < 2:
        return np.zeros((totals.size, totals.size), dtype=np.bool_)
    widest = _percentile(np.ptp(deviations, axis=1), FIELD_LEVEL) / sqrt(2)
    gap = totals[:, None] - totals
    return np.asarray(gap > few_items_factor(n_items, widest) * widest * _combined(error))


def _percentile(values: Floats, level: float) -> float:
    """Linear between the two nearest of at least one value, as numpy's own, which loads its masked arrays for it: 2 MB
    in each command that ends a run."""
    ordered = np.sort(values)
    at = (ordered.size - 1) * level / 100
    low = int(at)
    high = min(low + 1, ordered.size - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (at - low))


def few_items_factor(n_items: int, widest: float) -> float:
    """How much wider than in the draws a gap must be, which is `widest` standard errors of a difference.

    Drawn scores vary by sqrt((n - 1) / n) too little, and errors that are estimated from n items follow Student's t. On
    fewer than 30 items this matters most far out, where `widest` lies, so the ratio of t to normal is taken there (two
    errors have 2 (n - 1) degrees of freedom): at its 95 % point alone, equal models on 10 items are told apart in 14 %
    of fields of 95. 1 below two items, where nothing is estimated, and where nothing varies.
    """
    if n_items < 2 or not widest:
        return 1.0
    too_little = sqrt(n_items / (n_items - 1))
    if n_items >= FEW_ITEMS:
        return too_little * t_critical(n_items - 1) / Z95
    return too_little * t_critical(2 * (n_items - 1), 2 * NormalDist().cdf(widest) - 1) / widest


def _groups(ahead: Bools, rank: Ints) -> Ints:
    """The number of each model's tie group: the best free model leads it, and all later free ones tied with it join."""
    order = np.lexsort((np.arange(rank.size), rank))
    group = np.zeros(rank.size, dtype=np.int64)
    number = 0
    for leader in order.tolist():
        if not group[leader]:
            number += 1
            tied = ~(ahead[leader] | ahead[:, leader])
            group[tied & (group == 0)] = number
    return group
