"""Ranges of ranks and groups of ties."""

from functools import partial

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.pairs import pair_table
from evaluation.statistics.ranks import (
    open_ranges,
    ranks_of,
    resampled_ahead,
    resampled_ranks,
)
from tests.counting import calls_of

NAN = np.nan


def _field(models: int, items: int, seed: int = 1, missing: float = 0.0) -> Floats:
    generator = np.random.default_rng(seed)
    scores = generator.normal(60, 10, (models, 1)) + generator.normal(0, 25, (models, items))
    scores[generator.random(scores.shape) < missing] = NAN
    return scores


def test_models_far_apart_have_one_rank_each() -> None:
    scores = np.array([[1.0], [3.0], [2.0]]) * 1000 + np.random.default_rng(1).normal(size=(3, 20))
    found = resampled_ranks(scores)
    assert found.rank.tolist() == found.low.tolist() == found.high.tolist() == [3, 1, 2]


def test_models_with_the_same_scores_share_all_their_ranks() -> None:
    row = np.random.default_rng(1).normal(size=30)
    found = resampled_ranks(np.stack([row, row + 100, row, row]))
    assert found.rank.tolist() == [2, 1, 2, 2]
    assert found.low.tolist() == [2, 1, 2, 2]
    assert found.high.tolist() == [4, 1, 4, 4]
    assert found.width.tolist() == [3, 1, 3, 3]


def test_a_model_is_ahead_when_it_is_above_in_all_draws_but_one_of_40() -> None:
    drawn = np.random.default_rng(4).integers(0, 10, (80, 10))
    for last, enough in ((-5.5, False), (-1.5, True)):
        scores = np.array([[1.0] * 9 + [last], [0.0] * 10])
        assert (int((scores[0][drawn].sum(axis=1) > 0).sum()) >= 78) is enough
        assert resampled_ahead(scores, seed=4, draws=80).tolist() == [[False, enough], [False, False]]


def test_a_model_that_lacks_the_hard_items_is_compared_by_what_both_have() -> None:
    # Its mean is the highest for want of the two hard items alone; on the others it is steadily the worst.
    hard = np.array([0.0] * 2 + [60.0] * 10)
    steps = np.linspace(0, 1, 12)
    scores = np.stack([hard + 20 + steps, hard + 19 - steps, hard + 10 + steps])
    scores[2, :2] = NAN
    found = resampled_ranks(scores)
    assert found.rank.tolist() == [2, 3, 1]
    assert (found.low.tolist(), found.high.tolist()) == ([1, 2, 1], [2, 3, 3])


def test_ranks_go_by_full_value_and_equal_scores_share_the_better() -> None:
    assert ranks_of([70.004, 70.001, 70.0049, 70.001]).tolist() == [2, 3, 1, 3]


def test_the_score_that_ranks_may_be_given() -> None:
    scores = _field(4, 50)
    found = resampled_ranks(scores, totals=[1.0, 2.0, 3.0, 4.0])
    assert found.rank.tolist() == [4, 3, 2, 1]
    assert ((found.low <= found.rank) & (found.rank <= found.high)).all()
    with pytest.raises(ValueError, match="one score for each row"):
        resampled_ranks(scores, totals=[1.0, 2.0])


def test_a_model_without_a_score_is_refused_by_its_row() -> None:
    with pytest.raises(ValueError, match=r"rows \[1\]"):
        resampled_ranks([[1.0, 2.0], [NAN, NAN]])


def test_a_model_with_a_total_and_no_item_scores_is_left_all_ranks() -> None:
    found = resampled_ranks([[1.0, 2.0], [NAN, NAN], [8.0, 9.0]], totals=[1.5, 3.0, 8.5])
    assert (found.low.tolist(), found.high.tolist()) == ([2, 1, 1], [3, 3, 2])
    none = resampled_ranks(np.empty((2, 0)), totals=[1.0, 2.0])
    assert (none.rank.tolist(), none.low.tolist(), none.high.tolist()) == ([2, 1], [1, 1], [2, 2])


def test_no_model_and_one_model() -> None:
    found = resampled_ranks(np.empty((0, 5)))
    assert found.rank.size == 0
    alone = resampled_ranks([[1.0, 2.0]])
    assert (alone.rank[0], alone.low[0], alone.high[0]) == (1, 1, 1)


def test_constant_scores_are_parted_by_any_difference_beyond_rounding() -> None:
    found = resampled_ranks([[3.0] * 8, [0.1 + 0.2] * 8, [0.3] * 8])
    assert (found.low.tolist(), found.high.tolist()) == ([1, 2, 2], [1, 3, 3])


def test_models_that_share_no_item_or_only_one_are_left_open() -> None:
    for scores in ([[1.0, 2.0, NAN, NAN], [NAN, NAN, 8.0, 9.0]], [[5.0, NAN, NAN], [1.0, 2.0, 3.0]]):
        found = resampled_ranks(scores)
        assert (sorted(found.low), sorted(found.high)) == ([1, 1], [2, 2])


def test_a_draw_without_any_of_a_models_items_keeps_its_score() -> None:
    # One of 27 draws has neither of the first two items; counted as equal it would make a tie.
    found = resampled_ranks([[5.0, 6.0, NAN], [1.0, 2.0, 3.0]])
    assert (found.low.tolist(), found.high.tolist()) == ([1, 2], [1, 2])


def test_ranges_repeat_without_a_seed_and_another_seed_moves_few_ends_by_little() -> None:
    scores = _field(40, 171, missing=0.02)
    one, two, other = resampled_ranks(scores), resampled_ranks(scores), resampled_ranks(scores, seed=5)
    assert (one.low == two.low).all()
    assert (one.high == two.high).all()
    moved = np.abs(np.concatenate([one.low - other.low, one.high - other.high]))
    assert 0 < (moved > 0).mean() < 0.35
    assert moved.max() <= 3


def test_ranges_are_nearly_those_that_paired_tests_leave_open() -> None:
    scores = _field(40, 171)
    found, tested = resampled_ranks(scores), open_ranges(pair_table(scores).ahead, scores.mean(axis=1))
    assert np.abs(found.low - tested.low).mean() < 0.5
    assert np.abs(found.high - tested.high).mean() < 0.5


@pytest.mark.parametrize("missing", [0.0, 0.02])
def test_three_hundred_models_are_ranked_without_a_loop_over_their_pairs(missing: float) -> None:
    """`make bench` times the ranks of two thousand."""
    calls = calls_of(partial(resampled_ranks, _field(300, 171, missing=missing)))
    assert calls < 300 * 299 / 2 / 4
