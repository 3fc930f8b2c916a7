"""Pairs a block at a time are those of the whole table."""

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.pair_blocks import pairs_in_blocks
from evaluation.statistics.pairs import pair_table


def field(n: int, *, holes: float) -> Floats:
    chance = np.random.default_rng(n)
    scores = chance.normal(60, 20, (n, 12))
    scores[chance.random(scores.shape) < holes] = np.nan
    return scores


@pytest.mark.parametrize("holes", [0.0, 0.3, 0.85])
@pytest.mark.parametrize("block", [1, 3, 7, 250])
def test_blocks_of_any_size_give_each_pair_once_with_the_figures_of_the_table(block: int, holes: float) -> None:
    scores = field(23, holes=holes)
    table = pair_table(scores)
    found = list(pairs_in_blocks(scores, block=block))
    first, second = (np.concatenate([getattr(each, name) for each in found]) for name in ("first", "second"))
    wanted = np.triu_indices(23, 1)
    assert (first.tolist(), second.tolist()) == (wanted[0].tolist(), wanted[1].tolist())
    for name, whole in (("difference", table.mean), ("standard_error", table.standard_error), ("shared", table.shared)):
        values = np.concatenate([getattr(each, name) for each in found])
        assert np.allclose(values, whole[wanted], atol=1e-9, equal_nan=True), name


def test_models_of_equal_scores_have_neither_difference_nor_error() -> None:
    scores = np.tile(field(1, holes=0.0), (4, 1))
    (found,) = pairs_in_blocks(scores)
    assert found.difference.tolist() == pytest.approx([0.0] * 6, abs=1e-12)
    assert found.standard_error.tolist() == [0.0] * 6


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_models_have_no_pair(n: int) -> None:
    assert list(pairs_in_blocks(np.ones((n, 4)))) == []
