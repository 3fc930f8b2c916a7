"""Errors along the scale: by simulation with known errors, by the paired table, and at the edges."""

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.exactness import exactness, wilson_interval
from evaluation.statistics.pairs import pair_table


def field(seed: int, noise: tuple[float, float], slopes: tuple[float, float] = (1.0, 1.0)) -> Floats:
    """20 weak and 20 strong models on 100 items, whose noise and whose rise with ability differ between the halves."""
    chance = np.random.default_rng(seed)
    rows = []
    for at, (sd, slope) in enumerate(zip(noise, slopes, strict=True)):
        abilities = chance.uniform(-5, 5, (20, 1)) * slope + (40, 70)[at]
        rows.append(abilities + chance.normal(0, sd, (20, 100)))
    return np.vstack(rows) + chance.normal(0, 15, 100)


def test_the_error_of_each_part_of_the_scale_is_its_own_and_held_by_its_interval() -> None:
    held, fields = [0, 0], 200
    for seed in range(fields):
        scores = field(seed, (20.0, 10.0))
        found = exactness(scores, scores.mean(axis=1))
        assert found is not None
        lowest, highest = found.groups[0].error, found.groups[-1].error
        assert lowest.value > highest.value
        for at, (error, true) in enumerate(((lowest, 2.0), (highest, 1.0))):
            assert error.interval is not None
            held[at] += error.interval.holds(true)
    # 95 % of 200 fields, less three standard errors; few models a group make the jackknife a little wide.
    assert min(held) >= 0.9 * fields


def test_gap_and_information_follow_from_the_error() -> None:
    scores = field(3, (20.0, 10.0))
    totals = scores.mean(axis=1)
    found = exactness(scores, totals)
    assert found is not None
    last = found.groups[-1]
    own = np.argsort(totals, kind="stable")[-last.n :]
    squares = np.square(pair_table(scores[own]).standard_error)[np.triu_indices(last.n, 1)]
    assert last.error.value == pytest.approx(float(np.sqrt(squares.mean() / 2)))
    assert last.gap == pytest.approx(1.959964 * 2**0.5 * last.error.value)
    assert last.information == pytest.approx(1 / last.error.value**2)


def test_items_that_only_weak_models_miss_do_not_tell_strong_ones_apart() -> None:
    """Half of the items stop rising at 60 points, where the strong half of the models begins."""
    chance = np.random.default_rng(9)
    abilities = np.sort(chance.uniform(30, 90, 64))[:, None]
    easy = np.minimum(abilities, 60) + chance.normal(0, 3, (64, 50))
    scores = np.hstack([easy, abilities + chance.normal(0, 3, (64, 50))])
    found = exactness(scores, scores.mean(axis=1))
    assert found is not None
    weak, strong = found.steps[0], found.steps[-1]
    assert weak.rising == 1.0
    assert 0.6 < strong.rising < 0.9, "the other half rises by chance alone"
    assert weak.n_items == strong.n_items == 100


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)]
)
def test_the_interval_of_a_share_is_wilsons(hits: int, n: int, low: float, high: float) -> None:
    found = wilson_interval(hits, n)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_groups_hold_eight_models_at_least_and_all_of_them() -> None:
    for n, groups in ((16, 2), (23, 2), (24, 3), (40, 5), (200, 5)):
        scores = np.random.default_rng(n).normal(50, 20, (n, 30)) + np.arange(n)[:, None]
        found = exactness(scores, scores.mean(axis=1))
        assert found is not None
        assert len(found.groups) == groups
        assert sum(group.n for group in found.groups) == n
        assert min(group.n for group in found.groups) >= 8


def test_missing_items_leave_a_figure_and_too_few_models_none() -> None:
    scores = field(1, (10.0, 10.0))
    scores[np.random.default_rng(2).random(scores.shape) < 0.1] = np.nan
    found = exactness(scores, np.nanmean(scores, axis=1))
    assert found is not None
    assert all(0.8 < group.error.value < 1.4 for group in found.groups)
    assert exactness(scores[:15], np.nanmean(scores[:15], axis=1)) is None
    assert exactness(np.full((20, 5), 60.0), np.full(20, 60.0)) is None


def test_of_equal_models_a_little_over_half_of_the_items_rise_by_chance() -> None:
    shares = []
    for seed in range(20):
        chance = np.random.default_rng(seed)
        scores = chance.normal(60, 10, (1, 171)) + chance.normal(0, 22, (40, 171))
        found = exactness(scores, scores.mean(axis=1))
        assert found is not None
        shares += [step.rising for step in found.steps]
    assert 0.52 < np.mean(shares) < 0.6
