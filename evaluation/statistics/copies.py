"""Near copies: models that give the same answers as another one, such as one model sent in under five names.

Pure: may not import Django, HTTP or a clock.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import floor

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Bools, Floats, as_matrix

EQUAL_SHARE = 0.95
FEWEST_ITEMS = 20
"""With fewer items models agree by chance, and nobody is called a copy."""


def near_copies(scores: ArrayLike, answers: ArrayLike, starts: Sequence[int]) -> dict[int, int]:
    """Which models answer as an earlier one does, on at least 95 % of the items that either of the two has.

    Args:
        scores: Models x items, NaN where missing; where neither model has an answer to an item, equal scores count as
            equal answers.
        answers: Models x slots, the ratings of all items one after the other, NaN where missing; may have no column.
        starts: The first slot of each item, and the number of slots at the end.

    Returns:
        Row of a copy -> row of the first model that it copies, which is no copy itself. Empty for fewer than 20 items.
    """
    points, given = as_matrix(scores), as_matrix(answers)
    n, k = points.shape
    if k < FEWEST_ITEMS:
        return {}
    cells, has = _cells(points, given, starts)
    # Copies differ on a twentieth of the items at most: of one group more than that at least one is equal throughout.
    groups = np.array_split(np.arange(k), floor((1 - EQUAL_SHARE) * k + 1e-9) + 1)
    seen: list[dict[bytes, list[int]]] = [{} for _ in groups]
    found: dict[int, int] = {}
    for row in range(n):
        keys = [cells[row, group].tobytes() for group in groups]
        likely = sorted({other for held, key in zip(seen, keys, strict=True) for other in held.get(key, ())})
        first = next((other for other in likely if _is_copy(cells, has, row, other)), None)
        if first is not None:
            found[row] = first
            continue
        for held, key in zip(seen, keys, strict=True):
            held.setdefault(key, []).append(row)
    return found


def _cells(scores: Floats, answers: Floats, starts: Sequence[int]) -> tuple[Floats, Bools]:
    """Models x items x values: what a model gave to an item, the same values exactly where it is the same; and models x
    items: whether it gave anything."""
    n, k = scores.shape
    widths = np.diff(starts)
    cells = np.full((n, k, 1 + (int(widths.max()) if answers.size else 0)), np.inf)
    if answers.size:
        for item, (start, end) in enumerate(pairwise(starts)):
            cells[:, item, 1 : 1 + end - start] = answers[:, start:end]
    is_answered = ~np.isnan(cells[:, :, 1:]).any(axis=2) & np.isfinite(cells[:, :, 1:]).any(axis=2)
    # An answer has its score, so the score says something more only where the answer is not stored.
    cells[:, :, 1:][~is_answered] = np.inf
    cells[:, :, 0] = np.where(is_answered, np.inf, np.where(np.isnan(scores), -np.inf, scores.round(6)))
    return cells, is_answered | ~np.isnan(scores)


def _is_copy(cells: Floats, has: Bools, row: int, other: int) -> bool:
    either = has[row] | has[other]
    equal = (cells[row] == cells[other]).all(axis=1) & either
    return bool(either.any() and equal.sum() >= EQUAL_SHARE * either.sum() - 1e-9)
