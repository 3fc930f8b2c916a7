"""Where one more row of item scores would rank among rows that are ranked already.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import as_floats, as_matrix, present_mean
from evaluation.statistics.ranks import DRAWS, OUTLIERS, SEED, drawn_means


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank among `n` rows, the newcomer included; `low` to `high` are the ranks that the items leave possible."""

    rank: int
    low: int
    high: int
    n: int


def rank_among(own: ArrayLike, others: ArrayLike) -> Rank:
    """The rank of `own` among `others`, by the rule of the board's ranges (`ranks.resampled_ahead`).

    Only the newcomer is compared, so that the cost grows with the number of rows and not with its square.

    Args:
        own: One score per item, none missing.
        others: Rows x items, NaN where missing; every row has a score on at least one item.
    """
    mine, rows = as_floats(own), as_matrix(others)
    if not rows.size:
        return Rank(1, 1, 1, 1)
    present = ~np.isnan(rows)
    # Compared on the items that both have: a row that lacks an easy item is not behind for that.
    own_shared = present_mean(np.where(present, mine, np.nan), axis=1)
    better = int((present_mean(rows, axis=1) > own_shared).sum())
    means = drawn_means(np.vstack([rows, mine]), seed=SEED, draws=DRAWS)
    theirs, ours = means[:, :-1], means[:, -1:]
    comparable = present.sum(axis=1) >= 2
    ahead = comparable & ((theirs <= ours).sum(axis=0) <= DRAWS // OUTLIERS)
    behind = comparable & ((theirs >= ours).sum(axis=0) <= DRAWS // OUTLIERS)
    n = len(rows) + 1
    rank = 1 + better
    return Rank(rank, min(rank, 1 + int(ahead.sum())), max(rank, n - int(behind.sum())), n)
