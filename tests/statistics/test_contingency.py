"""Tables of counts: their tests, effect sizes and intervals."""

from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from scipy.stats import fisher_exact as scipy_fisher

from evaluation.statistics.contingency import (
    cohens_h,
    fisher_exact,
    table_test,
    wilson_interval,
    words_of_h,
    words_of_v,
)
from tests.statistics.study_data import PREDECESSOR, rows_of, vectors

COUNTS = st.integers(0, 60)


def test_a_two_by_two_table_is_worked_by_hand() -> None:
    # Expected 15, 15, 15, 15; gaps 5: plain 4 x 25 / 15, Yates 4 x 4.5² / 15.
    found = table_test([[20, 10], [10, 20]])
    assert found.chi_square == pytest.approx(100 / 15)
    assert found.chi_square_yates == pytest.approx(81 / 15)
    assert (found.df, found.n, found.smallest_expected) == (1, 60, 15)
    assert found.method == "chi-square with Yates correction"
    assert found.p == found.p_yates != found.p_plain
    assert found.v == pytest.approx(sqrt(100 / 15 / 60))
    assert found.v_words == "medium"


def test_the_two_by_two_tables_of_the_vectors(shared_data: Path) -> None:
    for case in vectors(shared_data)["chi2_2x2"]:
        found = table_test(case["table"])
        assert found.chi_square_yates == pytest.approx(case["yates"], rel=1e-4)
        assert found.chi_square == pytest.approx(case["plain"], rel=1e-4)


def test_the_tables_of_three_levels_of_the_vectors(shared_data: Path) -> None:
    for case in vectors(shared_data)["chi2_3_levels"]:
        found = table_test(case["table"])
        assert found.chi_square == pytest.approx(case["chi2"], rel=1e-4)
        assert (found.df, found.method) == (case["df"], "chi-square")
        assert found.p == pytest.approx(case["p"], rel=1e-4)
        if "cramers_v" in case:
            assert found.v == pytest.approx(case["cramers_v"], rel=1e-4)


def test_the_omnibus_table_of_the_vectors(shared_data: Path) -> None:
    case = vectors(shared_data)["chi2_omnibus_good"]
    found = table_test(case["table"])
    assert (found.chi_square, found.p, found.v) == pytest.approx((case["chi2"], case["p"], case["cramers_v"]), rel=1e-4)
    assert (found.df, found.chi_square_yates, found.v_words) == (4, None, "")


def test_the_edge_cases_of_the_vectors(shared_data: Path) -> None:
    sad, empty_level, small = vectors(shared_data)["edge_cases"]
    equal = table_test(sad["table"])
    assert (equal.chi_square_yates, equal.p) == (sad["yates"], sad["p"])
    dropped = table_test(empty_level["table"])
    assert (dropped.df, dropped.method) == (1, "chi-square with Yates correction")
    assert dropped.p == pytest.approx(chi2_contingency([[10, 20], [12, 18]]).pvalue)
    exact = table_test(small["table"])
    assert exact.method == "Fisher's exact test"
    assert exact.p == pytest.approx(scipy_fisher(small["table"]).pvalue)
    assert exact.p_yates is not None


def test_every_published_cell_has_its_figures(shared_data: Path) -> None:
    rows = [*rows_of(shared_data, "results_by_responder.csv"), *rows_of(shared_data, "results_by_emotion.csv")]
    human = {row.get("scope") or row["emotion"]: row for row in rows if row["responder"] == "human"}
    compared = [row for row in rows if row["chi2_yates"]]
    assert len(compared) > 80
    for row in compared:
        own = human[row.get("scope") or row["emotion"]]
        table = [[int(each["n"]) - int(each["good"]), int(each["good"])] for each in (own, row)]
        found = table_test(table)
        assert found.chi_square_yates == pytest.approx(float(row["chi2_yates"]), abs=6e-5)
        assert found.p_yates == pytest.approx(float(row["p_yates"]), rel=1e-4)
        if row["published_chi2"]:
            assert round(found.chi_square_yates or 0, 2) == pytest.approx(float(row["published_chi2"]), abs=1e-9)
    assert {row["responder"] for row in compared} >= {"gpt-4", "gemini-1.0-pro", PREDECESSOR}


def test_published_intervals_and_effect_sizes(shared_data: Path) -> None:
    human = {
        row["scope"]: row for row in rows_of(shared_data, "results_by_responder.csv") if row["responder"] == "human"
    }
    for row in rows_of(shared_data, "results_by_responder.csv"):
        good, n, own = int(row["good"]), int(row["n"]), human[row["scope"]]
        interval = wilson_interval(good, n)
        assert (100 * interval.low, 100 * interval.high) == pytest.approx(
            (float(row["good_wilson_low"]), float(row["good_wilson_high"])), abs=0.0051
        )
        if row["cohen_h"]:
            h = cohens_h(good / n, int(own["good"]) / int(own["n"]))
            assert h == pytest.approx(float(row["cohen_h"]), abs=6e-5)
            v = table_test([[n - good, good], [int(own["not_good"]), int(own["good"])]]).v
            assert v == pytest.approx(float(row["phi"]), abs=6e-5)


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), min_size=2, max_size=5))
def test_chi_square_is_that_of_scipy(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows)
    if (table.sum(axis=1) == 0).any() or (table.sum(axis=0) > 0).sum() < 2:
        return
    kept = table[:, table.sum(axis=0) > 0]
    plain = chi2_contingency(kept, correction=False)
    found = table_test(table)
    assert found.chi_square == pytest.approx(plain.statistic, abs=1e-9)
    assert found.p_plain == pytest.approx(plain.pvalue, rel=1e-7)
    assert found.df == plain.dof
    if kept.shape == (2, 2):
        assert found.p_yates == pytest.approx(chi2_contingency(kept).pvalue, rel=1e-7)


@given(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS))
def test_the_exact_test_is_that_of_scipy(cells: tuple[int, int, int, int]) -> None:
    a, b, c, d = cells
    if min(a + b, c + d) > 0:
        assert fisher_exact([[a, b], [c, d]]) == pytest.approx(
            scipy_fisher(np.array([[a, b], [c, d]])).pvalue, rel=1e-6
        )


def test_a_larger_table_with_a_small_expected_count_has_no_p() -> None:
    found = table_test([[3, 14, 30], [5, 12, 30]])
    assert (found.method, found.p) == ("none", None)
    assert found.reason == "an expected count is below 5"
    assert found.p_plain is not None


def test_an_expected_count_of_exactly_five_is_not_small() -> None:
    assert table_test([[5, 25], [5, 25]]).method == "chi-square with Yates correction"
    assert table_test([[4, 25], [5, 25]]).method == "Fisher's exact test"


@pytest.mark.parametrize("table", [[[0, 40], [0, 35]], [[0, 0, 40], [0, 0, 35]]])
def test_answers_of_one_level_alone_are_not_tested(table: list[list[int]]) -> None:
    found = table_test(table)
    assert (found.method, found.p, found.df, found.v) == ("none", None, 0, None)
    assert found.reason == "all answers are of one level"


@pytest.mark.parametrize("table", [[[1, 2]], [[0, 0], [1, 2]], [[1, -1], [1, 2]], [[1, np.nan], [1, 2]], [1, 2]])
def test_what_is_no_table_is_refused(table: list[list[float]]) -> None:
    with pytest.raises(ValueError):
        table_test(table)


@pytest.mark.parametrize(
    ("good", "n", "low", "high"), [(0, 10, 0, 0.277535), (10, 10, 0.722465, 1), (5, 10, 0.236593, 0.763407)]
)
def test_wilson_intervals(good: int, n: int, low: float, high: float) -> None:
    found = wilson_interval(good, n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-5)


@pytest.mark.parametrize(("good", "n"), [(0, 0), (2, 1), (-1, 3)])
def test_no_share_has_no_interval(good: int, n: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        wilson_interval(good, n)


def test_cohens_h_goes_from_minus_pi_to_pi() -> None:
    assert cohens_h(1, 0) == pytest.approx(pi)
    assert cohens_h(0.3, 0.7) == pytest.approx(-cohens_h(0.7, 0.3))
    assert cohens_h(0.5, 0.5) == 0


@pytest.mark.parametrize(
    ("v", "words"), [(0, "very small"), (0.099, "very small"), (0.1, "small"), (0.3, "medium"), (0.5, "large")]
)
def test_words_of_v(v: float, words: str) -> None:
    assert words_of_v(v) == words


@pytest.mark.parametrize(("h", "words"), [(-0.19, "very small"), (0.2, "small"), (-0.5, "medium"), (0.8, "large")])
def test_words_of_h(h: float, words: str) -> None:
    assert words_of_h(h) == words
