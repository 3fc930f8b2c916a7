"""How many things a test measures: eigenvalues of the items' correlations against those that chance gives.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, rounding_of
from evaluation.statistics.items import complete_rows

SEED, DRAWS = 171, 200
LEAST_MODELS, LEAST_ITEMS = 10, 3
MOST_SHOWN = 20
"""Largest eigenvalues that are given."""


@dataclass(frozen=True, slots=True)
class Eigenvalue:
    """One factor: its eigenvalue, and mean, 2.5th, 95th and 97.5th percentile of it over draws of chance."""

    value: float
    chance: float
    chance_low: float
    chance_95: float
    chance_high: float


@dataclass(frozen=True, slots=True)
class ParallelAnalysis:
    """The largest eigenvalues, the largest first, over `n_models` complete models and `n_items` items that vary.

    `n_above` counts the leading ones that lie above the 95th percentile of chance. `first_share` is the share of the
    first in the sum of all, 0 to 1: the variance of the standardised items that one factor explains.
    """

    n_models: int
    n_items: int
    draws: int
    eigenvalues: tuple[Eigenvalue, ...]
    n_above: int
    first_share: float


def parallel_analysis(scores: ArrayLike, *, seed: int = SEED, draws: int = DRAWS) -> ParallelAnalysis | None:
    """Eigenvalues of the correlation matrix of the items against those of scores without any connection.

    Chance: each item's scores are shuffled among the models, each item by itself. So every item keeps its distribution
    and only what the items have in common goes.

    Args:
        scores: Models x items, NaN where missing; models with a missing item are skipped, as are items that all models
            score alike.
        seed: Of the shuffles.
        draws: How many; at least 1.

    Returns:
        None for fewer than LEAST_MODELS complete models or LEAST_ITEMS items that vary.

    Source: Horn 1965, Psychometrika 30; shuffled as in Buja and Eyuboglu 1992, Multivariate Behavioral Research 27.
    """
    matrix = complete_rows(scores)
    if len(matrix) < LEAST_MODELS:
        return None
    matrix = matrix[:, np.ptp(matrix, axis=0) > rounding_of(matrix)]
    n, k = matrix.shape
    if k < LEAST_ITEMS:
        return None
    standard = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    found = _eigenvalues(standard)
    chance, generator = np.empty((draws, k)), np.random.default_rng(seed)
    for at in range(draws):
        chance[at] = _eigenvalues(generator.permuted(standard, axis=0))
    mean, (low, limit, high) = chance.mean(axis=0), np.percentile(chance, [2.5, 95, 97.5], axis=0)
    below = np.flatnonzero(found <= limit)
    shown = slice(min(k, MOST_SHOWN))
    rows = zip(*(column[shown].tolist() for column in (found, mean, low, limit, high)), strict=True)
    return ParallelAnalysis(
        n_models=n,
        n_items=k,
        draws=draws,
        eigenvalues=tuple(Eigenvalue(*row) for row in rows),
        n_above=int(below[0]) if below.size else k,
        first_share=float(found[0] / k),
    )


def _eigenvalues(standard: Floats) -> Floats:
    """Of the correlation matrix, the largest first; those beyond the rank are 0. `standard`: mean 0 and SD 1."""
    n, k = standard.shape
    # The smaller of the two products has the same eigenvalues but for zeros.
    product = standard @ standard.T if n < k else standard.T @ standard
    values = np.zeros(k)
    values[: min(n, k)] = np.linalg.eigvalsh(product)[::-1] / n
    return values
