"""The scatter of the scores of repeated runs. Apart from `repeatability`, so that a refresh does not load scipy.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats, is_constant


@dataclass(frozen=True, slots=True)
class Spread:
    """Scores of repeated runs. `sd` is with n - 1; it, `cv_percent` and `standard_error` are None for a single run.

    `cv_percent` is 100 x sd / mean: 0 means that all runs scored the same. It is None too where the mean is not above
    0, since a ratio to a score near or below random answering means nothing. `standard_error` is that of the mean as
    an estimate of all further runs, sd / sqrt(n).
    """

    n: int
    mean: float
    sd: float | None
    cv_percent: float | None
    low: float
    high: float
    standard_error: float | None

    @property
    def range(self) -> float:
        return self.high - self.low


def spread(run_scores: ArrayLike) -> Spread | None:
    """The mean and scatter of the scores of repeated runs of one model.

    Args:
        run_scores: One score a run; NaN (no score) is skipped.

    Returns:
        The spread, with an sd of exactly 0 for equal scores; None when no run has a score.

    Source: Paech 2023 (arXiv 2312.06281), section 4.2: coefficient of variation with n - 1.
    """
    scores = as_floats(run_scores)
    scores = scores[~np.isnan(scores)]
    if not scores.size:
        return None
    n, mean, sd = scores.size, float(scores.mean()), _sd(scores)
    cv = None if sd is None or mean <= 0 else 100 * sd / mean
    error = None if sd is None else sd / float(np.sqrt(n))
    return Spread(n, mean, sd, cv, float(scores.min()), float(scores.max()), error)


def _sd(scores: Floats) -> float | None:
    if scores.size < 2:
        return None
    return 0.0 if is_constant(scores) else float(scores.std(ddof=1))
