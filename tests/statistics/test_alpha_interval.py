"""The interval of Cronbach's alpha: against scipy's F, at its nominal rate, and at its ends."""

import numpy as np
import pytest
from scipy import stats

from evaluation.statistics.reliability import alpha_interval, cronbach_alpha


def test_the_interval_is_that_of_the_f_distribution() -> None:
    found = alpha_interval(0.8, 40, 12)
    f = stats.f(39, 39 * 11)
    assert (found.low, found.high) == pytest.approx((1 - 0.2 * f.ppf(0.975), 1 - 0.2 * f.ppf(0.025)))


def test_it_covers_the_true_alpha_at_the_nominal_rate() -> None:
    """Runs with variance 1, rest with variance 3 over 9 items: alpha is 9 / (9 + 3) = 0.75."""
    chance = np.random.default_rng(20231211)
    draws = chance.normal(size=(1_000, 25, 1)) + 3**0.5 * chance.normal(size=(1_000, 25, 9))
    found = [alpha_interval(alpha, 25, 9) for draw in draws if (alpha := cronbach_alpha(draw)) is not None]
    assert 0.93 <= np.mean([interval.holds(0.75) for interval in found]) <= 0.97


def test_it_closes_to_a_point_for_perfect_agreement() -> None:
    found = alpha_interval(1.0, 10, 5)
    assert (found.low, found.high) == (1.0, 1.0)


@pytest.mark.parametrize(("n_runs", "n_items"), [(1, 5), (5, 1)])
def test_it_needs_two_runs_and_two_items(n_runs: int, n_items: int) -> None:
    with pytest.raises(ValueError, match="two runs and two items"):
        alpha_interval(0.5, n_runs, n_items)
