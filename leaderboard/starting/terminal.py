"""Output and arguments of commands on a terminal of any encoding. manage.py calls this once, for all commands."""

import codecs
import os
import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper

REFUSED = 2  # as argparse ends a process for an argument that cannot be
HANDLER = "eq-leaderboard-ascii"
LOWEST_BYTE, HIGHEST_BYTE = "\udc80", "\udcff"  # how Python holds bytes of an argument that it could not decode
MARKS = {
    "×": "x", "±": "+/-", "−": "-", "–": "-", "—": "-", "…": "...", "’": "'", "‘": "'", "“": '"', "”": '"', "→": "->",
    "≈": "~", "·": "-", "█": "#", "░": ".", "≤": "<=", "≥": ">=",
}  # fmt: skip


def write_to_any_terminal() -> None:
    """From now on output that the terminal's encoding does not have is written in ASCII, where it raised an error."""
    codecs.register_error(HANDLER, _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(in_ascii, error.object[error.start : error.end])), error.end


def in_ascii(sign: str) -> str:
    """ "×" -> "x", a no-break space -> " ", "é" -> "\\xe9", a byte that is no text -> "\\xff"."""
    if sign in MARKS:
        return MARKS[sign]
    if unicodedata.category(sign) == "Zs":
        return " "
    if LOWEST_BYTE <= sign <= HIGHEST_BYTE:
        return f"\\x{ord(sign) - 0xDC00:02x}"
    return sign.encode("ascii", "backslashreplace").decode("ascii")


def checked_arguments(words: Sequence[str]) -> list[str]:
    """The arguments as text. One with undecodable bytes is read as UTF-8, unless it names a file that is there.

    Ends the process, with a sentence, for one that is neither.
    """
    return [_checked(number, word) for number, word in enumerate(words)]


def _checked(number: int, word: str) -> str:
    if not any(LOWEST_BYTE <= sign <= HIGHEST_BYTE for sign in word) or os.path.exists(word):
        return word
    with suppress(UnicodeDecodeError):  # the locale is not UTF-8, and the argument is
        return os.fsencode(word).decode("utf-8")
    shown = "".join(sign if sign.isascii() else in_ascii(sign) for sign in word)
    sys.stderr.write(f"Argument {number} holds bytes that are no UTF-8 text: {shown}\nWrite it in UTF-8.\n")
    sys.exit(REFUSED)
