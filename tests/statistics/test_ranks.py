"""Ranges of ranks and groups of ties."""

import time

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.ranks import RankRanges, rank_ranges, ranks_of, resampled_ranks, tie_groups

NAN = np.nan


def _field(models: int, items: int, seed: int = 1, missing: float = 0.0) -> Floats:
    generator = np.random.default_rng(seed)
    scores = generator.normal(60, 10, (models, 1)) + generator.normal(0, 25, (models, items))
    scores[generator.random(scores.shape) < missing] = NAN
    return scores


def _ranges(high: list[int]) -> RankRanges:
    rank = np.arange(1, len(high) + 1)
    return RankRanges(-rank.astype(float), rank, rank, np.array(high))


def test_models_far_apart_have_one_rank_each() -> None:
    scores = np.array([[1.0], [3.0], [2.0]]) * 1000 + np.random.default_rng(1).normal(size=(3, 20))
    for found in (rank_ranges(scores), resampled_ranks(scores, seed=1)):
        assert found.rank.tolist() == found.low.tolist() == found.high.tolist() == [3, 1, 2]
        assert [(g.first, g.last, g.rows) for g in tie_groups(found)] == [(1, 1, (1,)), (2, 2, (2,)), (3, 3, (0,))]


def test_models_with_the_same_scores_share_all_their_ranks() -> None:
    row = np.random.default_rng(1).normal(size=30)
    scores = np.stack([row, row + 100, row, row])
    for found in (rank_ranges(scores), resampled_ranks(scores, seed=1)):
        assert found.rank.tolist() == [2, 1, 2, 2]
        assert found.low.tolist() == [2, 1, 2, 2]
        assert found.high.tolist() == [4, 1, 4, 4]
        assert found.width.tolist() == [3, 1, 3, 3]


def test_a_group_is_the_leader_and_all_down_to_its_worst_rank_then_the_next_leader() -> None:
    # The leader may be third; the fourth is the next leader and may be fifth; the last stands alone.
    groups = tie_groups(_ranges([3, 6, 4, 5, 6, 6]))
    assert [(group.first, group.last) for group in groups] == [(1, 3), (4, 5), (6, 6)]
    assert [group.rows for group in groups] == [(0, 1, 2), (3, 4), (5,)]


def test_ranks_go_by_full_value_and_equal_scores_share_the_better() -> None:
    assert ranks_of([70.004, 70.001, 70.0049, 70.001]).tolist() == [2, 3, 1, 3]


def test_the_score_that_ranks_may_be_given() -> None:
    scores = _field(4, 50)
    found = rank_ranges(scores, [1.0, 2.0, 3.0, 4.0])
    assert found.rank.tolist() == [4, 3, 2, 1]
    assert ((found.low <= found.rank) & (found.rank <= found.high)).all()
    with pytest.raises(ValueError, match="one score for each row"):
        rank_ranges(scores, [1.0, 2.0])


def test_a_model_without_a_score_is_refused_by_its_row() -> None:
    scores = np.array([[1.0, 2.0], [NAN, NAN]])
    with pytest.raises(ValueError, match=r"rows \[1\]"):
        rank_ranges(scores)
    with pytest.raises(ValueError, match=r"rows \[1\]"):
        resampled_ranks(scores, seed=1)


def test_no_model_and_one_model() -> None:
    for found in (rank_ranges(np.empty((0, 5))), resampled_ranks(np.empty((0, 5)), seed=1)):
        assert found.rank.size == 0
        assert tie_groups(found) == ()
    for found in (rank_ranges([[1.0, 2.0]]), resampled_ranks([[1.0, 2.0]], seed=1)):
        assert (found.rank[0], found.low[0], found.high[0]) == (1, 1, 1)


def test_models_that_share_no_item_are_left_open() -> None:
    found = rank_ranges([[1.0, 2.0, NAN, NAN], [NAN, NAN, 8.0, 9.0]])
    assert found.low.tolist() == [1, 1]
    assert found.high.tolist() == [2, 2]


def test_resampling_repeats_with_its_seed_and_roughly_agrees_with_the_tests() -> None:
    scores = _field(30, 171, missing=0.03)
    one, two, tested = resampled_ranks(scores, seed=5), resampled_ranks(scores, seed=5), rank_ranges(scores)
    assert (one.low == two.low).all()
    assert (one.high == two.high).all()
    assert np.corrcoef(one.low, tested.low)[0, 1] > 0.9
    assert np.corrcoef(one.high, tested.high)[0, 1] > 0.9


def test_a_draw_without_any_of_a_models_items_keeps_its_score() -> None:
    found = resampled_ranks([[5.0, NAN, NAN], [1.0, 2.0, 3.0]], seed=1, draws=200)
    assert (found.low.tolist(), found.high.tolist()) == ([1, 2], [1, 2])


@pytest.mark.parametrize("missing", [0.0, 0.02])
def test_two_thousand_models_are_ranked_both_ways_within_seconds(missing: float) -> None:
    # About half a second each on one free core. A loop over the two million pairs would take far longer than the limit.
    scores = _field(2_000, 171, missing=missing)
    for rank in (rank_ranges, lambda s: resampled_ranks(s, seed=1)):
        start = time.process_time()
        rank(scores)
        assert time.process_time() - start < 8
