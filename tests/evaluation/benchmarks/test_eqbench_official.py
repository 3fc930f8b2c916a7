"""The official reading: pair for pair what the official pipeline's patterns find, on text of any kind."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.benchmarks.base import Item
from evaluation.benchmarks.eqbench_official import Span, may_be_cut, pairs, spans
from evaluation.benchmarks.eqbench_prompt import Language
from tests.evaluation.benchmarks.by_item import points_by
from tests.evaluation.benchmarks.standard import (
    GERMAN,
    GERMAN_ITEM,
    GERMAN_OK,
    OK,
    V2,
    first,
    points,
    read,
    strict_points,
    unhurried,
)

Found = dict[str, str]


def expected_pairs(text: str, language: Language) -> Found:
    """The patterns as the official pipeline has them, slow on long text, later pairs in place of earlier ones."""
    if language == "en":
        return dict(re.findall(r"(\w+):\s+(\d+)", text))
    return {n.strip(): v for n, v in re.findall(r"([a-zA-ZäöüßÄÖÜ\s]+):\s*\**(\d+(?:,\d+)?)\**", text)}


def expected_passes(text: str, language: Language) -> list[Found]:
    if language == "en":
        first_pass = re.search(r"First pass scores:(.*?)Revised scores:", text, re.DOTALL)
        revised = re.search(r"Revised scores:(.*?)$", text, re.DOTALL)
    else:
        first_pass = re.search(r"Erste.*?:\s*(.*?)(?=Überarbeitete|$)", text, re.DOTALL | re.IGNORECASE)
        revised = re.search(r"Überarbeitete.*?:\s*(.*)", text, re.DOTALL | re.IGNORECASE)
    return [expected_pairs(match[1], language) if match else {} for match in (first_pass, revised)]


def found_pairs(text: str, language: Language, *, revision: bool) -> list[Found]:
    places = spans(text, language, revision=revision)
    return [{n: m[1] for n, m in pairs(text, place, language).items()} if place else {} for place in places]


_TOKENS = ["Angry", "Hope", ":", ": ", ":\n", " ", "\n", "3", "12", "0003", "*", "**", ",", "3,5", "First pass scores:"]
_TOKENS += ["Revised scores:", "Erste", "Bewertung", "Überarbeitete", "überarbeitete", "erſte", "ERSTE:", "-", "ä", "_"]
_TOKENS += ["٣", "é", "Angry: 3", "x: 5", "\u200b", "\xa0", "\t", "\r\n", "."]
TEXTS = st.lists(st.sampled_from(_TOKENS), max_size=30).map("".join) | st.text(alphabet="aZä_ :\n*,.3٣-", max_size=60)
LANGUAGES = st.sampled_from(["en", "de"])


@unhurried
@given(TEXTS, LANGUAGES)
def test_the_whole_reply_gives_the_same_pairs_as_the_official_pattern(text: str, language: Language) -> None:
    assert found_pairs(text, language, revision=False) == [expected_pairs(text, language)]


@unhurried
@given(TEXTS, LANGUAGES)
def test_both_passes_give_the_same_pairs_as_the_official_patterns(text: str, language: Language) -> None:
    assert found_pairs(text, language, revision=True) == expected_passes(text, language)


@unhurried
@given(TEXTS, LANGUAGES, st.booleans(), st.integers(0, 80))
def test_a_text_is_cut_only_where_the_official_reading_stays_as_it_is(
    text: str, language: Language, revision: bool, length: int
) -> None:
    if may_be_cut(text, length, language, revision=revision):
        whole = found_pairs(text, language, revision=revision)
        assert found_pairs(text[:length], language, revision=revision) == whole


def test_a_text_with_nothing_to_read_behind_the_cut_may_be_cut() -> None:
    assert may_be_cut(OK + " and so on" * 9, len(OK), "en", revision=False)
    assert not may_be_cut(OK, len(OK) - 1, "en", revision=False)
    assert not may_be_cut(f"{OK}\nRevised scores:", len(OK), "en", revision=True)


def test_pairs_are_looked_for_inside_the_span_alone() -> None:
    text = "Angry: 3\nHopeful: 6\nRelieved: 0"
    assert list(pairs(text, Span(9, 19), "en")) == ["Hopeful"]


UNREAD = {
    "bold name": OK.replace("Angry", "**Angry**"),
    "dash": OK.replace("Angry:", "Angry -"),
    "lower case": OK.replace("Angry", "angry"),
    "no space": OK.replace("Angry: ", "Angry:"),
    "negative": OK.replace("Angry: 3", "Angry: -3"),
    "fifth pair": f"{OK}\nConfidence: 90",
    "three pairs": OK.replace("Angry: 3\n", ""),
    "other name": OK.replace("Angry", "Anger"),
    "four zeros": re.sub(r"\d", "0", OK),
    "above a hundred": OK.replace("8", "101"),
    "four digits": OK.replace("8", "0008"),
}


@pytest.mark.parametrize("reply", UNREAD.values(), ids=UNREAD)
def test_what_the_official_reader_leaves_unread_has_no_strict_score(reply: str) -> None:
    assert strict_points(reply) is None


@pytest.mark.parametrize("written", ["8/10", "8.5", "8-9", "8%", "8 out of 10", "8!", "008", "\n8", "\xa08", "8\r"])
def test_the_official_reader_takes_the_whole_number_in_front(written: str) -> None:
    assert strict_points(OK.replace("8", written)) == 10.0


def test_a_hundred_is_still_read_and_a_hundred_and_one_not() -> None:
    assert strict_points(OK.replace("8", "100")) == points(OK.replace("8", "100")) == -58.79
    assert first(OK.replace("8", "101")).reason == "out of range"


def test_a_later_pair_of_a_name_overwrites_an_earlier_one() -> None:
    assert first(f"Ashamed: 1\n{OK}").values == (3.0, 6.0, 0.0, 8.0)
    assert first(f"{OK}\nAshamed: 1").values == (3.0, 6.0, 0.0, 1.0)


def test_an_out_of_range_number_that_is_overwritten_does_no_harm() -> None:
    assert strict_points(f"Ashamed: 4000\n{OK}") == 10.0


FLAGS = {
    "3": (),
    "3.0": ("decimal cut",),
    "3,5": ("decimal cut",),
    "3½": ("decimal cut",),
    "3-4": ("range",),
    "3 – 4": ("range",),
    "3 to 4": ("range",),
    "3 or 4": ("range",),
    "3%": ("per cent",),
    "3 percent": ("per cent",),
    "3.5-4.5%": ("decimal cut", "range"),
    "3.5%": ("decimal cut", "per cent"),
    "3/10": (),
    "3 - quite": (),
    "3.": (),
    "3 (of 10)": (),
}


@pytest.mark.parametrize(("written", "flags"), FLAGS.items(), ids=FLAGS)
def test_what_the_official_reader_cuts_is_flagged(written: str, flags: tuple[str, ...]) -> None:
    answer = first(OK.replace("3", written))
    assert (answer.reading, answer.flags) == ("official", flags)


def test_shares_of_one_that_the_official_reader_reads_are_flagged_as_another_scale() -> None:
    answer = first("Angry: 1.0\nHopeful: 0.6\nRelieved: 0\nAshamed: 0.8")
    assert (answer.values, answer.flags) == ((1.0, 0.0, 0.0, 0.0), ("decimal cut", "other scale"))


def test_a_decimal_above_one_is_no_other_scale() -> None:
    assert first("Angry: 1.5\nHopeful: 0.6\nRelieved: 0\nAshamed: 0.8").flags == ("decimal cut",)


def test_a_pass_that_is_only_in_a_later_revision_is_read_there() -> None:
    revised_only = read(f"Revised scores:\n{OK}", revision=True)
    assert [answer.reading for answer in revised_only.answers] == ["none", "official"]
    assert not revised_only.complete


def test_with_revision_both_passes_are_read_apart() -> None:
    worse = OK.replace("8", "9")
    reading = read(f"First pass scores:\n{worse}\n\nCritique: Pride: 4\n", revision=True)
    assert reading.answers[0].reading == "tolerant"
    full = read(f"First pass scores:\n{worse}\n\nCritique: none.\n\nRevised scores:\n{OK}", revision=True)
    assert full.complete
    assert [(a.part, a.reading, a.values) for a in full.answers] == [
        ("first_pass", "official", (3.0, 6.0, 0.0, 9.0)),
        ("revised", "official", (3.0, 6.0, 0.0, 8.0)),
    ]


def test_without_revision_the_whole_reply_is_read_so_revised_values_win() -> None:
    worse = OK.replace("8", "9")
    assert points(f"First pass scores:\n{worse}\n\nRevised scores:\n{OK}") == 10.0


GERMAN_READ = {
    "plain": GERMAN_OK,
    "no space": GERMAN_OK.replace(": ", ":"),
    "bold numbers": re.sub(r"(\d)", r"**\1**", GERMAN_OK),
    "bold line": re.sub(r"(?m)^(.*)$", r"**\1**", GERMAN_OK),
    "list": re.sub(r"(?m)^", "- ", GERMAN_OK),
}


@pytest.mark.parametrize("reply", GERMAN_READ.values(), ids=GERMAN_READ)
def test_the_german_reader_reads_umlauts_bold_numbers_and_missing_spaces(reply: str) -> None:
    assert strict_points(reply, item=GERMAN_ITEM, by=GERMAN) == 10.0


def test_the_german_reader_takes_words_before_a_name_for_part_of_it() -> None:
    answer = first(f"Hier die Antwort\n{GERMAN_OK}", item=GERMAN_ITEM, by=GERMAN)
    assert (answer.reading, answer.values) == ("tolerant", (3.0, 6.0, 0.0, 8.0))


def test_the_german_headings_part_the_passes_in_any_case() -> None:
    worse = GERMAN_OK.replace("8", "9")
    reply = f"ERSTE Bewertung:\n{worse}\n\nKritik: keine.\n\nüberarbeitete Bewertung:\n{GERMAN_OK}"
    reading = read(reply, revision=True, item=GERMAN_ITEM, by=GERMAN)
    assert [points_by(GERMAN, GERMAN_ITEM, answer) for answer in reading.answers] == [
        pytest.approx(9.8707, abs=1e-4),
        10.0,
    ]
    assert [answer.reading for answer in reading.answers] == ["official", "official"]


@unhurried
@given(st.permutations(OK.split("\n")))
def test_the_order_of_the_names_never_matters(lines: list[str]) -> None:
    assert strict_points("\n".join(lines)) == 10.0


@unhurried
@given(st.tuples(*[st.integers(0, 100)] * 4).filter(any))
def test_any_four_ratings_are_read_back_in_the_order_of_the_labels(values: tuple[int, ...]) -> None:
    item = Item("1", "a prompt", ("A", "B", "C", "D"), (1.0, 2.0, 3.0, 4.0))
    reply = "\n".join(f"{name}: {value}" for name, value in zip("ABCD", values, strict=True))
    assert first(reply, item=item, by=V2).values == values
