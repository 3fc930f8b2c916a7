"""The final score of a run that is still going, estimated from what it has answered so far.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats
from evaluation.statistics.intervals import Interval, around
from evaluation.statistics.students_t import t_critical


@dataclass(frozen=True, slots=True)
class RunningEstimate:
    """The expected final score in the unit of the input, from `n_scored` of `n_items` items.

    `interval` is None for a single scored item and closes to one point when all are scored.
    """

    score: float
    interval: Interval | None
    n_scored: int
    n_items: int


def running_estimate(scores: ArrayLike, difficulties: ArrayLike) -> RunningEstimate | None:
    """Where a run's score will end, given what the items so far were like.

    Each open item is expected at its difficulty plus the run's lead over the field so far, the mean of score less
    difficulty over the scored items. A run that has had only the hard items is thus not taken for a weak one.
    The interval supposes scored items drawn at random; a run asks them in the bank's order, so it is a rough one.

    Args:
        scores: One value an item of the run; NaN for those still open. Leave out items that ended without a score.
        difficulties: The field's mean for the same items; NaN where no run has the item, which counts as a middling
            one. All NaN gives the plain mean so far.

    Returns:
        The estimate with a 95 % interval (Student's t over the scored items, with the correction for a finite number
        of items); None while nothing is scored.

    Raises:
        ValueError: The two have different lengths.

    Source: difference estimator of survey sampling (Cochran 1977, chapter 7, with a slope of 1).
    """
    given, expected = as_floats(scores), _filled(as_floats(difficulties))
    if given.ndim != 1 or given.shape != expected.shape:
        raise ValueError(f"expected one difficulty an item, got shapes {given.shape} and {expected.shape}")
    scored = ~np.isnan(given)
    if not scored.any():
        return None
    leads = given[scored] - expected[scored]
    score = float(expected.mean() + leads.mean())
    error = _standard_error(leads, given.size)
    interval = around(score, error, t_critical(max(leads.size - 1, 1)))
    return RunningEstimate(score, interval, leads.size, given.size)


def _filled(difficulties: Floats) -> Floats:
    known = difficulties[~np.isnan(difficulties)]
    return np.where(np.isnan(difficulties), known.mean() if known.size else 0.0, difficulties)


def _standard_error(leads: Floats, n_items: int) -> float | None:
    if leads.size == n_items:
        return 0.0
    if leads.size < 2:
        return None
    return float(leads.std(ddof=1) * np.sqrt((1 - leads.size / n_items) / leads.size))
