"""Intervals of 95 %: normal and percentile, and the weights of a bootstrap over items.

Pure: may not import Django, HTTP or a clock. One level only, because every page shows 95 %.
"""

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats
from evaluation.statistics.normal import Z95, Interval, around

__all__ = ["Z95", "Interval", "around", "percentile_interval", "resampling_weights"]


def percentile_interval(draws: ArrayLike) -> Interval | None:
    """The 2.5th to 97.5th percentile of bootstrap draws, with linear interpolation.

    Draws that are NaN (the statistic was not defined there) are left out; None when nothing is left.
    """
    values = as_floats(draws)
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(low), float(high))


def resampling_weights(n: int, draws: int, seed: int) -> Floats:
    """How often each of n things is in each resample: draws x n whole numbers, each row with the sum n.

    What is drawn are the indices `default_rng(seed).integers(0, n, (draws, n))`, as for the published figures.
    """
    drawn = np.random.default_rng(seed).integers(0, n, (draws, n))
    cells = drawn + n * np.arange(draws)[:, None]
    return np.bincount(cells.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float64)
