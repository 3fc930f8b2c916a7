"""One more row among ranked ones: its range is that of the board's rule, on few items and on many."""

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.newcomer import rank_among
from evaluation.statistics.one_order import one_order


def board_range(own: Floats, others: Floats) -> tuple[int, int, int]:
    """The rank and the range of the row as the board would give them."""
    rows = np.vstack([others, own])
    found = one_order(np.nanmean(rows, axis=1), rows, np.full(len(rows), np.nan)).ranges
    return int(found.rank[-1]), int(found.low[-1]), int(found.high[-1])


@pytest.mark.parametrize("n_items", [10, 29, 30, 171])
def test_the_range_is_that_of_the_board(n_items: int) -> None:
    chance = np.random.default_rng(n_items)
    for _ in range(10):
        own, others = chance.normal(6, 2, n_items), chance.normal(chance.normal(6, 1, (20, 1)), 2, (20, n_items))
        found = rank_among(own, others)
        assert (found.rank, found.low, found.high) == board_range(own, others)


def test_of_equal_rows_on_ten_items_one_in_twenty_is_called_another() -> None:
    chance = np.random.default_rng(4)
    apart = 0
    for _ in range(1_000):
        rows = chance.normal(6, 2, (2, 10))
        found = rank_among(rows[0], rows[1:])
        apart += found.low == found.high
    assert 0.03 <= apart / 1_000 <= 0.07


def test_rows_that_share_fewer_than_two_items_leave_both_ranks_open() -> None:
    own = np.arange(10.0)
    far = np.full((1, 10), np.nan)
    far[0, 3] = 100.0
    assert rank_among(own, far).low == 1
    assert rank_among(own, far).high == 2


def test_a_row_with_the_same_scores_is_tied_and_one_that_is_better_by_the_same_everywhere_is_ahead() -> None:
    own = np.arange(10.0)
    same, better = rank_among(own, own[None]), rank_among(own, own[None] + 1)
    assert (same.rank, same.low, same.high) == (1, 1, 2)
    assert (better.rank, better.low, better.high) == (2, 2, 2)


def test_nobody_else_leaves_the_first_rank() -> None:
    found = rank_among(np.arange(3.0), np.empty((0, 3)))
    assert (found.rank, found.low, found.high, found.n) == (1, 1, 1, 1)
