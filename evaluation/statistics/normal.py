"""Intervals of 95 % from a standard error. Apart from `intervals`, so that a command that shows one needs no numpy.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

Z95 = 1.959964
"""The two-sided 5 % point of the normal distribution, with the digits that the published figures were made with."""


@dataclass(frozen=True, slots=True)
class Interval:
    """What the data leave open, both ends included."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def around(estimate: float, standard_error: float | None, critical: float = Z95) -> Interval | None:
    """The interval estimate ± critical x standard error; None without a standard error, one point when that is 0."""
    if standard_error is None:
        return None
    reach = critical * standard_error
    return Interval(estimate - reach, estimate + reach)
