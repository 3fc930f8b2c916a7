"""The 95 % interval of a run's score, by one rule for pages, files and commands. Loads no numpy.

Pure: may not import Django, HTTP or a clock.
"""

from evaluation.statistics.normal import Interval, around
from evaluation.statistics.students_t import critical_of

NO_SPREAD = 1e-9
"""A standard error of up to so many points is rounding: all items have the same score."""


def is_without_spread(standard_error: float | None) -> bool:
    """Whether all items have the same score, as in a perfect run: then no error can be computed."""
    return standard_error is not None and standard_error <= NO_SPREAD


def score_interval(score: float | None, standard_error: float | None, n_scored: int | None) -> Interval | None:
    """Student's t for fewer than 30 scored items, else normal.

    None without a score or a standard error, and for a run without spread, whose interval would be a point.
    """
    if score is None or standard_error is None or is_without_spread(standard_error):
        return None
    return around(score, standard_error, critical_of(n_scored))


def half_of(standard_error: float | None, n_scored: int | None) -> float | None:
    """Half of that interval, in the unit of the standard error."""
    interval = score_interval(0.0, standard_error, n_scored)
    return interval.half_width if interval else None
