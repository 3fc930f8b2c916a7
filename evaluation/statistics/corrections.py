"""Corrections of p values for many tests: Holm and Benjamini-Hochberg.

Pure: may not import Django, HTTP or a clock.
"""

import numpy as np
from numpy.typing import ArrayLike


def holm(p_values: ArrayLike) -> tuple[float, ...]:
    """Holm's step-down corrected p values, in the order of the input; each at most 1. Empty for none.

    Source: Holm 1979, Scandinavian Journal of Statistics 6.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return tuple(corrected.tolist())


def benjamini_hochberg(p_values: ArrayLike, n_tests: int | None = None) -> tuple[float, ...]:
    """Benjamini and Hochberg's step-up adjusted p values, in the order of the input; each at most 1. Empty for none.

    Args:
        p_values: The known p values.
        n_tests: How many tests the family has; by default as many as there are p values. Where some p values were
            never published, each counts as 1, so the adjusted values are upper bounds.

    Raises:
        ValueError: `n_tests` is below the number of p values.

    Source: Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57.
    """
    p = np.asarray(p_values, dtype=np.float64)
    total = p.size if n_tests is None else n_tests
    if total < p.size:
        raise ValueError(f"a family of {total} tests cannot hold {p.size} p values")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * total / np.arange(1, p.size + 1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return tuple(corrected.tolist())
