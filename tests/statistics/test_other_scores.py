"""Other scoring rules: by hand, and the published one by its constants."""

import numpy as np
import pytest

from evaluation.benchmarks.eqbench_curve import ADJUSTMENT, full_scale_points, readme_penalty
from evaluation.statistics.other_scores import (
    MULTIPLIER,
    absolute_errors,
    correlations,
    curve_cost,
    curve_scores,
    root_mean_squares,
)

REFERENCE = np.array([1.0, 5.0, 8.0, 0.0, 2.0, 9.0])
STARTS = (0, 4)


def test_the_published_constants_give_the_published_rule() -> None:
    assert MULTIPLIER == ADJUSTMENT
    distances = [0, 0.5, 1, 2, 3, 4, 4.9, 5, 6, 10]
    wanted = [readme_penalty(distance) for distance in distances]
    assert curve_cost(distances).tolist() == pytest.approx(wanted, rel=1e-12)


def test_any_curve_starts_at_nothing_and_leads_to_the_same_cost_at_five() -> None:
    for steepness in (0.5, 1.2, 3.0):
        for midpoint in (2.0, 4.0, 5.0):
            costs = curve_cost([0, 4.999999, 5, 7], steepness=steepness, midpoint=midpoint)
            assert costs.tolist() == pytest.approx([0, 4.995411, 5, 7], abs=1e-4)
            assert (np.diff(curve_cost(np.linspace(0, 6, 61), steepness=steepness, midpoint=midpoint)) > 0).all()


def test_scores_are_means_over_complete_items_in_points() -> None:
    answers = np.array([[1, 5, 8, 0, 2, 9], [2, 5, 6, 0, np.nan, 9], [np.nan] * 6])
    found = curve_scores(answers, REFERENCE, STARTS)
    assert found[0] == 100
    assert found[1] == pytest.approx(10 * full_scale_points([2, 5, 6, 0], [1, 5, 8, 0]))
    assert np.isnan(found[2])


def test_errors_and_correlation_by_hand() -> None:
    answers = np.array([[2, 5, 6, 0, np.nan, 9], [2, 6, 9, 1, 3, 10], [3, 3, 3, 3, 3, 3]])
    assert absolute_errors(answers, REFERENCE)[0] == pytest.approx(3 / 5)
    assert root_mean_squares(answers, REFERENCE)[0] == pytest.approx(1.0)
    found = correlations(answers, REFERENCE)
    assert found[0] == pytest.approx(float(np.corrcoef([2, 5, 6, 0, 9], [1, 5, 8, 0, 9])[0, 1]))
    assert found[1] == pytest.approx(1.0), "a constant shift is forgiven"
    assert np.isnan(found[2]), "equal ratings correlate with nothing"


def test_the_multiplier_moves_no_rank() -> None:
    answers = np.random.default_rng(6).integers(0, 11, (30, 6)).astype(float)
    orders = [np.argsort(curve_scores(answers, REFERENCE, STARTS, multiplier=m), kind="stable") for m in (0.5, 0.7477)]
    assert orders[0].tolist() == orders[1].tolist()
