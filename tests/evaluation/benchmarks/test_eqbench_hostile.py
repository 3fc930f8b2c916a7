"""Replies made to hang a reader: a megabyte is read in a tenth of a second, and twice the text in about twice the time.

Times are of the process's own work, the best of several tries, so that a busy machine does not decide.
"""

import random
import re
import time
from collections.abc import Callable
from functools import partial

import pytest

from evaluation.benchmarks.base import Benchmark, Item
from tests.evaluation.benchmarks.standard import GERMAN, GERMAN_ITEM, GERMAN_OK, ITEM, OK, V2, four, read

MEGABYTE = 1_000_000
SHAPES = 200
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
    *(f"{GERMAN_OK}\n", "0.", "e+9", "[ERROR]", "\\", '"', "|", "‘", "3 to ", "Relieved: <score>"),
]


def filled(rng: random.Random, size: int) -> str:
    """A text of that size from one to three units, in a random row."""
    units = rng.sample(UNITS, rng.choice((1, 1, 2, 3)))
    text = "".join(rng.choice(units) for _ in range(2000))
    return (text * (size // len(text) + 1))[:size]


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def is_quick(work: Callable[[], object], limit_seconds: float = 0.1) -> bool:
    """Whether the best of up to five tries keeps the limit."""
    return any(seconds(work) <= limit_seconds for _ in range(5))


def grows_like_its_length(short: Callable[[], object], long: Callable[[], object]) -> bool:
    """Whether a text of twice the length takes at most 2.5 times as long, best against best of up to eight tries."""
    once = twice = float("inf")
    for _ in range(8):
        once, twice = min(once, seconds(short)), min(twice, seconds(long))
        # In five milliseconds no quadratic pattern gets through a text; shorter times are too unsteady to compare.
        if twice <= max(2.5 * once, 0.005):
            return True
    return False


READERS = [(V2, ITEM), (GERMAN, GERMAN_ITEM)]


@pytest.mark.parametrize("block", range(10))
def test_p45_two_hundred_hostile_megabytes_are_each_read_in_a_tenth_of_a_second(block: int) -> None:
    for seed in range(block * SHAPES // 10, (block + 1) * SHAPES // 10):
        rng = random.Random(seed)
        text = filled(rng, MEGABYTE)
        by, item = READERS[seed % 2]
        revision = rng.random() < 0.5
        assert is_quick(partial(read, text, revision=revision, item=item, by=by)), (seed, text[:60])


NAMED = {
    "letters": "a" * MEGABYTE,
    "spaces": " " * MEGABYTE,
    "opening tags": "<think>" * 100_000,
    "first headings": "First pass scores:" * 50_000,
}


@pytest.mark.parametrize("by", [V2, GERMAN], ids=["en", "de"])
@pytest.mark.parametrize("revision", [False, True])
@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_p45_the_reported_texts_are_read_in_a_tenth_of_a_second(text: str, revision: bool, by: Benchmark) -> None:
    assert is_quick(partial(read, text, revision=revision, by=by))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("by", "item"), READERS, ids=["en", "de"])
def test_twice_the_text_takes_about_twice_the_time(unit: str, by: Benchmark, item: Item) -> None:
    """Up to the length at which a reply is cut, where the tolerant reader is at work as well."""
    size = 32_000
    short, long = (unit * (size // len(unit) + 1))[:size], (unit * (2 * size // len(unit) + 1))[: 2 * size]
    for revision in (False, True):
        reader = partial(read, revision=revision, by=by, item=item)
        assert grows_like_its_length(partial(reader, short), partial(reader, long))


def test_the_growth_test_sees_quadratic_time() -> None:
    slow = re.compile(r"\w+:")
    assert not grows_like_its_length(partial(slow.search, "a" * 1_500), partial(slow.search, "a" * 3_000))


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
