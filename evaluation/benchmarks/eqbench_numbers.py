"""What a rating may be, and what the signs behind a number make of it. Pure; shared by both readings."""

import re
from collections.abc import Iterable, Sequence

HIGHEST_READ, MOST_DIGITS = 100, 3
"""A larger rating, or one of more digits as written, is no answer: one such reply could sink a run."""

SCALE_TOP = 10
FLAGS = ("thinking", "reply cut", "decimal cut", "range", "per cent", "other scale", "above 10")
"""All flags, in the order in which an answer lists them."""

_GAP = r"[^\S\r\n]{0,8}+"
_DECIMALS = re.compile(r"[.,](\d++)|[¼-¾⅐-⅞]")
_RANGE = re.compile(rf"{_GAP}(?:[-‐-―−~]|(?:to|or|bis|oder)\b){_GAP}\d", re.IGNORECASE)
_PER_CENT = re.compile(rf"{_GAP}(?:[%％٪]|per{_GAP}cent\b|prozent\b)", re.IGNORECASE)
NOTHING_FOLLOWS = frozenset(("", "\n", "\r"))


def decimals(text: str, end: int) -> re.Match[str] | None:
    """The decimal part (group 1: its digits, None for a fraction sign) of a number whose whole part ends at `end`."""
    return _DECIMALS.match(text, end)


def is_range(text: str, end: int) -> bool:
    """Whether a second number is joined to the one that ends at `end`: `2-4`, `2 to 4`, `2 or 3`."""
    return _RANGE.match(text, end) is not None


def is_per_cent(text: str, end: int) -> bool:
    return _PER_CENT.match(text, end) is not None


def flags_behind(text: str, end: int) -> tuple[str, ...]:
    """What the official reading leaves unread behind a number that ends at `end`: decimals, a range, per cent."""
    if text[end : end + 1] in NOTHING_FOLLOWS:
        return ()
    cut = decimals(text, end)
    after = cut.end() if cut else end
    found = (("decimal cut", cut is not None), ("range", is_range(text, after)), ("per cent", is_per_cent(text, after)))
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
