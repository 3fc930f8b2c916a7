"""Every pair of a large field once, a block of models at a time, so that memory does not grow with its square.

Pure: may not import Django, HTTP or a clock.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, Ints, as_matrix, present_mean, ratio, rounding_of

BLOCK = 250
"""Models whose pairs are computed at once: of 2,000 models about half a million pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of models, `first` before `second` in the order of the rows; arrays of one length.

    `difference` is first less second over the `shared` items, NaN without one; `standard_error` is that of this paired
    difference, NaN for fewer than two items.
    """

    first: Ints
    second: Ints
    difference: Floats
    standard_error: Floats
    shared: Ints


def pairs_in_blocks(scores: ArrayLike, *, block: int = BLOCK) -> Iterator[Pairs]:
    """All pairs of the models, ordered by first and second: the figures of `pairs.pair_table`.

    Args:
        scores: Models x items, NaN where missing.
        block: How many first models each of the yielded parts holds, at least 1.
    """
    matrix = as_matrix(scores)
    n, rounding, is_present = len(matrix), rounding_of(matrix), ~np.isnan(matrix)
    filled = np.nan_to_num(matrix - present_mean(matrix, axis=0), nan=0.0)
    present, squares = is_present.astype(np.float64), np.square(filled)
    complete = bool(is_present.all())
    for start in range(0, n - 1, block):
        own, rest = slice(start, min(start + block, n - 1)), slice(start + 1, n)
        products = filled[own] @ filled[rest].T
        if complete:
            shared = np.full(products.shape, float(matrix.shape[1]))
            sums = filled[own].sum(axis=1)[:, None] - filled[rest].sum(axis=1)
            spread = squares[own].sum(axis=1)[:, None] + squares[rest].sum(axis=1)
        else:
            shared = present[own] @ present[rest].T
            sums = filled[own] @ present[rest].T - present[own] @ filled[rest].T
            spread = squares[own] @ present[rest].T + present[own] @ squares[rest].T
        rows, columns = np.triu_indices(len(products), 0, products.shape[1])
        found, n_shared, total = products[rows, columns], shared[rows, columns], sums[rows, columns]
        mean = ratio(total, n_shared)
        squared = np.maximum(spread[rows, columns] - 2 * found - np.nan_to_num(total * mean), 0.0)
        error = np.sqrt(ratio(squared, n_shared * (n_shared - 1)))
        yield Pairs(
            first=rows + start,
            second=columns + start + 1,
            difference=mean,
            standard_error=np.where(error <= rounding, 0.0, error),
            shared=n_shared.astype(np.int64),
        )
