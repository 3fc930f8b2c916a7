"""Student's t against scipy, which has its own way to compute it."""

import pytest
from scipy.special import stdtr, stdtrit

from evaluation.statistics.students_t import critical_of, share_within, t_critical


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 9, 10, 28, 59, 60, 170, 400, 401, 1_999, 10**9])
def test_points_and_shares_are_those_of_scipy(degrees: int) -> None:
    assert t_critical(degrees) == pytest.approx(float(stdtrit(degrees, 0.975)), rel=1e-12)
    if degrees < 10_000:  # a sum over all degrees of freedom
        assert share_within(1.3, degrees) == pytest.approx(1 - 2 * float(stdtr(degrees, -1.3)), abs=1e-12)


def test_an_interval_takes_t_from_2_values_on() -> None:
    assert [critical_of(n) for n in (None, 0, 1)] == [1.959964] * 3
    assert [critical_of(n) for n in (2, 29, 30, 171)] == [t_critical(n - 1) for n in (2, 29, 30, 171)]
    with pytest.raises(ValueError, match="1 degree of freedom or more"):
        t_critical(0)
