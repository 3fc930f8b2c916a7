"""The scale that a reply itself names, as in `Scale: 1-5` above the ratings or `Score (%)` above a column. Pure.

Most replies name none, so each search begins with a sign that is quickly found, and looks back from it for the words.
"""

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
_LONGEST_WORDS = 48
"""How far before a sign its words may begin."""

_NAMED = (
    late(rf"s(?<!\ws)(?:cale|kala)\b[^\n\d]{{0,30}}?{_FROM_TO}"),
    late(rf"(?<![\d.\-]){_FROM_TO}{_GAP}(?:point{_GAP})?(?:scale|skala)\b"),
    late(rf"\b(?P<top>\d{{1,3}}+)[- ]point{_GAP}(?:likert{_GAP})?scale\b"),
)
_IN_BRACKETS = late(rf"[(\[]{_GAP}{_FROM_TO}{_GAP}(?:stars?|points?)?{_GAP}[)\]]")
_OUT_OF = late(rf"(?:out of|/|von){_GAP}(?P<top>\d{{1,4}}+)(?![\d/])")
_PER_CENT = late(rf"[%％]|per{_GAP}cent(?:ages?)?\b|prozent\b")
_BEFORE_BRACKETS = late(rf"{_SCORES}{_GAP}\Z")
_BEFORE_OUT_OF = late(rf"{_SCORES}{_BESIDE}(?:each{_GAP})?\Z")
_BEFORE_PER_CENT = late(rf"(?:{_SCORES}{_BESIDE}(?:(?:in|as){_GAP})?|\|{_GAP})\Z")
_END_OF_ANSWER = "[end of answer]"
"""What a prompt asks for at the end of each reply; its bracket begins no scale."""


def other_scales(text: str) -> tuple[float, ...]:
    """The highest ratings of the scales that a text names, but for the scale up to 10."""
    low = text.lower()
    return tuple(top for top in _tops(low) if top != SCALE_TOP)


def _tops(low: str) -> Iterator[float]:
    """Of a text in small letters: a search without regard to letters is slow to begin."""
    if "scale" in low or "skala" in low:
        for named in _NAMED:
            yield from (float(found["top"]) for found in named.finditer(low))
    if "(" in low or "[" in low.replace(_END_OF_ANSWER, ""):
        yield from _told(_IN_BRACKETS, _BEFORE_BRACKETS, low)
    if "/" in low or "out of" in low or "von" in low:
        yield from _told(_OUT_OF, _BEFORE_OUT_OF, low)
    if "%" in low or "cent" in low or "prozent" in low or (not low.isascii() and "％" in low):
        for found in _PER_CENT.finditer(low):
            if _BEFORE_PER_CENT.search(low, max(0, found.start() - _LONGEST_WORDS), found.start()):
                yield HIGHEST_READ
                return


def _told(sign: re.Pattern[str], before: re.Pattern[str], low: str) -> Iterator[float]:
    for found in sign.finditer(low):
        if before.search(low, max(0, found.start() - _LONGEST_WORDS), found.start()):
            yield float(found["top"])
