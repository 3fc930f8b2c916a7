"""Replies made to hang a reader: the work is counted, and twice the text takes at most twice of it.

Calls and copied characters are counted here. What a regular expression does within one call is not seen by the count;
test_patterns.py proves from its structure that it is linear. `make bench` times the worst megabyte.
"""

import random
from functools import partial

import pytest

from evaluation.benchmarks.base import Benchmark, Item
from tests.counting import Copied, calls_of
from tests.evaluation.benchmarks.standard import GERMAN, GERMAN_ITEM, GERMAN_OK, ITEM, OK, V2, four, read

MEGABYTE = 1_000_000
ROUNDING = 500
"""Calls, or characters, by which a text that ends in the midst of a unit may differ."""
UNITS = [
    *("a", " ", "\n", "9", ":", "*", "<", "{", "[", "(", "_", "ä", "ß", "½", "\u200b", "\u0301", "\U0001f600", "\x00"),
    *("<think>", "</think>", "<think></think>", "<thinking", "First pass scores:", "Revised scores:", "revised "),
    *("First pass scores: Angry: 3 Revised scores:", "Erste", "Überarbeitete", "Erste Überarbeitete:", ": 9", "a: 1 "),
    *(
        "Angry",
        "Angry:",
        "Angry: 1\n",
        "angry=",
        "Angry (",
        "Angry | ",
        "Angry: -",
        "Angry: <",
        "Angry: 1-",
        "Angry: 3/",
    ),
    *("Angry: 1 out of ", "Angry: 3.5%", "Angry: 3,3", "An\u200bgry: 3", 'Angry", "score": ', "Angry:" + " " * 50),
    *(f"{OK}\n", four("{name} - {value}\n"), "Angry: 3\nHopeful: 6\nRelieved: 0\n", "wütend: ", "Wütend: **3**"),
    *(
        "[THINK]",
        "<|channel|>analysis<|message|>",
        "<|end|>",
        "<seed:think>",
        '<think a="1">',
        "&lt;think&gt;",
        "```\n",
    ),
    *("◁think▷", "< /", "[/", "<a b=", "assistantfinal", "Here is my thought process:", "analysis ", "＜think＞"),
    *("Angry → ", "Angry: 3 → ", "Angry is ", "Angry\n3\n", "Angry\n", "Angry:\n  score: 3\n", "- emotion: Angry\n"),
    *(
        "Angry,3\n",
        "Angry,Hopeful,Relieved,Ashamed\n",
        "| Angry | 3 | 4 |\n",
        "|---|---|\n",
        "│",
        "Angry: three (",
        "~~9~~ ",
    ),
    *('{"Angry": ', '{"Angry": {"score": 3}, ', "[[", "]}", ", ", "<Angry>3</Angry>", "<a>", "</a>", "<Angry ", "$3$"),
    *(
        "\\boxed{",
        "Score: 3\n",
        "Angry (0-10): ",
        "Angry[1]: 3, 4 ",
        "Angry: ≈",
        "😠",
        "3 6 0 8 ",
        "- 3\n",
        "Angry, score: ",
    ),
    *(
        '{"Angry": 3, "Hopeful": 6, "Relieved": 0, "Ashamed": 8, ',
        "Angry\tHopeful\tRelieved\tAshamed\n",
        "Angry Hopeful ",
    ),
    *(
        '"reasoning": "Angry: 9, ',
        "<pondering>",
        f"<work>{OK}</work>Angry = 9\n",
        "scale 1-5 ",
        "Angry ..... ",
        "Final\n",
    ),
    *(f"{GERMAN_OK}\n", "0.", "e+9", "[ERROR]", "\\", '"', "|", "‘", "3 to ", "Relieved: <score>"),
]


def filled(rng: random.Random, size: int) -> str:
    """A text of that size from one to three units, in a random row."""
    units = rng.sample(UNITS, rng.choice((1, 1, 2, 3)))
    text = "".join(rng.choice(units) for _ in range(2000))
    return (text * (size // len(text) + 1))[:size]


READERS = [(V2, ITEM), (GERMAN, GERMAN_ITEM)]


def work_on(text: str, *, revision: bool = False, item: Item = ITEM, by: Benchmark = V2) -> tuple[int, int]:
    """(functions called, characters copied or looked through) while the text is read."""
    counted = Copied.of(text)
    return calls_of(partial(read, counted, revision=revision, item=item, by=by)), counted.seen[0]


def repeated(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("by", "item"), READERS, ids=["en", "de"])
def test_twice_the_text_takes_at_most_twice_the_work(unit: str, by: Benchmark, item: Item) -> None:
    """Up to the length at which a reply is cut, where the tolerant reader is at work as well."""
    for revision in (False, True):
        short, long = (work_on(repeated(unit, size), revision=revision, by=by, item=item) for size in (16_000, 32_000))
        for once, twice in zip(short, long, strict=True):
            assert twice <= 2.05 * once + ROUNDING


@pytest.mark.parametrize("unit", [unit for unit in UNITS if "think" in unit or "\n" in unit])
def test_p45_one_and_two_hostile_megabytes_take_few_calls_a_character(unit: str) -> None:
    """Behind the cut only thinking is looked for, so that a megabyte takes less a character than a short text."""
    for size in (MEGABYTE, 2 * MEGABYTE):
        calls, copied = work_on(repeated(unit, size))
        assert calls <= 2 * size
        assert copied <= 2 * size


@pytest.mark.parametrize("block", range(4))
def test_p45_hostile_mixtures_take_few_calls_a_character(block: int) -> None:
    for seed in range(6 * block, 6 * block + 6):
        rng = random.Random(seed)
        text = filled(rng, MEGABYTE)
        by, item = READERS[seed % 2]
        calls, copied = work_on(text, revision=rng.random() < 0.5, item=item, by=by)
        assert max(calls, copied) <= 2 * MEGABYTE, (seed, text[:60])


def test_the_count_sees_quadratic_work() -> None:
    def quadratic(text: str) -> list[str]:
        return [text[at:] for at in range(len(text))]

    short, long = Copied.of("a" * 500), Copied.of("a" * 1_000)
    quadratic(short)
    quadratic(long)
    assert long.seen[0] > 2.05 * short.seen[0] + ROUNDING

    def pairs(n: int) -> None:
        for number in range(n * n):
            repr(number)

    assert calls_of(partial(pairs, 100)) > 2.05 * calls_of(partial(pairs, 50)) + ROUNDING


def test_a_long_tail_without_pairs_is_cut_and_the_answer_stays() -> None:
    (answer,) = read(f"{OK}\n{'and so on ' * 10_000}").answers
    assert (answer.reading, answer.values, answer.flags) == ("official", ITEM.reference, ("reply cut",))


def test_an_answer_behind_64_thousand_characters_is_still_read_officially() -> None:
    (answer,) = read(f"{'and so on ' * 7_000}\n{OK}").answers
    assert (answer.reading, answer.values, answer.flags) == ("official", ITEM.reference, ())


def test_an_answer_behind_a_long_revision_is_still_read_officially() -> None:
    text = f"First pass scores:\n{OK}\n\nCritique: {'so on ' * 12_000}\n\nRevised scores:\n{OK}"
    assert [(answer.reading, answer.flags) for answer in read(text, revision=True).answers] == [("official", ())] * 2


def test_the_tolerant_reading_ends_at_the_cut_and_says_so() -> None:
    (answer,) = read(f"{'and so on ' * 7_000}\n{four('{name} = {value}')}").answers
    assert (answer.reading, answer.reason, answer.flags) == ("none", "no scores found", ("reply cut",))


def test_beyond_twice_the_cut_nothing_is_read() -> None:
    (answer,) = read(f"{'and so on ' * 14_000}\n{OK}").answers
    assert (answer.values, answer.flags) == (None, ("reply cut",))


def test_a_reply_of_just_the_length_is_not_cut() -> None:
    (answer,) = read(OK + " " * (65_536 - len(OK))).answers
    assert answer.flags == ()


def test_thinking_is_taken_off_before_the_cut() -> None:
    (answer,) = read(f"<think>{'hm ' * 300_000}</think>{OK}").answers
    assert (answer.reading, answer.flags) == ("official", ("thinking",))
