"""Who is closer to the reference, by family of emotion words: figures, missing ratings, and no lead out of chance."""

import numpy as np
import pytest

from evaluation.statistics.families import FAMILIES
from evaluation.statistics.family_distance import farther_by_family

NAN = np.nan
WORDS = ["Angry", "Anger", "Bitter", "Hurt", "Ignored", "Zest"]
REFERENCE = [5.0, 3.0, 0.0, 4.0, 4.0, 1.0]


def test_the_difference_is_that_of_the_distances_whatever_their_direction() -> None:
    first = [6.0, 2.0, 0.0, 4.0, 4.0, 9.0]
    other = [2.0, 6.0, 4.0, 5.0, NAN, 1.0]
    found = farther_by_family(WORDS, first, [other], REFERENCE, least=2)
    assert [(each.family, each.other) for each in found] == [("anger", 0)], "hurt has one shared rating, Zest no family"
    # Distances 1, 1, 0 and 3, 3, 4: differences 2, 2, 4 with mean 2.667, sd 1.155, error 0.667, t(2) 4.303.
    assert found[0].difference.mean == pytest.approx(8 / 3)
    assert found[0].difference.interval is not None
    assert found[0].difference.interval.half_width == pytest.approx(4.302653 * 2 / 3)
    assert not found[0].is_clear


def test_a_lead_on_many_ratings_is_clear_and_equal_models_have_none() -> None:
    words, reference = ["Angry"] * 40, np.full(40, 5.0)
    other = reference + np.tile([2.0, 3.0], 20)
    (found,) = farther_by_family(words, reference, [other], reference, least=10)
    assert (found.difference.mean, found.is_clear) == (2.5, True)
    (same,) = farther_by_family(words, other, [other], reference, least=10)
    assert (same.difference.mean, same.is_clear) == (0, False)


def test_no_family_and_no_ratings_give_nothing() -> None:
    assert farther_by_family(["Zest"], [1.0], [[2.0]], [3.0], least=1) == ()
    assert farther_by_family([], [], np.empty((1, 0)), [], least=1) == ()


def test_equal_models_get_a_clear_lead_in_at_most_one_field_of_twenty() -> None:
    chance = np.random.default_rng(15)
    words = [word for own in FAMILIES.values() for word in (own * 6)[:40]]
    n_fields, clear = 300, 0
    for _ in range(n_fields):
        reference = chance.integers(0, 11, len(words)).astype(float)
        answers = np.clip(np.rint(reference + chance.normal(0, 2, (4, len(words)))), 0, 10)
        found = farther_by_family(words, answers[0], answers[1:], reference, least=10)
        assert len(found) == 3 * len(FAMILIES)
        clear += any(each.is_clear for each in found)
    assert clear / n_fields <= 0.05 + 1.96 * np.sqrt(0.05 * 0.95 / n_fields)
