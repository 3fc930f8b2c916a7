"""Doubts about a participation. They are shown and counted; nobody is removed for one. Pure."""

from collections.abc import Sequence
from statistics import median

from leaderboard.study.questionnaire import REVERSED, reversed_wrong
from leaderboard.study.states import Flag

FAST_SECONDS = 3.0


def flags_of(
    *,
    values: Sequence[int],
    seconds: Sequence[float | None],
    attention: tuple[int | None, int | None],
    answers: Sequence[int] | None,
) -> list[str]:
    """The flags in the order of `Flag`. `attention`: what was wanted and what was chosen; `answers`: questionnaire."""
    wanted, chosen = attention
    known = [each for each in seconds if each is not None]
    found = {
        Flag.ATTENTION: wanted != chosen,
        Flag.FAST: bool(known) and median(known) < FAST_SECONDS,
        Flag.SAME: len(values) > 1 and len(set(values)) == 1,
        Flag.REVERSED: reversed_wrong(answers or ()) > len(REVERSED) / 2,
    }
    return [flag.value for flag, is_raised in found.items() if is_raised]


def is_excluded(flags: Sequence[str], rule: Sequence[str]) -> bool:
    """Whether the study's rule leaves the participation out: it has all flags of the rule. No rule excludes nobody."""
    return bool(rule) and set(rule) <= set(flags)
