"""How many items, and how reliable other lengths are: by hand, by simulation with a seed, and at the edges."""

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from evaluation.statistics.generalizability import (
    design_study,
    gap_found,
    items_needed,
    split_rest,
)
from evaluation.statistics.reliability import variance_components

RUNS, ITEMS, REST = 1.53, 2.56, 5.09


def field(seed: int, n: int = 40, k: int = 60) -> Floats:
    """Models x items with these components."""
    chance = np.random.default_rng(seed)
    models, items = chance.normal(0, RUNS**0.5, (n, 1)), chance.normal(0, ITEMS**0.5, k)
    return models + items + chance.normal(0, REST**0.5, (n, k))


@pytest.mark.parametrize(("gap", "needed"), [(5, 320), (3, 888), (2, 1998), (1, 7991)])
def test_the_items_of_the_printed_components(gap: float, needed: int) -> None:
    assert items_needed(100 * REST, gap) == needed


def test_items_and_gap_are_each_others_inverse() -> None:
    for gap in (0.7, 2.0, 4.4):
        n = items_needed(500.0, gap, power=0.9)
        assert gap_found(500.0, n, power=0.9) <= gap < gap_found(500.0, n - 1, power=0.9)


@pytest.mark.parametrize(("rest", "gap", "power"), [(0, 1, 0.8), (1, 0, 0.8), (1, 1, 1), (1, 1, 0), (np.nan, 1, 0.8)])
def test_what_cannot_be_planned_is_refused(rest: float, gap: float, power: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        items_needed(rest, gap, power=power)


def test_so_many_items_find_the_difference_four_times_in_five() -> None:
    """The plan tried: two models 3 points apart, a rest of 509 squared points."""
    n, trials = items_needed(100 * REST, 3.0), 4_000
    chance = np.random.default_rng(171)
    differences = chance.normal(3.0, (2 * 100 * REST) ** 0.5, (trials, n))
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / n**0.5)
    # The standard error of this share is 0.6 points of a hundred.
    assert float((t > 1.959964).mean()) == pytest.approx(0.8, abs=0.02)


def test_intervals_hold_the_true_components_in_95_of_100_fields() -> None:
    fields = 400
    rest, relative, absolute = 0, 0, 0
    for seed in range(fields):
        found = design_study(field(seed))
        assert found is not None
        assert found.rest.interval is not None
        assert found.relative is not None
        assert found.absolute is not None
        assert found.relative.interval is not None
        assert found.absolute.interval is not None
        rest += found.rest.interval.holds(REST)
        relative += found.relative.interval.holds(REST / RUNS)
        absolute += found.absolute.interval.holds((ITEMS + REST) / RUNS)
    # The standard error of a share of 95 % is 1.1; what items and models share is counted twice, so rest is wide.
    assert 0.93 * fields <= rest
    assert 0.92 * fields <= relative <= 0.99 * fields
    assert 0.92 * fields <= absolute <= 0.99 * fields


def test_leaving_out_in_closed_form_is_leaving_out_in_truth() -> None:
    scores = field(3, 7, 9) + 50
    found = design_study(scores)
    assert found is not None
    assert found.rest.interval is not None
    logs = []
    for axis in (0, 1):
        left = [variance_components(np.delete(scores, at, axis=axis)).rest for at in range(scores.shape[axis])]
        logs.append(np.log(left).var() * (scores.shape[axis] - 1))
    error = float(np.sqrt(sum(logs)))
    assert found.rest.interval.high == pytest.approx(found.rest.value * np.exp(2.446912 * error), rel=1e-6)


def test_small_and_flat_fields_have_no_study() -> None:
    assert design_study(field(1, 4, 20)) is None
    assert design_study(field(1, 20, 4)) is None
    assert design_study(np.add.outer(np.arange(6.0), np.arange(6.0))) is None
    holes = field(1, 6, 6)
    holes[:2, 0] = np.nan
    assert design_study(holes) is None, "four complete models"


def test_models_that_do_not_differ_have_no_reliability() -> None:
    chance = np.random.default_rng(5)
    noise = chance.normal(0, 1, (6, 6))
    alike = noise - noise.mean(axis=1, keepdims=True)
    found = design_study(alike)
    assert found is not None
    assert (found.components.runs, found.relative, found.absolute) == (0.0, None, None)


def test_the_rest_splits_into_what_stays_and_what_asking_again_changes() -> None:
    """Passes drawn with an interaction of 3 and noise of 2: the means over two passes have a rest of 4."""
    chance = np.random.default_rng(8)
    interaction = chance.normal(0, 3**0.5, (60, 80))
    passes = interaction[:, :, None] + chance.normal(0, 2**0.5, (60, 80, 2))
    found = design_study(passes.mean(axis=2))
    assert found is not None
    assert found.components.rest == pytest.approx(4.0, abs=0.2)
    split = split_rest(found.components.rest, passes.var(axis=2, ddof=1).mean(axis=1), [2] * 60)
    assert split is not None
    assert split.rerun.interval is not None
    assert split.rerun.interval.holds(2.0)
    assert split.interaction == pytest.approx(3.0, abs=0.2)
    assert split.rest(1) == pytest.approx(5.0, abs=0.25)
    assert split.rest(1000) == pytest.approx(split.interaction, abs=0.01)


def test_one_model_asked_twice_gives_no_interval_and_none_gives_no_split() -> None:
    split = split_rest(4.0, [2.0], [2, 1, 1, 1])
    assert split is not None
    assert split.rerun.interval is None
    assert split.interaction == pytest.approx(4.0 - 2.0 * (0.5 + 3) / 4)
    assert split_rest(4.0, [], [1, 1]) is None
