"""How exact a score would be with other numbers of items, and how many items a difference needs.

Generalizability theory: the variance of scores is split, and each part shrinks with its own number.

Pure: may not import Django, HTTP or a clock. Complete models only, as in `reliability`.

The variance of one item score has three parts: models, items, and the rest (which model finds which item hard, and the
noise of asking again). All models answer the same items, so a difference of two models holds twice the rest alone.
"""

from dataclasses import dataclass
from math import ceil, exp, isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from evaluation.statistics.arrays import Floats, as_floats, rounding_of
from evaluation.statistics.differences import smallest_resolvable_gap
from evaluation.statistics.intervals import Z95, Interval, around
from evaluation.statistics.items import complete_rows
from evaluation.statistics.reliability import VarianceComponents, variance_components
from evaluation.statistics.students_t import t_critical

LEAST_MODELS, LEAST_ITEMS = 5, 5
"""Fewer leave the variance components without a usable interval."""
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Ranged:
    """A positive value with its 95 % interval, which is None where it cannot be computed."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class DesignStudy:
    """What a field of `n_models` complete models on `n_items` items tells about tests of other lengths.

    `rest` is the variance of one item score that is left after models and items, in squared units of the scores.
    `relative` is rest / models and `absolute` (items + rest) / models: of a test with n items, the share of models in
    the variance of a score is 1 / (1 + relative / n) where only the order counts, and 1 / (1 + absolute / n) where the
    score itself counts. Both are None where the models do not differ by more than chance.
    """

    n_models: int
    n_items: int
    components: VarianceComponents
    rest: Ranged
    relative: Ranged | None
    absolute: Ranged | None


def design_study(scores: ArrayLike) -> DesignStudy | None:
    """Variance components of complete models x items, with jackknife intervals.

    Each interval is symmetric on the log scale: the jackknife over models and the one over items give a variance each,
    and these are added; Student's t has one degree of freedom less than there are models.

    Returns:
        None for fewer than LEAST_MODELS complete models or LEAST_ITEMS items, and where all items agree entirely, so
        that no rest is left.

    Source: Brennan 2001, Generalizability Theory, chapters 2, 4 and 6.
    """
    matrix = complete_rows(scores)
    n, k = matrix.shape
    if n < LEAST_MODELS or k < LEAST_ITEMS:
        return None
    found = variance_components(matrix)
    if found.rest <= rounding_of(matrix) ** 2:
        return None
    # Centred, so that sums of squares lose no digits.
    centred = matrix - matrix.mean()
    left_out = (_left_out(centred), _left_out(centred.T)[:, [1, 0, 2]])
    differ = found.runs > 0
    return DesignStudy(
        n_models=n,
        n_items=k,
        components=found,
        rest=_ranged(found.rest, [each[:, 2] for each in left_out], n),
        relative=_ranged(found.rest / found.runs, [_quotient(each, [2]) for each in left_out], n) if differ else None,
        absolute=_ranged((found.items + found.rest) / found.runs, [_quotient(each, [1, 2]) for each in left_out], n)
        if differ
        else None,
    )


def _left_out(matrix: Floats) -> Floats:
    """The components of rows, columns and rest when one row is left out, each in turn: rows x 3."""
    n, k = len(matrix) - 1, matrix.shape[1]
    rows, columns = matrix.sum(axis=1), matrix.sum(axis=0) - matrix
    grand = (rows.sum() - rows) ** 2 / (n * k)
    of_rows = (np.square(rows).sum() - np.square(rows)) / k - grand
    of_columns = np.square(columns).sum(axis=1) / n - grand
    all_squares = np.square(matrix)
    rest = (all_squares.sum() - all_squares.sum(axis=1) - grand - of_rows - of_columns) / ((n - 1) * (k - 1))
    row, column = (of_rows / (n - 1) - rest) / k, (of_columns / (k - 1) - rest) / n
    return np.asarray(np.maximum(np.stack([row, column, rest], axis=1), 0.0))


def _quotient(components: Floats, above: list[int]) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(components[:, above].sum(axis=1) / components[:, 0])


def _ranged(value: float, left_out: list[Floats], n: int) -> Ranged:
    """The value with the interval of its log; none where a value without one row or column has no log."""
    usable = value > 0 and all(np.isfinite(each).all() and bool((each > 0).all()) for each in left_out)
    if not usable:
        return Ranged(value, None)
    variance = sum(float(np.log(each).var() * (each.size - 1)) for each in left_out)
    return Ranged(value, exp_interval(value, sqrt(variance), t_critical(n - 1)))


def exp_interval(value: float, error_of_log: float, critical: float) -> Interval:
    """value x exp(± critical x error), for a positive value whose log has this standard error."""
    factor = exp(critical * error_of_log)
    return Interval(value / factor, value * factor)


def coefficient(ratio: float, n_items: int) -> float:
    """The share of models in the variance of a score over n items, 0 to 1, from `relative` or `absolute`."""
    return 1 / (1 + ratio / n_items)


def error_of(variance: float, n_items: int) -> float:
    """The standard error of a mean over n items, from the variance of one item score."""
    return sqrt(variance / n_items)


def items_needed(rest: float, gap: float, *, power: float = POWER) -> int:
    """How many items two models need so that a paired test at 5 % finds a true difference with a chance of `power`.

    (1.959964 + z) ** 2 x 2 x rest / gap ** 2, rounded up; z is the normal quantile of the power.

    Args:
        rest: Variance of one item score less models and items, in squared units of the gap; above 0.
        gap: The true difference; above 0.
        power: Between 0 and 1, both excluded.

    Raises:
        ValueError: A value is out of these bounds.
    """
    if not (rest > 0 and isfinite(rest) and gap > 0 and 0 < power < 1):
        raise ValueError(f"expected rest and gap above 0 and a power between 0 and 1, got {rest}, {gap} and {power}")
    return max(2, ceil((Z95 + float(ndtri(power))) ** 2 * 2 * rest / gap**2))


def gap_found(rest: float, n_items: int, *, power: float = POWER) -> float:
    """The true difference that a paired test at 5 % over n items finds with a chance of `power`; see `items_needed`."""
    return smallest_resolvable_gap(sqrt(2 * rest / n_items), power=power)


@dataclass(frozen=True, slots=True)
class RestParts:
    """The rest of one item score in one pass, split: `interaction` stays when a model is asked again, `rerun` does not.

    In squared units of the scores; over `n_models` models that were asked more than once. More passes make the second
    part smaller, more items both.
    """

    n_models: int
    interaction: float
    rerun: Ranged

    def rest(self, passes: int) -> float:
        """The rest where each score is a mean over so many passes."""
        return self.interaction + self.rerun.value / passes


def split_rest(rest: float, reruns: ArrayLike, passes: ArrayLike) -> RestParts | None:
    """The rest of a design study split into interaction and re-run noise.

    Args:
        rest: Of the study, whose scores are means over each model's passes.
        reruns: Of each model with two passes or more, the variance of one item score over its passes.
        passes: Of each model of the study, how many there were.

    Returns:
        The parts, the interval of the re-run part by Student's t over models and held at 0; None without any model
        that was asked twice.
    """
    variances = as_floats(reruns)
    if not variances.size:
        return None
    rerun, n = float(variances.mean()), variances.size
    error = float(variances.std(ddof=1)) / sqrt(n) if n > 1 else None
    found = around(rerun, error, t_critical(n - 1)) if error is not None else None
    interval = Interval(max(0.0, found.low), found.high) if found else None
    in_means = rerun * float((1 / as_floats(passes)).mean())
    return RestParts(n, max(0.0, rest - in_means), Ranged(rerun, interval))
