"""Two models against each other, and all against all."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from evaluation.statistics.differences import (
    least_significant_difference,
    paired_difference,
    smallest_resolvable_gap,
    unpaired_difference,
)
from evaluation.statistics.pairs import gaps_by_band, median_gap_needed, pair_table, unpaired_ties
from evaluation.statistics.scores import Estimate
from tests.statistics.official import OfficialRuns

NAN = np.nan


def test_the_paired_difference_is_worked_by_hand() -> None:
    # Differences 1, 2, 3, 0 over the shared items: mean 1.5, sd sqrt(5/3), error sd / 2, t 2.3238.
    found = paired_difference([3.0, 5.0, 7.0, 9.0, 4.0], [2.0, 3.0, 4.0, 9.0, NAN])
    assert found is not None
    assert found.interval is not None
    assert (found.mean, found.n, found.n_better, found.n_worse, found.n_equal) == (1.5, 4, 3, 0, 1)
    assert found.standard_error == pytest.approx((5 / 3) ** 0.5 / 2)
    assert found.t == pytest.approx(2.323790)
    assert found.p == pytest.approx(0.020137, abs=1e-6)
    assert found.effect_size == pytest.approx(1.161895)
    assert found.interval.low == pytest.approx(1.5 - 1.959964 * 0.645497, abs=1e-6)
    assert not found.tied


def test_the_sign_test_counts_items_and_not_points() -> None:
    # 104 items better and 67 worse, as on the comparison page: 2 x P(at most 67 of 171 heads) = 0.0058.
    found = paired_difference([3.0] * 104 + [0.0] * 67 + [1.0] * 5, [0.0] * 104 + [4.5] * 67 + [1.0] * 5)
    assert found is not None
    assert (found.n_better, found.n_worse, found.n_equal) == (104, 67, 5)
    heads = sum(comb(171, at) for at in range(68)) / 2**171
    assert found.sign_p == pytest.approx(2 * heads)
    assert round(found.sign_p, 3) == 0.006
    assert (found.median, found.gain, found.loss) == (3.0, 3.0, 4.5)
    assert found.tied


def test_the_sign_test_of_equal_counts_and_of_equal_scores_is_one() -> None:
    even, same = paired_difference([1.0, 3.0], [2.0, 2.0]), paired_difference([1.0, 2.0], [1.0, 2.0])
    assert even is not None
    assert same is not None
    assert (even.sign_p, even.median, same.sign_p, same.median) == (1.0, 0.0, 1.0, 0.0)
    assert (even.gain, even.loss, same.gain, same.loss) == (1.0, 1.0, 0.0, 0.0)


def test_49_official_pairs_are_tied_though_one_is_better_on_clearly_more_items(runs: OfficialRuns) -> None:
    pairs = [paired_difference(*pair, distribution="t") for pair in combinations(runs.points, 2)]
    lopsided = [pair for pair in pairs if pair and pair.tied and pair.sign_p < 0.05]
    assert len(lopsided) == 49
    widest = min(lopsided, key=lambda pair: pair.sign_p)
    assert (widest.n_better, widest.n_worse) == (56, 107)


def test_with_few_items_students_t_finds_the_same_pair_tied() -> None:
    found = paired_difference([3.0, 5.0, 7.0, 9.0], [2.0, 3.0, 4.0, 9.0], distribution="t")
    assert found is not None
    assert found.p == pytest.approx(0.102728, abs=1e-6)
    assert found.tied


def test_swapping_two_models_turns_every_sign() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 40))
    one, two = paired_difference(a, b), paired_difference(b, a)
    assert one is not None
    assert two is not None
    assert (one.mean, one.t, one.effect_size) == pytest.approx((-two.mean, -(two.t or 0), -(two.effect_size or 0)))
    assert (one.p, one.n_better, one.tied) == (two.p, two.n_worse, two.tied)


def test_repeats_are_averaged_before_the_comparison() -> None:
    found = paired_difference([[1.0, 3.0], [4.0, NAN]], [1.0, 3.0])
    assert found is not None
    assert (found.mean, found.n, found.standard_error) == (1.0, 2, 0.0)


def test_equal_scores_are_tied_without_a_t() -> None:
    found = paired_difference([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert found is not None
    assert (found.mean, found.standard_error, found.t, found.p, found.effect_size) == (0, 0, None, 1, None)
    assert found.tied


def test_a_constant_lead_is_no_tie_though_rounding_makes_it_uneven() -> None:
    found = paired_difference([0.1 + 0.7, 0.2 + 0.7, 0.3 + 0.7], [0.1, 0.2, 0.3])
    assert found is not None
    assert (found.standard_error, found.t, found.p) == (0, None, 0)
    assert not found.tied


def test_a_single_shared_item_proves_nothing() -> None:
    found = paired_difference([5.0, NAN], [1.0, 2.0])
    assert found is not None
    assert (found.mean, found.n, found.standard_error, found.p, found.interval) == (4, 1, None, None, None)
    assert found.tied


def test_no_shared_item_is_no_comparison_and_other_items_are_refused() -> None:
    assert paired_difference([1.0, NAN], [NAN, 2.0]) is None
    assert paired_difference([], []) is None
    with pytest.raises(ValueError, match="one length"):
        paired_difference([1.0, 2.0], [1.0])


@pytest.mark.parametrize(("gap", "tied"), [(2.7, True), (2.8, False), (-2.8, False)])
def test_unpaired_scores_are_tied_within_their_joint_error(gap: float, tied: bool) -> None:
    found = unpaired_difference(Estimate(50 + gap, 1.0, 171, 1), Estimate(50, 1.0, 171, 1))
    assert found is not None
    assert found.tied is tied
    assert found.z == pytest.approx(gap / 2**0.5)
    assert found.interval.holds(0.0) is tied
    assert (found.p < 0.05) is not tied


def test_unpaired_exact_scores_are_tied_only_when_equal() -> None:
    exact, same, other = Estimate(50, 0.0, 3, 1), Estimate(50, 0.0, 9, 1), Estimate(51, 0.0, 3, 1)
    equal, unequal = unpaired_difference(exact, same), unpaired_difference(other, exact)
    assert equal is not None
    assert unequal is not None
    assert (equal.tied, equal.p, equal.z) == (True, 1, None)
    assert (unequal.tied, unequal.p, unequal.z) == (False, 0, None)
    assert unpaired_difference(exact, Estimate(50, None, 1, 1)) is None


def test_gaps_that_can_be_seen() -> None:
    assert least_significant_difference(1.4938) == pytest.approx(2.9278, abs=1e-4)
    assert smallest_resolvable_gap(1.0, power=0.5) == pytest.approx(1.959964)
    assert smallest_resolvable_gap(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    with pytest.raises(ValueError, match="power"):
        smallest_resolvable_gap(1.0, power=1.0)


def test_the_table_treats_missing_constant_and_lonely_models_as_the_single_test_does() -> None:
    rows = np.array(
        [
            [1.0, 2.0, 3.0, 4.0, NAN],
            [1.5, 2.5, 3.5, 4.5, NAN],
            [1.0, 2.0, 3.0, 4.0, NAN],
            [NAN, NAN, NAN, 9.0, 1.0],
            [NAN, NAN, NAN, NAN, 2.0],
        ]
    )
    table = pair_table(rows)
    for i in range(5):
        for j in range(5):
            single = paired_difference(rows[i], rows[j])
            assert table.tied[i, j] == (single is None or single.tied), (i, j)
            assert table.shared[i, j] == (single.n if single else 0)
    assert table.ahead[1, 0]
    assert table.standard_error[1, 0] == 0
    assert np.isnan(table.mean[0, 4])
    assert np.isnan(table.standard_error[0, 3])


def test_a_lead_of_the_size_of_rounding_is_a_tie() -> None:
    rows = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    rows[1] += 1e-12
    assert pair_table(rows).tied.all()
    assert pair_table(rows).standard_error[0, 1] == 0


def test_tables_of_no_model_and_of_one() -> None:
    assert pair_table(np.empty((0, 171))).tied.shape == (0, 0)
    assert pair_table([[1.0, 2.0]]).tied.tolist() == [[True]]
    assert median_gap_needed([[1.0, 2.0]]) is None
    with pytest.raises(ValueError, match="rows and columns"):
        pair_table([1.0, 2.0])


def test_unpaired_ties_need_two_scored_items() -> None:
    rows = [[1.0, 2.0, 3.0], [101.0, 102.0, 103.0], [500.0, NAN, NAN]]
    assert unpaired_ties([[5.0, 5.0], [5.0, 5.0], [6.0, 6.0]])[0].tolist() == [True, True, False]
    assert unpaired_ties(rows).tolist() == [[True, False, True], [False, True, True], [True, True, True]]


@pytest.mark.parametrize(("n", "bound"), [(10, 2.262157), (29, 2.048407), (30, 1.959964)])
def test_below_thirty_items_a_difference_is_bounded_by_student_s_t_as_in_the_ranking(n: int, bound: float) -> None:
    rows = np.random.default_rng(n).normal(60, 20, (2, n))
    error = np.std(rows[0] - rows[1], ddof=1) / np.sqrt(n)
    assert pair_table(rows).least_significant_differences == pytest.approx([bound * error], rel=1e-6)


def test_gaps_by_band_are_medians_over_the_pairs_of_which_both_scores_lie_in_it() -> None:
    """Pair by pair, five models a band; a score at an edge is of the lower band."""
    chance = np.random.default_rng(4)
    rows = np.concatenate(
        [level + chance.normal(0, spread, (5, 40)) for level, spread in ((90, 5), (65, 20), (50, 30))]
    )
    totals = [90.0, 91.0, 92.0, 93.0, 80.1, 70.0, 65.0, 64.0, 63.0, 62.0, 60.0, 55.0, 50.0, 45.0, 41.0]
    found = gaps_by_band(pair_table(rows), totals)
    assert [(band.low, band.high, band.n) for band in found] == [(80, None, 10), (60, 70, 10), (40, 60, 10)]
    for band, start in zip(found, (0, 5, 10), strict=True):
        errors = [np.std(rows[a] - rows[b], ddof=1) / np.sqrt(40) for a, b in combinations(range(start, start + 5), 2)]
        assert band.gap == pytest.approx(1.959964 * np.median(errors))
    assert gaps_by_band(pair_table(rows[:4]), totals[:4]) == (), "six pairs say nothing of a band"
