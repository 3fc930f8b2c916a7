"""Where on the scale a test measures: errors of neighbours in groups of models by score, and what items do between.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats, as_matrix, present_mean, rounding_of
from evaluation.statistics.generalizability import Ranged, exp_interval
from evaluation.statistics.intervals import Z95, Interval
from evaluation.statistics.pairs import pair_table
from evaluation.statistics.students_t import t_critical

LEAST_IN_GROUP, MOST_GROUPS = 8, 5
LEAST_MODELS = 2 * LEAST_IN_GROUP


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """Models of neighbouring scores, from `low` to `high`.

    `error` is the standard error of one score against the others of the group, without what the items do to all alike:
    the root of half the mean variance of a paired difference, with its interval. `gap` is 1.959964 x sqrt(2) x error:
    two scores of the group that lie closer are usually tied. `information` is 1 / error ** 2.
    """

    low: float
    high: float
    n: int
    error: Ranged

    @property
    def gap(self) -> float:
        return Z95 * sqrt(2) * self.error.value

    @property
    def information(self) -> float:
        return 1 / self.error.value**2


@dataclass(frozen=True, slots=True)
class Step:
    """From one group to the next better one: `gap` is the difference of their mean scores, `low` and `high` the scores
    between which the border of the two lies.

    `rising` is the share of the `n_items` items, 0 to 1, whose mean is higher in the better group; of equal
    models it is a little over a half, since the groups are formed by the same scores. Its interval is Wilson's, over
    items.
    """

    low: float
    high: float
    gap: float
    n_items: int
    n_rising: int
    interval: Interval

    @property
    def rising(self) -> float:
        return self.n_rising / self.n_items


@dataclass(frozen=True, slots=True)
class Exactness:
    """Groups from the lowest to the highest scores, and the steps between them, one less."""

    n_models: int
    groups: tuple[ScoreGroup, ...]
    steps: tuple[Step, ...]


def exactness(scores: ArrayLike, totals: ArrayLike) -> Exactness | None:
    """How exactly scores are known, and how well the items tell models apart, along the scale.

    Args:
        scores: Models x items in points, NaN where missing.
        totals: The models' scores in points.

    Returns:
        Two to five groups of about equal size, at least eight models each; None for fewer than 16 models, and where no
        two models of a group share two items or all of a group have the same scores.
    """
    matrix, total = as_matrix(scores), as_floats(totals)
    if len(matrix) < LEAST_MODELS:
        return None
    order = np.argsort(total, kind="stable")
    n_groups = min(MOST_GROUPS, len(matrix) // LEAST_IN_GROUP)
    members = np.array_split(order, n_groups)
    errors = [_error(matrix[own]) for own in members]
    groups = tuple(
        ScoreGroup(float(total[own[0]]), float(total[own[-1]]), own.size, error)
        for own, error in zip(members, errors, strict=True)
        if error
    )
    if len(groups) < n_groups:
        return None
    steps = [
        _step(matrix[lower], matrix[upper], float(total[upper].mean() - total[lower].mean()), below.high, above.low)
        for lower, upper, below, above in zip(members, members[1:], groups, groups[1:], strict=False)
    ]
    return Exactness(len(matrix), groups, tuple(step for step in steps if step))


def _error(matrix: Floats) -> Ranged | None:
    """The error of a score within a group, jackknifed over its models on the log scale."""
    squares = np.square(pair_table(matrix).standard_error)
    np.fill_diagonal(squares, np.nan)
    known = ~np.isnan(squares)
    total, counts = float(np.nansum(squares)), int(known.sum())
    if not counts or total <= 0:
        return None
    value = sqrt(total / counts / 2)
    sums, others = np.nansum(squares, axis=1), known.sum(axis=1)
    left, n = counts - 2 * others, len(matrix)
    if not (left > 0).all() or not (total - 2 * sums > 0).all():
        return Ranged(value, None)
    logs = np.log((total - 2 * sums) / left) / 2
    error = sqrt(float(logs.var()) * (n - 1))
    return Ranged(value, exp_interval(value, error, t_critical(n - 1)))


def _step(lower: Floats, upper: Floats, gap: float, low: float, high: float) -> Step | None:
    rises = present_mean(upper, axis=0) - present_mean(lower, axis=0)
    known = rises[~np.isnan(rises)]
    if not known.size:
        return None
    # A tie of two means may be missed by rounding; it is no rise.
    n, n_rising = known.size, int((known > rounding_of(lower)).sum())
    return Step(low, high, gap, n, n_rising, wilson_interval(n_rising, n))


def wilson_interval(n_hits: int, n: int) -> Interval:
    """The 95 % interval of a share of n_hits in n, n at least 1; it stays within 0 to 1.

    Source: Wilson 1927, Journal of the American Statistical Association 22.
    """
    share, square = n_hits / n, Z95**2 / n
    centre = (share + square / 2) / (1 + square)
    reach = Z95 * sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return Interval(max(0.0, centre - reach), min(1.0, centre + reach))
