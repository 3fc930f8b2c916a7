"""Names as plain text, for places that hold no markup: titles of pages, badges, citations, snippets. Pure."""

import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})  # Unicode categories of signs without ink
FILLERS = frozenset("\u115f\u1160\u3164\uffa0")  # letters by their category, and empty all the same


def spelled(text: str) -> str:
    """The text with each sign that cannot be seen as its code point: "safe\\u202eevil" -> "safe[U+202E]evil".

    What comes back can stand in XML, in a title and in a line of its own, once it is escaped.
    """
    return "".join(f"[U+{ord(sign):04X}]" if is_hidden(sign) else sign for sign in text)


def is_hidden(sign: str) -> bool:
    return sign in FILLERS or unicodedata.category(sign) in HIDDEN
