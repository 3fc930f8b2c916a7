"""Items that treat a family of models differently from other models of the same ability.

Pure: may not import Django, HTTP or a clock.

The test is our own choice: an exact permutation test within strata of ability. For each item its score is first set
beside what a run of this ability usually gets: a cubic in the run's mean over its other items, fitted over all runs.
What is left is compared between the family and the other runs of the same stratum, about ten runs of neighbouring
scores. Under the null hypothesis the family could be any choice of as many runs in each stratum; p is the share of
all these choices whose sum lies at least as far from the expected one. So the larger scatter of weak runs, and a
relation that bends at an end of the field, cannot pass for a family's own trait. Holm's correction is made over all
items of all families together. Runs count as independent, so drop near copies of one model first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from evaluation.statistics.arrays import Bools, Floats, Ints, as_matrix, present_mean, ratio, rounding_of
from evaluation.statistics.corrections import holm

LEVEL = 0.05
STRATUM = 10
DEGREE = 3
SCREEN = 0.005  # p by the normal distribution, above which the exact one cannot be small enough to be flagged
CELLS = 4096  # of the grid on which sums of members are counted
SPREADS = 18.0  # standard deviations that the grid covers at most
MANY_MEMBERS = 30  # from here on the distribution of the sum is smooth: high frequencies are 0
LOW_FREQUENCIES = 256
VERY_MANY_MEMBERS = 500  # from here on the normal distribution is right to a tenth of p, and far cheaper


@dataclass(frozen=True, slots=True)
class DifferentialItem:
    """One item and one family.

    `effect` is in the unit of the scores: members less others of the same strata, above 0 where the family does better.
    `n_members` and `n_others` count the runs in strata that hold both. `p_corrected` is Holm's over all items of all
    families that could be tested; `flagged` is below 5 %.
    """

    family: str
    column: int
    n_members: int
    n_others: int
    effect: float
    p: float
    p_corrected: float

    @property
    def flagged(self) -> bool:
        return self.p_corrected < LEVEL


def differential_items(scores: ArrayLike, families: Mapping[str, ArrayLike]) -> tuple[DifferentialItem, ...]:
    """How each item treats each family, strongest evidence first.

    Args:
        scores: Runs x items, NaN where missing.
        families: For each family one truth value a run: whether the run belongs to it.

    Returns:
        One entry for each item and family that can be tested. Skipped are families for which so few choices of members
        exist that no item could be flagged (`can_be_tested`), items that no stratum has from both sides, and those
        that leave no scatter. p is exact up to the grid of 4,096 steps for all entries that matter for flags; above
        0.005, and for families of 500 runs or more, it is by the normal distribution with the exact moments.

    Raises:
        ValueError: a family has not one value a run.
    """
    matrix = as_matrix(scores)
    strata = _strata(matrix)
    members = {name: _checked(belongs, len(matrix)) for name, belongs in families.items()}
    testable = {name: belongs for name, belongs in members.items() if _can_be_tested(strata, belongs, matrix.shape[1])}
    if not testable:
        return ()
    left = _unexplained(matrix)
    fits = [(name, fit) for name, belongs in testable.items() for fit in _tested(left, strata, belongs)]
    corrected = holm([fit.p for _, fit in fits])
    found = [
        DifferentialItem(name, fit.column, fit.n_members, fit.n_others, fit.effect, fit.p, p)
        for (name, fit), p in zip(fits, corrected, strict=True)
    ]
    return tuple(sorted(found, key=lambda item: (item.p, item.family, item.column)))


def can_be_tested(scores: ArrayLike, member: ArrayLike) -> bool:
    """Whether a family has so many possible choices of members within the strata that one item among all could be
    flagged: their number x 5 % exceeds the number of items."""
    matrix = as_matrix(scores)
    return _can_be_tested(_strata(matrix), _checked(member, len(matrix)), matrix.shape[1])


@dataclass(frozen=True, slots=True)
class _Fit:
    column: int
    n_members: int
    n_others: int
    effect: float
    p: float


def _checked(belongs: ArrayLike, n: int) -> Bools:
    values = np.asarray(belongs, dtype=bool)
    if values.shape != (n,):
        raise ValueError(f"expected {n} truth values, got shape {values.shape}")
    return values


def _strata(matrix: Floats) -> list[Ints]:
    """Rows of neighbouring mean scores, about ten in each; rows without a score are in none."""
    means = present_mean(matrix, axis=1)
    order = np.argsort(means, kind="stable")[: int((~np.isnan(means)).sum())]
    return np.array_split(order, max(1, round(order.size / STRATUM)))


def _can_be_tested(strata: Sequence[Ints], belongs: Bools, n_items: int) -> bool:
    arrangements = prod(comb(rows.size, int(belongs[rows].sum())) for rows in strata)
    return LEVEL * arrangements > n_items


def _unexplained(matrix: Floats) -> Floats:
    """Runs x items: the score less what runs of this ability usually get, NaN where missing."""
    ability = _rest_means(matrix)
    left = np.full(matrix.shape, np.nan)
    for column, item in enumerate(matrix.T):
        usable = ~(np.isnan(item) | np.isnan(ability[:, column]))
        x, y = ability[usable, column], item[usable]
        spread = np.ptp(x) if x.size else 0.0
        if spread > rounding_of(x):
            design = np.vander((x - x.mean()) / spread, min(DEGREE, max(1, x.size // STRATUM)) + 1)
            left[usable, column] = y - design @ np.linalg.lstsq(design, y)[0]
    return left


def _rest_means(matrix: Floats) -> Floats:
    """Runs x items: the run's mean over its other items, NaN where it has no other."""
    present = ~np.isnan(matrix)
    filled = np.where(present, matrix, 0.0)
    others = present.sum(axis=1, keepdims=True) - present
    sums = filled.sum(axis=1, keepdims=True) - filled
    return ratio(sums, others)


def _tested(left: Floats, strata: Sequence[Ints], belongs: Bools) -> list[_Fit]:
    """Each item that can be tested for one family."""
    own = [rows for rows in strata if belongs[rows].any() and not belongs[rows].all()]
    if not own:
        return []
    smallest = rounding_of(left) ** 2
    n, k, lead, effect, variance = np.sum([_sums(left[rows], belongs[rows]) for rows in own], axis=0)
    return [
        _Fit(
            column,
            int(k[column]),
            int(n[column] - k[column]),
            float(effect[column] / k[column]),
            _p(left[:, column], own, belongs, float(lead[column]), float(variance[column])),
        )
        for column in np.flatnonzero(variance > smallest).tolist()
    ]


def _sums(values: Floats, belongs: Bools) -> Floats:
    """Five figures of a stratum for each item, 0 where only one side has it: its runs, its members, the members' sum
    less the expected one, the members' mean less that of the others times the members, and the variance of the
    members' sum over all choices of as many members."""
    present = ~np.isnan(values)
    n, k = present.sum(axis=0).astype(np.float64), present[belongs].sum(axis=0).astype(np.float64)
    centred = values - present_mean(values, axis=0)
    lead = np.nansum(centred[belongs], axis=0)
    # Of values around their mean the others' sum is the members' with the other sign.
    effect = lead + k * ratio(lead, n - k)
    variance = k * (n - k) * ratio(np.nansum(np.square(centred), axis=0), n * (n - 1))
    return np.where((k > 0) & (k < n), [n, k, lead, effect, variance], 0.0)


def _known(item: Floats, strata: Sequence[Ints], belongs: Bools) -> list[tuple[Floats, Bools]]:
    """Values and membership of the runs that have the item, for the strata in which both sides do."""
    known = [(item[rows], belongs[rows]) for rows in strata]
    present = [(values[~np.isnan(values)], own[~np.isnan(values)]) for values, own in known]
    return [(values, own) for values, own in present if own.any() and not own.all()]


def _p(item: Floats, strata: Sequence[Ints], belongs: Bools, lead: float, variance: float) -> float:
    nearly = float(2 * ndtr(-abs(lead) / np.sqrt(variance)))
    if nearly > SCREEN or belongs.sum() >= VERY_MANY_MEMBERS:
        return nearly
    return exact_p(_known(item, strata, belongs), float(np.sqrt(variance)))


def exact_p(strata: Sequence[tuple[Floats, Bools]], sd: float) -> float:
    """The share of all choices of members whose sum lies at least as far from the expected one.

    The sums of all choices are counted by their characteristic function: in each stratum that of the sum of k of n
    values is an elementary symmetric polynomial of their phases. Values are rounded to the grid before.
    """
    centred = [(values - values.mean(), own) for values, own in strata]
    most = sum(float(np.sort(np.abs(values))[-int(own.sum()) :].sum()) for values, own in centred)
    step = min(2 * most, SPREADS * sd) * 1.01 / CELLS
    whole = [(np.round(values / step), own) for values, own in centred]
    n_members = sum(int(own.sum()) for _, own in whole)
    shares = _shares(whole, LOW_FREQUENCIES if n_members >= MANY_MEMBERS else CELLS // 2 + 1)
    expected = sum(own.sum() * values.mean() for values, own in whole)
    seen = abs(sum(values[own].sum() for values, own in whole) - expected)
    sums = np.arange(CELLS) + CELLS * np.round((expected - np.arange(CELLS)) / CELLS)
    arrangements = prod(comb(own.size, int(own.sum())) for _, own in whole)
    share = float(shares[np.abs(sums - expected) >= seen - 1e-9].sum())
    return min(1.0, max(share, 1 / arrangements))


def _shares(strata: Sequence[tuple[Floats, Bools]], n_frequencies: int) -> Floats:
    """The share of choices by their sum modulo CELLS."""
    frequencies = -2j * np.pi / CELLS * np.arange(n_frequencies)
    found = np.zeros(CELLS // 2 + 1, dtype=np.complex128)
    found[:n_frequencies] = 1.0
    for values, own in strata:
        k = int(own.sum())
        sums = np.zeros((k + 1, n_frequencies), dtype=np.complex128)
        sums[0] = 1.0
        for value in values:
            sums[1:] += sums[:-1] * np.exp(frequencies * value)
        found[:n_frequencies] *= sums[k] / comb(values.size, k)
    return np.fft.irfft(found, CELLS)
