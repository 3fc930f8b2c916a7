"""The 95 % interval of a run's score, by one rule for pages, files and commands. Loads no numpy.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass
from math import sqrt

from evaluation.statistics.normal import Z95, Interval, around
from evaluation.statistics.students_t import critical_of

NO_SPREAD = 1e-9
"""A standard error of up to so many points is rounding: all items have the same score."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often the interval holds the truth, in per cent: mean over the official runs, and of the run with the least.

    Source: `n_items` items drawn with replacement from the scored ones of each of the 86 official runs, whose own score
    is the truth (evaluation/data/published/official_item_scores.csv). The tests compute it again.
    """

    n_items: int
    mean: float
    worst: float

    @property
    def t(self) -> float:
        """How many standard errors the interval reaches to either side."""
        return critical_of(self.n_items)


COVERAGE = (Coverage(171, 94.8, 94.2), Coverage(60, 94.4, 93.1), Coverage(20, 93.3, 90.3), Coverage(10, 92.0, 87.2))
"""Item scores are skewed, which Student's t does not know: so few items cover a little less than 95 %."""


def is_without_spread(standard_error: float | None) -> bool:
    """Whether all items have the same score, as in a perfect run: then no error can be computed."""
    return standard_error is not None and standard_error <= NO_SPREAD


def score_interval(score: float | None, standard_error: float | None, n_scored: int | None) -> Interval | None:
    """Score ± t x standard error, t being the 97.5 % point of Student's t with n_scored - 1 degrees of freedom.

    Normal where `n_scored` is not known. None without a score or a standard error, and for a run without spread, whose
    interval would be a point.
    """
    if score is None or standard_error is None or is_without_spread(standard_error):
        return None
    return around(score, standard_error, critical_of(n_scored))


def share_interval(per_cent: float | None, standard_error: float | None) -> Interval | None:
    """Wilson's interval of a share, which ends at 0 and at 100 %; None where `score_interval` is.

    Args:
        standard_error: √(p (1 − p) / (n − 1)) in per cent, which says how many answers there are; for the mean of
            several shares, of how many one share would be as precise.

    Source: Wilson 1927, Journal of the American Statistical Association 22.
    """
    if per_cent is None or standard_error is None or is_without_spread(standard_error):
        return None
    share, error = per_cent / 100, standard_error / 100
    n = share * (1 - share) / error**2 + 1
    centre, reach = share + Z95**2 / (2 * n), Z95 * sqrt(share * (1 - share) / n + (Z95 / (2 * n)) ** 2)
    low, high = (100 * end / (1 + Z95**2 / n) for end in (centre - reach, centre + reach))
    return Interval(low, high)


def half_of(standard_error: float | None, n_scored: int | None) -> float | None:
    """Half of that interval, in the unit of the standard error."""
    interval = score_interval(0.0, standard_error, n_scored)
    return interval.half_width if interval else None
