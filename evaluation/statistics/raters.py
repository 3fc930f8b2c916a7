"""Ratings that are not independent, because one rater gives several: bootstrap, tests by rater, ICC, design effect.

Pure: may not import Django, HTTP or a clock. Chance is seeded by the caller.

A group of raters is given by two arrays with one entry a rater: how many ratings the rater gave, and how many of them
are Good. Raters with the same two numbers are alike, so resampling counts kinds of raters instead of single ones: the
distribution is the same, and the work does not grow with the group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from evaluation.statistics.arrays import Floats, Ints
from evaluation.statistics.intervals import percentile_interval
from evaluation.statistics.normal import Interval

DRAWS = 10_000
Seed = int | Sequence[int]

_AT_ONCE = 2_000_000  # numbers held at a time while drawing
_ROUNDING = 1e-9
"""Differences of shares below this are rounding."""


@dataclass(frozen=True, slots=True)
class Raters:
    """One group of raters. `good` and `n` have one entry a rater, 0 <= good <= n and n > 0. Raises ValueError."""

    good: Ints
    n: Ints

    def __post_init__(self) -> None:
        if self.good.ndim != 1 or self.good.shape != self.n.shape or not self.good.size:
            raise ValueError(f"expected two lists of one length, got shapes {self.good.shape} and {self.n.shape}")
        if (self.good < 0).any() or (self.good > self.n).any() or (self.n < 1).any():
            raise ValueError("a rater has more Good ratings than ratings, or none at all")

    @property
    def means(self) -> Floats:
        """The share of Good of each rater."""
        return np.asarray(self.good / self.n, dtype=np.float64)

    @property
    def are_all_alike(self) -> bool:
        """Whether no two raters have different shares of Good: then resampling cannot show any spread."""
        return bool(np.ptp(self.means) < _ROUNDING)


def raters_of(good: ArrayLike, n: ArrayLike) -> Raters:
    """A group from any lists of whole numbers. Raises ValueError as `Raters` does."""
    return Raters(np.asarray(good, dtype=np.int64), np.asarray(n, dtype=np.int64))


def bootstrap_shares(group: Raters, *, draws: int = DRAWS, seed: Seed) -> Floats:
    """The share of Good in each of `draws` groups of as many raters, drawn whole and with replacement."""
    kinds, counts = _kinds(group)
    chance = np.random.default_rng(seed)
    at_once = max(1, _AT_ONCE // counts.size)
    shares = []
    for start in range(0, draws, at_once):
        drawn = chance.multinomial(counts.sum(), counts / counts.sum(), size=min(at_once, draws - start))
        sums = drawn @ kinds
        shares.append(sums[:, 0] / sums[:, 1])
    return np.concatenate(shares)


def bootstrap_interval(group: Raters, *, draws: int = DRAWS, seed: Seed) -> Interval | None:
    """The 95 % percentile interval of the share of Good over whole raters.

    None for a single rater and where all have the same share: resampling would call that certain.
    """
    if group.are_all_alike:
        return None
    return percentile_interval(bootstrap_shares(group, draws=draws, seed=seed))


def _kinds(group: Raters) -> tuple[Ints, Ints]:
    """Distinct (good, n), and how many raters have each."""
    pairs, counts = np.unique(np.stack([group.good, group.n], axis=1), axis=0, return_counts=True)
    return np.asarray(pairs, dtype=np.int64), np.asarray(counts, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Welch:
    """Welch's t test of two groups' rater means, the first less the second; p is two-sided."""

    t: float
    df: float
    p: float


def welch(first: Raters, second: Raters) -> Welch | None:
    """The test, in which a rater counts once however many ratings he or she gave.

    None where a group has a single rater, or where neither group has any spread.
    """
    if min(first.n.size, second.n.size) < 2:
        return None
    parts = [group.means.var(ddof=1) / group.n.size for group in (first, second)]
    if first.are_all_alike and second.are_all_alike:
        return None
    error = sqrt(sum(parts))
    t = float((first.means.mean() - second.means.mean()) / error)
    below = sum(part**2 / (group.n.size - 1) for part, group in zip(parts, (first, second), strict=True))
    df = float(sum(parts) ** 2 / below)
    return Welch(t, df, float(2 * stdtr(df, -abs(t))))


def permutation_p(first: Raters, second: Raters, *, draws: int = DRAWS, seed: Seed) -> float | None:
    """The two-sided p of moving raters between the two groups at random, by the difference of their mean shares.

    It is at least 1 / (draws + 1), because the groups as they are count as one of the draws (Phipson and Smyth 2010).
    None where a group has a single rater.
    """
    if min(first.n.size, second.n.size) < 2:
        return None
    means, counts = np.unique(np.concatenate([first.means, second.means]), return_counts=True)
    observed = abs(first.means.mean() - second.means.mean())
    chance = np.random.default_rng(seed)
    at_once = max(1, _AT_ONCE // counts.size)
    extreme = 0
    for start in range(0, draws, at_once):
        moved = chance.multivariate_hypergeometric(
            counts, first.n.size, size=min(at_once, draws - start), method="marginals"
        )
        gaps = np.abs(moved @ means / first.n.size - (counts - moved) @ means / second.n.size)
        extreme += int((gaps >= observed - _ROUNDING).sum())
    return (1 + extreme) / (draws + 1)


def rater_icc(group: Raters) -> float | None:
    """ICC(1) of Good: how alike the ratings of one rater are, by a one-way analysis of variance on 0 and 1.

    1 where each rater gives one answer only and raters differ; 0 where raters do not differ beyond chance; below 0
    where they differ less than chance would have it. With unequal numbers of ratings the mean number has Donner's
    correction. None for a single rater, for one rating each, and where all answers are the same.

    Source: Shrout and Fleiss 1979, case 1; Donner 1986 for unequal numbers.
    """
    raters, total = group.n.size, int(group.n.sum())
    if raters < 2 or total == raters:
        return None
    means, overall = group.means, float(group.good.sum() / total)
    between = float((group.n * np.square(means - overall)).sum() / (raters - 1))
    within = float((group.n * means * (1 - means)).sum() / (total - raters))
    size = float((total - np.square(group.n).sum() / total) / (raters - 1))
    whole = between + (size - 1) * within
    return (between - within) / whole if whole > _ROUNDING else None


def design_effect(group: Raters) -> float | None:
    """1 + (mean ratings a rater - 1) x ICC: by how much ratings of the same raters widen the variance of a share.

    Below 1 where the ICC is below 0. None where the ICC is.
    """
    icc = rater_icc(group)
    return None if icc is None else 1 + (float(group.n.mean()) - 1) * icc
