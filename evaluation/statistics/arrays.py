"""The array types that the package shares, and what counts as equal in floating point."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ROUNDING = 1e-9
"""Share of the largest value below which a difference or a spread is taken for rounding."""


def as_floats(values: ArrayLike) -> Floats:
    """The values as an array of floats. None becomes NaN, which is how a missing value is written here."""
    return np.asarray(values, dtype=np.float64)


def as_matrix(scores: ArrayLike) -> Floats:
    """The scores as a two-dimensional array of floats. Raises ValueError for any other number of axes."""
    matrix = as_floats(scores)
    if matrix.ndim != 2:
        raise ValueError(f"expected rows and columns, got an array with {matrix.ndim} axes")
    return matrix


def paired_values(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """The values of both where neither is missing, in order. Raises ValueError for unequal lengths."""
    x, y = as_floats(first), as_floats(second)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"expected two lists of one length, got shapes {x.shape} and {y.shape}")
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def ratio(numerator: Floats, denominator: ArrayLike) -> Floats:
    """numerator / denominator, NaN where the denominator is not above 0."""
    below = np.broadcast_to(as_floats(denominator), numerator.shape)
    result: Floats = np.divide(numerator, below, out=np.full(numerator.shape, np.nan), where=below > 0)
    return result


def present_mean(matrix: Floats, axis: int) -> Floats:
    """The means along an axis over what is not missing, NaN where all is."""
    return ratio(np.nansum(matrix, axis=axis), (~np.isnan(matrix)).sum(axis=axis))


def rounding_of(values: Floats) -> float:
    """The size that rounding errors of these values stay below; 0 without values."""
    present = values[~np.isnan(values)]
    return float(ROUNDING * np.abs(present).max()) if present.size else 0.0


def without_rounding(values: Floats) -> Floats:
    """The values to nine decimals, so that scores that are equal but for rounding share their rank."""
    return np.asarray(np.round(values, 9))


def is_constant(values: Floats) -> bool:
    """Whether no two values differ by more than rounding: true for none and for one."""
    return bool(values.size < 2 or np.ptp(values) <= rounding_of(values))
