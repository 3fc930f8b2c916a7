"""Models that do not exist, asked for their mood: each fills in EmotionBench's questionnaire by a rule.

Which words are positive, and how people felt, comes from the loaded bank: neither is in this repository.
"""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import floor

from evaluation.benchmarks.base import Bank
from evaluation.benchmarks.emotionbench.bank import DEFAULT, OVERALL, mood_of_people
from evaluation.command_line import command_line

_LINE = re.compile(r"^(\d{1,3}+)\. (\S[^\n]{0,60})$", re.MULTILINE)
_LEAST_WORDS = 10
"""A shorter list at the end of a prompt is no questionnaire."""

NO_QUESTIONNAIRE = "I fill in mood questionnaires. Ask me in the form of EmotionBench."
REFUSAL = "I'm sorry, I don't have moods."
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A questionnaire as it was sent: all before its words, and the words in the order shown."""

    story: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moods:
    """How people felt: by story, and without one, each as positive and negative affect. Empty without a bank."""

    by_story: Mapping[str, Pair] = field(default_factory=dict)
    default: Pair = (0.0, 0.0)
    positive: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.by_story)


NO_MOODS = Moods()


def without_bank() -> str:
    """What a persona replies, and its server prints, where no bank is loaded."""
    load = command_line("load_bank", "emotionbench", "--from", "FOLDER")
    return f"I know how people felt only from a loaded EmotionBench bank, and none is loaded. Load it first: {load}"


def read_sheet(prompt: str) -> Sheet | None:
    """The questionnaire that a prompt ends with; None for any other prompt."""
    lines = list(_LINE.finditer(prompt))
    ends_with_it = bool(lines) and not prompt[lines[-1].end() :].strip()
    if not ends_with_it or [int(line[1]) for line in lines] != list(range(1, len(lines) + 1)):
        return None
    if len(lines) < _LEAST_WORDS:
        return None
    return Sheet(prompt[: lines[0].start()].strip(), tuple(line[2] for line in lines))


def moods_of(bank: Bank) -> Moods:
    """How people felt after each situation of a bank of EmotionBench: as on average over its factor."""
    felt = {
        item.prompt.strip(): mood_of_people(bank, OVERALL, "default_mean")
        if item.id == DEFAULT
        else mood_of_people(bank, item.group, "evoked_mean")
        for item in bank.items
    }
    first = bank.items[0]
    positive = first.extra.get("positive")
    words = {first.labels[at] for at in positive if isinstance(at, int)} if isinstance(positive, list | tuple) else ()
    return Moods(felt, mood_of_people(bank, OVERALL, "default_mean"), frozenset(words))


def fill_in(persona: str, sheet: Sheet, moods: Moods, seed: int) -> str | None:
    """What a persona says to a questionnaire; None for one that answers it like any other prompt."""
    rule = FEELINGS.get(persona) or _ALSO.get(persona)
    return None if rule is None else rule(sheet, moods, _chance(seed, sheet))


def _chance(seed: int, sheet: Sheet) -> random.Random:
    text = "\0".join((str(seed), sheet.story, *sheet.words))
    return random.Random(int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:8]))


def _like_people(sheet: Sheet, moods: Moods, chance: random.Random) -> str:
    """Rounded up as often as the mean has it, so that many answers together have people's mean."""
    felt = moods.by_story.get(sheet.story)
    if felt is None:
        return without_bank()
    return _answers(sheet, moods, (_rounded(felt[0], chance), _rounded(felt[1], chance)))


def _nothing(sheet: Sheet, moods: Moods, _: random.Random) -> str:
    """People's mood without a story, whatever the story is; always the same, so that no change has a pattern."""
    return _answers(sheet, moods, (round(moods.default[0]), round(moods.default[1]))) if moods else without_bank()


def _rounded(value: float, chance: random.Random) -> int:
    return floor(value + chance.random())


def _answers(sheet: Sheet, moods: Moods, sums: tuple[int, int]) -> str:
    """The sheet filled in so that the positive words add up to the first sum, and the others to the second."""
    groups = [[word for word in sheet.words if (word in moods.positive) is positive] for positive in (True, False)]
    scores: dict[str, int] = {}
    for words, total in zip(groups, sums, strict=True):
        each, more = divmod(total, max(1, len(words)))
        scores |= {word: each + (at < more) for at, word in enumerate(words)}
    return _lines(sheet, [scores[word] for word in sheet.words])


def _lines(sheet: Sheet, scores: list[int]) -> str:
    pairs = zip(sheet.words, scores, strict=True)
    return "\n".join(f"{number}. {word}: {score}" for number, (word, score) in enumerate(pairs, 1))


Rule = Callable[[Sheet, Moods, random.Random], str]
FEELINGS: Mapping[str, Rule] = {"feels-like-people": _like_people, "feels-nothing": _nothing}
"""Personas that know nothing but moods. With a plan of EmotionBench the first gets an alignment of about 94, since
people's changes were measured person by person and not from one common mood; the second gets about 44."""

_ALSO: Mapping[str, Rule] = {
    "constant-3": lambda sheet, _, __: _lines(sheet, [3] * len(sheet.words)),
    "random": lambda sheet, _, chance: _lines(sheet, [chance.randint(1, 5) for _ in sheet.words]),
    "refusing": lambda *_: REFUSAL,
}
