"""Scoring of the optional questionnaire: 16 questions, each answered from 0 (never) to 4 (always). Pure."""

from collections.abc import Sequence

ANSWERS = ("Never", "Rarely", "Sometimes", "Often", "Always")
N_QUESTIONS = 16
REVERSED = frozenset({2, 4, 7, 10, 11, 12, 14, 15})  # 1-based: agreement speaks against empathy
HIGHEST = len(ANSWERS) - 1
MIDDLE = HIGHEST / 2


def score(answers: Sequence[int]) -> int | None:
    """The total from 0 to 64 with the reversed questions turned round; None for another number of questions."""
    if len(answers) != N_QUESTIONS:
        return None
    return sum(HIGHEST - answer if at in REVERSED else answer for at, answer in enumerate(answers, 1))


def reversed_wrong(answers: Sequence[int]) -> int:
    """How many reversed questions are answered as if they were not: on the same side of the middle as the others' mean.

    Our own reading of "wrong"; the study does not define it. 0 for another number of questions than 16.
    """
    if len(answers) != N_QUESTIONS:
        return 0
    plain = [answer for at, answer in enumerate(answers, 1) if at not in REVERSED]
    lean = sum(plain) / len(plain) - MIDDLE
    return sum((answers[at - 1] - MIDDLE) * lean > 0 for at in REVERSED)
