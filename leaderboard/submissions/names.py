"""Whether a name may be shown, and whether it looks like another one. Pure: no query, no request.

A model's id is ASCII, so that what looks the same is the same but for a few pairs (rn and m, 1 and l, 0 and O). Names
of organisations may be of any script; they are compared by their skeletons.
"""

import re
import unicodedata
from collections.abc import Iterable

from evaluation.signs import hides_something

MODEL_ID_LENGTH = 120
SHOWN_LENGTH = 80

_MODEL_ID = re.compile(r"[A-Za-z0-9._\-/:@+]+")
_BLANK = frozenset({"Zs", "Mn", "Mc", "Me"})
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs by category that have no ink

# The letters of other scripts that are drawn like Latin ones, in the usual fonts of browsers. Source: Unicode Technical
# Standard 39, confusables.txt, its common Cyrillic, Greek and Armenian rows; in lower case, as names are compared.
_LOOK_ALIKES = {
    # Cyrillic
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "н": "h", "і": "i", "ї": "i", "ј": "j", "к": "k",
    "ӏ": "l", "м": "m", "п": "n", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w",
    "х": "x", "у": "y", "ү": "y", "з": "3", "ь": "b", "ё": "e", "ӕ": "ae", "ш": "w",
    # Greek
    "α": "a", "β": "b", "ϲ": "c", "ε": "e", "η": "n", "ι": "i", "κ": "k", "μ": "u", "ν": "v", "ο": "o", "ρ": "p",
    "σ": "o", "ς": "c", "τ": "t", "υ": "u", "χ": "x", "γ": "y", "ω": "w", "ζ": "z",
    # Armenian and Latin letters outside ASCII
    "օ": "o", "ս": "u", "հ": "h", "ո": "n", "ց": "g", "ı": "i", "ɑ": "a", "ɡ": "g", "ʟ": "l", "ɩ": "i", "ø": "o",
    "đ": "d", "ħ": "h", "ł": "l", "ƅ": "b",
}  # fmt: skip
# Capitals that look like another letter than their small form does.
_CAPITALS = {"Ι": "l", "І": "l", "|": "l", "Μ": "m", "Ν": "n", "Η": "h", "Ρ": "p", "Υ": "y", "Ζ": "z"}
_DIGITS = {"0": "o", "1": "l"}
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_SEPARATORS = re.compile(r"[\s._\-\u2010-\u2015]+")


def checked_model_id(text: str) -> str:
    """The id without outer white space.

    Raises:
        ValueError: with a sentence, for anything but 1 to 120 of the signs that Hugging Face and APIs use.
    """
    name = text.strip()
    if len(name) > MODEL_ID_LENGTH:
        raise ValueError(f"The name is longer than {MODEL_ID_LENGTH} characters.")
    if not _MODEL_ID.fullmatch(name) or not re.search("[A-Za-z0-9]", name.rpartition("/")[2]):
        raise ValueError("Write the name with Latin letters, digits and the signs . _ - / : @ + only, without spaces.")
    return name


def checked_name(text: str) -> str:
    """The name in the composed form (NFC) with single spaces; "" for one that is empty.

    Raises:
        ValueError: with a sentence, for invisible or directional signs, and for more than 80 characters.
    """
    name = " ".join(unicodedata.normalize("NFC", text).split(" ")).strip()
    if name and not any(_has_ink(sign) for sign in name):
        raise ValueError("The name holds nothing that can be seen.")
    if hides_something(name):
        raise ValueError(
            "The name holds signs that cannot be seen, that turn its direction, or too many accents on one letter. "
            "Type it anew."
        )
    if len(name) > SHOWN_LENGTH:
        raise ValueError(f"The name is longer than {SHOWN_LENGTH} characters.")
    return name


def _has_ink(sign: str) -> bool:
    return unicodedata.category(sign) not in _BLANK and sign not in _FILLERS


def skeleton(text: str) -> str:
    """What the name looks like: equal for two names that a reader may take for each other.

    Case, accents and separators go, letters of other scripts become the Latin ones that they are drawn like.
    """
    drawn = "".join(_CAPITALS.get(sign, sign) for sign in unicodedata.normalize("NFKD", text) if not _is_mark(sign))
    latin = "".join(_DIGITS.get(sign, _LOOK_ALIKES.get(sign, sign)) for sign in drawn.casefold())
    for pair, single in _PAIRS:
        latin = latin.replace(pair, single)
    # A capital I is drawn like a small l, and case is gone: so i and l count as one.
    return _SEPARATORS.sub("", latin.replace("i", "l"))


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """The first of the others that the name could be taken for without being it; None where there is none."""
    own = skeleton(name)
    return next((other for other in others if other != name and skeleton(other) == own), None)


def has_letters_of(name: str, other: str) -> bool:
    """Whether the two differ by case and separators alone, as "mistralai" and "Mistral AI": nobody is deceived."""
    return _SEPARATORS.sub("", name.casefold()) == _SEPARATORS.sub("", other.casefold())


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign) in {"Mn", "Me", "Cf"}
