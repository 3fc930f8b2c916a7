"""Correlation of two vectors, for workers that have no numpy. Pure."""

from collections.abc import Sequence
from math import fsum, sqrt


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """The correlation of two vectors of one length; None where one of them does not vary."""
    if len(first) < 2:
        return None
    mean_1, mean_2 = fsum(first) / len(first), fsum(second) / len(second)
    parts_1, parts_2 = [value - mean_1 for value in first], [value - mean_2 for value in second]
    spread_1, spread_2 = fsum(part * part for part in parts_1), fsum(part * part for part in parts_2)
    # Equal numbers differ by rounding alone from their mean: that is no variation.
    least_1, least_2 = (len(first) * (1e-12 * max(map(abs, vector), default=0.0)) ** 2 for vector in (first, second))
    if spread_1 <= least_1 or spread_2 <= least_2:
        return None
    together = fsum(part_1 * part_2 for part_1, part_2 in zip(parts_1, parts_2, strict=True))
    return max(-1.0, min(1.0, together / sqrt(spread_1 * spread_2)))
