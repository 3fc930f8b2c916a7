"""The same models on two sets of different items: whose gap between them departs from the gap of the others.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_matrix, present_mean, ratio
from evaluation.statistics.students_t import t_critical

FEWEST_MODELS = 3
"""Of two models one departs from their mean exactly as far as the other, so that nothing is learnt of either."""


@dataclass(frozen=True, slots=True)
class CentredGap:
    """One model: its gap less the mean gap of all models, with standard error, and half of its 95 % interval, all in
    the unit of the scores."""

    gap: float
    standard_error: float
    half: float


def centred_gaps(first: ArrayLike, second: ArrayLike, *, coarse: bool = False) -> tuple[CentredGap | None, ...]:
    """Mean score on the first items less mean score on the second, compared with the other models.

    Each item is centred on its mean over the models before: how hard the items are is common to all models and says
    nothing about one of them, so it belongs in no error. The two sets hold different items; their errors are
    independent. The interval is Student's t with the degrees of freedom of Welch and Satterthwaite.

    Args:
        first: Models x items, NaN where missing.
        second: The same models x other items.
        coarse: Whether the errors of the second items are known by their half intervals in whole points alone. Whoever
            chooses the first scores could else weigh the second ones against them as finely as they like.

    Returns:
        One entry a model; None where it has fewer than two items of either set, and for all below three models.

    Raises:
        ValueError: The two have not the same models.
    """
    one, other = as_matrix(first), as_matrix(second)
    if len(one) != len(other):
        raise ValueError(f"expected the same models twice, got {len(one)} and {len(other)}")
    if len(one) < FEWEST_MODELS:
        return (None,) * len(one)
    (mean, variance, n), (other_mean, other_variance, other_n) = _centred(one), _centred(other)
    other_variance = _in_whole_points(other_variance, other_n) if coarse else other_variance
    errors = np.sqrt(variance + other_variance)
    weights = ratio(np.square(variance), n - 1) + ratio(np.square(other_variance), other_n - 1)
    freedom = ratio(np.square(variance + other_variance), weights)
    return tuple(
        None if np.isnan(error) else CentredGap(gap, error, error * _bound(degrees))
        for gap, error, degrees in zip((mean - other_mean).tolist(), errors.tolist(), freedom.tolist(), strict=True)
    )


def _bound(degrees: float) -> float:
    """Student's t. Without any scatter there are no degrees of freedom, and the error is 0 whatever the bound."""
    return 0.0 if np.isnan(degrees) else t_critical(max(1, floor(degrees)))


def _in_whole_points(variance: Floats, n: Floats) -> Floats:
    """The variances whose half intervals are the nearest whole numbers."""
    bounds = np.array([_bound(items - 1) for items in n.tolist()])
    rounded: Floats = np.square(np.round(bounds * np.sqrt(variance)) / bounds)
    return rounded


def _centred(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Of each model: mean over the centred items, the variance of that mean (NaN below two items), number of items."""
    left = scores - present_mean(scores, axis=0)
    n = (~np.isnan(left)).sum(axis=1).astype(np.float64)
    mean = present_mean(left, axis=1)
    return mean, ratio(np.nansum(np.square(left - mean[:, None]), axis=1), n * (n - 1)), n
