"""Points of one answer: the curve, the two rules at a difference of five, and the normalised v1 score."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer
from evaluation.benchmarks.eqbench_curve import (
    code_penalty,
    full_scale_points,
    full_scale_points_by_code,
    normalised_points,
    readme_penalty,
)
from tests.evaluation.benchmarks.by_item import points_by
from tests.evaluation.benchmarks.standard import ITEM, V2, unhurried


@pytest.mark.parametrize(
    ("difference", "penalty"), [(0, 0), (1, 0.172880), (2, 0.540623), (3, 1.504589), (4, 3.25), (6, 6), (77, 77)]
)
def test_both_rules_follow_the_curve_and_then_the_difference(difference: float, penalty: float) -> None:
    assert readme_penalty(difference) == pytest.approx(penalty, abs=5e-7)
    assert code_penalty(difference) == pytest.approx(penalty, abs=5e-7)


def test_at_exactly_five_the_rules_part() -> None:
    assert readme_penalty(5) == 5
    assert code_penalty(5) == pytest.approx(4.995411, abs=5e-7)


def test_just_below_five_both_rules_keep_the_curve() -> None:
    assert readme_penalty(4.999) == code_penalty(4.999) < 5


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((3, 6, 0, 8), 10.00),
        ((3, 6, 0, 9), 9.87),
        ((7, 6, 0, 8), 7.57),
        ((0, 0, 0, 0), -1.59),
        ((10, 10, 10, 10), -5.55),
        ((3, 6, 0, 80), -43.83),
        ((30, 60, 0, 80), -104.40),
        ((9, 1, 9, 2), -9.44),
    ],
)
def test_the_marks_of_the_standard_item(values: tuple[float, ...], expected: float) -> None:
    assert round(full_scale_points(values, ITEM.reference), 2) == expected


def test_ratings_above_ten_are_not_clipped() -> None:
    assert full_scale_points((10, 60, 0, 80), (0, 6, 0, 7)) == pytest.approx(-92.4349)


def test_the_code_rule_gives_more_only_where_a_difference_is_five() -> None:
    assert full_scale_points_by_code((8, 6, 0, 8), ITEM.reference) > full_scale_points((8, 6, 0, 8), ITEM.reference)
    assert full_scale_points_by_code((9, 1, 9, 3), (0, 0, 0, 0)) == full_scale_points((9, 1, 9, 3), (0, 0, 0, 0))


def test_v1_rescales_the_ratings_to_the_sum_of_ten() -> None:
    assert normalised_points((6, 12, 0, 2), (3, 6, 0, 1)) == pytest.approx(10)
    assert normalised_points((10, 0, 0, 0), (0, 10, 0, 0)) == pytest.approx(-10)


def test_v1_has_no_points_for_ratings_that_sum_to_zero() -> None:
    assert normalised_points((0, 0, 0, 0), (3, 6, 0, 1)) is None


def test_ratings_of_another_number_than_the_reference_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        full_scale_points((1, 2, 3), ITEM.reference)


@pytest.mark.parametrize("name", [name for name, each in BENCHMARKS.items() if each.family == "eq-bench"])
def test_an_answer_without_values_has_no_score(name: str) -> None:
    assert points_by(BENCHMARKS[name], ITEM, Answer("first_pass", "none")) is None


def test_the_reference_itself_scores_full_marks() -> None:
    assert points_by(V2, ITEM, Answer("first_pass", "official", ITEM.reference)) == 10.0


@unhurried
@given(st.tuples(*[st.floats(0, 100)] * 4), st.tuples(*[st.integers(0, 10)] * 4))
def test_points_are_finite_and_at_most_ten(values: tuple[float, ...], reference: tuple[int, ...]) -> None:
    for rule in (full_scale_points, full_scale_points_by_code):
        score = rule(values, reference)
        assert math.isfinite(score)
        assert score <= 10


@unhurried
@given(st.floats(0, 100), st.floats(0, 100))
def test_a_larger_difference_never_costs_less_below_or_from_five_on(one: float, other: float) -> None:
    low, high = sorted((one, other))
    if (low < 5) == (high < 5):
        assert readme_penalty(low) <= readme_penalty(high)
