"""Agreement of two sides that put the same things on one scale: Cohen's kappa, plain and weighted.

Pure: may not import Django, HTTP or a clock.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

Weights = Literal["none", "linear", "quadratic"]


def kappa(table: ArrayLike, weights: Weights = "none") -> float | None:
    """Cohen's kappa: 1 for full agreement, 0 for what chance would give, below 0 for less.

    Args:
        table: Levels x levels of counts, in the order of the scale: rows one side, columns the other.
        weights: How a disagreement counts: any alike, by the levels between ("linear"), or by their square.

    Returns:
        The coefficient; None for no counts, and where both sides use one level only, be it the same or not.

    Raises:
        ValueError: The table is not square.

    Source: Cohen 1960; Cohen 1968 for weights.
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"expected as many rows as columns, got shape {counts.shape}")
    if max((counts.sum(axis=axis) > 0).sum() for axis in (0, 1)) < 2:
        return None
    total = counts.sum()
    steps = np.abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts))))
    costs = {"none": np.minimum(steps, 1), "linear": steps, "quadratic": steps**2}[weights]
    by_chance = (costs * np.outer(counts.sum(axis=1), counts.sum(axis=0))).sum()
    return float(1 - (costs * counts).sum() * total / by_chance)
