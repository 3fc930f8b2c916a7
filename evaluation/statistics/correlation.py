"""Correlations of two measures over models: Pearson, Spearman and Kendall, with intervals.

Pure: may not import Django, HTTP or a clock. Every bootstrap draw is computed from how often each model was drawn, so
that ten thousand draws are a few matrix products.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats, is_constant, paired_values, ratio
from evaluation.statistics.intervals import Z95, Interval, percentile_interval, resampling_weights

SEED = 20231211
DRAWS = 10_000
KENDALL_DRAWS = 2_000
FEWEST_CLUSTERS = 8


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient, -1 to 1: 1 is a perfect rising relation, 0 none, -1 a perfect falling one.

    `interval` is by formula and None for Kendall and for fewer than four pairs; `bootstrap` is the percentile interval.
    """

    value: float
    interval: Interval | None
    bootstrap: Interval | None


@dataclass(frozen=True, slots=True)
class Correlation:
    """Three coefficients over n models: `pearson` of values, `spearman` of ranks, `kendall` (tau-b) of pairs."""

    n: int
    pearson: Coefficient
    spearman: Coefficient
    kendall: Coefficient


def correlate(
    x: ArrayLike, y: ArrayLike, *, seed: int = SEED, draws: int = DRAWS, kendall_draws: int = KENDALL_DRAWS
) -> Correlation | None:
    """All coefficients of two measures with 95 % intervals.

    Fisher for Pearson, Bonett-Wright for Spearman, and the percentile bootstrap for all: the models are drawn with
    `default_rng(seed).integers(0, n, (draws, n))`, Kendall takes the first `kendall_draws` of these. The order of the
    models decides what is drawn; another order moves a bound by up to 0.03 where n is small.

    Args:
        x: One value a model; NaN where missing.
        y: Of the same models in the same order. Pairs with a missing value are dropped before drawing.
        seed: Of the draws.
        draws: How many.
        kendall_draws: How many of them for Kendall.

    Returns:
        The coefficients; draws in which a measure is constant are left out. None for fewer than two pairs and for a
        constant measure, where no correlation is defined.

    Source: specification of the published figures, statistics used.
    """
    a, b = paired_values(x, y)
    r, rho, tau = pearson(a, b), spearman(a, b), kendall_tau_b(a, b)
    if r is None or rho is None or tau is None:
        return None
    weights = resampling_weights(a.size, draws, seed)
    return Correlation(
        n=a.size,
        pearson=Coefficient(r, fisher_interval(r, a.size), percentile_interval(_pearson_draws(a, b, weights))),
        spearman=Coefficient(rho, bonett_wright_interval(rho, a.size), percentile_interval(_rho_draws(a, b, weights))),
        kendall=Coefficient(tau, None, percentile_interval(_tau_draws(a, b, weights[:kendall_draws]))),
    )


def clustered_interval(
    x: ArrayLike, y: ArrayLike, clusters: Sequence[str], *, seed: int = SEED, draws: int = DRAWS
) -> Interval | None:
    """The percentile bootstrap interval of Pearson's r where clusters of models are drawn, such as all of a maker.

    Models of one maker are alike: taken as independent they make an interval too narrow.

    Args:
        x: One value a model; NaN where missing.
        y: Of the same models in the same order.
        clusters: The name of each model's cluster; their sorted names are what the draws go by.
        seed: Of the draws.
        draws: How many.

    Returns:
        None for fewer than eight clusters, of which too few resamples differ, and where r is not defined.
    """
    a, b = as_floats(x), as_floats(y)
    known = ~(np.isnan(a) | np.isnan(b))
    names, places = np.unique(np.array(clusters)[known], return_inverse=True)
    if names.size < FEWEST_CLUSTERS or is_constant(a[known]) or is_constant(b[known]):
        return None
    weights = resampling_weights(names.size, draws, seed)[:, places]
    return percentile_interval(_pearson_draws(a[known], b[known], weights))


def pearson(x: ArrayLike, y: ArrayLike) -> float | None:
    """Pearson's r over the pairs without NaN; None for fewer than two of them and for a constant measure."""
    a, b = paired_values(x, y)
    if is_constant(a) or is_constant(b):
        return None
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Spearman's rho: Pearson's r of the average ranks; None as for `pearson`."""
    a, b = paired_values(x, y)
    return pearson(average_ranks(a), average_ranks(b))


def average_ranks(values: ArrayLike) -> Floats:
    """The rank of each value, 1 for the lowest; equal values share the mean of their ranks. NaN is not allowed."""
    array = as_floats(values)
    return np.asarray(_ranks_drawn(array, np.ones((1, array.size)))[0])


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> float | None:
    """Kendall's tau-b, corrected for ties in either measure; None as for `pearson`."""
    a, b = paired_values(x, y)
    tau = _tau_draws(a, b, np.ones((1, a.size)))[0]
    return None if np.isnan(tau) else float(tau)


def fisher_interval(r: float, n: int) -> Interval | None:
    """tanh(atanh r ± 1.959964 / sqrt(n - 3)); None for n below 4, one point for |r| = 1. Raises ValueError beyond 1."""
    return _transformed(r, n, 1.0)


def bonett_wright_interval(rho: float, n: int) -> Interval | None:
    """tanh(atanh rho ± 1.959964 x sqrt((1 + rho^2 / 2) / (n - 3))); None and one point as for `fisher_interval`.

    Source: Bonett & Wright 2000, Psychometrika 65.
    """
    return _transformed(rho, n, 1 + rho**2 / 2)


def _transformed(value: float, n: int, factor: float) -> Interval | None:
    if not -1 <= value <= 1:
        raise ValueError(f"a correlation lies between -1 and 1, got {value}")
    if n < 4:
        return None
    if abs(value) == 1:
        return Interval(value, value)
    centre, reach = np.arctanh(value), Z95 * np.sqrt(factor / (n - 3))
    return Interval(float(np.tanh(centre - reach)), float(np.tanh(centre + reach)))


def _pearson_draws(x: Floats, y: Floats, weights: Floats) -> Floats:
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    n = weights.sum(axis=1)
    mean_x, mean_y = weights @ x / n, weights @ y / n
    spread_x = weights @ np.square(x) / n - np.square(mean_x)
    spread_y = weights @ np.square(y) / n - np.square(mean_y)
    return _ratio(weights @ (x * y) / n - mean_x * mean_y, spread_x, spread_y)


def _rho_draws(x: Floats, y: Floats, weights: Floats) -> Floats:
    centre = (len(x) + 1) / 2
    ranks_x, ranks_y = _ranks_drawn(x, weights) - centre, _ranks_drawn(y, weights) - centre
    spread_x = (weights * np.square(ranks_x)).sum(axis=1)
    spread_y = (weights * np.square(ranks_y)).sum(axis=1)
    return _ratio((weights * ranks_x * ranks_y).sum(axis=1), spread_x, spread_y)


def _ranks_drawn(values: Floats, weights: Floats) -> Floats:
    """The average rank that each value has within each draw: below it, and half of those that equal it."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    starts = np.cumsum(sizes) - sizes
    counts = np.add.reduceat(weights[:, np.argsort(values, kind="stable")], starts, axis=1)
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return np.asarray(ranks[:, group])


def _tau_draws(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Each pair counts as often as it was drawn; copies of one model are ties in both measures and drop out."""
    sign_x, sign_y = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    pairs = [((weights @ signs) * weights).sum(axis=1) for signs in (sign_x * sign_y, np.abs(sign_x), np.abs(sign_y))]
    return _ratio(*pairs)


def _ratio(product: Floats, spread_x: Floats, spread_y: Floats) -> Floats:
    """product / sqrt(spread_x x spread_y), and NaN where a spread is 0 but for rounding."""
    defined = (spread_x > 1e-12) & (spread_y > 1e-12)
    return ratio(product, np.sqrt(np.where(defined, spread_x * spread_y, 0.0)))
