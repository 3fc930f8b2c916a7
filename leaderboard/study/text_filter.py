"""Holds texts back that may name a real person or speak of a crisis, until a member of the staff has read them. Pure.

It is a net with wide meshes: it finds what has a form, such as an address, and words that nobody uses lightly.
"""

import re

_PERSONAL: dict[str, re.Pattern[str]] = {
    "an e-mail address": re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}", re.IGNORECASE),
    "a web address": re.compile(r"\b(https?://|www\.)\S+", re.IGNORECASE),
    "a user name": re.compile(r"(?<!\w)@\w{3,}"),
    "a telephone or account number": re.compile(r"(?<![\d.])\+?\d(?:[\s()./-]?\d){7,}(?![\d.])"),
    "a street address": re.compile(
        r"\b\d{1,5}\s+[A-Z]\w+(\s[A-Z]\w+)?\s(Street|St\.|Road|Rd\.|Avenue|Ave\.|Lane|Drive|Boulevard)", re.ASCII
    ),
}
_CRISIS = re.compile(
    r"\b(suicid\w*|kill(ing)?\s+(my|your|him|her|them)sel(f|ves)|self[- ]harm\w*|"
    r"end(ing)?\s+(my|your|his|her)\s+(own\s+)?life|want(s|ed)?\s+to\s+die|better\s+off\s+dead|overdos\w+|rap(e|ed|ist)|molest\w*|cut(ting)?\s+(my|your)self)\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")  # eight digits, and no number of anybody
MOST = 200  # characters of a reason, as the column holds them


def held_for(*texts: str) -> str:
    """Why these texts are held back; "" for nothing."""
    whole = _DATE.sub("", "\n".join(texts))
    reasons = [name for name, pattern in _PERSONAL.items() if pattern.search(whole)]
    found = _CRISIS.search(whole)
    reasons += [f"crisis content (“{found[0]}”)"] if found else []
    return ", ".join(reasons)[:MOST]
