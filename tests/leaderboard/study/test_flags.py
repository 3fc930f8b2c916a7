"""Doubts about a participation, and the questionnaire's scoring."""

import pytest

from leaderboard.study.flags import flags_of, is_excluded
from leaderboard.study.questionnaire import N_QUESTIONS, REVERSED, reversed_wrong, score

MIXED = [1, 2, 3, 3, 2, 1, 2, 3, 1, 2]


def found(**changes: object) -> list[str]:
    usual: dict[str, object] = {"values": MIXED, "seconds": [8.0] * 10, "attention": (2, 2), "answers": None}
    return flags_of(**{**usual, **changes})  # type: ignore[arg-type]


def test_a_careful_rater_has_no_flag() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("changes", "flags"),
    [
        ({"attention": (2, 3)}, ["attention"]),
        ({"attention": (2, None)}, ["attention"]),
        ({"seconds": [2.9] * 6 + [60.0] * 4}, ["fast"]),
        ({"seconds": [3.0] * 10}, []),
        ({"seconds": [None] * 10}, []),
        ({"seconds": [None] * 9 + [1.0]}, ["fast"]),
        ({"values": [3] * 10}, ["same"]),
        ({"values": [3]}, []),
        ({"answers": [4] * N_QUESTIONS}, ["reversed"]),
        ({"answers": [4] * 5}, []),
        ({"attention": (1, 2), "values": [3] * 10, "seconds": [1.0] * 10}, ["attention", "fast", "same"]),
    ],
)
def test_each_flag(changes: dict[str, object], flags: list[str]) -> None:
    assert found(**changes) == flags


def test_the_same_answer_alone_excludes_only_where_the_rule_says_so() -> None:
    assert not is_excluded(["same"], [])
    assert not is_excluded(["same"], ["same", "attention"])
    assert is_excluded(["same", "attention", "fast"], ["same", "attention"])


def mirrored(high: int, low: int) -> list[int]:
    return [low if at in REVERSED else high for at in range(1, N_QUESTIONS + 1)]


@pytest.mark.parametrize(
    ("answers", "total"), [(mirrored(4, 0), 64), (mirrored(0, 4), 0), ([2] * 16, 32), ([4] * 16, 32), ([4] * 15, None)]
)
def test_the_total_runs_from_0_to_64(answers: list[int], total: int | None) -> None:
    assert score(answers) == total


def test_a_reversed_question_is_wrong_on_the_same_side_of_the_middle() -> None:
    assert reversed_wrong(mirrored(4, 0)) == reversed_wrong(mirrored(4, 2)) == reversed_wrong([2] * 16) == 0
    assert reversed_wrong([4] * 16) == reversed_wrong([0] * 16) == 8
    answers = mirrored(3, 1)
    for at in sorted(REVERSED)[:5]:
        answers[at - 1] = 3
    assert reversed_wrong(answers) == 5
    assert "reversed" in found(answers=answers)
    answers[sorted(REVERSED)[0] - 1] = 1
    assert "reversed" not in found(answers=answers)
