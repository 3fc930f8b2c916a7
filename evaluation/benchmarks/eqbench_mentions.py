"""Where a reply gives one of an item's names a number, in any of the usual shapes. Pure; linear on hostile text.

Every repetition of one sign is possessive, and bounded where it could meet the same signs again: the time at one name
is limited. A group of several signs never is: Python before 3.11.5 keeps the half of it that matched (CPython's issue
106052).
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from evaluation.benchmarks.eqbench_numbers import NOTHING_FOLLOWS, SCALE_TOP, is_per_cent, is_range

# Format characters (Unicode category Cf), the combining grapheme joiner and variation selectors: they change no name.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)
_SPACE = r"[^\S\r\n]"
_MARKS = r"\"'“”„‟‘’‚«»*_`~\\"
_WRAP = rf"(?:{_SPACE}|[{_MARKS}]){{0,40}}+"
_WRAP_LINES = rf"[\s{_MARKS}]{{0,40}}+"
_NOTE = rf"(?:\([^()\r\n]{{0,40}}+\){_WRAP})?"
_KEY_NAMES = "scores?|ratings?|values?|intensity|level|punktzahl|bewertung|wert|intensität|stärke"
_KEY = rf"\"\s{{0,20}}+[,:]\s{{0,20}}+\{{?+\s{{0,20}}+\"(?:{_KEY_NAMES})\"\s{{0,20}}+:\s{{0,20}}+\"?+"

_SEPARATOR = re.compile(
    rf"{_KEY}|{_WRAP}{_NOTE}(?:(?P<dash>[-–—]){_WRAP}|[:：=]{_WRAP_LINES}|\|{_WRAP})", re.IGNORECASE
)
_MINUS = re.compile(rf"[-−–—]{_SPACE}{{0,3}}+\d++")
_PLACEHOLDER = re.compile(rf"[<(\[{{]{_WRAP}(?:[^\W\d]|\d++{_SPACE}{{0,3}}+[-–—]{_SPACE}{{0,3}}+\d)|(?:[xX]\b|\?)")
_NUMBER = re.compile(rf"[<(\[]?+{_WRAP}(?:(?P<whole>\d++)(?:[.,](?P<decimals>\d++))?|\.(?P<bare>\d++))")
_RATIO = re.compile(
    rf"[{_MARKS})\]>]{{0,8}}+{_SPACE}{{0,8}}+(?:/|(?:out{_SPACE}of|of|von)\b){_SPACE}{{0,8}}+(\d++)", re.IGNORECASE
)
_RUNS_ON = re.compile(r"[.,]\d|[¼-¾⅐-⅞]|e[+-]?\d", re.IGNORECASE)
_BRACKET = re.compile(rf"{_WRAP}(?=[(\[])")
_CLOSING = re.compile(rf"{_WRAP}[)\]]")


class Rating(NamedTuple):
    """A number as a reply gives it. `value` is None where the number is refused: a range, per cent, a negative one."""

    written: str
    value: float | None
    whole: str = ""
    decimal: bool = False


class Mention(NamedTuple):
    """A name of the item with what follows it; `rating` is None for a placeholder such as `<score>`."""

    label: str
    rating: Rating | None


def without_invisible(text: str) -> str:
    return text if text.isascii() else _INVISIBLE.sub("", text)


def mentions(text: str, labels: tuple[str, ...]) -> Iterator[Mention]:
    """All places where one of the labels, in any case, is followed by a number or a placeholder, in order."""
    names, labels_by_name = _names(labels)
    for name in names.finditer(text):
        written = name.group()
        label = labels_by_name.get(written) or labels_by_name.get(_folded(written))
        mention = _mention(text, name.end(), label) if label else None
        if mention:
            yield mention


@lru_cache(maxsize=2048)
def _names(labels: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for the labels as whole words, composed or decomposed, and the label by its plain and its folded form.

    A digit may touch a name (`3Hopeful`), a letter may not; an underscore is an emphasis mark.
    """
    forms = {unicodedata.normalize(form, label) for label in labels for form in ("NFC", "NFD")}
    spellings = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    pattern = re.compile(rf"(?<![^\W\d_])(?:{spellings})(?![^\W_])", re.IGNORECASE)
    return pattern, {name: label for label in labels for name in (label, _folded(label))}


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _mention(text: str, end: int, label: str) -> Mention | None:
    separator = _SEPARATOR.match(text, end)
    is_placeholder = separator is not None and _PLACEHOLDER.match(text, separator.end()) is not None
    rating = _rating(text, separator) if separator and not is_placeholder else None
    rating = rating or _in_brackets(text, end)
    return Mention(label, rating) if rating or is_placeholder else None


def _rating(text: str, separator: re.Match[str]) -> Rating | None:
    """The number behind a separator; None where none stands there."""
    minus = _MINUS.match(text, separator.end())
    if minus:
        return Rating(minus.group()[:20], None)
    number = _NUMBER.match(text, separator.end())
    if number is None:
        return None
    if _looks_negative(text, separator):
        return Rating(text[separator.start("dash") : number.end()].strip(), None)
    return _judged(text, number)


def _looks_negative(text: str, separator: re.Match[str]) -> bool:
    """Whether the dash is a sign rather than a separator: space before it and a digit right behind (`Angry -3`)."""
    at = separator.start("dash")
    return at > 0 and text[at] != "—" and text[at - 1].isspace() and text[at + 1 : at + 2].isdecimal()


def _in_brackets(text: str, end: int) -> Rating | None:
    """`Angry (3)`: a number that fills the brackets behind a name."""
    bracket = _BRACKET.match(text, end)
    number = _NUMBER.match(text, bracket.end()) if bracket else None
    if number is None:
        return None
    ratio = _RATIO.match(text, number.end())
    return _judged(text, number) if _CLOSING.match(text, (ratio or number).end()) else None


def _judged(text: str, number: re.Match[str]) -> Rating:
    written = number.group().strip(" \t(<[*_\"'`")
    if _is_refused(text, number):
        return Rating(_with_tail(text, number, written), None)
    whole = number["whole"] or "0"
    fraction = number["decimals"] or number["bare"]
    value = float(f"{whole[:4]}.{fraction[:15]}") if fraction else float(whole[:4])
    return Rating(written, value, whole, decimal=fraction is not None)


def _is_refused(text: str, number: re.Match[str]) -> bool:
    """Whether the number is only the start of something else: a range, per cent, `3/5`, `1,000`, `3.4.5`, `9e5`."""
    end = number.end()
    if "," in number.group() and len(number["decimals"]) == 3:
        return True
    if text[end : end + 1] in NOTHING_FOLLOWS:
        return False
    ratio = _RATIO.match(text, end)
    if ratio and int(ratio[1][:6]) != SCALE_TOP:
        return True
    end = ratio.end() if ratio else end
    return _RUNS_ON.match(text, end) is not None or is_range(text, end) or is_per_cent(text, end)


def _with_tail(text: str, number: re.Match[str], written: str) -> str:
    """The number with a little of what follows in its line, for the sentence that says why it was refused."""
    line = (written + text[number.end() : number.end() + 6]).splitlines()[0][:20]
    return "".join(sign for sign in line if sign.isprintable()).strip()
