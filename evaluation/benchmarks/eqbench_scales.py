"""The scale that a reply itself names, as in `Scale: 1-5` above the ratings or `Score (%)` above a column. Pure."""

import re
from collections.abc import Iterator

from evaluation.benchmarks.eqbench_numbers import HIGHEST_READ, SCALE_TOP
from evaluation.late import late

_GAP = r"[^\S\n]{0,3}+"
_FROM_TO = (
    rf"(?P<low>[-−–]?[015]|0\.0|-?10){_GAP}(?:\([^()\n]{{0,20}}+\){_GAP})?"
    rf"(?:[-‐-―~～]|to|bis|through){_GAP}\+?(?P<top>\d{{1,4}}+(?:\.0)?)(?![\d%])"
)
_SCORES = (
    r"\b(?:scores?|ratings?|rated|intensity|intensities|values?|points|punkte|punktzahl(?:en)?|bewertung(?:en)?)\b"
)
_BESIDE = r"[^\w\n]{0,6}"
_SCALES = (
    late(rf"\b(?:scale|skala)\b[^\n\d]{{0,30}}?{_FROM_TO}", re.IGNORECASE),
    late(rf"(?<![\d.\-]){_FROM_TO}{_GAP}(?:point{_GAP})?(?:scale|skala)\b", re.IGNORECASE),
    late(rf"\b(?P<top>\d{{1,3}}+)[- ]point{_GAP}(?:likert{_GAP})?scale\b", re.IGNORECASE),
    late(rf"{_SCORES}{_GAP}[(\[]{_GAP}{_FROM_TO}{_GAP}(?:stars?|points?)?{_GAP}[)\]]", re.IGNORECASE),
    late(rf"{_SCORES}{_BESIDE}(?:each{_GAP})?(?:out of|/|von){_GAP}(?P<top>\d{{1,4}}+)(?![\d/])", re.IGNORECASE),
)
_BRACKETS = ("(", *("[" + sign for sign in "015-−– "))
_NEEDED = (("scale", "skala"), ("scale", "skala"), ("scale",), _BRACKETS, ("/", "out of", "von"))
"""Of each of _SCALES: signs of which it takes one. Looking for these first reads a common reply ten times as fast."""
_NEEDED_PER_CENT = ("%", "％", "cent", "prozent")
_ANY_NEEDED = ("/", "(", "%", "％", "scale", "skala", "out of", "von", "cent", "prozent", *_BRACKETS[1:])
_PER_CENT = late(
    rf"(?:{_SCORES}{_BESIDE}(?:(?:in|as){_GAP})?|\|{_GAP})(?:[%％]|per{_GAP}cent(?:ages?)?\b|prozent\b)", re.IGNORECASE
)


def names_another_scale(text: str, highest: float) -> bool:
    """Whether a text names a scale that does not end at 10, and on which its highest rating may lie."""
    low = text.lower()
    for sign in _ANY_NEEDED:
        if sign in low:
            return any(top != SCALE_TOP and highest <= top for top in _tops(text, low))
    return False


def _tops(text: str, low: str) -> Iterator[float]:
    for pattern, needed in zip(_SCALES, _NEEDED, strict=True):
        if any(sign in low for sign in needed):
            for found in pattern.finditer(text):
                yield float(found["top"])
    if any(sign in low for sign in _NEEDED_PER_CENT) and _PER_CENT.search(text):
        yield HIGHEST_READ
