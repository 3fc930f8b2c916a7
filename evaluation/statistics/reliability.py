"""How reliably the items together tell runs apart: alpha, split halves, variance components.

Pure: may not import Django, HTTP or a clock. All of it uses complete runs only; runs with a missing item are skipped
and the number used is given.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtri

from evaluation.statistics.arrays import Floats, Ints, is_constant
from evaluation.statistics.correlation import pearson
from evaluation.statistics.intervals import Interval, percentile_interval
from evaluation.statistics.items import complete_rows, mean_inter_item_correlation

SEED = 171
HALVES = 10_000
SCORE_BANDS = ((70.0, np.inf), (80.0, np.inf), (70.0, 80.0), (60.0, 70.0), (40.0, 60.0), (-np.inf, 40.0))
BEST_SHARES = (0.5, 0.25)
FEWEST_RUNS = 5


@dataclass(frozen=True, slots=True)
class SplitHalves:
    """Correlations of the two halves over random splits; `spearman_brown` is the mean of 2r / (1 + r)."""

    mean_r: float
    sd_r: float
    interval: Interval
    spearman_brown: float


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Where the variance of one item score comes from, in squared units of the scores.

    `runs` is what the test is after, `items` their difference in difficulty, `rest` interaction and error together.
    An estimate below 0 is given as 0. `dependability` (phi) is the share of runs in the variance of a score over all
    items, 0 to 1: how well it would hold with another set of as many items, read on an absolute scale. None without
    any variance.
    """

    runs: float
    items: float
    rest: float
    dependability: float | None


@dataclass(frozen=True, slots=True)
class Reliability:
    """Reliability of the scores of `n_runs` complete runs over `n_items` items.

    `alpha` is Cronbach's: 1 when all items rank the runs alike, 0 when they have nothing in common, below 0 when they
    work against each other. `odd_even` correlates the sums of every other item, `odd_even_spearman_brown` steps that
    up to full length. `standard_error_of_measurement` is sd x sqrt(1 - alpha) of the runs' mean item score; it leaves
    out how hard the items are, which all runs share, and so fits comparisons on the same items. Each is None where a
    variance that it divides by is 0.
    """

    n_runs: int
    n_items: int
    alpha: float | None
    odd_even: float | None
    odd_even_spearman_brown: float | None
    halves: SplitHalves | None
    mean_inter_item: float | None
    standard_error_of_measurement: float | None
    components: VarianceComponents


def reliability(scores: ArrayLike, *, seed: int = SEED, halves: int = HALVES) -> Reliability | None:
    """All reliability figures of a field of runs.

    Args:
        scores: Runs x items, NaN where missing; items in the order of their numbers, which odd-even goes by.
        seed: Of the random halves.
        halves: How many of them.

    Returns:
        The figures; None for fewer than three complete runs or fewer than two items.

    Source: specification of the published figures, items and reliability.
    """
    matrix = complete_rows(scores)
    n, k = matrix.shape
    if n < 3 or k < 2:
        return None
    odd_even = pearson(matrix[:, 0::2].sum(axis=1), matrix[:, 1::2].sum(axis=1))
    alpha = cronbach_alpha(matrix)
    return Reliability(
        n_runs=n,
        n_items=k,
        alpha=alpha,
        odd_even=odd_even,
        odd_even_spearman_brown=None if odd_even is None else spearman_brown(odd_even),
        halves=split_halves(matrix, seed=seed, halves=halves),
        mean_inter_item=mean_inter_item_correlation(matrix),
        standard_error_of_measurement=_measurement_error(matrix, alpha),
        components=variance_components(matrix),
    )


def cronbach_alpha(scores: ArrayLike) -> float | None:
    """Cronbach's alpha, k/(k-1) x (1 - sum of item variances / variance of the total), over complete runs.

    At most 1; None for fewer than two complete runs or items and for runs that all have the same total.
    """
    matrix = complete_rows(scores)
    n, k = matrix.shape
    if n < 2 or k < 2 or is_constant(matrix.sum(axis=1)):
        return None
    total = matrix.sum(axis=1).var(ddof=1)
    return float(k / (k - 1) * (1 - matrix.var(axis=0, ddof=1).sum() / total))


def alpha_interval(alpha: float, n_runs: int, n_items: int) -> Interval:
    """The 95 % interval of Cronbach's alpha over two runs and two items or more, each taken at random.

    1 - alpha is scaled by quantiles of F with n_runs - 1 and (n_runs - 1) x (n_items - 1) degrees of freedom; it closes
    to one point for an alpha of 1.

    Raises:
        ValueError: for fewer runs or items.

    Source: Feldt 1965, Psychometrika 30.
    """
    if n_runs < 2 or n_items < 2:
        raise ValueError(f"an interval of alpha needs two runs and two items, got {n_runs} and {n_items}")
    numerator, denominator = n_runs - 1, (n_runs - 1) * (n_items - 1)
    low, high = (1 - (1 - alpha) * float(fdtri(numerator, denominator, p)) for p in (0.975, 0.025))
    return Interval(low, high)


@dataclass(frozen=True, slots=True)
class PartAlpha:
    """Cronbach's alpha over a part of the field: its runs, the spread (n - 1) of their scores, alpha with its interval.

    `share` is 1 for all runs and below for the best half or quarter; else `low` and `high` bound the scores, `high`
    excluded, and are infinite where open.
    """

    share: float | None
    low: float
    high: float
    n_runs: int
    sd: float
    alpha: float
    interval: Interval


def alpha_by_part(scores: ArrayLike) -> tuple[PartAlpha, ...]:
    """Alpha over all complete runs, over the best half and quarter of them, and over bands of the score.

    Alpha grows with the spread of the runs that it is taken over: it says how well the items order these runs, not any
    others. Parts of fewer than five runs are left out, as are those without an alpha.

    Args:
        scores: Runs x items in points, so that a run's score is their mean; NaN where missing.
    """
    matrix = complete_rows(scores)
    means = matrix.mean(axis=1) if matrix.size else np.empty(0)
    best_first = matrix[np.argsort(-means, kind="stable")]
    shares = [(share, best_first[: round(share * len(matrix))]) for share in (1.0, *BEST_SHARES)]
    bands = [(low, high, matrix[(means >= low) & (means < high)]) for low, high in SCORE_BANDS]
    found = [_part_alpha(share, -np.inf, np.inf, part) for share, part in shares]
    found += [_part_alpha(None, low, high, part) for low, high, part in bands if len(part) < len(matrix)]
    return tuple(part for part in found if part)


def _part_alpha(share: float | None, low: float, high: float, part: Floats) -> PartAlpha | None:
    n, k = part.shape
    alpha = cronbach_alpha(part) if n >= FEWEST_RUNS else None
    if alpha is None:
        return None
    return PartAlpha(share, low, high, n, float(part.mean(axis=1).std(ddof=1)), alpha, alpha_interval(alpha, n, k))


def spearman_brown(r: float) -> float:
    """The reliability of the whole from the correlation of its halves, 2r / (1 + r); -inf for r = -1."""
    return 2 * r / (1 + r) if r > -1 else -float("inf")


def split_halves(scores: ArrayLike, *, seed: int = SEED, halves: int = HALVES) -> SplitHalves | None:
    """The correlation of two random halves of the items, over many splits.

    Each split is one `default_rng(seed)` permutation: its first k // 2 items against the next k // 2; one is left out
    where k is odd. Splits in which a half is constant over the runs, or which correlate at -1, are skipped.

    Args:
        scores: Runs x items; runs with a missing item are skipped.
        seed: Of the permutations.
        halves: How many splits, at least 2.

    Returns:
        Mean, sd (n - 1) and 2.5th to 97.5th percentile of r; None for fewer than three complete runs, fewer than two
        items, or fewer than two usable splits.
    """
    matrix = complete_rows(scores)
    n, k = matrix.shape
    if n < 3 or k < 2:
        return None
    orders = np.random.default_rng(seed).permuted(np.tile(np.arange(k), (halves, 1)), axis=1)
    r = _half_correlations(matrix, _chosen(orders[:, : k // 2], k), _chosen(orders[:, k // 2 : k // 2 * 2], k))
    interval = percentile_interval(r)
    if interval is None or r.size < 2:
        return None
    return SplitHalves(float(r.mean()), float(r.std(ddof=1)), interval, float((2 * r / (1 + r)).mean()))


def _chosen(columns: Ints, k: int) -> Floats:
    """Splits x items: 1 for the items of a half, 0 for the others."""
    chosen = np.zeros((len(columns), k))
    np.put_along_axis(chosen, columns, 1.0, axis=1)
    return chosen


def _half_correlations(matrix: Floats, first: Floats, second: Floats) -> Floats:
    """The correlation of the two sums in each split, from the covariances of the items: runs are gone over once."""
    centred = matrix - matrix.mean(axis=0)
    covariance = centred.T @ centred
    half = first @ covariance
    spread = (half * first).sum(axis=1) * (second @ covariance * second).sum(axis=1)
    usable = spread > 1e-18 * max(float(spread.max()), 1e-300)
    r = (half * second).sum(axis=1)[usable] / np.sqrt(spread[usable])
    return np.asarray(r[r > -1])


def variance_components(scores: ArrayLike) -> VarianceComponents:
    """Variance components of complete runs x items, each seen once, both taken as random.

    Args:
        scores: Runs x items; runs with a missing item are skipped. At least two of each are needed (ValueError).

    Source: Brennan 2001, Generalizability Theory, the p x i design.
    """
    matrix = complete_rows(scores)
    n, k = matrix.shape
    if n < 2 or k < 2:
        raise ValueError(f"variance components need two complete runs and two items, got {n} and {k}")
    rows, columns, grand = matrix.mean(axis=1), matrix.mean(axis=0), matrix.mean()
    rest = float(np.square(matrix - rows[:, None] - columns + grand).sum() / ((n - 1) * (k - 1)))
    runs = max(float(rows.var(ddof=1)) - rest / k, 0.0)
    items = max(float(columns.var(ddof=1)) - rest / n, 0.0)
    total = runs + (items + rest) / k
    return VarianceComponents(runs, items, rest, runs / total if total > 0 else None)


def _measurement_error(matrix: Floats, alpha: float | None) -> float | None:
    return None if alpha is None else float(matrix.mean(axis=1).std(ddof=1) * np.sqrt(1 - alpha))
