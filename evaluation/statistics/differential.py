"""Items that treat a family of models differently from others of the same ability.

Pure: may not import Django, HTTP or a clock.

The method is our own choice and simple. For each item its score is regressed, over the runs that have it, on the run's
mean over its other items (ability) and on membership of the family (0 or 1). The coefficient of membership is how far
the family lies above what its ability predicts on this item; its t test has n - 3 degrees of freedom; Holm's step-down
correction is made over all items. It is the linear form of logistic-regression tests of differential item functioning
(Swaminathan & Rogers 1990). Runs count as independent, so drop aliases of one model first: they make the test too keen.
A family at one end of the field (only the strongest models, say) is compared along a line that may bend there.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from evaluation.statistics.arrays import Bools, Floats, as_matrix, ratio, rounding_of
from evaluation.statistics.corrections import holm

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class DifferentialItem:
    """One item and one family. `effect` is in the unit of the scores, above 0 where the family does better than others
    of its ability; `p_corrected` is Holm's over all items that could be tested; `flagged` is below 5 %.
    """

    column: int
    n_members: int
    n_others: int
    effect: float
    t: float
    p: float
    p_corrected: float

    @property
    def flagged(self) -> bool:
        return self.p_corrected < LEVEL


def differential_items(scores: ArrayLike, member: ArrayLike) -> tuple[DifferentialItem, ...]:
    """How each item treats the family, strongest evidence first.

    Args:
        scores: Runs x items, NaN where missing.
        member: One truth value a run: whether it belongs to the family.

    Returns:
        One entry for each item that can be tested. Skipped are items with fewer than two runs of either side, and those
        whose scores, or whose fit, leave no scatter. Empty when no item can be tested.

    Raises:
        ValueError: `member` has not one value a run.
    """
    matrix, belongs = as_matrix(scores), np.asarray(member, dtype=bool)
    if belongs.shape != (len(matrix),):
        raise ValueError(f"expected {len(matrix)} truth values, got shape {belongs.shape}")
    ability = _rest_means(matrix)
    tested = [
        (column, fit)
        for column in range(matrix.shape[1])
        if (fit := _membership(matrix[:, column], ability[:, column], belongs)) is not None
    ]
    corrected = holm([fit.p for _, fit in tested])
    found = [
        DifferentialItem(column, fit.n_members, fit.n_others, fit.effect, fit.t, fit.p, p)
        for (column, fit), p in zip(tested, corrected, strict=True)
    ]
    return tuple(sorted(found, key=lambda item: (item.p, item.column)))


@dataclass(frozen=True, slots=True)
class _Fit:
    n_members: int
    n_others: int
    effect: float
    t: float
    p: float


def _rest_means(matrix: Floats) -> Floats:
    """Runs x items: the run's mean over its other items, NaN where it has no other."""
    present = ~np.isnan(matrix)
    filled = np.where(present, matrix, 0.0)
    others = present.sum(axis=1, keepdims=True) - present
    sums = filled.sum(axis=1, keepdims=True) - filled
    return ratio(sums, others)


def _membership(item: Floats, ability: Floats, belongs: Bools) -> _Fit | None:
    usable = ~(np.isnan(item) | np.isnan(ability))
    y, group = item[usable], belongs[usable]
    n_members, n_others = int(group.sum()), int((~group).sum())
    if min(n_members, n_others) < 2 or y.size < 4:
        return None
    base = np.stack([np.ones(y.size), ability[usable]], axis=1)
    unexplained = _residuals(base, group.astype(np.float64))
    spread = float(unexplained @ unexplained)
    if spread < 1e-9:
        return None
    rest = _residuals(base, y)
    effect = float(unexplained @ rest / spread)
    left = rest - effect * unexplained
    error = float(np.sqrt(left @ left / (y.size - 3) / spread))
    if error <= rounding_of(y):
        return None
    t = effect / error
    return _Fit(n_members, n_others, effect, t, float(2 * stdtr(y.size - 3, -abs(t))))


def _residuals(design: Floats, values: Floats) -> Floats:
    return np.asarray(values - design @ np.linalg.lstsq(design, values)[0])
