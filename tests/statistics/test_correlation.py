"""Coefficients, intervals, lines: what the published tables do not show, above all the edges."""

from collections.abc import Callable

import numpy as np
import pytest

from evaluation.statistics.correlation import (
    average_ranks,
    bonett_wright_interval,
    clustered_interval,
    correlate,
    fisher_interval,
    kendall_tau_b,
    pearson,
    spearman,
)
from evaluation.statistics.intervals import Interval
from evaluation.statistics.regression import (
    disattenuated,
    fit_line,
    logit_correlation,
    partial_correlation,
    quadratic_r_squared,
)

NAN = np.nan
COEFFICIENTS = (pearson, spearman, kendall_tau_b)
Coefficient = Callable[[list[float], list[float]], float | None]
Formula = Callable[[float, int], Interval | None]


def test_models_of_one_maker_that_are_alike_make_the_interval_wider() -> None:
    chance = np.random.default_rng(3)
    makers = np.repeat(np.arange(12), 8)
    x = chance.normal(0, 1, 12)[makers] + chance.normal(0, 0.1, 96)
    y = 0.6 * x + chance.normal(0, 0.8, 12)[makers] + chance.normal(0, 0.1, 96)
    names = [f"maker {at}" for at in makers]
    drawn, alone = clustered_interval(x, y, names), clustered_interval(x, y, [str(at) for at in range(96)])
    assert drawn is not None
    assert alone is not None
    assert drawn.half_width > 2 * alone.half_width
    order = chance.permutation(96)
    again = clustered_interval(x[order], y[order], [names[at] for at in order])
    assert again is not None
    assert (again.low, again.high) == pytest.approx((drawn.low, drawn.high))
    found = correlate(x, y)
    assert found is not None
    assert found.pearson.bootstrap is not None
    # Each model by itself is the usual bootstrap, drawn in another order.
    assert alone.low == pytest.approx(found.pearson.bootstrap.low, abs=0.02)


def test_few_makers_and_constant_measures_have_no_interval_by_makers() -> None:
    x = np.random.default_rng(1).normal(size=20)
    assert clustered_interval(x, x, ["a", "b"] * 10) is None
    names = [str(at) for at in range(20)]
    assert clustered_interval(x, np.ones(20), names) is None
    assert clustered_interval(np.where(np.arange(20) < 15, NAN, x), x, names) is None
    exact = clustered_interval(x, 2 * x, names, draws=50)
    assert exact is not None
    assert (exact.low, exact.high) == pytest.approx((1.0, 1.0))


def test_coefficients_worked_by_hand() -> None:
    # Ranks 1 2.5 2.5 4 against 2 1 3 4. Of six pairs one is tied, four agree, one does not: tau-b = 3 / sqrt(5 x 6).
    x, y = [1.0, 2.0, 2.0, 9.0], [2.0, 1.0, 3.0, 8.0]
    assert average_ranks(x).tolist() == [1, 2.5, 2.5, 4]
    assert kendall_tau_b(x, y) == pytest.approx(3 / 30**0.5)
    assert spearman(x, y) == pytest.approx(3 / (4.5 * 5) ** 0.5)
    assert pearson(x, y) == pytest.approx(33 / (41 * 29) ** 0.5)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize(("x", "y"), [([], []), ([1.0], [2.0]), ([3.0, 3.0], [1.0, 2.0]), ([1.0, NAN], [2.0, 3.0])])
def test_no_coefficient_for_too_few_pairs_or_a_constant(
    coefficient: Coefficient, x: list[float], y: list[float]
) -> None:
    assert coefficient(x, y) is None
    assert correlate(x, y) is None


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_two_pairs_always_lie_on_a_line(coefficient: Coefficient) -> None:
    assert coefficient([1.0, 2.0], [5.0, 3.0]) == pytest.approx(-1)


def test_missing_values_drop_their_pair_before_drawing() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(2, 20))
    with_gaps = correlate([*x, NAN, 1.0], [*y, 2.0, NAN], draws=200, kendall_draws=50)
    assert with_gaps == correlate(x, y, draws=200, kendall_draws=50)
    assert with_gaps is not None
    assert with_gaps.n == 20


def test_a_perfect_relation_has_the_whole_interval_at_one() -> None:
    found = correlate([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0], draws=500, kendall_draws=500)
    assert found is not None
    assert found.spearman.interval == Interval(1.0, 1.0)
    assert found.kendall.bootstrap is not None
    assert found.kendall.bootstrap.low == pytest.approx(1)
    assert found.kendall.interval is None


def test_constant_draws_are_left_out_of_the_bootstrap() -> None:
    # With three models one draw in nine is constant; all others of a perfect relation give 1.
    found = correlate([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], draws=300, kendall_draws=300)
    assert found is not None
    for coefficient in (found.pearson, found.spearman, found.kendall):
        assert coefficient.interval is None
        assert coefficient.bootstrap is not None
        assert coefficient.bootstrap.low == pytest.approx(1)


@pytest.mark.parametrize("interval", [fisher_interval, bonett_wright_interval])
def test_formula_intervals_need_four_pairs_and_a_correlation(interval: Formula) -> None:
    assert interval(0.5, 3) is None
    assert interval(0.5, 4) is not None
    assert interval(-1.0, 9) == Interval(-1.0, -1.0)
    with pytest.raises(ValueError, match="between -1 and 1"):
        interval(1.1, 9)


def test_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        pearson([1.0, 2.0], [1.0, 2.0, 3.0])


def test_a_line_keeps_the_places_of_its_models() -> None:
    line = fit_line([NAN, 1.0, 2.0, 3.0, 4.0, 5.0], [9.0, 1.0, 2.0, 3.0, 4.0, 9.0])
    assert line is not None
    assert line.n == 5
    assert np.isnan(line.studentised[0])
    assert line.studentised.shape == (6,)
    # Slope 1.8, intercept -1.6; the last residual is 1.6, s^2 = 6.4 / 3, leverage 0.6.
    assert (line.slope, line.intercept) == pytest.approx((1.8, -1.6))
    assert line.studentised[5] == pytest.approx(1.6 / (6.4 / 3 * 0.4) ** 0.5)
    assert line.at(10) == pytest.approx(16.4)


def test_one_far_model_among_many_is_the_outlier() -> None:
    x = np.arange(20.0)
    y = 2 * x + np.tile([0.5, -0.5], 10)
    y[7] -= 30
    line = fit_line(x, y)
    assert line is not None
    assert [outlier.index for outlier in line.outliers] == [7]
    assert line.outliers[0].residual < -4


def test_the_band_is_narrowest_at_the_mean() -> None:
    line = fit_line([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.5, 2.5, 4.5, 4.5])
    assert line is not None
    centre, end = line.band(3.0), line.band(5.0)
    # At the mean: t with 3 degrees of freedom x s / sqrt(n).
    assert centre.half_width == pytest.approx(3.182446 * line.residual_sd / 5**0.5, rel=1e-6)
    assert end.half_width > centre.half_width
    assert centre.holds(line.at(3.0))


def test_lines_of_too_few_of_constant_and_of_perfect_data() -> None:
    assert fit_line([1.0, 2.0], [1.0, 2.0]) is None
    assert fit_line([2.0, 2.0, 2.0], [1.0, 2.0, 3.0]) is None
    flat, perfect = fit_line([1.0, 2.0, 3.0], [5.0, 5.0, 5.0]), fit_line([0.1, 0.2, 0.4], [0.3, 0.6, 1.2])
    assert flat is not None
    assert perfect is not None
    assert (flat.slope, flat.r_squared) == (0, 0)
    assert perfect.outliers == ()
    assert np.isnan(perfect.studentised).all()


def test_the_partial_correlation_takes_the_third_measure_out() -> None:
    generator = np.random.default_rng(2)
    z, u, v = generator.normal(size=(3, 4_000))
    found = partial_correlation(z + u, z + v, z)
    assert found.linear == pytest.approx(0, abs=0.05)
    assert found.ranks == pytest.approx(0, abs=0.05)
    design = np.stack([np.ones(4_000), z], axis=1)
    residuals = [y - design @ np.linalg.lstsq(design, y)[0] for y in (z + u, z + v)]
    assert found.linear == pytest.approx(np.corrcoef(*residuals)[0, 1])


def test_a_partial_correlation_that_is_not_defined_is_none() -> None:
    x = [1.0, 2.0, 3.0, 5.0]
    assert partial_correlation(x, [2.0, 1.0, 4.0, 3.0], x).linear is None
    assert partial_correlation(x, [1.0, 1.0, 1.0, 1.0], [2.0, 1.0, 4.0, 3.0]).ranks is None
    assert partial_correlation([], [], []).n == 0
    assert partial_correlation([1.0, NAN], [1.0, 2.0], [1.0, 2.0]).n == 1


def test_a_parabola_explains_itself() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert quadratic_r_squared(x, (x - 3) ** 2) == pytest.approx(1)
    assert quadratic_r_squared([1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0]) is None
    assert quadratic_r_squared(x, [2.0] * 5) is None
    assert quadratic_r_squared(x[:3], x[:3]) is None


def test_scores_without_log_odds_are_skipped() -> None:
    x = [1.0, 2.0, 3.0, 4.0, 5.0]
    odds = 100 / (1 + np.exp(-np.array([1.0, 2.0, 3.0])))
    assert logit_correlation(x, [*odds, 100.0, -3.0]) == pytest.approx(1)


def test_disattenuation_needs_some_reliability() -> None:
    assert disattenuated(0.6, 0.25) == pytest.approx(1.2)
    with pytest.raises(ValueError, match="reliability"):
        disattenuated(0.6, 0.0)
