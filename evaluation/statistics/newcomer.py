"""Where one more row of item scores would rank among rows that are ranked already.

Pure: may not import Django, HTTP or a clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Bools, Floats, as_floats, as_matrix, present_mean, ratio, rounding_of
from evaluation.statistics.pairs import FEW_ITEMS
from evaluation.statistics.ranks import DRAWS, OUTLIERS, SEED, drawn_means
from evaluation.statistics.students_t import t_critical


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank among `n` rows, the newcomer included; `low` to `high` are the ranks that the items leave possible."""

    rank: int
    low: int
    high: int
    n: int


def rank_among(own: ArrayLike, others: ArrayLike) -> Rank:
    """The rank of `own` among `others`, by the rule of the board's ranges: the paired t test on fewer than 30 items,
    else resampling (`ranks.resampled_ahead`).

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
    ahead, behind = (_by_t_test if mine.size < FEW_ITEMS else _by_draws)(mine, rows)
    n = len(rows) + 1
    rank = 1 + better
    return Rank(rank, min(rank, 1 + int(ahead.sum())), max(rank, n - int(behind.sum())), n)


def _by_draws(mine: Floats, rows: Floats) -> tuple[Bools, Bools]:
    """Which rows are ahead of the newcomer, and which behind it, in nearly all draws of the items."""
    means = drawn_means(np.vstack([rows, mine]), seed=SEED, draws=DRAWS)
    theirs, ours = means[:, :-1], means[:, -1:]
    comparable = (~np.isnan(rows)).sum(axis=1) >= 2
    ahead = comparable & ((theirs <= ours).sum(axis=0) <= DRAWS // OUTLIERS)
    behind = comparable & ((theirs >= ours).sum(axis=0) <= DRAWS // OUTLIERS)
    return ahead, behind


def _by_t_test(mine: Floats, rows: Floats) -> tuple[Bools, Bools]:
    """The same by the paired t test over the items that both have: draws of few items part equal rows too often."""
    gaps = rows - mine
    n, mean = (~np.isnan(gaps)).sum(axis=1), present_mean(gaps, axis=1)
    error = np.sqrt(ratio(np.nansum(np.square(gaps - mean[:, None]), axis=1), n * (n - 1)))
    reach = np.array([t_critical(int(each) - 1) if each > 1 else np.nan for each in n]) * error
    # A comparison with NaN is false: a row with fewer than two shared items is neither.
    reach = np.where(np.isnan(reach), np.nan, np.maximum(reach, rounding_of(rows)))
    return np.asarray(mean > reach), np.asarray(-mean > reach)
