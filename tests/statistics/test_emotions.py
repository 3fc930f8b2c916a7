"""Emotion bias and the families of emotion words."""

import numpy as np
import pytest

from evaluation.statistics.emotions import bias_by_band, bias_by_family, bias_by_word, calibration
from evaluation.statistics.families import FAMILIES, OTHER, family_of
from tests.statistics.official import OfficialRuns

NAN = np.nan
WORDS = ["Angry", "Anger", "Relieved", "Angry", "Zest"]
ANSWERS, REFERENCE = [8.0, 2.0, 3.0, NAN, 12.0], [5.0, 3.0, 3.0, 1.0, 2.0]


def test_bias_is_answer_less_reference_by_word() -> None:
    found = {bias.name: bias for bias in bias_by_word(["Angry", "Angry", "Calm"], [8.0, 3.0, 1.0], [5.0, 4.0, 3.0])}
    assert (found["Angry"].n, found["Angry"].mean_error, found["Angry"].mean_absolute_error) == (2, 1, 2)
    assert found["Angry"].standard_error == 2
    assert found["Angry"].interval is not None
    assert found["Angry"].interval.half_width == pytest.approx(2 * 12.706205)
    assert (found["Calm"].mean_error, found["Calm"].standard_error, found["Calm"].interval) == (-2, None, None)


def test_the_most_overrated_come_first_and_unread_answers_are_skipped() -> None:
    found = bias_by_word(WORDS, ANSWERS, REFERENCE)
    assert [(bias.name, bias.n, bias.mean_error) for bias in found] == [
        ("Zest", 1, 10), ("Angry", 1, 3), ("Relieved", 1, 0), ("Anger", 1, -1)
    ]  # fmt: skip


def test_words_of_one_family_are_taken_together_and_unknown_ones_are_other() -> None:
    found = bias_by_family(WORDS, ANSWERS, REFERENCE)
    assert [(bias.name, bias.n, bias.mean_error) for bias in found] == [
        (OTHER, 1, 10),
        ("anger", 2, 1),
        ("relief", 1, 0),
    ]


def test_bands_follow_the_reference() -> None:
    found = bias_by_band([1.0, 2.0, 5.0, 5.0, 5.0, 9.0], [0.0, 1.0, 3.0, 4.0, 6.5, 10.0])
    assert [(bias.name, bias.n, bias.mean_error) for bias in found] == [
        ("0", 1, 1), ("1–3", 2, 1.5), ("4–6", 1, 1), ("7–10", 2, -1.25)
    ]  # fmt: skip
    assert [bias.name for bias in bias_by_band([5.0], [8.0])] == ["7–10"]


def test_calibration_follows_the_reference() -> None:
    found = calibration([1.0, 3.0, 7.0], [0.0, 0.0, 8.0])
    assert [(point.reference, point.n, point.mean_answer) for point in found] == [(0, 2, 2), (8, 1, 7)]
    assert found[0].standard_error == 1
    assert found[1].interval is None


def test_answers_equal_to_the_reference_have_no_bias() -> None:
    for bias in (*bias_by_word(WORDS, REFERENCE, REFERENCE), *bias_by_band(REFERENCE, REFERENCE)):
        assert (bias.mean_error, bias.mean_absolute_error) == (0, 0)


def test_nothing_rated_gives_nothing() -> None:
    assert bias_by_word([], [], []) == bias_by_family([], [], []) == ()
    assert bias_by_band([], []) == ()
    assert calibration([NAN], [1.0]) == ()
    assert bias_by_word(["Angry"], [NAN], [1.0]) == ()


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 1 answers"):
        bias_by_word(["Angry"], [1.0, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="one reference an answer"):
        calibration([1.0], [1.0, 2.0])


def test_no_word_belongs_to_two_families() -> None:
    words = [word for family in FAMILIES.values() for word in family]
    assert len(words) == len({word.casefold() for word in words}) == 201
    assert all(list(family) == sorted(family) for family in FAMILIES.values())


def test_case_and_blanks_do_not_matter_to_the_family() -> None:
    assert family_of(" aNGER ") == "anger"
    assert family_of("") == OTHER


def test_the_families_hold_exactly_the_words_of_the_official_file(runs: OfficialRuns) -> None:
    official = {word for labels in runs.labels for word in labels}
    assert official == {word for family in FAMILIES.values() for word in family}
