"""SECEU in numbers: normalising, distance, EQ, the share of people that did worse, pattern similarity. Pure.

Source: Wang et al. 2023, doi 10.1177/18344909231213958, with the norm file on the authors' site.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

TOTAL = 10.0
"""What the four numbers of an answer add up to, in points."""

PEOPLE_MEAN, PEOPLE_SD = 2.79, 0.822
"""Of the 541 people's distances; EQ sets them to 100 and 15."""

EQ_MEAN, EQ_SD = 100.0, 15.0
EXPERT_ABOVE, POOR_BELOW = 115.0, 85.0
DIFFERENT_BELOW = 0.199 - 0.166
"""One SD below the mean of what people's own patterns correlate with the pattern of all others."""

ITEMS = 40
STARS = ((0.40265, "**"), (0.31201, "*"))
"""Correlations over 40 items from which the two-sided test gives p < 0.01 and p < 0.05."""

NULL = (0.0, 0.0, 0.0, 0.0)
"""Rule 1 of the paper: an item without a meaningful answer, or with four zeros, is scored as (0, 0, 0, 0)."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """People by a number: the edges of the bins, ascending, and the per cent of people on the far side of each."""

    edges: tuple[float, ...]
    per_cents: tuple[float, ...]

    def per_cent(self, value: float) -> float:
        """Linear within a bin; beyond the outermost edges it is what it is at them."""
        if value <= self.edges[0]:
            return self.per_cents[0]
        if value >= self.edges[-1]:
            return self.per_cents[-1]
        right = bisect_right(self.edges, value)
        left = right - 1
        share = (value - self.edges[left]) / (self.edges[right] - self.edges[left])
        return self.per_cents[left] + share * (self.per_cents[right] - self.per_cents[left])


def normalised(values: Sequence[float]) -> tuple[float, ...] | None:
    """Four numbers that add up to 10, none of them negative; None where the rules leave four zeros.

    The rules in their published order: four zeros stay zeros; if a number is negative, the size of the smallest is
    added to all; then all are multiplied by 10 / sum. The rules do not cover equal negative numbers, which become
    zeros too.
    """
    lowest = min(values)
    lifted = [value - lowest if lowest < 0 else value for value in values]
    total = fsum(lifted)
    if total == 0:
        return None
    return tuple(value * TOTAL / total for value in lifted) if total != TOTAL else tuple(lifted)


def distance(values: Sequence[float], standards: Sequence[float]) -> float:
    """Euclidean distance of one answer to what the people gave on average, in points; lower is better."""
    return sqrt(fsum((value - standard) ** 2 for value, standard in zip(values, standards, strict=True)))


def eq(mean_distance: float) -> float:
    """The EQ of a mean distance. It is linear, so the EQ of a mean is the mean of EQs."""
    return EQ_MEAN + EQ_SD * (PEOPLE_MEAN - mean_distance) / PEOPLE_SD


def band(eq_value: float) -> str:
    """By the unrounded EQ: above 115 "expert", below 85 "poor", else "normal"."""
    return "expert" if eq_value > EXPERT_ABOVE else "poor" if eq_value < POOR_BELOW else "normal"


def stars(r: float, n_items: int) -> str:
    """The marks of the paper's table; "" as well for another number of items, whose thresholds are other ones."""
    if n_items != ITEMS:
        return ""
    return next((mark for threshold, mark in STARS if abs(r) >= threshold), "")
