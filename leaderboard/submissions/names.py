"""Whether a name may be shown. Pure: no query, no request.

A model's id is ASCII, so that what looks the same is the same but for a few pairs (rn and m, 1 and l, 0 and O). Names
of organisations may be of any script; `evaluation.importers.spellings` compares them by their skeletons, and an unusual
letter is a doubt in itself.
"""

import re
import unicodedata

from evaluation.signs import hides_something

MODEL_ID_LENGTH = 120
SHOWN_LENGTH = 80

_MODEL_ID = re.compile(r"[A-Za-z0-9._\-/:@+]+")
_BLANK = frozenset({"Zs", "Mn", "Mc", "Me"})
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs by category that have no ink

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
            "The name contains invisible or direction-changing characters, or too many accents on one letter. "
            "Type it again."
        )
    if len(name) > SHOWN_LENGTH:
        raise ValueError(f"The name is longer than {SHOWN_LENGTH} characters.")
    return name


def _has_ink(sign: str) -> bool:
    return unicodedata.category(sign) not in _BLANK and sign not in _FILLERS


def odd_letters(name: str) -> str:
    """Why a reader may take a letter of the name for another one, as a sentence; "" where its letters are usual ones.

    `spellings` has the usual look-alikes of three scripts; Unicode has thousands more. So this does not ask what
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
