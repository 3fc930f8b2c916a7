"""The same answers scored otherwise: other constants of the curve, mean error, root mean square, correlation.

Pure: may not import Django, HTTP or a clock.
"""

from collections.abc import Sequence
from math import exp

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats, as_matrix, present_mean, ratio

FULL_COST = 5.0
"""From a distance of 5 on the rule takes the distance itself."""
HEIGHT, STEEPNESS, MIDPOINT, MULTIPLIER = 6.5, 1.2, 4.0, 0.7477
FULL_MARKS = 10.0


def curve_cost(distances: ArrayLike, *, steepness: float = STEEPNESS, midpoint: float = MIDPOINT) -> Floats:
    """What a rating costs that is so far from its reference: 0 for 0, a curve below 5, the distance itself from 5 on.

    The height of the curve is such that all constants lead to the same cost just below 5, that of the published rule
    (4.995), whose height is 6.5: another constant must not move ranks by a jump at 5.
    """
    distance = as_floats(distances)
    below = np.minimum(distance, FULL_COST)
    height = HEIGHT * (1 + exp(-steepness * (FULL_COST - midpoint))) / (1 + exp(-STEEPNESS * (FULL_COST - MIDPOINT)))
    curve = height / (1 + np.exp(-steepness * (below - midpoint)))
    return np.where(distance == 0, 0.0, np.where(distance >= FULL_COST, distance, curve))


def curve_scores(
    answers: ArrayLike,
    reference: ArrayLike,
    starts: Sequence[int],
    *,
    steepness: float = STEEPNESS,
    midpoint: float = MIDPOINT,
    multiplier: float = MULTIPLIER,
) -> Floats:
    """Scores of 100 at best: 10 x the mean over items of 10 - multiplier x the costs of its ratings.

    Args:
        answers: Models x ratings, item after item, NaN where missing; an item with a missing rating is left out.
        reference: The right value of each rating.
        starts: Where each item begins among the ratings, ascending from 0; every item has one rating at least.
        steepness: Of the curve; the published rule has 1.2.
        midpoint: Distance at which the curve is half as high; the published rule has 4.
        multiplier: What the sum of an item's costs is multiplied by; the published rule has 0.7477.

    Returns:
        One score a model, NaN for a model without a complete item.
    """
    distances = np.abs(as_matrix(answers) - as_floats(reference))
    costs = curve_cost(distances, steepness=steepness, midpoint=midpoint)
    of_items = np.add.reduceat(costs, starts, axis=1)
    return 10 * (FULL_MARKS - multiplier * present_mean(of_items, axis=1))


def absolute_errors(answers: ArrayLike, reference: ArrayLike) -> Floats:
    """The mean distance of a model's ratings from their references; lower is better. Arguments as above."""
    return present_mean(np.abs(as_matrix(answers) - as_floats(reference)), axis=1)


def root_mean_squares(answers: ArrayLike, reference: ArrayLike) -> Floats:
    """The root of the mean squared distance; lower is better. Arguments as above."""
    return np.sqrt(present_mean(np.square(as_matrix(answers) - as_floats(reference)), axis=1))


def correlations(answers: ArrayLike, reference: ArrayLike) -> Floats:
    """Pearson's r of a model's ratings with their references, over all of them; NaN for ratings that are all equal."""
    given = as_matrix(answers)
    right = np.where(np.isnan(given), np.nan, as_floats(reference))
    x, y = (each - present_mean(each, axis=1)[:, None] for each in (given, right))
    spread = np.sqrt(np.nansum(np.square(x), axis=1) * np.nansum(np.square(y), axis=1))
    return ratio(np.nansum(x * y, axis=1), np.where(spread > 1e-9, spread, 0.0))
