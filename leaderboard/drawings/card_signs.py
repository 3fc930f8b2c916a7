"""Texts in signs that a font has, so that no card shows a box where a letter should be. Pure: the font is asked by a
function.

What a font lacks is written another way, by the first of these that it has: a word ("≈" becomes "about"), the plain
form of the sign (full-width or mathematical letters), the sound of Japanese kana and Korean syllables. Emoji and other
pictures are left out. Letters that have no such form become "…".
"""

import re
import unicodedata
from collections.abc import Callable, Iterable

Has = Callable[[str], bool]
"""Whether the font has a sign."""

ABOUT = re.compile(r"≈\s*")
SOUND = re.compile(r"(?:HIRAGANA|KATAKANA) LETTER (?:SMALL )?(\w+)$|HANGUL SYLLABLE (\w+)$")
LONGER = "\u30fc"  # the bar that makes a sound of kana longer
OMITTED = "…"
PICTURES = frozenset({"So", "Sk", "Sm", "Cn", "Co", "Cf", "Mn", "Me"})
"""Categories of Unicode whose signs carry no sound: emoji, modifiers, and signs that only change the one before."""


def in_signs_of(has: Has, text: str, names: Iterable[tuple[str, str]] = ()) -> str:
    """The text in signs that the font has.

    Args:
        has: Whether the font has a sign.
        text: Any text.
        names: Names that may occur in it, each with a plain one that stands in where not every letter can be written.
    """
    for name, plain in names:
        if name and not is_legible(written(has, name.replace(OMITTED, "..."))):
            text = text.replace(name, plain)
    return written(has, text)


def is_legible(name: str) -> bool:
    """Whether no letter was omitted, and not all of it was a picture."""
    return OMITTED not in name and any(map(str.isalnum, name))


def written(has: Has, text: str) -> str:
    """Sign by sign; several omitted letters in a row are one "…"."""
    text = unicodedata.normalize("NFC", text)
    if all(has(sign) for sign in set(text)):
        return text
    found = "".join(sign if has(sign) else instead(has, sign) for sign in ABOUT.sub("about ", text))
    return " ".join(re.sub(f"{OMITTED}+", OMITTED, found).split())


def instead(has: Has, sign: str) -> str:
    """What is written for a sign that the font lacks."""
    for form in ("NFKC", "NFKD"):
        plain = unicodedata.normalize(form, sign)
        if plain != sign and all(map(has, plain)):
            return plain
    if sound := SOUND.match(unicodedata.name(sign, "")):
        return (sound[1] or sound[2]).lower()
    if sign.isspace():
        return " "
    return "" if sign == LONGER or unicodedata.category(sign) in PICTURES else OMITTED
