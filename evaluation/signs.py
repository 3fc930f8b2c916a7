"""Signs that cannot be seen, or that hide others, in texts of strangers: found here, for every way out. Pure.

A stranger's text may hold control signs (a terminal obeys them), signs that turn the direction of what follows, signs
without ink, and towers of combining marks. Whatever shows such a text shows these signs as their code points.
"""

import re
import unicodedata
from functools import cache, lru_cache

from evaluation.late import late

MOST_MARKS = 4  # combining marks on one letter; real scripts need no more

# Unicode categories Cc (but tab and line feed), Cf, Cs, Co, Zl and Zp, what has no ink though its category tells
# otherwise (fillers, variation selectors, the grapheme joiner), and what Unicode sets aside for such signs.
INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\uf8ff\ufe00-\ufe0e\ufdd0-\ufdef\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159"
    "\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
) + "".join(f"{chr(plane | 0xFFFE)}{chr(plane | 0xFFFF)}" for plane in range(0x10000, 0xE0000, 0x10000))
MARKS = {"Mn", "Me"}  # the categories of marks that take no room of their own
_LAST_MARK = 0x1E94A  # beyond it there are variation selectors alone


@cache
def _marks() -> str:
    """The combining marks that take no room of their own, as the inside of a character class. Looking through them
    takes 20 ms, which a command with plain texts need not wait for.
    """
    codes = [code for code in range(0x300, _LAST_MARK + 1) if unicodedata.category(chr(code)) in MARKS]
    starts = [code for code, before in zip(codes, [-1, *codes], strict=False) if code != before + 1]
    ends = [code for code, after in zip(codes, [*codes[1:], -1], strict=True) if code != after - 1]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


def tower() -> str:
    """A pattern of what is too much of a tower of marks."""
    return f"(?<=[{_marks()}]{{{MOST_MARKS}}})[{_marks()}]+"


_UNUSUAL = re.compile(r"[^\t\n -~]")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_HIDDEN = late(lambda: f"[{INVISIBLE}]|{tower()}")
IS_MARK = late(lambda: f"(?![{INVISIBLE}])[{_marks()}]")
_LINES = re.compile("[\t\n]")


def is_plain(text: str) -> bool:
    """Whether nothing hides in it, by a look that takes a fifteenth of the time of a search: most texts are plain."""
    return not any(map(_is_suspect, set(_UNUSUAL.findall(text))))


@lru_cache(4096)
def _is_suspect(sign: str) -> bool:
    return _INVISIBLE.match(sign) is not None or unicodedata.category(sign) in MARKS


def hides_something(text: str) -> bool:
    """Whether a name with this text could deceive by a sign that cannot be seen or by a tower of marks."""
    return _LINES.search(text) is not None or (not is_plain(text) and _HIDDEN.search(text) is not None)


def without_hidden(text: str) -> str:
    """The text without its signs that cannot be seen, for comparing names by what a reader sees."""
    return _INVISIBLE.sub("", text)


def spelled(text: str) -> str:
    """The text with each such sign as its code point: "safe\\u202eevil" -> "safe[U+202E]evil".

    Of a tower of marks the lowest stay and the rest is counted. Spelling twice changes nothing. What comes back can
    stand in XML, in a title, on a terminal and in a line of its own.
    """
    return _LINES.sub(_code_point, spelled_lines(text))


def spelled_lines(text: str) -> str:
    """As `spelled`; tabs and ends of lines stay."""
    text = text.replace("\r\n", "\n")
    return text if is_plain(text) else _HIDDEN.sub(_code_point, text)


def escaped(json_text: str) -> str:
    """A JSON text that shows nothing hidden and says the same: "safe\\u202eevil" stands in it as those 14 signs.

    Unlike `spelled` it loses nothing, so it is for files whose values are read by programs.
    """
    return json_text if is_plain(json_text) else _HIDDEN.sub(_escape, json_text)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _code_point(found: re.Match[str]) -> str:
    signs = found[0]
    return f"[{len(signs)} more marks]" if IS_MARK.match(signs) else f"[U+{ord(signs):04X}]"
