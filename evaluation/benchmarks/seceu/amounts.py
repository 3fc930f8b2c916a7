"""One number of points as a model writes it: `3`, `2.5`, `3/10`, `30%`, `4 points`. Pure.

Whatever could mean two things is no amount: a range, a second number, a fraction of something other than 10.
"""

import re
from typing import NamedTuple

from evaluation.late import late

PER_CENT, POINTS = "%", ""
BLANKS = r"[^\S\r\n]{0,8}+"
SIGNS = "-−‐‑–—"
NUMBER = r"(?:\d{1,6}+(?:\.\d{1,12}+)?|\.\d{1,12}+)"
"""At most six digits before the point: a longer number is a slip, and would drown the other three."""

_NO_MORE = r"(?!\d|[.,]\d)"
_TEN = rf"{BLANKS}(?:(?:/|(?:out{BLANKS})?of\b){BLANKS}10{_NO_MORE}|\(out of 10\))"
_UNIT = late(
    rf"(?P<ten>{_TEN})?(?:{BLANKS}(?P<cent>[%％]|per{BLANKS}cent\b)|{BLANKS}(?:points?|pts?)\b|{BLANKS}[分点])?",
    re.IGNORECASE,
)
_CLOSERS = r"[*_`\"'”’)\]]{0,6}+"
_JOINS = rf"(?:[{SIGNS}~～/+*×÷=→⇒<>^|,;(\[]|[-=]>|(?:to|or|of|and|out)\b)"
_UNCLEAR = late(
    # Attached letters, digits or fractions, and a decimal comma, make it another number than the one that was read.
    rf"\w|[¼-¾⅐-⅞²³¹]|[.,']\d"
    # So does a second number behind a sign or a word that joins two.
    rf"|{_CLOSERS}{BLANKS}(?:{_JOINS}{BLANKS})?(?:{_JOINS}{BLANKS})?(?:{_JOINS}{BLANKS})?"
    rf"[(\[~≈]{{0,2}}+[{SIGNS}]?+\.?+\d",
    re.IGNORECASE,
)
_NUMBER = late(NUMBER)


class Amount(NamedTuple):
    """A number of points and its unit. `value` is None where a number stands that cannot be read with certainty."""

    value: float | None
    unit: str
    end: int


def amount_at(
    text: str, at: int, *, negative: bool = False, next_label: re.Pattern[str] | None = None
) -> Amount | None:
    """The amount whose digits begin at `at`; None where no number begins there.

    Args: `next_label` matches, with its item number before it, the option that may follow on the same line.
    """
    number = _NUMBER.match(text, at)
    if number is None:
        return None
    unit = _UNIT.match(text, number.end())
    end = unit.end() if unit else number.end()
    name = PER_CENT if unit and unit["cent"] else POINTS
    if (unit and unit["ten"] and unit["cent"]) or _is_unclear(text, end, next_label):
        return Amount(None, name, end)
    value = float(number.group())
    return Amount(-value if negative else value, name, end)


def _is_unclear(text: str, end: int, next_label: re.Pattern[str] | None) -> bool:
    if _UNCLEAR.match(text, end) is None:
        return False
    return next_label is None or next_label.match(text, end) is None


def whole_amount(text: str) -> Amount | None:
    """The amount that a whole text is, as in a JSON value; None for any other text."""
    text = text.strip()
    sign = text[:1] in SIGNS if text else False
    found = amount_at(text, int(sign), negative=sign)
    return found if found is not None and found.end == len(text) else None
