"""What a rating may be, and what the signs behind a number make of it. Pure; shared by both readings."""

import re
from collections.abc import Iterable, Sequence

from evaluation.late import late

HIGHEST_READ, MOST_DIGITS = 100, 3
"""A larger rating, or one of more digits as written, is no answer: one such reply could sink a run."""

SCALE_TOP = 10
SCALE_FLAGS = ("decimal cut", "per cent", "other scale")
"""Ratings on another scale than whole numbers from 0 to 10. Such a run is never listed without a moderator."""

FORM_FLAGS = (
    *("bare numbers", "number word", "score word", "no separator", "next line", "arrow", "changed value", "footnote"),
    *("approximate", "dressed number", "emoji", "LaTeX", "HTML", "XML", "JSON", "YAML", "CSV", "table", "mixed forms"),
)
"""Forms of an answer that can only mean one thing, though nobody asked for them."""

FLAGS = (
    *("thinking", "reply cut", "cut off", "cut number", "decimal cut", "range", "per cent", "other scale", "above 10"),
    *("second number", "later block differs", "several people", *FORM_FLAGS),
)
"""All flags, in the order in which an answer lists them."""

_GAP = r"[^\S\r\n]{0,8}+"
_DECIMALS = late(r"[.,](\d++)|[¼-¾⅐-⅞]")
_RANGE = late(rf"{_GAP}(?:[-‐-―−~～〜…]|\.{{2,3}}|(?:to|or|bis|oder)\b){_GAP}\d", re.IGNORECASE)
_PER_CENT = late(rf"{_GAP}(?:[%％٪]|per{_GAP}cent\b|prozent\b)", re.IGNORECASE)
_RATIO = late(
    rf"[\"'*_`)\]>}}]{{0,8}}+{_GAP}(?:[/／⁄∕]|(?:out{_GAP}of|of|von|sur|su|de|из)\b){_GAP}(\d++)", re.IGNORECASE
)
_SECOND = late(rf"\u0336|\ufe0f?\u20e3\d|{_GAP}(?:→|⇒|[-=]{{1,2}}>|[,;(\[]){_GAP}[~(\[]{{0,3}}+\d")
NOTHING_FOLLOWS = frozenset(("", "\n", "\r"))


def decimals(text: str, end: int) -> re.Match[str] | None:
    """The decimal part (group 1: its digits, None for a fraction sign) of a number whose whole part ends at `end`."""
    return _DECIMALS.match(text, end)


def is_range(text: str, end: int) -> bool:
    """Whether a second number is joined to the one that ends at `end`: `2-4`, `2 to 4`, `2 or 3`."""
    return _RANGE.match(text, end) is not None


def is_per_cent(text: str, end: int) -> bool:
    return _PER_CENT.match(text, end) is not None


def ratio(text: str, end: int) -> re.Match[str] | None:
    """What makes the number that ends at `end` a part of another one (group 1): `3/10`, `3 out of 5`."""
    return _RATIO.match(text, end)


def is_of_another_scale(part: re.Match[str] | None) -> bool:
    return part is not None and int(part[1][:6]) != SCALE_TOP


def flags_behind(text: str, end: int) -> tuple[str, ...]:
    """What the official reading leaves unread behind a number that ends at `end`: decimals, a range, per cent, `/5`."""
    if text[end : end + 1] in NOTHING_FOLLOWS:
        return ()
    cut = decimals(text, end)
    after = cut.end() if cut else end
    found = (
        ("decimal cut", cut is not None),
        ("range", is_range(text, after)),
        ("per cent", is_per_cent(text, after)),
        ("other scale", is_of_another_scale(ratio(text, after))),
        ("second number", _SECOND.match(text, after) is not None),
    )
    return tuple(flag for flag, seen in found if seen)


def ordered(flags: Iterable[str]) -> tuple[str, ...]:
    """The flags once each, in their fixed order."""
    seen = set(flags)
    return tuple(flag for flag in FLAGS if flag in seen) if seen else ()


def out_of_range(written: Sequence[str], values: Sequence[float]) -> bool:
    """Whether one of the ratings, with its whole part as written in digits, is more than may be read."""
    return max(map(len, written)) > MOST_DIGITS or max(values) > HIGHEST_READ


def looks_like_another_scale(values: Sequence[float], *, any_decimal: bool) -> bool:
    """Whether ratings seem to be shares of 1: none above 1, and a decimal among them."""
    return any_decimal and max(values) <= 1


def looks_like_hundred(values: Sequence[float]) -> bool:
    """Whether ratings seem to be given from 0 to 100: one above the scale may be a slip, two are none."""
    return sum(value > SCALE_TOP for value in values) >= 2
