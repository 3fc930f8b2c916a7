"""Items: difficulty, discrimination, reliability of the whole, differential items, short forms, running estimates."""

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.corrections import holm
from evaluation.statistics.differential import differential_items
from evaluation.statistics.intervals import Interval
from evaluation.statistics.items import item_figures, mean_inter_item_correlation
from evaluation.statistics.reliability import (
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
    first, *others = differential_items(scores, member)
    assert (first.column, first.n_members, first.n_others) == (9, 15, 45)
    assert first.effect == pytest.approx(-60, abs=15)
    assert first.flagged
    assert not any(item.flagged for item in others)
    assert len(others) == 39


def test_a_family_that_is_merely_weaker_has_no_differential_item() -> None:
    scores, member = _field(60, 40), np.arange(60) < 20
    scores[member] -= 25
    assert not any(item.flagged for item in differential_items(scores, member))


def test_the_effect_is_the_coefficient_of_least_squares() -> None:
    scores, member = _field(20, 6), np.arange(20) % 3 == 0
    found = {item.column: item for item in differential_items(scores, member)}[2]
    rest = np.delete(scores, 2, axis=1).mean(axis=1)
    design = np.stack([np.ones(20), rest, member.astype(float)], axis=1)
    coefficients, residual, *_ = np.linalg.lstsq(design, scores[:, 2])
    variance = residual[0] / 17 * np.linalg.inv(design.T @ design)[2, 2]
    assert found.effect == pytest.approx(coefficients[2])
    assert found.t == pytest.approx(coefficients[2] / variance**0.5)


def test_items_that_cannot_be_tested_are_skipped() -> None:
    scores = _field(8, 4)
    scores[:, 1] = 5.0
    scores[1:4, 2] = NAN
    found = differential_items(scores, [True] * 3 + [False] * 5)
    assert sorted(item.column for item in found) == [0, 3]
    assert differential_items(scores, [False] * 8) == ()
    assert differential_items(np.empty((0, 3)), []) == ()
    with pytest.raises(ValueError, match="truth values"):
        differential_items(scores, [True])


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
