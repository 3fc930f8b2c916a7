"""The official reading of an EQ-Bench reply: what the official pipeline reads, pair for pair, in linear time. Pure.

Source: EQ-bench/EQ-Bench lib/scoring.py at d28c60c (`parse_answers`, `parse_answers_de`). Its patterns take quadratic
time on long replies. Here each colon with a number after it is found first, and its name is read backwards from the
colon; the pairs are the same, which a test compares on random text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.benchmarks.eqbench_mentions import LONGEST_TAIL, is_doubted
from evaluation.benchmarks.eqbench_numbers import (
    MOST_DIGITS,
    SCALE_TOP,
    decimals,
    flags_behind,
    looks_like_another_scale,
    looks_like_hundred,
    ordered,
    out_of_range,
)
from evaluation.benchmarks.eqbench_prompt import Language
from evaluation.benchmarks.eqbench_values import behind, value_at


class Span(NamedTuple):
    """A stretch of a text, from `start` up to `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Pair:
    """How a language writes `name: number`: the part from the colon on, and the characters of a name."""

    number: re.Pattern[str]
    name: re.Pattern[str]


_PAIRS: dict[Language, _Pair] = {
    "en": _Pair(number=re.compile(r":\s++(\d++)"), name=re.compile(r"\w++")),
    "de": _Pair(
        number=re.compile(r":\s*+\**+(\d++(?:,\d++)?)\**+"),
        name=re.compile(r"[a-zA-ZäöüßÄÖÜ\s]++"),
    ),
}
_LINE = r"(\w++):\s++(\d++)[^\S\n]*+"
_FOUR_LINES = re.compile(r"\n\s*+".join([_LINE] * 4) + r"(?:\n|\Z)")
SURELY_IN_RANGE = MOST_DIGITS + 3
"""Four ratings of no more digits together have none with more than `MOST_DIGITS`."""
_ASCII_DIGIT, _DIGIT = re.compile("[0-9]"), re.compile(r"\d")
_FIRST = "First pass scores:"
_REVISED = "Revised scores:"
_FIRST_DE = re.compile("Erste", re.IGNORECASE)
_COLON = re.compile(r":\s*+")
_REVISED_DE = re.compile("Überarbeitete", re.IGNORECASE)


def pairs(text: str, span: Span, language: Language) -> dict[str, re.Match[str]]:
    """Name -> the number's match (group 1 holds the digits), a later pair of a name in place of an earlier one."""
    pair = _PAIRS[language]
    found: dict[str, re.Match[str]] = {}
    low = span.start
    for match in pair.number.finditer(text, span.start, span.end):
        colon = match.start()
        name = pair.name.match(text[low:colon][::-1])
        if name:
            found[text[colon - name.end() : colon].strip()] = match
        low = match.end() if name else colon + 1
    return found


def spans(text: str, language: Language, *, revision: bool) -> tuple[Span | None, ...]:
    """Where each pass of a reply is read; None for a pass that is not there. Without revision the whole reply."""
    if not revision:
        return (Span(0, len(text)),)
    return _passes_en(text) if language == "en" else _passes_de(text)


def _passes_en(text: str) -> tuple[Span | None, Span | None]:
    first = revised = None
    start = text.find(_FIRST)
    end = text.find(_REVISED, start + len(_FIRST)) if start >= 0 else -1
    if end >= 0:
        first = Span(start + len(_FIRST), end)
    heading = text.find(_REVISED)
    if heading >= 0:
        revised = Span(heading + len(_REVISED), len(text))
    return first, revised


def _passes_de(text: str) -> tuple[Span | None, Span | None]:
    """The first pass ends at the next "Überarbeitete" after its colon, and without one at the end of the reply."""
    first = revised = None
    start = _after_heading(_FIRST_DE, text)
    if start is not None:
        following = _REVISED_DE.search(text, start)
        first = Span(start, following.start() if following else len(text))
    start = _after_heading(_REVISED_DE, text)
    if start is not None:
        revised = Span(start, len(text))
    return first, revised


def _after_heading(heading: re.Pattern[str], text: str) -> int | None:
    found = heading.search(text)
    colon = _COLON.search(text, found.end()) if found else None
    return colon.end() if colon else None


def may_be_cut(text: str, length: int, language: Language, *, revision: bool) -> bool:
    """Whether the official reading of the first `length` characters is that of the whole text."""
    cut_word = max(0, length - len(_FIRST))
    if revision and (text.find(_REVISED, cut_word) >= 0 or _REVISED_DE.search(text, cut_word)):
        return False
    last_colon = text.rfind(":", 0, length)
    numbers = _PAIRS[language].number.finditer(text, max(0, last_colon))
    return all(number.end() <= length for number in numbers)


class OfficialValues(NamedTuple):
    """Four ratings in the order of the labels, with flags that tell what the reader cut; the last one ends at `end`."""

    values: tuple[float, ...]
    flags: tuple[str, ...]
    end: int


def official_values(text: str, span: Span, labels: Sequence[str], language: Language) -> OfficialValues | None:
    """The four ratings of one pass; None where the official reader has no answer, or a rating is out of range.

    It has an answer where the span holds pairs of exactly the four labels, not all of them zero; a German comma
    decimal is read as a pair and then no number. Only "out of range" departs from the source.
    """
    asked_form = _in_the_form_asked(text, span, labels) if language == "en" else None
    if asked_form:
        return asked_form
    found = pairs(text, span, language)
    if found.keys() != set(labels):
        return None
    numbers = [found[label] for label in labels]
    written = [number[1] for number in numbers]
    if "," in "".join(written):
        return None
    values = tuple(map(float, written))
    if not any(values) or out_of_range(written, values):
        return None
    flags = _flags(text, numbers, values)
    if _doubted(text, found, span.end):
        flags.add("second number")
    return OfficialValues(values, ordered(flags), max([number.end(1) for number in numbers]))


def _in_the_form_asked(text: str, span: Span, labels: Sequence[str]) -> OfficialValues | None:
    """What the readings below come to where the first pair begins four lines, each of a name and a number alone, and
    no number follows that matters. Most replies of most models are so, and this reads them in half the time.
    """
    number = _PAIRS["en"].number
    first = number.search(text, span.start, span.end)
    if first is None:
        return None
    begin = max(text.rfind("\n", span.start, first.start()) + 1, span.start)
    lines = _FOUR_LINES.match(text, begin, span.end)
    if lines is None:
        return None
    end = lines.end()
    one, first_rating, two, second_rating, three, third_rating, four, fourth_rating = lines.groups()
    written = (first_rating, second_rating, third_rating, fourth_rating)
    values = tuple(map(float, written))
    highest = max(values)
    if (
        (one, two, three, four) != tuple(labels)
        or not highest
        or ((highest > SCALE_TOP or len("".join(written)) > SURELY_IN_RANGE) and out_of_range(written, values))
        or (
            end < span.end
            and (number.search(text, end, span.end) or _holds_digits(text[end : min(span.end, end + LONGEST_TAIL)]))
        )
    ):
        return None
    return OfficialValues(values, _flags_of_values(values) if highest > SCALE_TOP else (), lines.end(8))


def _holds_digits(text: str) -> bool:
    return (_ASCII_DIGIT if text.isascii() else _DIGIT).search(text) is not None


def _doubted(text: str, found: Mapping[str, re.Match[str]], end: int) -> bool:
    """Whether the tolerant reader would doubt one of the ratings for what stands behind it."""
    ordered_names = sorted((number.start(), name) for name, number in found.items())
    stops = [start - len(name) for start, name in ordered_names[1:]] + [end]
    for (_, name), stop in zip(ordered_names, stops, strict=True):
        number = found[name]
        rest = text[number.end(1) : stop]
        if not rest or rest.isspace():  # as a rule, which is quick to see
            continue
        if rest[0] == "\n":
            if is_doubted(text, number.end(1), stop, float(number[1])):
                return True
            continue
        rating = value_at(text, number.start(1))
        if rating and rating.value is not None and is_doubted(text, behind(text, rating), stop, rating.value):
            return True
    return False


def _flags(text: str, numbers: Sequence[re.Match[str]], values: Sequence[float]) -> set[str]:
    flags = {flag for number in numbers for flag in flags_behind(text, number.end(1))}
    flags.update(_flags_of_values(values, per_cent="per cent" in flags))
    if "decimal cut" in flags and looks_like_another_scale(
        [_with_decimals(text, number) for number in numbers], any_decimal=True
    ):
        flags.add("other scale")
    return flags


def _flags_of_values(values: Sequence[float], *, per_cent: bool = False) -> tuple[str, ...]:
    if max(values) <= SCALE_TOP:
        return ()
    return ("other scale", "above 10") if looks_like_hundred(values) and not per_cent else ("above 10",)


def _with_decimals(text: str, number: re.Match[str]) -> float:
    """The rating as it was written, with the decimals that the reader cut."""
    cut = decimals(text, number.end(1))
    return float(f"{number[1]}.{cut[1]}") if cut and cut[1] else float(number[1])
