"""Two models against each other: paired over shared items, or unpaired from their errors; and what gap can be seen.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtr, ndtri, stdtr

from evaluation.statistics.arrays import Floats, as_floats, paired_values, present_mean, rounding_of
from evaluation.statistics.intervals import Z95, Interval, around
from evaluation.statistics.pairs import Distribution
from evaluation.statistics.scores import Estimate
from evaluation.statistics.students_t import t_critical


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first model less the second over the items that both have, in the unit of the scores.

    `effect_size` is the mean difference in standard deviations of the item differences (Cohen's d_z): 0 is none, the
    sign is that of the mean. `p` is the chance of a difference at least this large if there were none. `tied` is true
    exactly when the interval holds 0, and true for a single shared item. `t` and `effect_size` are None where all
    differences are equal; then p is 0 or, for equal scores, 1. `sign_p` is the two-sided p of the exact sign test:
    it counts the items that each model does better on, equal ones left out, and not by how much. `median` is that of
    the differences, `gain` the mean lead over the items on which the first is better and `loss` its mean arrears over
    those on which it is worse, both 0 or more.
    """

    mean: float
    standard_error: float | None
    t: float | None
    p: float | None
    interval: Interval | None
    effect_size: float | None
    n: int
    n_better: int
    n_worse: int
    n_equal: int
    tied: bool
    median: float
    sign_p: float
    gain: float
    loss: float


def paired_difference(
    first: ArrayLike, second: ArrayLike, *, distribution: Distribution = "normal"
) -> PairedDifference | None:
    """The paired comparison of two models on the items that both have.

    t = mean(d) / (sd(d) / sqrt(n)), d the differences of the items and sd with n - 1; tied when |t| < 1.959964.

    Args:
        first: Item scores, (items,) or (items, repeats); the repeats of an item are averaged. NaN where missing.
        second: Of the same items in the same order; may have another number of repeats.
        distribution: "normal" gives the published pairs; "t", with n - 1 degrees of freedom, holds for few items too.

    Returns:
        The comparison; None when no item is shared. With one shared item only mean, n and the counts are known.

    Raises:
        ValueError: The two do not have the same number of items.

    Source: published EQ-Bench figures, paired test of two runs; no correction for many tests.
    """
    a, b = paired_values(_item_means(first), _item_means(second))
    if not a.size:
        return None
    rounding = rounding_of(np.concatenate([a, b]))
    differences = np.where(np.abs(a - b) <= rounding, 0.0, a - b)
    sd = _sd(differences, rounding)
    return _paired(differences, sd, distribution)


def _item_means(scores: ArrayLike) -> Floats:
    """One value an item: its mean over the repeats that have a score, NaN where none has."""
    matrix = as_floats(scores)
    return matrix if matrix.ndim == 1 else present_mean(matrix, axis=1)


def _sd(differences: Floats, rounding: float) -> float | None:
    if differences.size < 2:
        return None
    sd = float(differences.std(ddof=1))
    return 0.0 if sd <= rounding else sd


def _paired(differences: Floats, sd: float | None, distribution: Distribution) -> PairedDifference:
    n, mean = differences.size, float(differences.mean())
    error = None if sd is None else sd / float(np.sqrt(n))
    t = mean / error if error else None
    interval = around(mean, error, _critical(n, distribution))
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    return PairedDifference(
        mean=mean,
        standard_error=error,
        t=t,
        p=_p(mean, error, t, n, distribution),
        interval=interval,
        effect_size=mean / sd if sd else None,
        n=n,
        n_better=better,
        n_worse=worse,
        n_equal=int((differences == 0).sum()),
        tied=interval is None or interval.holds(0.0),
        median=float(np.median(differences)),
        sign_p=min(1.0, float(2 * bdtr(min(better, worse), better + worse, 0.5))) if better + worse else 1.0,
        gain=float(differences[differences > 0].mean()) if better else 0.0,
        loss=float(-differences[differences < 0].mean()) if worse else 0.0,
    )


def _critical(n: int, distribution: Distribution) -> float:
    return Z95 if distribution == "normal" or n < 2 else t_critical(n - 1)


def _p(mean: float, error: float | None, t: float | None, n: int, distribution: Distribution) -> float | None:
    if error is None:
        return None
    if t is None:
        return 0.0 if mean else 1.0
    tail = ndtr(-abs(t)) if distribution == "normal" else stdtr(n - 1, -abs(t))
    return float(2 * tail)


@dataclass(frozen=True, slots=True)
class UnpairedDifference:
    """The first score less the second, from their standard errors alone. `z` is None where both errors are 0."""

    mean: float
    standard_error: float
    z: float | None
    p: float
    interval: Interval
    tied: bool


def unpaired_difference(first: Estimate, second: Estimate) -> UnpairedDifference | None:
    """The comparison of two scores that need not share an item; less sharp than the paired one where they do.

    Tied when the gap is below 1.959964 x sqrt(SE_1^2 + SE_2^2). Two exact scores (errors of 0) are tied when equal.

    Returns:
        None when either has no standard error.
    """
    if first.standard_error is None or second.standard_error is None:
        return None
    mean, error = first.mean - second.mean, float(np.hypot(first.standard_error, second.standard_error))
    z = mean / error if error else None
    p = (0.0 if mean else 1.0) if z is None else float(2 * ndtr(-abs(z)))
    reach = Z95 * error
    return UnpairedDifference(mean, error, z, p, Interval(mean - reach, mean + reach), abs(mean) < reach or not mean)


def least_significant_difference(standard_error: float) -> float:
    """The smallest observed gap that is no tie, given the standard error of the difference (0 or more)."""
    return Z95 * standard_error


def smallest_resolvable_gap(standard_error: float, *, power: float = 0.8) -> float:
    """The smallest true gap that the test finds with a chance of `power`, in the unit of the standard error.

    Larger than the least significant difference, because an observed gap scatters around the true one: with a power
    of one half the two are equal. `power` lies between 0 and 1, both excluded.
    """
    if not 0 < power < 1:
        raise ValueError(f"power must lie between 0 and 1, got {power}")
    return (Z95 + float(ndtri(power))) * standard_error
