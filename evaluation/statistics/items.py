"""Each item over a field of runs: how hard it is, and whether it ranks runs in the same direction as the rest.

Pure: may not import Django, HTTP or a clock. Reliability of the whole is in `reliability`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Bools, Floats, as_matrix, rounding_of
from evaluation.statistics.correlation import pearson


@dataclass(frozen=True, slots=True)
class ItemFigures:
    """One item: `column` in the input, counted from 0; `n` runs have it; difficulty is their mean, high is easy.

    `sd` is with n - 1, None for fewer than two runs; `difficulty` is None for none. `item_total` is the correlation
    with the sum of the other items over complete runs: 1 ranks runs as the rest does, 0 says nothing about them,
    `negative` (below 0) ranks them the other way round. None where the item, or the rest, is constant over them, and
    for fewer than three complete runs, since two points always lie on a line.
    """

    column: int
    n: int
    difficulty: float | None
    sd: float | None
    item_total: float | None

    @property
    def negative(self) -> bool:
        return self.item_total is not None and self.item_total < 0


def complete_rows(scores: ArrayLike) -> Floats:
    """The runs that have every item; possibly none of them."""
    matrix = as_matrix(scores)
    return matrix[~np.isnan(matrix).any(axis=1)]


def item_figures(scores: ArrayLike) -> tuple[ItemFigures, ...]:
    """Difficulty, spread and corrected item-total correlation of every item.

    Args:
        scores: Runs x items, NaN where missing.

    Returns:
        One entry an item, in the order of the columns. Difficulty and spread use every run that has the item,
        item-total the complete runs alone, because a sum over other items would compare unlike totals.
    """
    matrix = as_matrix(scores)
    complete = complete_rows(matrix)
    totals = complete.sum(axis=1)
    return tuple(
        _figures(column, values[~np.isnan(values)], _item_total(complete[:, column], totals))
        for column, values in enumerate(matrix.T)
    )


def _figures(column: int, values: Floats, item_total: float | None) -> ItemFigures:
    return ItemFigures(
        column=column,
        n=values.size,
        difficulty=float(values.mean()) if values.size else None,
        sd=float(values.std(ddof=1)) if values.size > 1 else None,
        item_total=item_total,
    )


def _item_total(item: Floats, totals: Floats) -> float | None:
    return pearson(item, totals - item) if item.size > 2 else None


def mean_inter_item_correlation(scores: ArrayLike) -> float | None:
    """The mean correlation of two different items over complete runs, -1 to 1.

    Args:
        scores: Runs x items; runs with a missing item (NaN) are skipped, as are items that all runs score alike.

    Returns:
        None for fewer than three complete runs or fewer than two items that vary.
    """
    matrix = complete_rows(scores)
    matrix = matrix[:, _varies(matrix)] if len(matrix) > 2 else matrix[:, :0]
    if matrix.shape[1] < 2:
        return None
    correlations = np.atleast_2d(np.corrcoef(matrix, rowvar=False))
    return float(correlations[np.triu_indices(matrix.shape[1], 1)].mean())


def _varies(matrix: Floats) -> Bools:
    return np.asarray(np.ptp(matrix, axis=0) > rounding_of(matrix))
