"""How far repeated runs of one model agree: spread, agreement of two runs, and whether a newer run has drifted.

Pure: may not import Django, HTTP or a clock. Repeatability is the scatter when everything is fixed; it says nothing of
other items (`scores`) and nothing of other templates or quantisations, which move scores far more.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from evaluation.statistics.arrays import Floats, as_floats, as_matrix, paired_values, present_mean, rounding_of
from evaluation.statistics.correlation import pearson
from evaluation.statistics.differences import PairedDifference, paired_difference
from evaluation.statistics.spreads import Spread, spread

__all__ = [
    "DriftTest",
    "RunAgreement",
    "Spread",
    "drift_test",
    "mean_cv_percent",
    "rerun_sd",
    "run_agreement",
    "spread",
]


def mean_cv_percent(spreads: list[Spread]) -> float | None:
    """The average CV over models, as the paper reports it; models without one are skipped, None when none has one."""
    values = [s.cv_percent for s in spreads if s.cv_percent is not None]
    return sum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class RunAgreement:
    """Two runs over the items that both have. `n_equal` items score the same.

    `r` is the correlation of the item scores: 1 means the same items succeed and fail, 0 no relation, below 0 that
    items swap; None for fewer than two items or a run with constant scores. `spread` is that of the two run scores.
    """

    n: int
    n_equal: int
    r: float | None
    spread: Spread


def run_agreement(first: ArrayLike, second: ArrayLike) -> RunAgreement | None:
    """How far two runs of one model agree item by item.

    Args:
        first: Item scores of one run, NaN where missing.
        second: Of the same items in the same order.

    Returns:
        The agreement over shared items; None when no item is shared.
    """
    a, b = paired_values(first, second)
    both = spread([float(a.mean()), float(b.mean())]) if a.size else None
    if both is None:
        return None
    equal = np.abs(a - b) <= rounding_of(np.concatenate([a, b]))
    return RunAgreement(a.size, int(equal.sum()), pearson(a, b), both)


def rerun_sd(scores: ArrayLike) -> float | None:
    """The standard deviation of a run's score that re-running alone causes, from the items' scatter.

    Args:
        scores: Items x runs, NaN where missing.

    Returns:
        sqrt(pooled within-item variance / number of items); items with fewer than two scores are skipped. None when
        none is left, 0 when all runs scored the same. Errors of the items are taken to be independent, so a change
        that moves all items at once is not in it.
    """
    matrix = as_matrix(scores)
    matrix = matrix[(~np.isnan(matrix)).sum(axis=1) > 1]
    if not len(matrix):
        return None
    spare = ((~np.isnan(matrix)).sum(axis=1) - 1).sum()
    within = np.nansum(np.square(matrix - present_mean(matrix, axis=1)[:, None])) / spare
    return float(np.sqrt(within / len(matrix)))


@dataclass(frozen=True, slots=True)
class DriftTest:
    """A newer run against earlier replicates.

    `items` compares item by item, newer less earlier mean; `drifted` is its verdict at 5 %. `t` and `p` compare the
    newer score with the scatter of the earlier ones as wholes, t = (new - mean) / (sd x sqrt(1 + 1/n)) with n - 1
    degrees of freedom; both None for fewer than two replicates or where these all scored the same.
    """

    items: PairedDifference
    n_earlier: int
    t: float | None
    p: float | None
    drifted: bool


def drift_test(earlier: ArrayLike, newer: ArrayLike) -> DriftTest | None:
    """Whether a newer run of a model differs from earlier ones by more than re-running explains.

    The verdict comes from the items, since a handful of run scores can prove nothing: the differences of 171 items can.

    Args:
        earlier: Items x replicates, NaN where missing.
        newer: Item scores of the newer run, same items in the same order.

    Returns:
        The test; None when no item is shared.

    Raises:
        ValueError: The newer run has another number of items.
    """
    matrix = as_matrix(earlier)
    items = paired_difference(newer, matrix, distribution="t")
    if items is None:
        return None
    shared = ~np.isnan(as_floats(newer)) & ~np.isnan(matrix).all(axis=1)
    before, new = spread(_run_means(matrix[shared])), float(as_floats(newer)[shared].mean())
    n = before.n if before else 0
    t = _prediction_t(before, new)
    p = None if t is None else float(2 * stdtr(n - 1, -abs(t)))
    return DriftTest(items, n, t, p, not items.tied)


def _run_means(matrix: Floats) -> Floats:
    means = present_mean(matrix, axis=0)
    return means[~np.isnan(means)]


def _prediction_t(before: Spread | None, new: float) -> float | None:
    if before is None or not before.sd:
        return None
    return (new - before.mean) / (before.sd * float(np.sqrt(1 + 1 / before.n)))
