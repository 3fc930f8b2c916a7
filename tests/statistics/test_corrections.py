"""Corrections for many tests."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from evaluation.statistics.corrections import benjamini_hochberg, holm
from tests.statistics.study_data import rows_of, vectors


def test_holm_of_the_vectors(shared_data: Path) -> None:
    case = vectors(shared_data)["holm"]
    assert holm(case["p"]) == pytest.approx(case["adjusted"], rel=1e-4)


def test_holm_of_the_published_pairs(shared_data: Path) -> None:
    rows = rows_of(shared_data, "pairwise_good.csv")
    for scope in ("all", "positive", "negative"):
        own = [row for row in rows if row["scope"] == scope]
        wanted = [float(row["p_holm_10"]) for row in own]
        assert len(own) == 10
        assert holm([float(row["p_yates"]) for row in own]) == pytest.approx(wanted, rel=1e-4)


def test_both_corrections_of_the_32_emotions(shared_data: Path) -> None:
    rows = [row for row in rows_of(shared_data, "results_by_emotion.csv") if row["p_bh_32"]]
    p = [float(row["p_yates"]) for row in rows]
    assert len(p) == 32
    by_holm, by_bh = holm(p), benjamini_hochberg(p)
    assert by_holm == pytest.approx([float(row["p_holm_32"]) for row in rows], rel=1e-4)
    assert by_bh == pytest.approx([float(row["p_bh_32"]) for row in rows], rel=1e-4)
    assert [sum(each < 0.05 for each in values) for values in (p, by_bh, by_holm)] == [12, 10, 3]


def test_benjamini_hochberg_is_worked_by_hand() -> None:
    assert benjamini_hochberg([0.04, 0.01, 0.03, 0.5]) == pytest.approx((0.16 / 3, 0.04, 0.16 / 3, 0.5))
    assert benjamini_hochberg([]) == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_is_that_of_scipy(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(tuple(false_discovery_control(p)))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10), st.lists(st.floats(0, 1), max_size=10))
def test_unknown_p_values_only_raise_the_adjusted_ones(known: list[float], unknown: list[float]) -> None:
    whole = benjamini_hochberg([*known, *unknown])[: len(known)]
    bounds = benjamini_hochberg(known, len(known) + len(unknown))
    assert all(bound >= true - 1e-12 for bound, true in zip(bounds, whole, strict=True))


def test_a_family_cannot_be_smaller_than_its_p_values() -> None:
    with pytest.raises(ValueError, match="a family of 1 tests cannot hold 2 p values"):
        benjamini_hochberg([0.1, 0.2], 1)
