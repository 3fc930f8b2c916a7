"""What may not change a figure: the order of rows and items, the unit of the scores, and who comes first."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.statistics.arrays import Floats
from evaluation.statistics.correlation import bonett_wright_interval, fisher_interval, kendall_tau_b, pearson, spearman
from evaluation.statistics.differences import paired_difference
from evaluation.statistics.emotions import bias_by_band, bias_by_word
from evaluation.statistics.icc import intraclass_correlation
from evaluation.statistics.items import item_figures
from evaluation.statistics.one_order import one_order
from evaluation.statistics.pairs import pair_table
from evaluation.statistics.ranks import resampled_ranks
from evaluation.statistics.regression import fit_line
from evaluation.statistics.reliability import reliability
from evaluation.statistics.repeatability import spread
from evaluation.statistics.scores import score_estimate

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=30, deadline=None, database=None, derandomize=True)


def _field(seed: int, missing: float = 0.1) -> tuple[np.random.Generator, Floats]:
    """Models x items; every model keeps its first two items, so that each has a score and an error."""
    generator = np.random.default_rng(seed)
    shape = tuple(generator.integers(4, 12, 2))
    scores = generator.normal(60, 10, (shape[0], 1)) + generator.normal(0, 20, shape)
    gaps = generator.random(shape) < missing
    gaps[:, :2] = False
    scores[gaps] = np.nan
    return generator, scores


@few
@given(seeds)
def test_the_order_of_the_items_changes_no_score_and_no_comparison(seed: int) -> None:
    generator, scores = _field(seed)
    shuffled = scores[:, generator.permutation(scores.shape[1])]
    one, two = score_estimate(scores[0]), score_estimate(shuffled[0])
    assert one is not None
    assert two is not None
    assert (two.mean, two.standard_error) == pytest.approx((one.mean, one.standard_error))
    assert (pair_table(scores).ahead == pair_table(shuffled).ahead).all()
    first, second = paired_difference(*scores[:2]), paired_difference(*shuffled[:2])
    assert first is not None
    assert second is not None
    assert (second.t, second.p, second.n_better) == pytest.approx((first.t, first.p, first.n_better))


@few
@given(seeds)
def test_the_order_of_the_models_moves_their_ranks_with_them(seed: int) -> None:
    generator, scores = _field(seed)
    order = generator.permutation(len(scores))
    found, shuffled = resampled_ranks(scores, draws=50), resampled_ranks(scores[order], draws=50)
    for field in ("rank", "low", "high"):
        assert (getattr(found, field)[order] == getattr(shuffled, field)).all()
    one, other = (
        one_order(np.nanmean(rows, axis=1), rows, np.full(len(rows), 2.0), draws=50) for rows in (scores, scores[order])
    )
    for name in ("tied_with", "group"):
        assert (getattr(one, name)[order] == getattr(other, name)).all()


@few
@given(seeds, st.sampled_from([0.1, 10.0, 1e-6, 1e6]))
def test_the_unit_changes_errors_in_proportion_and_nothing_else(seed: int, unit: float) -> None:
    _, scores = _field(seed)
    other = unit * scores
    one, two = score_estimate(scores[0]), score_estimate(other[0])
    assert one is not None
    assert two is not None
    assert (two.mean, two.standard_error) == pytest.approx((unit * one.mean, unit * (one.standard_error or 0)))
    assert (pair_table(scores).ahead == pair_table(other).ahead).all()
    found, scaled = resampled_ranks(scores, draws=50), resampled_ranks(other, draws=50)
    assert (found.low == scaled.low).all()
    assert (found.high == scaled.high).all()
    before, after = spread(scores[0, :2]), spread(other[0, :2])
    assert before is not None
    assert after is not None
    assert after.cv_percent == pytest.approx(before.cv_percent)


@few
@given(seeds, st.floats(0.01, 100), st.floats(-100, 100))
def test_reliability_and_agreement_have_no_unit(seed: int, unit: float, shift: float) -> None:
    generator, scores = _field(seed, missing=0.0)
    order = generator.permutation(len(scores))
    found, other = reliability(scores, halves=20), reliability((unit * scores + shift)[order], halves=20)
    assert found is not None
    assert other is not None
    assert other.alpha == pytest.approx(found.alpha)
    assert other.odd_even == pytest.approx(found.odd_even)
    assert other.mean_inter_item == pytest.approx(found.mean_inter_item)
    assert other.components.dependability == pytest.approx(found.components.dependability, abs=1e-9)
    one, two = intraclass_correlation(scores), intraclass_correlation(unit * scores[:, ::-1] + shift)
    assert one is not None
    assert two is not None
    assert (two.single, two.single_interval.low) == pytest.approx((one.single, one.single_interval.low))
    assert two.standard_error_of_measurement == pytest.approx(unit * one.standard_error_of_measurement)


@few
@given(seeds)
def test_item_figures_move_with_their_items_and_ignore_the_order_of_runs(seed: int) -> None:
    generator, scores = _field(seed, missing=0.02)
    columns, rows = generator.permutation(scores.shape[1]), generator.permutation(len(scores))
    found, shuffled = item_figures(scores), item_figures(scores[rows][:, columns])
    for item, original in zip(shuffled, (found[column] for column in columns), strict=True):
        assert item.n == original.n
        assert item.difficulty == pytest.approx(original.difficulty)
        assert item.item_total == pytest.approx(original.item_total)


@few
@given(seeds, st.floats(0.01, 100), st.floats(-100, 100))
def test_correlations_are_symmetric_and_have_no_unit(seed: int, unit: float, shift: float) -> None:
    generator = np.random.default_rng(seed)
    x, y = generator.normal(size=(2, 15))
    order = generator.permutation(15)
    for coefficient in (pearson, spearman, kendall_tau_b):
        value = coefficient(x, y)
        assert value is not None
        assert coefficient(y, x) == pytest.approx(value)
        assert coefficient(unit * x[order] + shift, y[order]) == pytest.approx(value)
        assert coefficient(-x, y) == pytest.approx(-value)
    for rank_based in (spearman, kendall_tau_b):
        assert rank_based(np.exp(x), y) == pytest.approx(rank_based(x, y))


@few
@given(st.floats(-0.999, 0.999), st.integers(4, 500))
def test_formula_intervals_hold_the_estimate_and_mirror_with_its_sign(value: float, n: int) -> None:
    for formula in (fisher_interval, bonett_wright_interval):
        interval, mirrored = formula(value, n), formula(-value, n)
        assert interval is not None
        assert mirrored is not None
        assert -1 <= interval.low < value < interval.high <= 1
        assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low))


@few
@given(seeds, st.floats(0.01, 100), st.floats(-100, 100))
def test_studentised_residuals_have_no_unit(seed: int, unit: float, shift: float) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, 12))
    found, other = fit_line(x, y), fit_line(unit * x + shift, unit * y - shift)
    assert found is not None
    assert other is not None
    assert other.studentised == pytest.approx(found.studentised, abs=1e-6)
    assert other.slope == pytest.approx(found.slope)


@few
@given(seeds)
def test_the_order_of_the_ratings_changes_no_bias(seed: int) -> None:
    generator = np.random.default_rng(seed)
    words = [str(word) for word in generator.choice(["Angry", "Calm", "Proud"], 40)]
    answers, reference = generator.integers(0, 11, (2, 40)).astype(float)
    order = generator.permutation(40)
    shuffled = bias_by_word([words[i] for i in order], answers[order], reference[order])
    for one, two in zip(bias_by_word(words, answers, reference), shuffled, strict=True):
        assert (one.name, one.n) == (two.name, two.n)
        assert one.mean_error == pytest.approx(two.mean_error)
    bands = bias_by_band(answers, reference)
    assert sum(b.n * b.mean_error for b in bands) == pytest.approx(float((answers - reference).sum()))
