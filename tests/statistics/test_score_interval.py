"""The interval of a run's score: Student's t, none where all items have the same score, and how often it is right."""

import numpy as np
import pytest
from scipy.stats import binomtest
from scipy.stats import t as students

from evaluation.importers.official_scores import official_item_scores
from evaluation.statistics.arrays import Floats
from evaluation.statistics.score_interval import (
    COVERAGE,
    Coverage,
    half_of,
    is_without_spread,
    score_interval,
    share_interval,
)
from evaluation.statistics.scores import score_estimate
from tests.statistics.official import OfficialRuns


@pytest.mark.parametrize("n", [2, 5, 20, 29, 30, 60, 171, 2_000])
def test_the_interval_takes_students_t_at_every_number_of_items(n: int) -> None:
    found = score_interval(60.0, 2.0, n)
    assert found is not None
    assert found.half_width == pytest.approx(2 * students.ppf(0.975, n - 1), rel=1e-9)
    assert half_of(2.0, n) == pytest.approx(found.half_width)


def test_an_unknown_number_of_items_takes_the_normal_distribution() -> None:
    assert half_of(2.0, None) == pytest.approx(2 * 1.959964)


@pytest.mark.parametrize(("good", "n"), [(61, 64), (63, 64), (1, 64), (3, 7), (900, 1000)])
def test_the_interval_of_a_share_is_wilsons_and_stays_within_0_and_100(good: int, n: int) -> None:
    share = good / n
    found = share_interval(100 * share, 100 * (share * (1 - share) / (n - 1)) ** 0.5)
    exact = binomtest(good, n).proportion_ci(method="wilson")
    assert found is not None
    assert found.low == pytest.approx(100 * exact.low)
    assert found.high == pytest.approx(100 * exact.high)
    assert 0 <= found.low < 100 * share < found.high <= 100
    assert share_interval(100.0, 0.0) is None


def test_a_run_whose_items_all_score_the_same_has_no_interval() -> None:
    rounding = float(np.full(20, 9.3).std(ddof=1)) + 1e-16
    for error in (0.0, rounding):
        assert score_interval(100.0, error, 20) is None
        assert half_of(error, 20) is None
        assert is_without_spread(error)
    assert not is_without_spread(None)
    assert not is_without_spread(0.01)
    assert score_interval(None, 1.0, 20) is None
    assert score_interval(70.0, None, 1) is None


@pytest.mark.parametrize("n", [9, 30, 171])
def test_estimates_follow_the_same_rule(n: int) -> None:
    found = score_estimate(np.arange(float(n)))
    assert found is not None
    assert found.interval is not None
    assert found.interval.half_width == pytest.approx(half_of(found.standard_error, n))
    assert found.interval.half_width == pytest.approx(students.ppf(0.975, n - 1) * (found.standard_error or 0))


def coverage(run: Floats, n: int, draws: int, generator: np.random.Generator) -> float:
    """The share of draws of n of the run's items whose interval holds the run's own score, in per cent."""
    scored = run[~np.isnan(run)]
    drawn = generator.choice(scored, (draws, n))
    half_widths = (half_of(1.0, n) or 0.0) * drawn.std(axis=1, ddof=1) / np.sqrt(n)
    return 100 * float(np.mean(np.abs(drawn.mean(axis=1) - scored.mean()) <= half_widths))


@pytest.mark.parametrize(("n", "low", "high"), [(171, 94, 96), (60, 94, 96), (20, 93, 96), (10, 92, 96)])
def test_an_interval_holds_the_score_of_an_official_run_as_often_as_it_says(
    runs: OfficialRuns, n: int, low: float, high: float
) -> None:
    """The mean over the runs. By the normal distribution 60, 20 and 10 items would have 93.9, 91.9 and 89.1 %."""
    generator = np.random.default_rng(15)
    assert low <= np.mean([coverage(row, n, 10_000, generator) for row in runs.points]) <= high


@pytest.mark.parametrize("found", COVERAGE, ids=lambda found: str(found.n_items))
def test_the_coverage_on_the_page_is_that_of_the_86_shipped_runs(found: Coverage) -> None:
    """The lowest runs are drawn from again, more often: the lowest of 86 noisy shares is too low."""
    scores, generator = official_item_scores()[1], np.random.default_rng(1)
    shares = [coverage(row, found.n_items, 4_000, generator) for row in scores]
    worst = min(coverage(scores[at], found.n_items, 20_000, generator) for at in np.argsort(shares)[:12])
    assert float(np.mean(shares)) == pytest.approx(found.mean, abs=0.1)
    assert worst == pytest.approx(found.worst, abs=0.4)


@pytest.mark.parametrize(("n", "low"), [(171, 94), (60, 94), (20, 92.5), (10, 91)])
def test_an_interval_holds_the_mean_of_skewed_scores(n: int, low: float) -> None:
    """Scores below 100 with a long tail, as item scores are: no finite bank lies behind them."""
    drawn = 100 - np.random.default_rng(7).gamma(2, 15, (20_000, n))
    half_widths = (half_of(1.0, n) or 0.0) * drawn.std(axis=1, ddof=1) / np.sqrt(n)
    assert low <= 100 * np.mean(np.abs(drawn.mean(axis=1) - 70) <= half_widths) <= 96
