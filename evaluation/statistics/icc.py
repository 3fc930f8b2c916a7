"""Intraclass correlation of items over repeated runs: absolute agreement, two-way random effects.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtri

from evaluation.statistics.arrays import Floats, as_matrix, rounding_of
from evaluation.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class IntraclassCorrelation:
    """Agreement of k runs over n items, ICC(2,1) for one run and ICC(2,k) for the mean of all.

    1 means that the runs give every item the same score; 0 that an item's score in one run says nothing about its
    score in another; below 0 that runs differ more within items than items do, and `average` is -inf where `single` is
    -1 / (k - 1) or less, which leaves no variance to average. A constant shift between runs lowers both, unlike a
    correlation. `standard_error_of_measurement` is the scatter of one item's score from run to run, in the unit of the
    scores, sqrt(variance of runs + error variance).
    """

    n_items: int
    n_runs: int
    single: float
    single_interval: Interval
    average: float
    average_interval: Interval
    standard_error_of_measurement: float


@dataclass(frozen=True, slots=True)
class _MeanSquares:
    n: int
    k: int
    rows: float
    columns: float
    error: float


def intraclass_correlation(scores: ArrayLike) -> IntraclassCorrelation | None:
    """ICC(2,1) and ICC(2,k) with 95 % intervals.

    Args:
        scores: Items x runs; items that any of the runs lacks (NaN) are skipped.

    Returns:
        The coefficients. Identical runs give 1 with the interval 1 to 1. None for fewer than two complete items or
        runs, for scores that are all the same, where agreement cannot be told from lack of spread, and where the runs
        cancel each other out so exactly that no variance is left.

    Source: Shrout & Fleiss 1979, case 2; intervals of McGraw & Wong 1996, table 7, where those of ICC(2,k) are the
    Spearman-Brown step of those of ICC(2,1).
    """
    matrix = as_matrix(scores)
    matrix = matrix[~np.isnan(matrix).any(axis=1)]
    if min(matrix.shape) < 2 or np.ptp(matrix) <= rounding_of(matrix):
        return None
    squares = _mean_squares(matrix)
    if _total(squares) <= rounding_of(matrix) ** 2:
        return None
    single, interval = _single(squares), _interval(squares)
    run_variance = max((squares.columns - squares.error) / squares.n, 0.0)
    return IntraclassCorrelation(
        n_items=squares.n,
        n_runs=squares.k,
        single=single,
        single_interval=interval,
        average=_stepped_up(single, squares.k),
        average_interval=Interval(_stepped_up(interval.low, squares.k), _stepped_up(interval.high, squares.k)),
        standard_error_of_measurement=float(np.sqrt(run_variance + squares.error)),
    )


def _mean_squares(matrix: Floats) -> _MeanSquares:
    n, k = matrix.shape
    rows, columns, grand = matrix.mean(axis=1), matrix.mean(axis=0), matrix.mean()
    residuals = matrix - rows[:, None] - columns + grand
    return _MeanSquares(
        n=n,
        k=k,
        rows=float(k * np.square(rows - grand).sum() / (n - 1)),
        columns=float(n * np.square(columns - grand).sum() / (k - 1)),
        error=float(np.square(residuals).sum() / ((n - 1) * (k - 1))),
    )


def _single(s: _MeanSquares) -> float:
    return (s.rows - s.error) / _total(s)


def _total(s: _MeanSquares) -> float:
    """k times the estimated variance of one score; 0 where runs cancel each other out exactly."""
    return s.rows + (s.k - 1) * s.error + s.k * (s.columns - s.error) / s.n


def _interval(s: _MeanSquares) -> Interval:
    """McGraw & Wong's interval of ICC(A,1). The two F quantiles share the degrees of freedom v of Satterthwaite."""
    v = _satterthwaite(s)
    if v is None:
        return Interval(1.0, 1.0)
    above, below = float(fdtri(s.n - 1, v, 0.975)), float(fdtri(v, s.n - 1, 0.975))
    noise = s.k * s.columns + (s.k * s.n - s.k - s.n) * s.error
    low = s.n * (s.rows - above * s.error) / (above * noise + s.n * s.rows)
    high = s.n * (below * s.rows - s.error) / (noise + s.n * below * s.rows)
    return Interval(low, high)


def _satterthwaite(s: _MeanSquares) -> float | None:
    """Degrees of freedom of the mixture of run and error variance; None where there is neither."""
    single = _single(s)
    if 1 - single <= 1e-12:
        return None
    a = s.k * single / (s.n * (1 - single))
    runs, error = a * s.columns, (1 + a * (s.n - 1)) * s.error
    spread = runs**2 / (s.k - 1) + error**2 / ((s.n - 1) * (s.k - 1))
    return (runs + error) ** 2 / spread if spread else float((s.n - 1) * (s.k - 1))


def _stepped_up(single: float, k: int) -> float:
    """Spearman-Brown: the reliability of the mean of k runs."""
    length = 1 + (k - 1) * single
    return k * single / length if length > 1e-12 else -float("inf")
