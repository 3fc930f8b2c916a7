"""Repeated runs: spread, agreement, intraclass correlation, drift."""

import numpy as np
import pytest

from evaluation.statistics.icc import intraclass_correlation
from evaluation.statistics.intervals import Interval
from evaluation.statistics.repeatability import drift_test, mean_cv_percent, rerun_sd, run_agreement, spread

NAN = np.nan

SHROUT_FLEISS: list[list[float]] = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Six targets by four judges, table 2 of Shrout & Fleiss 1979."""


def test_the_example_of_shrout_and_fleiss_comes_out() -> None:
    found = intraclass_correlation(SHROUT_FLEISS)
    assert found is not None
    assert (found.n_items, found.n_runs) == (6, 4)
    assert (round(found.single, 2), round(found.average, 2)) == (0.29, 0.62)
    single, average = found.single_interval, found.average_interval
    assert (round(single.low, 3), round(single.high, 3)) == (0.019, 0.761)
    assert (round(average.low, 3), round(average.high, 3)) == (0.071, 0.927)


def test_the_error_of_measurement_holds_judges_and_residue() -> None:
    # Mean squares 32.49 between judges and 1.02 left: (32.486 - 1.019) / 6 + 1.019 = 6.264, its root 2.503.
    found = intraclass_correlation(SHROUT_FLEISS)
    assert found is not None
    assert found.standard_error_of_measurement == pytest.approx(2.5028, abs=1e-4)


def test_identical_runs_agree_perfectly() -> None:
    found = intraclass_correlation([[1.0, 1.0], [2.0, 2.0], [5.0, 5.0]])
    assert found is not None
    assert (found.single, found.average) == (1, 1)
    assert found.single_interval == found.average_interval == Interval(1.0, 1.0)
    assert found.standard_error_of_measurement == 0


def test_a_shift_between_runs_lowers_agreement_though_not_correlation() -> None:
    item = np.random.default_rng(1).normal(size=40)
    found, shifted = (intraclass_correlation(np.stack([item, item + shift], axis=1)) for shift in (0.0, 3.0))
    assert found is not None
    assert shifted is not None
    assert found.single == pytest.approx(1)
    assert shifted.single < 0.3


def test_runs_that_contradict_each_other_have_an_agreement_below_zero() -> None:
    found = intraclass_correlation([[1.0, 5.0], [2.0, 4.0], [4.0, 2.0], [5.0, 1.0]])
    assert found is not None
    assert found.single < 0
    assert found.average == -float("inf")


def test_items_that_a_run_lacks_are_skipped() -> None:
    assert intraclass_correlation([*SHROUT_FLEISS, [1, 2, 3, NAN]]) == intraclass_correlation(SHROUT_FLEISS)


@pytest.mark.parametrize(
    "scores", [np.empty((0, 3)), [[1.0, 2.0]], [[1.0], [2.0]], [[0.1, 0.1], [0.1, 0.1]], [[1.0, 2.0], [2.0, 1.0]]]
)
def test_too_little_or_constant_data_have_no_agreement(scores: list[list[float]]) -> None:
    assert intraclass_correlation(scores) is None


def test_a_single_run_has_no_spread() -> None:
    found = spread([69.35, NAN])
    assert found is not None
    assert (found.n, found.mean, found.sd, found.cv_percent, found.standard_error) == (1, 69.35, None, None, None)
    assert found.range == 0
    assert spread([]) is None
    assert spread([NAN]) is None


def test_equal_runs_have_a_spread_of_exactly_zero() -> None:
    found = spread([0.1, 0.1, 0.1])
    assert found is not None
    assert (found.sd, found.cv_percent, found.standard_error) == (0, 0, 0)


@pytest.mark.parametrize("scores", [[-1.0, 1.0], [-6.0, -7.0]])
def test_a_mean_that_is_not_above_zero_has_no_cv(scores: list[float]) -> None:
    found = spread(scores)
    assert found is not None
    assert found.cv_percent is None
    assert found.sd is not None


def test_spread_gives_range_and_error_of_the_mean() -> None:
    found = spread([10.0, 12.0, 14.0, 12.0])
    assert found is not None
    assert (found.low, found.high, found.range) == (10, 14, 4)
    assert found.sd == pytest.approx((8 / 3) ** 0.5)
    assert found.standard_error == pytest.approx((8 / 3) ** 0.5 / 2)


def test_the_average_cv_skips_models_without_one() -> None:
    spreads = [s for s in (spread([10.0, 12.0]), spread([5.0]), spread([20.0, 20.0])) if s]
    assert mean_cv_percent(spreads) == pytest.approx(100 * 2**0.5 / 11 / 2)
    assert mean_cv_percent([]) is None


def test_the_rerun_sd_pools_the_scatter_within_items() -> None:
    # Within-item variances 2, 0 and 8 (the single value of item four is skipped): sqrt(10/3 / 3).
    assert rerun_sd([[1.0, 3.0], [4.0, 4.0], [0.0, 4.0], [NAN, 9.0]]) == pytest.approx((10 / 9) ** 0.5)
    assert rerun_sd([[1.0], [2.0]]) is None
    assert rerun_sd(np.empty((0, 2))) is None


def test_the_published_rerun_sd_follows_from_the_published_variance() -> None:
    generator = np.random.default_rng(1)
    scores = generator.normal(size=(171, 4))
    scores = (scores - scores.mean(axis=1, keepdims=True)) / scores.std(axis=1, ddof=1, keepdims=True)
    assert 10 * (rerun_sd(scores * 0.0850**0.5) or 0) == pytest.approx(0.2230, abs=5e-5)


def test_agreement_counts_equal_items_over_the_shared_ones() -> None:
    found = run_agreement([1.0, 2.0, 3.0, NAN, 0.1 + 0.2], [1.0, 2.5, 3.0, 4.0, 0.3])
    assert found is not None
    assert (found.n, found.n_equal) == (4, 3)
    assert found.spread.n == 2
    assert found.r == pytest.approx(np.corrcoef([1, 2, 3, 0.3], [1, 2.5, 3, 0.3])[0, 1])


def test_agreement_without_spread_or_shared_items() -> None:
    found = run_agreement([1.0, 1.0], [1.0, 2.0])
    assert found is not None
    assert found.r is None
    assert run_agreement([1.0, NAN], [NAN, 1.0]) is None


def test_a_planted_drift_is_found_and_a_rerun_is_not() -> None:
    generator = np.random.default_rng(8)
    item = generator.normal(60, 25, 171)
    earlier = item[:, None] + generator.normal(0, 3, (171, 3))
    same, drifted = item + generator.normal(0, 3, 171), item + generator.normal(1.5, 3, 171)
    quiet, loud = drift_test(earlier, same), drift_test(earlier, drifted)
    assert quiet is not None
    assert loud is not None
    assert (quiet.drifted, loud.drifted) == (False, True)
    assert loud.items.mean == pytest.approx(1.5, abs=0.6)
    assert loud.n_earlier == 3
    assert (loud.t or 0) > 2 > abs(quiet.t or 9)


def test_the_score_alone_is_judged_by_a_prediction_interval() -> None:
    # Earlier scores 10 and 14 (mean 12, sd 2.828), new 20: t = 8 / (2.828 x sqrt(1.5)) with one degree of freedom.
    found = drift_test([[9.0, 13.0], [11.0, 15.0]], [19.0, 21.0])
    assert found is not None
    assert found.t == pytest.approx(8 / (8**0.5 * 1.5**0.5))
    assert found.p == pytest.approx(1 - 2 / np.pi * np.arctan(found.t or 0))


def test_one_replicate_leaves_the_verdict_to_the_items() -> None:
    found = drift_test([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.5])
    assert found is not None
    assert (found.n_earlier, found.t, found.p, found.drifted) == (1, None, None, False)
    assert found.items.interval is not None
    # Differences 0, 0, 0.5: error 0.5 / 3, and t with two degrees of freedom.
    assert found.items.interval.half_width == pytest.approx(4.302653 * 0.5 / 3, rel=1e-6)
    assert drift_test([[1.0], [NAN]], [NAN, 2.0]) is None
