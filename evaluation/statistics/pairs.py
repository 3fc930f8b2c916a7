"""Every model against every other at once: the paired test as matrix products, without a loop over pairs.

Pure: may not import Django, HTTP or a clock.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Bools, Floats, Ints, as_floats, as_matrix, present_mean, ratio, rounding_of
from evaluation.statistics.intervals import Z95
from evaluation.statistics.students_t import t_critical

Distribution = Literal["normal", "t"]

FEW_ITEMS = 30
"""Below so many items Student's t decides between two models with answers, in place of the normal distribution."""
BAND_EDGES = (40.0, 60.0, 70.0, 80.0)
FEWEST_PAIRS = 10  # whose median says something of a band


class GapBand(NamedTuple):
    """The lead that is usually no tie among scores above `low` and up to `high` (None: no bound), from `n` pairs."""

    low: float | None
    high: float | None
    gap: float
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Paired comparisons of m models, four m x m arrays; entry [i, j] is model i less model j over shared items.

    `shared` counts the shared items. `mean` is NaN without one, `standard_error` with fewer than two; `ahead` is true
    where i is separated from j and above it. Neither ahead of the other means tied, as does a lack of shared items.
    """

    mean: Floats
    standard_error: Floats
    shared: Ints
    ahead: Bools

    @property
    def tied(self) -> Bools:
        """Whether two models are tied; each is with itself."""
        return ~(self.ahead | self.ahead.T)

    @property
    def least_significant(self) -> Floats:
        """m x m: the smallest difference that is no tie, 1.959964 standard errors of it, Student's 5 % point of them on
        fewer than 30 shared items; NaN with fewer than two."""
        if (self.shared >= FEW_ITEMS).all():
            return Z95 * self.standard_error
        bounds = np.where(self.shared < FEW_ITEMS, _t_bounds(self.shared), Z95)
        return np.asarray(bounds * self.standard_error)

    @property
    def least_significant_differences(self) -> Floats:
        """The same of each pair of different models that share two items or more, each once."""
        gaps = self.least_significant[np.triu_indices(len(self.standard_error), 1)]
        return np.asarray(gaps[~np.isnan(gaps)])


def pair_table(scores: ArrayLike, *, distribution: Distribution = "normal") -> PairTable:
    """The paired test of every pair of models, as `differences.paired_difference` does for one pair.

    Args:
        scores: Models x items, NaN where missing; average repeats before.
        distribution: "normal" gives the published pairs; "t", with one degree of freedom less than the pair shares
            items, holds for few items too.

    Returns:
        The table; all arrays are empty without models. Differences that are all equal have a standard error of 0 and
        separate two models unless they are 0. 2,000 models x 171 items take well under a second on one core.
    """
    matrix = as_matrix(scores)
    present, filled, rounding = ~np.isnan(matrix), _centred(matrix), rounding_of(matrix)
    sums, squares, shared = (_over_shared(each, present) for each in (filled, np.square(filled), present))
    mean = ratio(sums - sums.T, shared)
    spread = squares + squares.T - 2 * (filled @ filled.T) - shared * np.square(mean)
    error = np.sqrt(ratio(np.maximum(spread, 0.0), shared * (shared - 1)))
    critical = Z95 if distribution == "normal" else _t_bounds(shared)
    ahead = mean > np.maximum(critical * error, rounding)
    return PairTable(mean, np.where(error <= rounding, 0.0, error), shared.astype(np.int64), ahead)


def _over_shared(values: Floats | Bools, present: Bools) -> Floats:
    """Models x models: the sum of the row's values over the items that the column's model has as well."""
    if present.all():
        return np.broadcast_to(values.sum(axis=1, dtype=np.float64)[:, None], (len(values), len(values)))
    return values.astype(np.float64) @ present.astype(np.float64).T


def _t_bounds(shared: Floats | Ints) -> Floats:
    """Student's 5 % point for each pair by its number of shared items; NaN below two."""
    counts, at = np.unique(shared, return_inverse=True)
    bounds = np.array([t_critical(int(n) - 1) if n >= 2 else np.nan for n in counts])
    return bounds[at].reshape(shared.shape)


def _centred(matrix: Floats) -> Floats:
    """The scores less their item's mean, 0 where missing: differences stay the same and lose fewer digits."""
    return np.nan_to_num(matrix - present_mean(matrix, axis=0), nan=0.0)


def unpaired_ties(scores: ArrayLike) -> Bools:
    """Whether each two models are tied when only their scores and standard errors are used: models x models.

    A model without a standard error is tied with all. Ties that the paired test breaks show what pairing gains.
    """
    matrix = as_matrix(scores)
    means, n = present_mean(matrix, axis=1), (~np.isnan(matrix)).sum(axis=1)
    squares = np.nansum(np.square(matrix - means[:, None]), axis=1)
    errors = np.sqrt(ratio(squares, n * (n - 1)))
    gaps = np.abs(means[:, None] - means)
    reach = Z95 * np.hypot(errors[:, None], errors)
    return np.asarray(~(gaps >= reach) | (gaps == 0))


def gaps_by_band(table: PairTable, totals: ArrayLike, edges: Sequence[float] = BAND_EDGES) -> tuple[GapBand, ...]:
    """The median least significant difference of the pairs of which both scores lie in one band, the highest first:
    errors fall as scores rise, so that a lead which says nothing at the bottom separates two models at the top.

    Args:
        table: Of all pairs of the models.
        totals: The score of each model, in the same unit.
        edges: Where a band ends and the next begins; a score at an edge belongs to the lower band.

    Returns:
        Bands with fewer than ten such pairs are left out.
    """
    total, least = as_floats(totals), table.least_significant
    bounds = [float("-inf"), *edges, float("inf")]
    found = []
    for low, high in itertools.pairwise(bounds):
        at = np.flatnonzero((total > low) & (total <= high))
        gaps = least[np.ix_(at, at)][np.triu_indices(at.size, 1)]
        gaps = gaps[~np.isnan(gaps)]
        if gaps.size >= FEWEST_PAIRS:
            ends = (None if low == bounds[0] else low, None if high == bounds[-1] else high)
            found.append(GapBand(*ends, float(np.median(gaps)), int(gaps.size)))
    return tuple(reversed(found))


def median_gap_needed(scores: ArrayLike) -> float | None:
    """The median least significant difference over all pairs: the lead below which two models are usually tied.

    Args:
        scores: Models x items, NaN where missing; pass some of the rows to ask about a part of the field.

    Returns:
        The gap in the unit of the scores; None where no two models share two items.
    """
    gaps = pair_table(scores).least_significant_differences
    return float(np.median(gaps)) if gaps.size else None
