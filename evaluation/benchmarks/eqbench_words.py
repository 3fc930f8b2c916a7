"""Words beside ratings: what a column, a key or a line is about, and which of several numbers is the rating. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from evaluation.late import late

Subject = Literal["final", "rating", "draft", "other", ""]
_SUBJECTS: tuple[tuple[Subject, frozenset[str]], ...] = (
    (
        "other",
        frozenset(
            (
                *("confidence", "conf", "certainty", "certain", "sure", "probability", "weight", "rank", "ranking"),
                *("index", "idx", "no", "nr", "id", "number", "count", "max", "maximum", "min", "minimum", "total"),
                *(
                    "default",
                    "ranks",
                    "priority",
                    "order",
                    "position",
                    "occurrence",
                    "mention",
                    "frequency",
                    "likelihood",
                ),
                *("odds", "delta", "δ", "change", "difference", "diff", "error", "置信度", "理由", "原因", "确信度"),
                *("confianza", "confiance", "confiança", "fiducia", "уверенность"),
                *("sum", "reference", "example", "scale", "range", "sicherheit", "konfidenz", "gewicht", "rang"),
                *("summe", "reason", "reasoning", "why", "explanation", "evidence", "line", "step", "page", "average"),
            )
        ),
    ),
    (
        "final",
        frozenset(
            (
                *("final", "revised", "updated", "corrected", "adjusted", "changed", "new", "after", "now"),
                *("überarbeitet", "überarbeitete", "endgültig", "endgültige", "neu", "neue", "korrigiert"),
            )
        ),
    ),
    (
        "draft",
        frozenset(
            (
                *("first", "initial", "draft", "original", "before", "old", "prior", "previous", "preliminary"),
                *("erste", "erster", "alt", "alte", "vorher", "entwurf", "was"),
            )
        ),
    ),
    (
        "rating",
        frozenset(
            (
                *("score", "scores", "scored", "rating", "ratings", "rated", "value", "values", "intensity"),
                *("level", "points", "strength", "degree", "grade", "punktzahl", "punkte", "bewertung", "wert"),
                *("intensität", "stärke", "score_10"),
                *("puntuación", "puntaje", "pontuação", "punteggio", "intensité", "intensidad", "intensità", "оценка"),
                *("分数", "得分", "评分", "强度", "スコア", "評価", "点数", "점수"),
            )
        ),
    ),
)
_WORD = late(r"[^\W\d_]{1,40}+")
_CAMEL = late(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
_SIDES = " \t\r\n\"'“”„‘’«»*_`~#>•·-–—:.,;()[]{}<>|\\"
_NUMBER = late(r"^[\s\"'*_`~#>•\-]{0,12}+[(\[]?\d{1,2}[.)\]:]\s{0,4}+")
# What may stand behind a name in its cell: a word for its number, or a note that holds no number but the scale.
_TAIL = late(
    r"[\s_\-*]{0,4}+(?:[(\[](?:[^()\[\]\n\d]{0,40}+"
    r"|[^()\[\]\n\d]{0,20}?[01]\s?(?:[-–—]|to|bis)\s?10[^()\[\]\n\d]{0,20}+)[)\]]"
    r"|(?<=\w)\[\d{1,2}\]|[¹²³⁰⁴-⁹]{1,2}+"
    r"|(?:scores?|ratings?|values?|intensity|level|punktzahl|bewertung|wert|intensität|stärke)\b)[\s*_\"'`:]{0,6}+$",
    re.IGNORECASE,
)
NAME_KEYS = frozenset(("emotion", "emotions", "name", "label", "feeling", "gefühl", "item", "key", "term", "category"))

SPEAKER_KEYS = frozenset(("name", "character", "speaker", "person", "participant", "who", "role", "figur", "sprecher"))


def folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@lru_cache(maxsize=2048)
def subject_of(title: str) -> Subject:
    """What the numbers under a title, key or heading are; "" where its words do not say."""
    if re.search(r"[#№]", title):
        return "other"
    words = {word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", title[:80]))}
    words |= {word[:-1] for word in words if word.endswith("s")}
    for subject, theirs in _SUBJECTS:
        if words & theirs:
            return subject
    return ""


@lru_cache(maxsize=4096)
def label_in(text: str, labels: tuple[str, ...]) -> str | None:
    """The label that a cell, a key or a line holds and nothing else, in any dress; None for all other texts."""
    if len(text) > 80:
        return None
    core = "".join(sign for sign in text if unicodedata.category(sign) != "So")
    core = _NUMBER.sub("", core, count=1)
    known = {folded(label): label for label in labels}
    for _ in range(3):
        if found := known.get(folded(core.strip(_SIDES))):
            return found
        shorter = _TAIL.sub("", core)
        if shorter == core:
            return None
        core = shorter
    return None


SEVERAL = -1


def which_is_rating(subjects: Sequence[Subject]) -> int | None:
    """Which of several numbers with these subjects is the rating; None for none, SEVERAL where that is not plain."""
    for wanted in (("final",), ("rating",), ("draft", "")):
        found = [number for number, subject in enumerate(subjects) if subject in wanted]
        if found:
            return found[0] if len(found) == 1 else SEVERAL
    return None
