"""Parallel analysis: as many factors as were put in, none in noise, the same numbers from the same seed."""

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.dimensionality import parallel_analysis


def items_of(factors: int, *, n: int = 120, k: int = 24, seed: int = 4) -> Floats:
    """Items of which each belongs to one factor, in turn, with as much noise."""
    chance = np.random.default_rng(seed)
    abilities = chance.normal(0, 1, (n, max(1, factors)))
    own = abilities[:, np.arange(k) % factors] if factors else 0.0
    return own + chance.normal(0, 1, (n, k))


@pytest.mark.parametrize("factors", [1, 2, 4])
def test_as_many_factors_as_were_put_in(factors: int) -> None:
    found = parallel_analysis(items_of(factors))
    assert found is not None
    assert found.n_above == factors


def test_noise_has_a_factor_in_about_one_field_of_twenty() -> None:
    fields = 200
    found = [parallel_analysis(items_of(0, n=30, k=12, seed=seed), draws=99) for seed in range(fields)]
    above = sum(each.n_above > 0 for each in found if each)
    # 5 % of 200 with a standard error of 3.
    assert 2 <= above <= 19


def test_eigenvalues_are_those_of_the_correlation_matrix_and_sum_to_the_number_of_items() -> None:
    for scores in (items_of(2, n=15, k=18), items_of(2, n=30, k=18)):
        found = parallel_analysis(scores, draws=3)
        assert found is not None
        wanted = np.linalg.eigvalsh(np.corrcoef(scores, rowvar=False))[::-1]
        assert [each.value for each in found.eigenvalues] == pytest.approx(wanted, abs=1e-9)
        assert sum(each.value for each in found.eigenvalues) == pytest.approx(18)
        assert sum(each.chance for each in found.eigenvalues) == pytest.approx(18)
        assert found.first_share == pytest.approx(found.eigenvalues[0].value / 18)


def test_the_seed_decides() -> None:
    scores = items_of(1, n=20, k=6)
    assert parallel_analysis(scores, seed=1, draws=9) == parallel_analysis(scores, seed=1, draws=9)
    assert parallel_analysis(scores, seed=1, draws=9) != parallel_analysis(scores, seed=2, draws=9)


def test_items_that_all_models_score_alike_and_models_with_holes_are_left_out() -> None:
    scores = items_of(1, n=20, k=6)
    with_more = np.column_stack([scores, np.full(20, 7.0)])
    with_more = np.vstack([with_more, np.full(7, np.nan)])
    assert parallel_analysis(with_more, draws=9) == parallel_analysis(scores, draws=9)


def test_too_few_models_or_items_have_no_analysis() -> None:
    assert parallel_analysis(items_of(1, n=9)) is None
    assert parallel_analysis(items_of(1, k=2)) is None
    assert parallel_analysis(np.ones((20, 6))) is None
