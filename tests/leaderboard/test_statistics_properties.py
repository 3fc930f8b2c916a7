"""What no section may hang on: names and order of models; and what each says of fields that tell nothing."""

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from evaluation.statistics.arrays import Floats
from leaderboard.statistics import emotions, items, repeatability, scores, sensitivity
from leaderboard.statistics.agreement import agreement
from leaderboard.statistics.frames import Frame
from tests.leaderboard.statistics_frames import frame

SECTIONS = (scores, repeatability, items, emotions, sensitivity)
N_ITEMS, N_MODELS = 12, 14
BY_NAME = ("families", "families_tested")  # families of models are told by their names, which is what they are for


def field(order: np.ndarray[Any, Any], prefix: str) -> Frame:
    """The same models, in any order and by any name, each with answers to four feelings an item and two passes."""
    chance = np.random.default_rng(8)
    points = chance.normal(60, 20, (N_MODELS, N_ITEMS)) + np.linspace(-25, 25, N_MODELS)[:, None]
    points[2, 3] = np.nan
    answers = chance.integers(0, 11, (N_MODELS, 4 * N_ITEMS)).astype(float)
    passes = points[:, :, None] + chance.normal(0, 3, (N_MODELS, N_ITEMS, 2))
    return frame(
        points[order],
        names=[f"{prefix} {at}" for at in order],
        answers=answers[order],
        words=[("joy", "fear", "anger", "grief")] * N_ITEMS,
        reference=np.random.default_rng(9).integers(0, 11, 4 * N_ITEMS),
        repeats=[agreement(passes[at]) for at in order],
    )


def told(section: ModuleType, of: Frame) -> str:
    """All that a section says, without the names of models."""
    value = {key: entry for key, entry in section.compute(of).value.items() if key not in BY_NAME}
    text = repr(value)
    for member in of.members:
        text = text.replace(repr(member.name), "name").replace(repr(member.slug), "slug")
    return text


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__.rpartition(".")[2])
def test_no_number_hangs_on_the_names_or_the_order_of_models(section: ModuleType) -> None:
    in_order = np.arange(N_MODELS)
    shuffled = np.random.default_rng(4).permutation(N_MODELS)
    plain = told(section, field(in_order, "Model"))
    assert len(plain) > 200
    assert told(section, field(shuffled, "Other")) == plain


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__.rpartition(".")[2])
def test_a_field_without_models_has_nothing_to_say(section: ModuleType) -> None:
    found = section.compute(frame(np.empty((0, 5))))
    assert found.n == 0
    assert not {key: entry for key, entry in found.value.items() if entry}


@pytest.mark.parametrize("section", [scores, items, sensitivity])
def test_one_model_has_nobody_to_be_compared_with(section: ModuleType) -> None:
    assert section.compute(frame([[60.0, 70.0, 50.0]])).value == {}


def constant(n: int = 6) -> Floats:
    return np.full((n, 5), 70.0)


def test_models_that_all_score_the_same_are_all_tied_and_share_every_rank() -> None:
    found: Any = scores.compute(frame(constant())).value
    assert (found["neighbours_tied"], found["pairs_tied"], found["tied_with_first"]) == (5, 15, 5)
    assert (found["widths"]["mean"], found["gap"]) == (6.0, 0.0)
    assert found["error_line"] is None


def test_items_without_spread_have_neither_alpha_nor_discrimination_nor_a_short_form() -> None:
    found: Any = items.compute(frame(constant())).value
    assert found["reliability"] is None or found["reliability"]["alpha"] is None
    assert found["short"] is None
    discrimination = items.ITEM_COLUMNS.index("discrimination")
    assert all(row[discrimination] is None for row in found["items"])


def test_an_item_that_nobody_has_and_a_missing_score_are_left_out_and_never_zero() -> None:
    points = np.random.default_rng(3).normal(60, 10, (6, 5))
    points[:, 4], points[0, 1] = np.nan, np.nan
    found: Any = items.compute(frame(points)).value
    n, difficulty = items.ITEM_COLUMNS.index("n"), items.ITEM_COLUMNS.index("difficulty")
    assert [row[n] for row in found["items"]] == [6, 5, 6, 6, 0]
    assert found["items"][4][difficulty] is None
    assert found["items"][1][difficulty] == pytest.approx(np.nanmean(points[:, 1]) / 10)
