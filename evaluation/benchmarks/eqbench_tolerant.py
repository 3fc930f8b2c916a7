"""The tolerant reading of an EQ-Bench reply, for replies that the official reader cannot read. Pure; linear time.

It looks for the item's four names in any case and in the usual dress, ignores all other names and guesses none. The
last complete block of four wins. Decimals are taken whole; ranges, negative numbers and other scales are refused. Where
two numbers compete for a name, it takes the one that JSON, a header, a strike-out or an arrow makes plain, else none.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.benchmarks.eqbench_blocks import (
    Blocks,
    blocks_in,
    is_corrected,
    is_replaced,
    is_under_way,
    rates_otherwise,
)
from evaluation.benchmarks.eqbench_mentions import Mention, Name, mentions_of, names_in, without_invisible
from evaluation.benchmarks.eqbench_numbers import (
    SCALE_TOP,
    looks_like_another_scale,
    looks_like_hundred,
    ordered,
    out_of_range,
)
from evaluation.benchmarks.eqbench_official import Span, pairs
from evaluation.benchmarks.eqbench_people import are_of_another_thing, rate_several_people
from evaluation.benchmarks.eqbench_prepared import prepared
from evaluation.benchmarks.eqbench_prompt import Language
from evaluation.benchmarks.eqbench_sections import sections_in
from evaluation.benchmarks.eqbench_tables import csv_in, tables_in
from evaluation.benchmarks.eqbench_trees import Read, json_in, xml_in
from evaluation.benchmarks.eqbench_unwrapped import unwrapped
from evaluation.benchmarks.eqbench_values import Rating
from evaluation.late import late

NO_SCORES, PLACEHOLDER, CUT_OFF = "no scores found", "placeholder", "cut off"
_REVISED_HEADINGS: dict[Language, re.Pattern[str]] = {
    "en": late(r"revised[\s_]{1,4}+scores?\b", re.IGNORECASE),
    "de": late(r"überarbeitete", re.IGNORECASE),
}
_ONE = r"(?:[-*•]\s{1,4}+)?\d{1,3}+(?:\.\d{1,4}+)?(?:/10)?"
_BARE = late(r"[\s,;]{1,8}+".join([_ONE] * 4))
_BARE_NUMBER = late(r"(\d{1,3}+)(\.\d{1,4}+)?(?:/10)?")
_TAKEN = "\0"
_MOST_FORMS = 2
_LONGEST_BARE = 120
_Reader = Callable[[str, Sequence[Name], tuple[str, ...]], Iterable[Read]]
_STRUCTURES: tuple[tuple[_Reader, str], ...] = (
    (json_in, "{["),
    (xml_in, "<"),
    (tables_in, "|│┃║｜"),
    (csv_in, ",;\t"),
)


@dataclass(frozen=True, slots=True)
class TolerantValues:
    """Four ratings in the order of the labels, or None with the reason; `incomplete` where a name has no number.

    Attributes:
        at_end: Whether the text ends with one of the ratings, so that it may be the first half of a number.
        odd_names: Whether other names than the item's stand before numbers.
    """

    values: tuple[float, ...] | None
    reason: str = ""
    incomplete: bool = False
    flags: tuple[str, ...] = ()
    at_end: bool = False
    odd_names: bool = False


def passes(text: str, language: Language, *, revision: bool) -> tuple[str, ...]:
    """The cleaned text of each pass: all before the first heading of the revision, and all after it.

    A reply without that heading is a first pass; its revised pass is empty.
    """
    cleaned = without_invisible(text)
    if not revision:
        return (cleaned,)
    heading = _REVISED_HEADINGS[language].search(cleaned)
    return (cleaned[: heading.start()], cleaned[heading.end() :]) if heading else (cleaned, "")


def tolerant_values(cleaned: str, labels: tuple[str, ...], language: Language, *, cut: bool = False) -> TolerantValues:
    """The four ratings of the last complete block in a cleaned text; none if a `cut` one was on its way to another."""
    text, forms = prepared(cleaned)
    names = names_in(text, labels)
    if not names and (bare := _bare_numbers(text)):
        return bare
    found = _mentions(text, names, labels)
    blocks = blocks_in(found, len(labels))
    if not blocks.complete:
        return _within_json(cleaned, labels, language) or _incomplete(text, found, blocks.rest, labels, language)
    if reason := _taken_back(text, found, blocks, names, labels, cut=cut):
        return TolerantValues(None, reason)
    if len(blocks.rest) > 1 and rates_otherwise(blocks.rest, blocks.complete):
        return _incomplete(text, found, blocks.rest, labels, language)  # of a draft and of what replaces it, none
    ratings = [blocks.complete[label] for label in labels]
    result = _as_asked(ratings, labels, language)
    if result.values is None:
        return result
    flags = ordered((*result.flags, *_above(result.values, result.flags), *_forms(ratings, forms)))
    ending = text[:-1] if text[-1:] in {".", ","} else text  # its decimals may be what was cut
    at_end = ending[-1:].isdecimal() and any(ending.endswith(rating.written) for rating in ratings)
    return TolerantValues(result.values, flags=flags, at_end=at_end)


def _taken_back(
    text: str, found: Sequence[Mention], blocks: Blocks, names: Sequence[Name], labels: Sequence[str], *, cut: bool
) -> str:
    """Why the last complete row is not the answer, or an empty text."""
    if rate_several_people(text, found, labels):
        return f"{labels[0]} missing (saw several people)"
    if cut and is_under_way(text, blocks):
        return CUT_OFF
    is_old = (
        is_replaced(text, blocks, labels)
        or is_corrected(text, blocks, names)
        or are_of_another_thing(text, found, labels)
    )
    return f"{labels[0]} missing (saw several numbers)" if is_old else ""


def _within_json(cleaned: str, labels: tuple[str, ...], language: Language) -> TolerantValues | None:
    inner = unwrapped(cleaned, labels)
    read = tolerant_values(inner, labels, language) if inner is not None and inner != cleaned else None
    return replace(read, flags=ordered((*read.flags, "JSON")), at_end=False) if read and read.values else None


def _mentions(text: str, names: Sequence[Name], labels: tuple[str, ...]) -> list[Mention]:
    """All mentions in order, each stretch of the text read in one form only: JSON, XML, tables, CSV, then lines."""
    found: list[Mention] = []
    if len({name.label for name in names}) == len(labels):
        for reader, signs in _STRUCTURES:
            if any(sign in text for sign in signs):
                reads = list(reader(text, names, labels))
                found += [mention for read in reads for mention in read.mentions]
                text, names = _without(text, names, reads)
    found += mentions_of(text, names)
    found.sort(key=lambda mention: mention.at)
    blocks = blocks_in(found, len(labels))
    later = [name for name in names if not blocks.complete or name.at > blocks.at]
    if len({name.label for name in later}) == len(labels) or (later and not blocks.complete):
        sections = [mention for read in sections_in(text, later, labels) for mention in read.mentions]
        heads = {(mention.at, mention.label) for mention in sections}
        found = [each for each in found if (text.rfind("\n", 0, each.at) + 1, each.label) not in heads] + sections
        found.sort(key=lambda mention: mention.at)
    return found


def last_row(text: str, labels: tuple[str, ...]) -> Mapping[str, Rating]:
    """The ratings of the last row of a cleaned text, which may be incomplete."""
    plain, _ = prepared(text)
    blocks = blocks_in(_mentions(plain, names_in(plain, labels), labels), len(labels))
    return blocks.complete or blocks.rest


def _without(text: str, names: Sequence[Name], reads: Sequence[Read]) -> tuple[str, list[Name]]:
    """The text with what was read blanked out, and the names that are left in it."""
    for read in reads:
        text = text[: read.start] + _TAKEN * (read.end - read.start) + text[read.end :]
    return text, [name for name in names if text[name.at] != _TAKEN]


def _judged(ratings: Sequence[Rating], labels: Sequence[str]) -> TolerantValues:
    refused = [
        f"{label} missing (saw {rating.written})"
        for label, rating in zip(labels, ratings, strict=True)
        if rating.value is None
    ]
    if refused:
        return TolerantValues(None, refused[0])
    values = tuple(rating.value for rating in ratings if rating.value is not None)
    if reason := _unfit(ratings, values):
        return TolerantValues(None, reason)
    if looks_like_another_scale(values, any_decimal=any(rating.decimal for rating in ratings)):
        return TolerantValues(None, "looks like another scale")
    return TolerantValues(values)


def _as_asked(ratings: Sequence[Rating], labels: Sequence[str], language: Language) -> TolerantValues:
    """Ratings that only emphasis parts from the official shape have the fate of those that are officially read: what
    that reader cuts is cut, and flagged. The German one gives up at a comma.
    """
    flags = {rating.scale for rating in ratings if rating.scale}
    if any(rating.decimal for rating in ratings):
        flags.add("decimal cut")
    fit = all(rating.plain and (rating.value is not None or rating.scale) for rating in ratings)
    if not flags or not fit or (language == "de" and any("," in rating.written for rating in ratings)):
        return _judged(ratings, labels)
    values = tuple(float(rating.whole[:4]) for rating in ratings)
    shares = "decimal cut" in flags and looks_like_another_scale(_uncut(ratings), any_decimal=True)
    if shares and not any(values):
        return TolerantValues(None, "looks like another scale")
    if reason := _unfit(ratings, values):
        return TolerantValues(None, reason)
    return TolerantValues(values, flags=ordered(flags | {"other scale"} if shares else flags))


def _uncut(ratings: Sequence[Rating]) -> list[float]:
    return [rating.value if rating.value is not None else float(rating.whole[:4]) for rating in ratings]


def _unfit(ratings: Sequence[Rating], values: Sequence[float]) -> str:
    if out_of_range([rating.whole for rating in ratings], values):
        return "out of range"
    return "" if any(values) else "all zero"


def _above(values: Sequence[float], flags: Sequence[str]) -> Iterator[str]:
    if max(values) > SCALE_TOP:
        yield "above 10"
    if looks_like_hundred(values) and "per cent" not in flags:
        yield "other scale"


def _forms(ratings: Sequence[Rating], of_text: Sequence[str]) -> Sequence[str]:
    forms = ordered([*(rating.form for rating in ratings), *of_text])
    return forms if len(forms) <= _MOST_FORMS else ("mixed forms",)


def _bare_numbers(text: str) -> TolerantValues | None:
    """Four numbers and nothing else, in the order in which they were asked for; None for any other text."""
    said = re.sub(r"[*_`]", "", text[:_LONGEST_BARE]).strip()
    if len(text) > _LONGEST_BARE or not _BARE.fullmatch(said):
        return None
    ratings = [
        Rating(
            number.group(), float(number[1] + (number[2] or "")), number.end(), number[1], decimal=number[2] is not None
        )
        for number in _BARE_NUMBER.finditer(said)
    ]
    result = _judged(ratings, [""] * len(ratings))
    if result.values is None:
        return result
    flags = ordered(("bare numbers", *_above(result.values, ())))
    return TolerantValues(result.values, flags=flags, at_end=text[-1:].isdecimal())


def _incomplete(
    text: str, found: Sequence[Mention], block: Mapping[str, Rating], labels: Sequence[str], language: Language
) -> TolerantValues:
    """Why there is no block: nothing at all, a placeholder, or the names that miss a number, with odd names seen."""
    rated = {mention.label for mention in found if mention.rating}
    missing = [label for label in labels if label not in rated] or [label for label in labels if label not in block]
    if any(mention.rating is None and mention.label in missing for mention in found):
        return TolerantValues(None, PLACEHOLDER, incomplete=True)
    seen = _odd_names(text, labels, language)
    reason = (f"{', '.join(missing)} missing" if rated else NO_SCORES) + (f" (saw {seen})" if seen else "")
    return TolerantValues(None, reason, incomplete=True, odd_names=bool(seen))


def _odd_names(text: str, labels: Sequence[str], language: Language) -> str:
    """Up to three names that stand before a number in the official shape and are none of the item's."""
    known = {label.casefold() for label in labels}
    # A German name takes in all the words before it; the last one is the name.
    words = [name.split()[-1] for name in pairs(text, Span(0, len(text)), language) if name]
    odd = dict.fromkeys(word[-20:] for word in words if word.casefold() not in known)
    return ", ".join(list(odd)[:3])
