"""Ratings in groups of raters: bootstrap, tests by rater, ICC and design effect."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import permutation_test, ttest_ind

from evaluation.statistics.raters import (
    Raters,
    bootstrap_interval,
    bootstrap_shares,
    design_effect,
    permutation_p,
    rater_icc,
    raters_of,
    welch,
)
from tests.statistics.study_data import group_of, vectors

UNEQUAL = raters_of([1, 4, 0, 2, 5], [3, 6, 2, 4, 5])


def test_the_icc_and_design_effect_of_the_vectors(shared_data: Path) -> None:
    wanted = vectors(shared_data)["rater_level"]
    for responder, icc in wanted["icc_good"].items():
        assert rater_icc(group_of(shared_data, responder)) == pytest.approx(icc, abs=5e-5)
    for responder, effect in wanted["design_effect"].items():
        assert design_effect(group_of(shared_data, responder)) == pytest.approx(effect, abs=5e-4)


def test_welch_of_the_vectors(shared_data: Path) -> None:
    wanted = vectors(shared_data)["rater_level"]["human_vs_gpt-4"]
    human, model = group_of(shared_data, "human"), group_of(shared_data, "gpt-4")
    assert [group.means.mean() for group in (human, model)] == pytest.approx(wanted["mean_good_per_rater"])
    found = welch(model, human)
    assert found is not None
    assert (found.t, found.df, found.p) == pytest.approx((wanted["welch_t"], wanted["df"], wanted["p"]), rel=1e-4)


def test_the_bootstrap_of_the_published_study(shared_data: Path) -> None:
    """Section 7.6 of the specification: the difference is 11.7 to 19.2 points, the gain about 23 to 40 per cent."""
    human, model = (
        bootstrap_shares(group_of(shared_data, responder), seed=seed)
        for seed, responder in enumerate(("human", "gpt-4"))
    )
    assert np.percentile(100 * (model - human), [2.5, 97.5]) == pytest.approx([11.7, 19.2], abs=0.15)
    assert np.percentile(100 * (model / human - 1), [2.5, 97.5]) == pytest.approx([23, 40], abs=1)


def test_the_published_groups_differ_when_raters_are_permuted(shared_data: Path) -> None:
    human, model = group_of(shared_data, "human"), group_of(shared_data, "gpt-4")
    assert permutation_p(model, human, seed=1) == 1 / 10_001


def test_the_bootstrap_draws_whole_raters_as_a_plain_one_does() -> None:
    plain = np.random.default_rng(5).integers(0, 5, (40_000, 5))
    wanted = UNEQUAL.good[plain].sum(axis=1) / UNEQUAL.n[plain].sum(axis=1)
    found = bootstrap_shares(UNEQUAL, draws=40_000, seed=6)
    assert (found.mean(), found.std()) == pytest.approx((wanted.mean(), wanted.std()), abs=0.004)
    assert np.percentile(found, [2.5, 97.5]) == pytest.approx(np.percentile(wanted, [2.5, 97.5]), abs=0.02)


def test_one_seed_gives_one_interval() -> None:
    first, again, other = (bootstrap_interval(UNEQUAL, draws=500, seed=seed) for seed in (3, 3, 4))
    assert first == again != other


def test_many_kinds_of_raters_are_drawn_in_parts() -> None:
    n = np.arange(1, 3001)
    shares = bootstrap_shares(raters_of(n // 2, n), draws=1500, seed=1)
    assert shares.shape == (1500,)
    assert shares.mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("group", [raters_of([3], [10]), raters_of([5, 5], [10, 10]), raters_of([2, 4], [4, 8])])
def test_raters_that_are_all_alike_have_no_bootstrap_interval(group: Raters) -> None:
    assert bootstrap_interval(group, seed=1) is None


def test_welch_is_that_of_scipy() -> None:
    first, second = raters_of([1, 4, 6, 8], [10] * 4), UNEQUAL
    wanted = ttest_ind(first.means, second.means, equal_var=False)
    found = welch(first, second)
    assert found is not None
    assert (found.t, found.df, found.p) == pytest.approx((wanted.statistic, wanted.df, wanted.pvalue))


def test_welch_needs_two_raters_and_some_spread() -> None:
    alone, alike = raters_of([1], [2]), raters_of([1, 2], [2, 4])
    assert welch(alone, UNEQUAL) is None
    assert welch(alike, alike) is None
    assert welch(alike, UNEQUAL) is not None


def test_the_permutation_is_that_of_scipy() -> None:
    first, second = raters_of([1, 4, 6, 8, 7, 6], [10] * 6), raters_of([2, 1, 3, 5, 4, 3, 2], [10] * 7)
    wanted = permutation_test(
        (first.means, second.means), lambda a, b: a.mean() - b.mean(), n_resamples=5000, vectorized=False
    )
    assert permutation_p(first, second, draws=20_000, seed=2) == pytest.approx(wanted.pvalue, abs=0.006)


def test_equal_groups_have_a_permutation_p_of_one() -> None:
    assert permutation_p(UNEQUAL, UNEQUAL, draws=200, seed=1) == 1
    assert permutation_p(raters_of([1], [2]), UNEQUAL, seed=1) is None


def test_the_icc_is_worked_by_hand() -> None:
    # Raters with 1, 2 and 0 of 2: between 1, within 1/3; (1 - 1/3) / (1 + 1/3).
    assert rater_icc(raters_of([1, 2, 0], [2, 2, 2])) == pytest.approx(0.5)


def test_the_icc_of_unequal_raters_is_worked_by_hand() -> None:
    # 4 Good of 6 by raters with 1 of 1, 0 of 2 and 3 of 3: between (1/9 + 8/9 + 3/9) / 2, within 0.
    assert rater_icc(raters_of([1, 0, 3], [1, 2, 3])) == pytest.approx(1)
    # Raters with 1 of 2 and 1 of 4: between 1/12, within (1/2 + 3/4) / 4, mean size 6 - 20/6.
    between, within, size = 1 / 12, 1.25 / 4, 6 - 20 / 6
    wanted = (between - within) / (between + (size - 1) * within)
    group = raters_of([1, 1], [2, 4])
    assert rater_icc(group) == pytest.approx(wanted)
    assert design_effect(group) == pytest.approx(1 + 2 * wanted)


@pytest.mark.parametrize("group", [raters_of([3], [10]), raters_of([1, 0], [1, 1]), raters_of([2, 2], [2, 2])])
def test_no_icc_without_raters_that_can_be_compared(group: Raters) -> None:
    assert rater_icc(group) is None
    assert design_effect(group) is None


@pytest.mark.parametrize(("good", "n"), [([2], [1]), ([-1], [1]), ([0], [0]), ([], []), ([1, 1], [1])])
def test_what_is_no_group_is_refused(good: list[int], n: list[int]) -> None:
    with pytest.raises(ValueError):
        raters_of(good, n)
