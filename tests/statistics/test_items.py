"""Items: difficulty, discrimination, reliability of the whole, differential items, short forms, running estimates."""

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.corrections import holm
from evaluation.statistics.differential import can_be_tested, differential_items, exact_p
from evaluation.statistics.intervals import Interval
from evaluation.statistics.items import item_figures, mean_inter_item_correlation
from evaluation.statistics.reliability import (
    alpha_by_part,
    cronbach_alpha,
    reliability,
    spearman_brown,
    split_halves,
    variance_components,
)
from evaluation.statistics.running import running_estimate
from evaluation.statistics.short_form import short_form

NAN = np.nan


def _field(runs: int, items: int, seed: int = 1) -> Floats:
    """Ability, difficulty and error of the size that the official runs show, in points."""
    generator = np.random.default_rng(seed)
    ability, difficulty = generator.normal(66, 12, (runs, 1)), generator.normal(0, 16, items)
    return np.asarray(ability + difficulty + generator.normal(0, 22, (runs, items)))


def test_items_are_described_over_the_runs_that_have_them() -> None:
    scores = [[1.0, 5.0, 2.0], [2.0, 4.0, NAN], [3.0, 3.0, 4.0], [4.0, 1.0, 8.0], [6.0, 2.0, 9.0]]
    first, second, third = item_figures(scores)
    assert (first.column, first.n, first.difficulty) == (0, 5, 3.2)
    assert third.n == 4
    assert third.difficulty == 5.75
    assert second.sd == pytest.approx(2.5**0.5)
    # Complete runs are 1, 3, 4, 5: item two against the sums of the others, 3, 7, 12, 15.
    assert second.item_total == pytest.approx(np.corrcoef([5, 3, 1, 2], [3, 7, 12, 15])[0, 1])
    assert [item.negative for item in (first, second, third)] == [False, True, False]


def test_items_without_runs_without_spread_and_without_complete_runs() -> None:
    (empty, constant, lone) = item_figures([[NAN, 3.0, 1.0], [NAN, 3.0, NAN], [NAN, 3.0, NAN]])
    assert (empty.n, empty.difficulty, empty.sd, empty.item_total) == (0, None, None, None)
    assert (constant.difficulty, constant.sd, constant.item_total) == (3, 0, None)
    assert (lone.n, lone.difficulty, lone.sd) == (1, 1, None)
    assert not constant.negative
    same, *_ = item_figures([[1.0, 2.0, 3.0], [1.0, 5.0, 4.0], [1.0, 3.0, 8.0]])
    assert same.item_total is None
    assert item_figures(np.empty((0, 2)))[1].n == 0
    assert item_figures(np.empty((5, 0))) == ()


def test_items_that_all_rank_alike_have_an_alpha_of_one() -> None:
    ability = np.arange(6.0)[:, None]
    found = reliability(ability + np.arange(5.0), halves=20)
    assert found is not None
    assert found.halves is not None
    assert (found.alpha, found.odd_even, found.mean_inter_item) == pytest.approx((1, 1, 1))
    assert (found.halves.mean_r, found.halves.spearman_brown) == pytest.approx((1, 1))
    assert found.standard_error_of_measurement == pytest.approx(0, abs=1e-6)
    assert found.components.rest == pytest.approx(0, abs=1e-9)
    assert found.components.runs == pytest.approx(3.5)
    assert found.components.items == pytest.approx(2.5)
    assert found.components.dependability == pytest.approx(3.5 / (3.5 + 2.5 / 5))


def test_alpha_worked_by_hand() -> None:
    # Item variances 1 and 3, totals 2, 3, 7 with variance 7, and k / (k - 1) = 2.
    scores = [[1.0, 1.0], [2.0, 1.0], [3.0, 4.0]]
    assert cronbach_alpha(scores) == pytest.approx(2 * (1 - (1 + 3) / 7))


def test_alpha_is_lower_among_runs_of_nearly_the_same_score() -> None:
    chance = np.random.default_rng(2)
    scores = np.linspace(30, 90, 60)[:, None] + chance.normal(0, 10, 20) + chance.normal(0, 22, (60, 20))
    found = alpha_by_part(np.vstack([scores, np.full(20, NAN)]))
    means = scores.mean(axis=1)
    whole, half, quarter = found[:3]
    assert [(part.share, part.n_runs) for part in (whole, half, quarter)] == [(1.0, 60), (0.5, 30), (0.25, 15)]
    assert whole.alpha == pytest.approx(cronbach_alpha(scores))
    assert half.alpha == pytest.approx(cronbach_alpha(scores[means > np.median(means)]))
    assert whole.alpha > half.alpha > quarter.alpha
    band = next(part for part in found if (part.low, part.high) == (60, 70))
    inside = scores[(means >= 60) & (means < 70)]
    assert (band.n_runs, band.share) == (len(inside), None)
    assert band.sd == pytest.approx(inside.mean(axis=1).std(ddof=1))
    assert band.interval.holds(band.alpha)


def test_parts_of_few_runs_have_no_alpha() -> None:
    assert alpha_by_part(_field(4, 9)) == ()
    assert alpha_by_part(np.empty((0, 9))) == ()
    assert [part.share for part in alpha_by_part(_field(6, 9)) if part.share] == [1.0]
    assert alpha_by_part(np.full((8, 9), 60.0)) == ()


def test_items_that_work_against_each_other_have_an_alpha_below_zero() -> None:
    assert (cronbach_alpha([[1.0, 9.0], [2.0, 8.5], [3.0, 6.0]]) or 0) < 0


def test_unrelated_items_have_components_of_zero_and_no_dependability() -> None:
    scores = np.array([[1.0, -1.0], [-1.0, 1.0]])
    found = variance_components(scores)
    assert (found.runs, found.items, found.dependability) == (0, 0, 0)
    assert variance_components([[2.0, 2.0], [2.0, 2.0]]).dependability is None


def test_reliability_of_incomplete_of_few_and_of_constant_runs() -> None:
    scores = _field(6, 8)
    with_gap = np.vstack([scores, np.full(8, NAN)])
    assert reliability(with_gap, halves=10) == reliability(scores, halves=10)
    assert reliability(scores[:2]) is None
    assert reliability(scores[:, :1]) is None
    assert reliability(np.empty((0, 8))) is None
    constant = reliability(np.full((4, 6), 0.1), halves=10)
    assert constant is not None
    assert (constant.alpha, constant.odd_even, constant.halves, constant.mean_inter_item) == (None, None, None, None)
    assert cronbach_alpha(np.empty((0, 3))) is None
    assert split_halves(scores[:2]) is None
    assert mean_inter_item_correlation(np.empty((0, 3))) is None
    with pytest.raises(ValueError, match="two complete runs"):
        variance_components([[1.0, 2.0]])


def test_spearman_brown_doubles_the_length() -> None:
    assert spearman_brown(0.5) == pytest.approx(2 / 3)
    assert spearman_brown(1.0) == 1
    assert spearman_brown(-1.0) == -float("inf")


def test_random_halves_repeat_with_their_seed_and_centre_on_the_reliability() -> None:
    scores = _field(40, 60)
    one, two, other = (split_halves(scores, seed=seed, halves=300) for seed in (1, 1, 2))
    assert one == two != other
    assert one is not None
    assert one.spearman_brown == pytest.approx(cronbach_alpha(scores), abs=0.02)
    assert one.interval.low < one.mean_r < one.interval.high
    assert one.sd_r == pytest.approx(0.25 * (one.interval.high - one.interval.low), rel=0.2)


def test_holms_correction_worked_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.9, 0.8]) == (1.0, 1.0)
    assert holm([]) == ()


def test_a_planted_differential_item_is_found_with_its_size() -> None:
    scores, member = _field(60, 40, seed=2), np.arange(60) < 15
    scores[member, 9] -= 60
    first, *others = differential_items(scores, {"ours": member})
    assert (first.family, first.column) == ("ours", 9)
    assert first.n_members + first.n_others <= 60
    assert first.effect == pytest.approx(-60, abs=15)
    assert first.flagged
    assert not any(item.flagged for item in others)
    assert len(others) == 39


def test_a_family_that_is_merely_weaker_has_no_differential_item() -> None:
    scores, member = _field(60, 40), np.arange(60) % 3 == 0
    scores[member] -= 10
    found = differential_items(scores, {"weak": member})
    assert len(found) == 40
    assert not any(item.flagged for item in found)


def test_p_is_the_share_of_all_choices_of_members_within_the_strata() -> None:
    chance = np.random.default_rng(4)
    values = [chance.gamma(1.0, 1.0, 7), chance.normal(size=8)]
    own = [np.arange(7) == int(np.argmax(values[0])), np.isin(np.arange(8), np.argsort(values[1])[[-1, -2, -4]])]
    sums = np.array(
        [
            values[0][list(first)].sum() + values[1][list(second)].sum()
            for first in combinations(range(7), 1)
            for second in combinations(range(8), 3)
        ]
    )
    seen = values[0][own[0]].sum() + values[1][own[1]].sum()
    share = float((np.abs(sums - sums.mean()) >= abs(seen - sums.mean()) - 1e-9).mean())
    assert exact_p(list(zip(values, own, strict=True)), float(sums.std())) == pytest.approx(share)
    assert share < 0.05


def test_p_of_a_large_family_is_that_of_the_normal_distribution_as_far_as_it_holds() -> None:
    chance = np.random.default_rng(5)
    strata = [(chance.normal(size=10), np.arange(10) < 5) for _ in range(40)]
    shift = 25.0
    moved = [(values + (shift / 400) * np.where(own, 1, -1), own) for values, own in strata]
    spread = sum(5 * 5 * values.var(ddof=1) / 10 for values, _ in moved) ** 0.5
    seen = sum(values[own].sum() - 5 * values.mean() for values, own in moved) / spread
    assert exact_p(moved, spread) == pytest.approx(2 * NormalDist().cdf(-seen), rel=0.1)


def test_a_family_of_500_is_tested_by_the_normal_distribution() -> None:
    chance = np.random.default_rng(6)
    scores, member = chance.normal(60, 20, (1000, 4)), np.arange(1000) % 2 == 0
    scores[member, 1] += 6
    (first, *_) = differential_items(scores, {"large": member})
    left = scores[:, 1] - 60
    z = (left[member].mean() - left[~member].mean()) / (left.std() * (2 / 500) ** 0.5)
    assert first.column == 1
    assert np.log10(first.p) == pytest.approx(np.log10(2 * NormalDist().cdf(-abs(z))), rel=0.3)


def test_the_correction_is_over_the_items_of_all_families_together() -> None:
    scores = _field(60, 30, seed=3)
    families = {"even": np.arange(60) % 2 == 0, "third": np.arange(60) % 3 == 0}
    found = differential_items(scores, families)
    assert len(found) == 60
    assert [item.p_corrected for item in found] == pytest.approx(holm([item.p for item in found]))
    alone = differential_items(scores, {"third": families["third"]})
    by_column = {item.column: item.p for item in found if item.family == "third"}
    assert {item.column: item.p for item in alone} == by_column


def test_items_and_families_that_cannot_be_tested_are_skipped() -> None:
    scores = _field(30, 6)
    scores[:, 1] = 5.0
    third = np.arange(30) % 3 == 0
    scores[third, 2] = NAN
    found = differential_items(scores, {"third": third})
    assert sorted(item.column for item in found) == [0, 3, 4, 5]
    lone = np.arange(30) == 4
    assert can_be_tested(scores, third)
    assert not can_be_tested(scores, lone)
    assert differential_items(scores, {"lone": lone, "none": [False] * 30}) == ()
    assert differential_items(np.empty((0, 3)), {"a": []}) == ()
    with pytest.raises(ValueError, match="truth values"):
        differential_items(scores, {"a": [True]})


def test_a_short_form_keeps_its_promise_on_new_runs() -> None:
    scores = _field(160, 60)
    form = short_form(scores[:80], 4.0, seed=1)
    assert form is not None
    assert 1 < len(form.columns) < 60
    assert form.error <= 4
    assert all(error > 4 for error in form.errors[: len(form.columns) - 1])
    misses = [form.predict(row) - row.mean() for row in scores[80:]]
    assert np.sqrt(np.square(misses).mean()) < 5


def test_no_error_at_all_asks_for_every_item() -> None:
    scores = _field(20, 12)
    form = short_form(scores, 0.0, seed=1)
    assert form is not None
    assert sorted(form.columns) == list(range(12))
    assert (form.error, form.intercept, form.slope) == pytest.approx((0, 0, 1), abs=1e-9)
    assert form.predict(scores[3]) == pytest.approx(scores[3].mean())


def test_full_length_is_exact_even_where_the_other_runs_all_score_the_same() -> None:
    form = short_form([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [3.0, 2.0, 1.0], [9.0, 9.0, 9.0]], 0.0, seed=1)
    assert form is not None
    assert len(form.columns) == 3
    assert form.errors[-1] == 0


def test_the_length_of_a_short_form_is_known_as_far_as_splits_agree() -> None:
    scores = _field(40, 60, seed=3)
    lone = [short_form(scores, 4.0, seed=seed) for seed in range(1, 7)]
    found = short_form(scores, 4.0, seed=1, splits=6)
    assert found is not None
    lengths = [len(form.columns) for form in lone if form]
    assert (found.shortest, found.longest) == (min(lengths), max(lengths))
    assert found.shortest < found.longest
    pooled = np.sqrt(np.mean([np.square(form.errors) for form in lone if form], axis=0))
    assert found.errors == pytest.approx(pooled.tolist())
    assert len(found.columns) == 1 + int(np.argmax(pooled <= 4.0))


def test_items_that_copy_each_other_need_only_one() -> None:
    ability = np.random.default_rng(1).normal(60, 10, (12, 1))
    form = short_form(np.tile(ability, (1, 9)), 0.001, seed=1)
    assert form is not None
    assert len(form.columns) == 1


def test_there_is_no_short_form_without_runs_items_or_spread() -> None:
    assert short_form(_field(3, 9), 1.0, seed=1) is None
    assert short_form(np.empty((9, 0)), 1.0, seed=1) is None
    assert short_form(np.full((9, 4), 0.1), 1.0, seed=1) is None
    assert short_form(np.vstack([_field(4, 9), np.full(9, NAN)]), 1.0, seed=1) is not None


def test_a_run_that_met_only_hard_items_is_not_taken_for_a_weak_one() -> None:
    # Ten points ahead of the field on the two hard items, so expected at 90 and 100 on the easy ones.
    found = running_estimate([30.0, 50.0, NAN, NAN], [20.0, 40.0, 80.0, 90.0])
    assert found is not None
    assert found.score == pytest.approx(67.5)
    assert (found.n_scored, found.n_items) == (2, 4)


def test_the_interval_closes_as_the_run_ends() -> None:
    generator = np.random.default_rng(1)
    difficulty = generator.normal(60, 15, 40)
    scores = difficulty + generator.normal(5, 20, 40)
    widths = []
    for scored in (5, 20, 39, 40):
        found = running_estimate(np.where(np.arange(40) < scored, scores, NAN), difficulty)
        assert found is not None
        assert found.interval is not None
        widths.append(found.interval.half_width)
    assert widths[0] > widths[1] > widths[2] > widths[3] == 0
    end = running_estimate(scores, difficulty)
    assert end is not None
    assert end.score == pytest.approx(scores.mean())


def test_running_estimates_at_the_edges() -> None:
    assert running_estimate([NAN, NAN], [1.0, 2.0]) is None
    assert running_estimate([], []) is None
    lone = running_estimate([4.0, NAN], [1.0, 2.0])
    assert lone is not None
    assert (lone.score, lone.interval) == (4.5, None)
    unknown = running_estimate([4.0, 6.0, NAN], [NAN, NAN, NAN])
    assert unknown is not None
    assert unknown.score == 5
    # The unknown difficulty counts as 4, so the leads are 0 and 3 and the whole is 4 + 1.5.
    middling = running_estimate([4.0, 6.0, NAN], [NAN, 3.0, 5.0])
    assert middling is not None
    assert middling.score == 5.5
    only = running_estimate([7.0], [3.0])
    assert only is not None
    assert only.interval == Interval(7.0, 7.0)
    with pytest.raises(ValueError, match="one difficulty an item"):
        running_estimate([1.0], [1.0, 2.0])
