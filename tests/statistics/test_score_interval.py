"""The interval of a run's score: Student's t for few items, and none where all items have the same score."""

import numpy as np
import pytest
from scipy.stats import t as students

from evaluation.statistics.arrays import Floats
from evaluation.statistics.score_interval import half_of, is_without_spread, score_interval
from evaluation.statistics.scores import score_estimate
from tests.statistics.official import OfficialRuns


@pytest.mark.parametrize("n", [2, 5, 20, 29])
def test_few_items_take_students_t(n: int) -> None:
    found = score_interval(60.0, 2.0, n)
    assert found is not None
    assert found.half_width == pytest.approx(2 * students.ppf(0.975, n - 1), rel=1e-9)
    assert half_of(2.0, n) == pytest.approx(found.half_width)


@pytest.mark.parametrize("n", [30, 171, None])
def test_thirty_items_take_the_normal_distribution(n: int | None) -> None:
    assert half_of(2.0, n) == pytest.approx(2 * 1.959964)


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


def test_estimates_follow_the_same_rule() -> None:
    few, many = (score_estimate(np.arange(float(n))) for n in (9, 30))
    assert few is not None
    assert many is not None
    assert few.interval == few.t_interval
    assert few.interval is not None
    assert many.interval is not None
    assert few.interval.half_width == pytest.approx(2.306004 * (few.standard_error or 0), rel=1e-6)
    assert many.interval.half_width == pytest.approx(1.959964 * (many.standard_error or 0))


def test_twenty_items_of_the_official_runs_are_covered_better_than_by_a_normal_interval(runs: OfficialRuns) -> None:
    """20 items drawn from the 171 of each complete run, whose own score is the truth."""
    generator = np.random.default_rng(20)
    scores: Floats = runs.complete
    held = {"t": 0, "normal": 0}
    draws = 100
    for row in scores:
        for _ in range(draws):
            drawn = generator.choice(row, 20)
            error = float(drawn.std(ddof=1) / np.sqrt(20))
            found = score_interval(float(drawn.mean()), error, 20)
            held["t"] += found is not None and found.holds(row.mean())
            held["normal"] += abs(drawn.mean() - row.mean()) <= 1.959964 * error
    shares = {name: count / (draws * len(scores)) for name, count in held.items()}
    assert shares["normal"] < 0.93
    assert shares["t"] > 0.93


@pytest.mark.parametrize(
    ("n", "mean", "worst"), [(171, 0.95, 0.94), (60, 0.94, 0.93), (20, 0.93, 0.91), (10, 0.92, 0.88)]
)
def test_an_interval_holds_the_score_as_often_as_the_methodology_says(
    runs: OfficialRuns, n: int, mean: float, worst: float
) -> None:
    """Items drawn from the scored ones of each official run, whose mean is the truth."""
    generator = np.random.default_rng(20)
    held = []
    for row in runs.points:
        scored: Floats = row[~np.isnan(row)]
        drawn = generator.choice(scored, (4000, n))
        half_widths = (half_of(1.0, n) or 0.0) * drawn.std(axis=1, ddof=1) / np.sqrt(n)
        held.append(float(np.mean(np.abs(drawn.mean(axis=1) - scored.mean()) <= half_widths)))
    assert float(np.mean(held)) == pytest.approx(mean, abs=0.005)
    assert min(held) == pytest.approx(worst, abs=0.01)
