"""Public less private: equal models are rarely called unlike, a model that knows one set of items is."""

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.gaps import centred_gaps
from evaluation.statistics.students_t import t_critical
from tests.statistics.official import OfficialRuns

NAN = np.nan


def test_a_gap_is_centred_on_the_items_and_worked_by_hand() -> None:
    first = [[4.0, 8.0], [2.0, 3.0], [0.0, 1.0]]  # item means 2 and 4: left 2 4, 0 -1, -2 -3
    second = [[5.0, 9.0, 1.0], [5.0, 7.0, 4.0], [5.0, 2.0, 1.0]]  # means 5, 6, 2: left 0 3 -1, 0 1 2, 0 -4 -1
    found = centred_gaps(first, second)
    assert found[0] is not None
    assert found[0].gap == pytest.approx(3 - 2 / 3)
    variance, other = 2 / 2, np.var([0, 3, -1], ddof=1) / 3
    assert found[0].standard_error == pytest.approx((variance + other) ** 0.5)
    degrees = (variance + other) ** 2 / (variance**2 / 1 + other**2 / 2)
    assert found[0].half == pytest.approx(t_critical(int(degrees)) * found[0].standard_error)
    assert sum(each.gap for each in found if each) == pytest.approx(0)


def test_harder_items_change_neither_gap_nor_error() -> None:
    chance = np.random.default_rng(1)
    first, second = chance.normal(60, 20, (6, 30)), chance.normal(60, 20, (6, 20))
    plain, harder = centred_gaps(first, second), centred_gaps(first, second - chance.normal(20, 15, 20))
    for one, other in zip(plain, harder, strict=True):
        assert one is not None
        assert other is not None
        assert (one.gap, one.half) == pytest.approx((other.gap, other.half))


def test_gaps_need_three_models_and_two_items_of_each_set() -> None:
    assert centred_gaps([[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [2.0, 5.0]]) == (None, None)
    found = centred_gaps([[1.0, 2.0], [2.0, 4.0], [1.0, NAN]], [[1.0, 2.0], [2.0, 5.0], [3.0, 4.0]])
    assert [each is None for each in found] == [False, False, True]
    assert centred_gaps(np.full((3, 4), NAN), np.ones((3, 4))) == (None, None, None)
    same = centred_gaps(np.ones((3, 4)), np.ones((3, 4)))
    assert [(each.gap, each.half) for each in same if each] == [(0.0, 0.0)] * 3
    with pytest.raises(ValueError, match="same models"):
        centred_gaps([[1.0]], [[1.0], [2.0]])


def test_scores_of_the_first_items_do_not_weigh_how_far_those_of_the_second_scatter() -> None:
    chance = np.random.default_rng(2)
    first, second = chance.normal(60, 20, (4, 40)), chance.normal(60, 12, (4, 60))
    other = second.copy()
    other[0, 3] += 15  # one item of one model: as with the references of a bank that differ in it
    seen: set[tuple[bool, ...]] = set()
    for scatter in np.linspace(0.02, 1.0, 400):
        shown = [centred_gaps(first * scatter, each, coarse=True) for each in (second, other)]
        fine = [centred_gaps(first * scatter, each) for each in (second, other)]
        seen.add(tuple(len({round(gaps[0].half) for gaps in pair if gaps[0]}) == 1 for pair in (shown, fine)))
    assert seen == {(True, True), (True, False)}


def test_a_coarse_error_is_that_of_a_half_interval_in_whole_points() -> None:
    chance = np.random.default_rng(3)
    second = chance.normal(60, 12, (4, 60))
    exact, coarse = (centred_gaps(np.ones((4, 20)), second, coarse=each) for each in (False, True))
    assert [each and each.half for each in coarse] == [pytest.approx(round(each.half)) for each in exact if each]
    assert centred_gaps(np.ones((3, 4)), np.full((3, 4), NAN), coarse=True) == (None, None, None)


def _split(runs: OfficialRuns, seed: int, n_private: int) -> tuple[Floats, Floats]:
    """The official runs on a random private set of the items and on the others: the same test twice, nothing learnt."""
    order = np.random.default_rng(seed).permutation(171)
    return runs.points[:, order[n_private:]], runs.points[:, order[:n_private]]


@pytest.mark.thorough
@pytest.mark.parametrize(("n_private", "half"), [(60, 6.9), (20, 10.5)])
def test_official_runs_that_learnt_nothing_are_called_unlike_in_about_5_of_100(
    n_private: int, half: float, runs: OfficialRuns
) -> None:
    # The interval without centring was 8.5 (12.3) wide and called 2.3 % (3.0 %) unlike.
    unlike, whole, halves = [], [], []
    for seed in range(100):
        first, second = _split(runs, seed, n_private)
        found = [each for each in centred_gaps(first, second) if each]
        assert len(found) == 60
        unlike += [abs(each.gap) > each.half for each in found]
        halves += [each.half for each in found]
        shown = np.round(np.nanmean(first, axis=1) - np.round(np.nanmean(second, axis=1)))
        beyond = shown - round(float(np.median(shown)))
        coarse = [each for each in centred_gaps(first, second, coarse=True) if each]
        whole += [abs(gap) > max(1, round(each.half)) for gap, each in zip(beyond.tolist(), coarse, strict=True)]
    assert np.mean(unlike) == pytest.approx(0.05, abs=0.01)
    assert 0.02 < np.mean(whole) <= 0.05
    assert np.mean(halves) == pytest.approx(half, abs=0.15)


@pytest.mark.thorough
def test_a_model_that_learnt_half_of_the_public_items_is_found(runs: OfficialRuns) -> None:
    found = 0
    for seed in range(100):
        first, second = _split(runs, seed, 60)
        chance = np.random.default_rng(seed)
        weak = int(np.argsort(np.nanmean(first, axis=1))[chance.integers(0, 30)])
        learnt = first.copy()
        learnt[weak, chance.random(first.shape[1]) < 0.5] = 95.0
        each = centred_gaps(learnt, second)[weak]
        found += bool(each and each.gap > each.half)
    assert found >= 85
