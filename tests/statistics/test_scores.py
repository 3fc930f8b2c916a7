"""Standard errors of runs and models, and their intervals."""

import numpy as np
import pytest

from evaluation.statistics.intervals import Interval, around, percentile_interval, resampling_weights
from evaluation.statistics.scores import bootstrap_interval, published_interval, score_estimate
from evaluation.statistics.students_t import t_critical

NAN = np.nan


def test_the_error_of_a_run_is_the_spread_over_the_root_of_the_number() -> None:
    # Mean 5, squared deviations 9 + 1 + 1 + 9 = 20, s = sqrt(20/3), over sqrt(4).
    found = score_estimate([2.0, 4.0, 6.0, 8.0])
    assert found is not None
    assert found.mean == 5
    assert found.standard_error == pytest.approx((20 / 3) ** 0.5 / 2)
    assert (found.n_items, found.n_repeats) == (4, 1)


def test_missing_items_are_left_out_and_never_zero() -> None:
    assert score_estimate([2.0, NAN, 4.0, 6.0, NAN, 8.0]) == score_estimate([2.0, 4.0, 6.0, 8.0])


def test_repeats_of_an_item_are_one_observation() -> None:
    once = score_estimate([2.0, 4.0, 6.0, 8.0])
    thrice = score_estimate([[2.0] * 3, [4.0] * 3, [6.0] * 3, [8.0] * 3])
    assert once is not None
    assert thrice is not None
    assert thrice.standard_error == pytest.approx(once.standard_error)
    assert thrice.n_repeats == 3


def test_with_all_repeats_the_error_is_that_of_the_item_means() -> None:
    scores = np.random.default_rng(1).normal(size=(30, 4))
    found = score_estimate(scores)
    assert found is not None
    assert found.standard_error == pytest.approx(scores.mean(axis=1).std(ddof=1) / 30**0.5)


def test_a_model_scores_the_mean_of_its_repeats_however_many_items_each_has() -> None:
    # The first repeat has the mean 3, the second the mean 10 of its single item: 6.5, not the 5.33 of all values.
    found = score_estimate([[2.0, NAN], [4.0, 10.0]])
    assert found is not None
    assert found.mean == 6.5


def test_none_is_read_as_missing() -> None:
    assert score_estimate(np.array([2.0, None, 4.0], dtype=object)) == score_estimate([2.0, 4.0])


def test_a_repeat_without_any_score_does_not_count() -> None:
    assert score_estimate([[2.0, NAN], [4.0, NAN]]) == score_estimate([2.0, 4.0])


@pytest.mark.parametrize("scores", [[], [NAN, NAN], np.empty((0, 3)), np.full((2, 2), NAN)])
def test_nothing_scored_is_no_score(scores: list[float]) -> None:
    assert score_estimate(scores) is None
    assert bootstrap_interval(scores, seed=1) is None


def test_a_single_item_has_a_score_without_error_and_without_interval() -> None:
    found = score_estimate([7.0])
    assert found is not None
    assert (found.mean, found.standard_error, found.interval) == (7.0, None, None)
    assert bootstrap_interval([7.0], seed=1) == Interval(7.0, 7.0)


def test_constant_scores_have_an_error_of_zero() -> None:
    found = score_estimate([3.0, 3.0, 3.0])
    assert found is not None
    assert found.standard_error == 0
    assert found.interval == Interval(3.0, 3.0)
    assert bootstrap_interval([3.0, 3.0, 3.0], seed=1) == Interval(3.0, 3.0)


def test_the_interval_is_students_which_meets_the_normal_one_with_many_items() -> None:
    assert t_critical(1) == pytest.approx(12.7062, abs=1e-4)
    assert t_critical(170) == pytest.approx(1.97402, abs=1e-5)
    assert t_critical(10**9) == pytest.approx(1.959964, abs=1e-6)
    found = score_estimate([2.0, 4.0, 6.0, 8.0])
    assert found is not None
    assert found.interval is not None
    assert found.interval.half_width == pytest.approx(3.182446 * (found.standard_error or 0), rel=1e-6)


def test_the_bootstrap_is_near_the_normal_interval_and_repeats_with_its_seed() -> None:
    scores = np.random.default_rng(3).normal(60, 20, (171, 2))
    found, again, other = (bootstrap_interval(scores, seed=seed) for seed in (1, 1, 2))
    estimate = score_estimate(scores)
    assert found == again != other
    assert found is not None
    assert estimate is not None
    assert estimate.interval is not None
    assert found.low == pytest.approx(estimate.interval.low, abs=0.3)
    assert found.high == pytest.approx(estimate.interval.high, abs=0.3)


def test_the_bootstrap_copes_with_repeats_that_lack_items() -> None:
    found = bootstrap_interval([[1.0, NAN], [2.0, NAN], [3.0, 6.0]], seed=4, draws=500)
    assert found is not None
    assert 1 <= found.low < found.high <= 6


def test_a_published_score_gets_the_median_error_of_the_field() -> None:
    assert published_interval(80.0, [1.0, NAN, 2.0, 9.0]) == Interval(80 - 2 * 1.959964, 80 + 2 * 1.959964)
    assert published_interval(80.0, []) is None


def test_an_interval_holds_its_ends() -> None:
    interval = Interval(1.0, 3.0)
    assert interval.holds(1.0)
    assert interval.holds(3.0)
    assert not interval.holds(3.1)
    assert interval.half_width == 1
    assert around(2.0, None) is None


def test_percentiles_skip_undefined_draws() -> None:
    assert percentile_interval([NAN, *range(101)]) == Interval(2.5, 97.5)
    assert percentile_interval([NAN]) is None


def test_each_resample_draws_as_many_as_there_are() -> None:
    weights = resampling_weights(7, 50, 1)
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()
