"""The tolerant reading of an EQ-Bench reply, for replies that the official reader cannot read. Pure; linear time.

It looks for the item's four names in any case and in the usual dress, ignores all other names and guesses none. The
last complete block of four wins. Decimals are taken whole; ranges, per cent, negative numbers and other scales are
refused.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.benchmarks.eqbench_mentions import Mention, Rating, mentions, without_invisible
from evaluation.benchmarks.eqbench_numbers import looks_like_another_scale, out_of_range
from evaluation.benchmarks.eqbench_official import Span, pairs
from evaluation.benchmarks.eqbench_prompt import Language

NO_SCORES = "no scores found"
PLACEHOLDER = "placeholder"
_REVISED_HEADINGS: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"revised\s{1,4}+scores?\b", re.IGNORECASE),
    "de": re.compile(r"überarbeitete", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class TolerantValues:
    """Four ratings in the order of the labels, or None with the reason; `incomplete` where a name has no number."""

    values: tuple[float, ...] | None
    reason: str = ""
    incomplete: bool = False


def passes(text: str, language: Language, *, revision: bool) -> tuple[str, ...]:
    """The cleaned text of each pass: all before the first heading of the revision, and all after it.

    A reply without that heading is a first pass; its revised pass is empty.
    """
    cleaned = without_invisible(text)
    if not revision:
        return (cleaned,)
    heading = _REVISED_HEADINGS[language].search(cleaned)
    return (cleaned[: heading.start()], cleaned[heading.end() :]) if heading else (cleaned, "")


def tolerant_values(text: str, labels: tuple[str, ...], language: Language) -> TolerantValues:
    """The four ratings of the last complete block in a cleaned text."""
    found = list(mentions(text, labels))
    block = _last_block(found, len(labels))
    if len(block) < len(labels):
        return TolerantValues(None, _incomplete(text, found, block, labels, language), incomplete=True)
    ratings = [block[label] for label in labels]
    refused = [f"{label} missing (saw {block[label].written})" for label in labels if block[label].value is None]
    return TolerantValues(None, refused[0]) if refused else _judged(ratings)


def _last_block(found: Sequence[Mention], size: int) -> dict[str, Rating]:
    """The last four ratings in a row with four names; if there are none, the unfinished row at the end.

    A name that comes again before its row is complete begins the row anew right after its earlier place.
    """
    complete: dict[str, Rating] = {}
    row: dict[str, Rating] = {}
    for mention in found:
        if mention.rating is None:
            continue
        if mention.label in row:
            names = list(row)
            row = {name: row[name] for name in names[names.index(mention.label) + 1 :]}
        row[mention.label] = mention.rating
        if len(row) == size:
            complete, row = row, {}
    return complete or row


def _judged(ratings: Sequence[Rating]) -> TolerantValues:
    values = tuple(rating.value for rating in ratings if rating.value is not None)
    if out_of_range([rating.whole for rating in ratings], values):
        return TolerantValues(None, "out of range")
    if not any(values):
        return TolerantValues(None, "all zero")
    if looks_like_another_scale(values, any_decimal=any(rating.decimal for rating in ratings)):
        return TolerantValues(None, "looks like another scale")
    return TolerantValues(values)


def _incomplete(
    text: str, found: Sequence[Mention], block: Mapping[str, Rating], labels: Sequence[str], language: Language
) -> str:
    """Why there is no block: nothing at all, a placeholder, or the names that miss a number, with odd names seen."""
    rated = {mention.label for mention in found if mention.rating}
    missing = [label for label in labels if label not in rated] or [label for label in labels if label not in block]
    if any(mention.rating is None and mention.label in missing for mention in found):
        return PLACEHOLDER
    seen = _odd_names(text, labels, language)
    return (f"{', '.join(missing)} missing" if rated else NO_SCORES) + (f" (saw {seen})" if seen else "")


def _odd_names(text: str, labels: Sequence[str], language: Language) -> str:
    """Up to three names that stand before a number in the official shape and are none of the item's."""
    known = {label.casefold() for label in labels}
    # A German name takes in all the words before it; the last one is the name.
    words = [name.split()[-1] for name in pairs(text, Span(0, len(text)), language) if name]
    odd = dict.fromkeys(word[-20:] for word in words if word.casefold() not in known)
    return ", ".join(list(odd)[:3])
