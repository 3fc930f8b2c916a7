"""A short form: few items that predict the full score within a stated error, checked on runs that did not choose them.

Pure: may not import Django, HTTP or a clock.

Items are added one at a time, each time the one that brings the plain mean of the chosen items, less their difficulty,
closest to the full score, less its mean (smallest sum of squares over runs). The prediction is a straight line on that
mean. Choosing by correlation instead does worse than chance here: with fewer runs than items it picks items that all
say the same. Plain means rather than a weight per item, for the same reason. The error of each length comes from
cross-validation: choice and line are made on the other folds of runs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, Ints, is_constant, rounding_of
from evaluation.statistics.items import complete_rows

FOLDS = 10


@dataclass(frozen=True, slots=True)
class ShortForm:
    """`columns` in the order of choice; full score = intercept + slope x mean of these items.

    `error` is the cross-validated root mean square error in the unit of the scores; `errors[i]` is that of i + 1 items,
    0 at full length. `error` is a little optimistic, since it chose the length too. The full score holds the chosen
    items, so a part of the agreement is a part agreeing with its whole: right for predicting the full score, not for
    claiming the same ability from other items. `shortest` and `longest` are the lengths that single splits into folds
    would have chosen: the length is not known better than that.
    """

    columns: tuple[int, ...]
    intercept: float
    slope: float
    error: float
    errors: tuple[float, ...]
    n_runs: int
    shortest: int
    longest: int

    def predict(self, item_scores: ArrayLike) -> float:
        """The full score from the scores of all items of one run, of which only the chosen are read."""
        values = np.asarray(item_scores, dtype=np.float64)[list(self.columns)]
        return self.intercept + self.slope * float(values.mean())


def short_form(
    scores: ArrayLike, largest_error: float, *, seed: int, folds: int = FOLDS, splits: int = 1
) -> ShortForm | None:
    """The shortest form, by this choice, whose cross-validated error is at most `largest_error`.

    Args:
        scores: Runs x items; runs with a missing item (NaN) are skipped. Drop aliases of one model first: a copy in
            another fold is no test.
        largest_error: Root mean square error in the unit of the scores, 0 or more; 0 asks for all items.
        seed: Of the first split into folds; the others follow it.
        folds: How many; at most the number of runs.
        splits: How often the runs are split into folds, 1 or more; the error is the root mean square over all of them.

    Returns:
        The form; at worst it holds all items. None for fewer than four complete runs, no items, and runs that all have
        the same score, where there is nothing to predict.
    """
    matrix = complete_rows(scores)
    n, k = matrix.shape
    if n < 4 or k < 1 or np.ptp(matrix.mean(axis=1)) <= rounding_of(matrix):
        return None
    by_split = np.array([_cross_validated(matrix, seed + at, min(folds, n)) for at in range(splits)])
    errors, enough = np.sqrt(np.square(by_split).mean(axis=0)), max(largest_error, rounding_of(matrix))
    length = 1 + int(np.argmax(errors <= enough))
    lengths = 1 + np.argmax(by_split <= enough, axis=1)
    columns = _chosen(matrix)[:length]
    intercept, slope = _line(matrix[:, columns].mean(axis=1), matrix.mean(axis=1))
    return ShortForm(
        columns=tuple(columns.tolist()),
        intercept=intercept,
        slope=slope,
        error=float(errors[length - 1]),
        errors=tuple(errors.tolist()),
        n_runs=n,
        shortest=int(lengths.min()),
        longest=int(lengths.max()),
    )


def _cross_validated(matrix: Floats, seed: int, folds: int) -> Floats:
    """The error of each length from 1 to k items."""
    order = np.random.default_rng(seed).permutation(len(matrix))
    misses = [_misses(np.delete(matrix, held, axis=0), matrix[held]) for held in np.array_split(order, folds)]
    errors = np.sqrt(np.square(np.concatenate(misses)).mean(axis=0))
    errors[-1] = 0.0
    return np.asarray(errors)


def _misses(training: Floats, held: Floats) -> Floats:
    """Held-out runs x lengths: predicted less true full score."""
    chosen = _chosen(training)
    lengths = np.arange(1, chosen.size + 1)
    means = np.cumsum(training[:, chosen], axis=1) / lengths
    predictors = np.cumsum(held[:, chosen], axis=1) / lengths
    totals = training.mean(axis=1)
    lines = np.array([_line(column, totals) for column in means.T])
    return np.asarray(lines[:, 0] + lines[:, 1] * predictors - held.mean(axis=1, keepdims=True))


def _chosen(matrix: Floats) -> Ints:
    """All columns, in the order in which they are added.

    Sums over runs come from the products of the items, made once: of the mean of chosen items less the full score, the
    square is squares / m^2 - 2 x products with the full score / m, but for a constant.
    """
    centred = matrix - matrix.mean(axis=0)
    products = centred.T @ centred
    with_total, own = products.mean(axis=1), np.diagonal(products)
    left, order = np.ones(len(products), dtype=bool), []
    square, with_sum, sum_with_total = 0.0, np.zeros(len(products)), 0.0
    for m in range(1, len(products) + 1):
        squares = square + 2 * with_sum + own
        misses = squares / m**2 - 2 * (sum_with_total + with_total) / m
        best = int(np.argmin(np.where(left, misses, np.inf)))
        left[best] = False
        order.append(best)
        square, sum_with_total = float(squares[best]), sum_with_total + float(with_total[best])
        with_sum = with_sum + products[best]
    return np.array(order, dtype=np.int64)


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Intercept and slope of least squares; the mean alone where x is constant."""
    centred = x - x.mean()
    slope = 0.0 if is_constant(x) else float(centred @ y / (centred @ centred))
    return float(y.mean() - slope * x.mean()), slope
