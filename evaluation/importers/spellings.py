"""Whether a name looks like another one. Pure: no query, no request.

Names may be of any script; they are compared by their skeletons.
"""

import re
import unicodedata
from collections.abc import Iterable

# The letters of other scripts that are drawn like Latin ones, in the usual fonts of browsers. Source: Unicode Technical
# Standard 39, confusables.txt, its common Cyrillic, Greek and Armenian rows; in lower case, as names are compared.
# "_ONE_CASE" has those of scripts without two cases.
_LOOK_ALIKES = {
    # Cyrillic
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "н": "h", "і": "i", "ї": "i", "ј": "j", "к": "k",
    "ӏ": "l", "м": "m", "п": "n", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w",
    "х": "x", "у": "y", "ү": "y", "з": "3", "ь": "b", "ё": "e", "ӕ": "ae", "ш": "w", "ԍ": "g",
    # Greek
    "α": "a", "β": "b", "ϲ": "c", "ε": "e", "η": "n", "ι": "i", "κ": "k", "μ": "u", "ν": "v", "ο": "o", "ρ": "p",
    "σ": "o", "ς": "c", "τ": "t", "υ": "u", "χ": "x", "γ": "y", "ω": "w", "ζ": "z",
    # Armenian, Georgian, and Latin letters outside ASCII
    "օ": "o", "ս": "u", "հ": "h", "ո": "n", "ց": "g", "լ": "l", "ⴖ": "n", "ı": "i", "ɑ": "a",
    "ɡ": "g", "ʟ": "l", "ɩ": "i", "ø": "o", "đ": "d", "ħ": "h", "ł": "l", "ƅ": "b",
}  # fmt: skip
# Letters of one case alone, or whose other case is drawn otherwise, so they are looked up before the case goes: letters
# of Cherokee, Lisu and Coptic, and the small capitals of phonetics. From the same table and the names of the letters.
_DRAWN_LIKE = {
    "a": "ᎪꓮᴀⲀ", "b": "ᏴꓐʙᏏⲂ", "c": "ᏟꓚᴄⲤ", "d": "ᎠꓓᴅᏧ", "e": "ᎬꓰᴇⲈ", "f": "ꓝꜰ", "g": "ᏀꓖɢᏳᏽ",
    "h": "ᎻꓧʜᏂⲎ", "i": "ᎥɪⲒᏆ", "j": "Ꭻꓙᴊ", "k": "ᏦꓗᴋⲔ", "l": "ᏞꓡʟᏓꓲ", "m": "ᎷꓟᴍⲘ", "n": "ꓠɴⲚ", "o": "ꓳᴏⲞᎾ",
    "p": "ᏢꓑᴘⲢ", "q": "ꞯ", "r": "ᎡᏒꓣʀ", "s": "ᏚꓢꜱᏕ", "t": "ᎢꓔᴛⲦ", "u": "ꓴᴜ", "v": "ᏙꓦᴠᏤ", "w": "ᎳᏔꓪᴡⲰ",
    "x": "ꓫⲬ", "y": "ᎩᎽꓬʏⲨ", "z": "ᏃꓜᴢⲌ",
}  # fmt: skip
_ONE_CASE = {letter: latin for latin, letters in _DRAWN_LIKE.items() for letter in letters}
# Capitals that look like another letter than their small form does.
_CAPITALS = {"Ι": "l", "І": "l", "|": "l", "Μ": "m", "Ν": "n", "Η": "h", "Ρ": "p", "Υ": "y", "Ζ": "z"}
_DIGITS = {"0": "o", "1": "l"}
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_SEPARATORS = re.compile(r"[\s._:\-\u2010-\u2015]+")  # a colon as in Ollama's `qwen3:8b`


def skeleton(text: str) -> str:
    """What the name looks like: equal for two names that a reader may take for each other.

    Case, accents, separators and a slash at the end go, letters of other scripts become the Latin ones that they are
    drawn like.
    """
    signs = [sign for sign in unicodedata.normalize("NFKD", text) if not _is_mark(sign)]
    # The small letters of Cherokee lie in another block, and are drawn like its capitals.
    drawn = "".join(_CAPITALS.get(sign) or _ONE_CASE.get(sign) or _ONE_CASE.get(sign.upper(), sign) for sign in signs)
    latin = "".join(_DIGITS.get(sign, _LOOK_ALIKES.get(sign, sign)) for sign in drawn.casefold())
    for pair, single in _PAIRS:
        latin = latin.replace(pair, single)
    # A capital I is drawn like a small l, and case is gone: so i and l count as one.
    return _SEPARATORS.sub("", latin.replace("i", "l")).removesuffix("/")


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """The first of the others that the name could be taken for without being it; None where there is none."""
    own = skeleton(name)
    return next((other for other in others if other != name and skeleton(other) == own), None)


def has_letters_of(name: str, other: str) -> bool:
    """Whether the two differ by case and separators alone, as "mistralai" and "Mistral AI": nobody is deceived."""
    return _SEPARATORS.sub("", name.casefold()) == _SEPARATORS.sub("", other.casefold())


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign) in {"Mn", "Me", "Cf"}
