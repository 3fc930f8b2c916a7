"""A judge beside people: the table, kappas, own-side lean, and paired comparisons."""

import numpy as np
import pytest
from scipy.stats import binomtest

from evaluation.statistics.judges import agreement, bootstrap_mean, judged_pairs, mcnemar, own_side_lean

PROMPTS = [f"p{n}" for n in range(40)]


def rated(good: int) -> dict[str, int]:
    """Good for the first so many prompts, Bad for the others."""
    return {prompt: 3 if number < good else 1 for number, prompt in enumerate(PROMPTS)}


def test_the_table_has_people_as_rows_and_the_judge_as_columns() -> None:
    found = agreement([(1, 1), (1, 3), (2, 2), (3, 3), (3, 3), (3, 2)])
    assert found.table == ((1, 0, 1), (0, 1, 0), (0, 1, 2))
    assert (found.n, found.same) == (6, 4)


def test_kappas_of_a_worked_example() -> None:
    """70 of 100 agree, and by the margins 35 would by chance."""
    counts = ((20, 5, 0), (10, 30, 10), (0, 5, 20))
    pairs = [(row + 1, column + 1) for row in range(3) for column in range(3) for _ in range(counts[row][column])]
    found = agreement(pairs)
    assert found.kappa == pytest.approx((0.70 - 0.35) / (1 - 0.35), abs=1e-9)
    assert found.kappa < found.linear < found.quadratic  # type: ignore[operator]


def test_one_label_on_both_sides_has_no_kappa() -> None:
    assert agreement([(3, 3)] * 5).kappa is None
    assert agreement([]).kappa is None


def test_own_side_lean_is_the_judges_difference_less_that_of_people() -> None:
    lean = own_side_lean(judge=([rated(30)], [rated(20)]), people=([rated(26)], [rated(20)]))
    assert lean is not None
    assert lean.judge == pytest.approx(0.25)
    assert lean.people == pytest.approx(0.15)
    assert lean.n == 40
    assert lean.lean == pytest.approx(0.10)
    assert lean.interval is not None
    assert lean.interval.low < 0.10 < lean.interval.high


def test_the_share_of_a_side_is_the_mean_over_its_responders() -> None:
    lean = own_side_lean(judge=([rated(40), rated(0)], [rated(20)]), people=([rated(20)], [rated(20)]))
    assert lean is not None
    assert lean.judge == pytest.approx(0.0)


def test_lean_is_of_prompts_that_all_four_rated_and_has_no_interval_for_few() -> None:
    few = dict.fromkeys(PROMPTS[:29], 3)
    lean = own_side_lean(judge=([rated(40)], [rated(0)]), people=([few], [rated(0)]))
    assert lean is not None
    assert (lean.n, lean.lean, lean.interval) == (29, 0.0, None)
    assert own_side_lean(judge=([rated(40)], []), people=([few], [rated(0)])) is None


def test_a_bootstrap_interval_covers_the_mean_and_is_the_same_each_time() -> None:
    values = np.array([0.0, 1.0] * 50)
    first = bootstrap_mean(values)
    assert first == bootstrap_mean(values)
    assert first is not None
    assert 0.38 < first.low < 0.42
    assert 0.58 < first.high < 0.62


def test_pairs_are_compared_prompt_by_prompt_and_corrected_for_all_of_them() -> None:
    pairs = judged_pairs({"a": rated(38), "b": rated(20), "c": rated(19)})
    assert [(pair.first, pair.second) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    first = pairs[0]
    assert (first.n, first.only_first, first.only_second) == (40, 18, 0)
    assert first.difference == pytest.approx(0.45)
    assert first.p == pytest.approx(binomtest(18, 18, 0.5).pvalue)
    assert first.p_adjusted == pytest.approx(2 * binomtest(18, 18, 0.5).pvalue)
    assert pairs[2].p == pairs[2].p_adjusted == 1.0
    assert pairs[2].interval is not None


def test_few_common_prompts_have_no_test_and_none_no_pair() -> None:
    (pair,) = judged_pairs({"a": {"p1": 3}, "b": {"p1": 1}, "c": {"p2": 3}})
    assert (pair.n, pair.difference, pair.p, pair.p_adjusted, pair.interval) == (1, 1.0, None, None, None)


def test_mcnemar_is_exact() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(10, 2) == pytest.approx(0.0385742, abs=1e-6)
