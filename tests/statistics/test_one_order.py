"""One order of models with and without answers: who is ahead, ties, groups, and the claims about a whole field."""

import numpy as np
import pytest
from scipy.special import ndtr, stdtrit

from evaluation.statistics.arrays import Floats
from evaluation.statistics.one_order import OneOrder, few_items_factor, one_order
from evaluation.statistics.pairs import pair_table
from evaluation.statistics.ranks import resampled_ahead

NAN = np.nan


def field(models: int, items: int, seed: int = 1, spread: float = 10.0) -> Floats:
    generator = np.random.default_rng(seed)
    return generator.normal(60, spread, (models, 1)) + generator.normal(0, 25, (models, items))


def of_scores(totals: list[float], errors: list[float]) -> OneOrder:
    return one_order(totals, np.empty((len(totals), 0)), errors)


def test_models_with_answers_are_compared_by_the_same_draws_as_before() -> None:
    scores = field(12, 40)
    found = one_order(scores.mean(axis=1), scores, np.full(12, NAN))
    assert (found.ahead == resampled_ahead(scores)).all()


def test_on_few_items_the_paired_t_test_decides() -> None:
    scores = field(12, 10)
    found = one_order(scores.mean(axis=1), scores, np.full(12, NAN))
    assert (found.ahead == pair_table(scores, distribution="t").ahead).all()
    assert found.ahead.sum() < pair_table(scores).ahead.sum()


def test_scores_alone_are_apart_beyond_1_96_combined_errors() -> None:
    # 1.959964 x sqrt(1² + 1²) is 2.7718.
    assert of_scores([80.0, 77.24], [1.0, 1.0]).tied_with.tolist() == [1, 1]
    found = of_scores([80.0, 77.22], [1.0, 1.0])
    assert found.tied_with.tolist() == [0, 0]
    assert (found.ranges.low.tolist(), found.ranges.high.tolist()) == ([1, 2], [1, 2])


def test_an_unknown_error_is_borrowed_and_two_unknown_ones_are_tied() -> None:
    found = of_scores([90.0, 85.0, 60.0], [NAN, 1.0, NAN])
    assert found.ahead.tolist() == [[False, True, False], [False, False, True], [False, False, False]]
    assert found.tied_with.tolist() == [1, 0, 1]


def test_equal_scores_are_tied_and_share_rank_and_range() -> None:
    found = of_scores([70.0, 80.0, 70.0], [0.0, 0.0, 0.0])
    assert found.ranges.rank.tolist() == [2, 1, 2]
    assert (found.ranges.low.tolist(), found.ranges.high.tolist()) == ([2, 1, 2], [3, 1, 3])
    assert found.group.tolist() == [2, 1, 2]


def test_models_with_the_same_answers_share_everything() -> None:
    scores = field(12, 60)
    twins = np.vstack([scores, scores[3], scores[3]])
    found = one_order(twins.mean(axis=1), twins, np.full(14, NAN))
    same = [3, 12, 13]
    for values in (found.ranges.rank, found.ranges.low, found.ranges.high, found.tied_with, found.group):
        assert len(set(values[same].tolist())) == 1


def test_own_errors_come_from_the_draws_where_ten_models_have_answers() -> None:
    scores = field(10, 80)
    centred = scores - scores.mean(axis=0)
    expected = centred.std(axis=1, ddof=1) / 80**0.5
    found = one_order(scores.mean(axis=1), scores, np.full(10, 9.0))
    assert found.error == pytest.approx(expected, rel=0.1)
    few = one_order(scores[:9].mean(axis=1), scores[:9], np.full(9, 9.0))
    assert few.error.tolist() == [9.0] * 9


def test_a_published_score_takes_its_place_among_models_with_answers() -> None:
    scores = np.vstack([field(12, 80), np.full(80, NAN)])
    totals = [*scores[:12].mean(axis=1), 200.0]
    found = one_order(totals, scores, np.full(13, 1.5))
    assert found.ranges.rank[12] == found.ranges.high[12] == 1
    assert (found.ahead[:12, :12] == resampled_ahead(scores[:12])).all()


def test_a_group_is_the_best_free_model_and_all_later_free_ones_tied_with_it() -> None:
    # 80 is tied with 78 and 76 apart; 76 is tied with 78, but that one is taken.
    found = of_scores([80.0, 78.0, 76.0, 74.5], [1.0, 1.0, 1.0, 1.0])
    assert found.group.tolist() == [1, 1, 2, 2]
    assert found.tied_with.tolist() == [1, 2, 2, 1]


def test_the_table_for_the_whole_field_is_stricter() -> None:
    scores = field(40, 171)
    found = one_order(scores.mean(axis=1), scores, np.full(40, NAN))
    assert not (found.ahead_all & ~found.ahead).any()
    assert found.ranges_all.width.mean() > found.ranges.width.mean()


@pytest.mark.parametrize("items", [2, 20, 29, 30, 171])
def test_few_items_need_wider_gaps(items: int) -> None:
    # sqrt(n / (n - 1)) x t / normal: at their 95 % points from 30 items on, below at the 4 standard errors asked for.
    ratio = stdtrit(2 * (items - 1), ndtr(4.0)) / 4 if items < 30 else stdtrit(items - 1, 0.975) / 1.959964
    assert few_items_factor(items, 4.0) == pytest.approx((items / (items - 1)) ** 0.5 * ratio)


def test_without_items_no_gap_is_widened() -> None:
    assert few_items_factor(0, 4.0) == few_items_factor(1, 4.0) == 1.0


@pytest.mark.thorough
@pytest.mark.parametrize("models", [10, 40, 95])
@pytest.mark.parametrize("items", [171, 60, 20, 10])
def test_the_headline_claims_no_difference_between_equal_models_in_95_of_100_fields(models: int, items: int) -> None:
    generator, quiet = np.random.default_rng(models * items), 0
    for _ in range(600):
        scores = generator.normal(0, 20, items) + generator.normal(60, 25, (models, items))
        totals = scores.mean(axis=1)
        found = one_order(totals, scores, np.full(models, NAN))
        quiet += not found.ahead_all[np.argmax(totals)].any()
    assert quiet / 600 >= 0.935


def test_no_model_one_model_and_uneven_input() -> None:
    assert of_scores([], []).ranges.rank.size == 0
    alone = of_scores([50.0], [NAN])
    assert (alone.ranges.low[0], alone.ranges_all.high[0], alone.tied_with[0], alone.group[0]) == (1, 1, 0, 1)
    with pytest.raises(ValueError, match="one score and one error"):
        one_order([1.0, 2.0], np.empty((2, 0)), [1.0])
    with pytest.raises(ValueError, match="one score and one error"):
        of_scores([1.0, NAN], [1.0, 1.0])
