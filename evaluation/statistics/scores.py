"""How exactly a score is known: standard errors over items, intervals, and what a published figure gets.

Pure: may not import Django, HTTP or a clock. Items are treated as a sample of what could be asked, so the errors hold
for another set of items of the same kind; for a comparison on the same items use `differences`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats, present_mean, ratio
from evaluation.statistics.intervals import Interval, around, percentile_interval, resampling_weights
from evaluation.statistics.students_t import critical_of


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score with its error. `n_items` items have at least one score, `n_repeats` repeats have at least one.

    `standard_error` is None when a single item was scored: one value says nothing about its spread.
    """

    mean: float
    standard_error: float | None
    n_items: int
    n_repeats: int

    @property
    def interval(self) -> Interval | None:
        """Of Student's t with n_items - 1 degrees of freedom, as on the pages; None without a standard error."""
        return around(self.mean, self.standard_error, critical_of(self.n_items))


def score_estimate(scores: ArrayLike) -> Estimate | None:
    """The score of a run, or of a model over repeats, with the standard error that its items give.

    The score is the mean over the repeats of each repeat's mean over its scored items. The error is clustered by item:
    the repeats of one item are one observation, since they fail together. For one repeat it is s / sqrt(n), s the
    standard deviation (n - 1) of the item scores; with nothing missing it is the same of the items' means.

    Args:
        scores: Item scores, (items,) for one run or (items, repeats) for several; NaN where there is no score.

    Returns:
        The estimate in the unit of the input. Constant scores give a standard error of 0, a single item gives None
        for it. None as a whole when nothing was scored.

    Source: Miller 2024 (arXiv 2411.00640), appendix A, with the factor k / (k - 1) for k items, which makes the case
    of one repeat the formula of the published figures; a repeat with missing items enters linearised.
    """
    matrix = _by_repeat(scores)
    if not matrix.size:
        return None
    present = ~np.isnan(matrix)
    counts = present.sum(axis=0)
    means = np.nansum(matrix, axis=0) / counts
    parts = np.where(present, (matrix - means) / counts, 0.0).mean(axis=1)
    return Estimate(float(means.mean()), _clustered(parts), *matrix.shape)


def _by_repeat(scores: ArrayLike) -> Floats:
    """Items x repeats, without the items and the repeats that have no score at all."""
    matrix = as_floats(scores)
    matrix = matrix[:, None] if matrix.ndim == 1 else matrix
    present = ~np.isnan(matrix)
    return matrix[present.any(axis=1)][:, present.any(axis=0)]


def _clustered(parts: Floats) -> float | None:
    k = parts.size
    return None if k < 2 else float(np.sqrt(k / (k - 1) * np.square(parts).sum()))


def bootstrap_interval(scores: ArrayLike, *, seed: int, draws: int = 2_000) -> Interval | None:
    """The percentile interval of a score when its items are drawn anew, each with all its repeats.

    Args:
        scores: As for `score_estimate`.
        seed: Of the draws; the same seed gives the same interval.
        draws: How many resamples.

    Returns:
        The interval; one point for constant scores and for a single item, None when nothing was scored.
    """
    matrix = _by_repeat(scores)
    if not matrix.size:
        return None
    present = ~np.isnan(matrix)
    weights = resampling_weights(len(matrix), draws, seed)
    totals, counts = weights @ np.where(present, matrix, 0.0), weights @ present.astype(np.float64)
    return percentile_interval(present_mean(ratio(totals, counts), axis=1))


def published_interval(score: float, field_standard_errors: ArrayLike) -> Interval | None:
    """The approximate interval of a score of which only the figure is public.

    Args:
        score: The printed score.
        field_standard_errors: Standard errors of runs whose items are at hand, same unit; NaN is skipped.

    Returns:
        The score ± 1.959964 x the median of these errors, to be shown as approximate: errors fall as scores rise, so
        it is too wide at the top and too narrow at the bottom. None for an empty field.
    """
    errors = as_floats(field_standard_errors)
    errors = errors[~np.isnan(errors)]
    return around(score, float(np.median(errors))) if errors.size else None
