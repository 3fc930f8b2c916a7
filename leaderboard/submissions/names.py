"""Whether a name may be shown, and whether it looks like another one. Pure: no query, no request.

A model's id is ASCII, so that what looks the same is the same but for a few pairs (rn and m, 1 and l, 0 and O). Names
of organisations may be of any script; they are compared by their skeletons, and an unusual letter is a doubt in itself.
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
# The letters of names as people write them: of each script the block that every font has, without the archaic,
# phonetic, mathematical and full-width forms, among which are most of the letters that look like others.
_USUAL = {
    "Latin": re.compile("[ßæœøłđðþħıÆŒØŁĐÐÞĦ]"),
    "Greek": re.compile("[Α-Ωα-ω]"),
    "Cyrillic": re.compile("[Ѐ-џҐґ]"),
    "Han or Japanese": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\u3041-\u3096\u30a1-\u30fa\u30fc]"),
    "Hangul": re.compile("[\uac00-\ud7a3\u1100-\u1112]"),
    "Arabic": re.compile("[\u0621-\u064a\u067e\u0686\u0698\u06a9\u06af\u06cc]"),
    "Hebrew": re.compile("[\u05d0-\u05ea]"),
    "Devanagari": re.compile("[\u0904-\u0939\u093e-\u094c\u0958-\u0961]"),
    "Bengali": re.compile("[\u0985-\u09b9\u09be-\u09cc]"),
    "Tamil": re.compile("[\u0b85-\u0bb9\u0bbe-\u0bcc]"),
    "Thai": re.compile("[\u0e01-\u0e30\u0e32-\u0e33\u0e40-\u0e46]"),
}
_SIGNS_OF_ANY = frozenset("–—‘’“”«»·…&©®™、。・「」（）")
_ANY = "any"
_WORD = re.compile(r"[^\W\d_]+")
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


def odd_letters(name: str) -> str:
    """Why a reader may take a letter of the name for another one, as a sentence; "" where its letters are usual ones.

    The table above holds the usual look-alikes of three scripts; Unicode has thousands more. So this does not ask what
    a letter looks like: a letter of an unusual script or form counts, and one that is alone among another script's.
    """
    for sign in unicodedata.normalize("NFC", name):
        if not sign.isascii() and _script_of(sign) == "":
            return f"It holds {_described(sign)}."
    for word in _WORD.findall(name):
        scripts = sorted({script for sign in word if (script := _script_of(sign)) not in {"", _ANY}})
        if len(scripts) > 1:
            return f"It mixes {' and '.join(scripts)} letters in one word."
    return ""


def _script_of(sign: str) -> str:
    """The script of a usual letter; _ANY for what goes with each script; "" for an unusual letter, digit or sign."""
    base = unicodedata.normalize("NFD", sign)[0]
    if base.isascii():
        return "Latin" if base.isalpha() else _ANY
    if base in _SIGNS_OF_ANY or unicodedata.category(base) in _BLANK:
        return _ANY
    return next((script for script, letters in _USUAL.items() if letters.match(base)), "")


def _described(sign: str) -> str:
    return f"{sign!r} ({unicodedata.name(sign, 'a sign without a name').lower()}), which is not a usual letter"


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """The first of the others that the name could be taken for without being it; None where there is none."""
    own = skeleton(name)
    return next((other for other in others if other != name and skeleton(other) == own), None)


def has_letters_of(name: str, other: str) -> bool:
    """Whether the two differ by case and separators alone, as "mistralai" and "Mistral AI": nobody is deceived."""
    return _SEPARATORS.sub("", name.casefold()) == _SEPARATORS.sub("", other.casefold())


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign) in {"Mn", "Me", "Cf"}
