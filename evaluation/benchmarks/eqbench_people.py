"""Replies that rate several people, or give several numbers of each emotion, each block under a heading. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evaluation.benchmarks.eqbench_mentions import Mention
from evaluation.late import late

LONGEST_HEADING, MOST_WORDS, MOST_ROWS, LOOKED_AT = 60, 6, 20, 240
_WORD = late(r"[^\W_]{1,40}+")
_NOTE = late(r"[^\W\d_]{1,40}+[*_\s]{0,6}+[(\[](?P<note>[^()\[\]\n\d]{1,40}+)[)\]]")
# The head of a fence or a table, which may stand between a heading and its ratings.
_OF_A_FORM = late(r"\s{0,8}+(?:```|~~~|\|[^|\n]{0,40}+\|[^|\n]{0,40}+\|)")
# What may stand in a heading beside the name of a person.
_AROUND = frozenset(
    (
        *("s", "for", "of", "the", "and", "emotion", "emotions", "emotional", "feeling", "feelings", "score", "scores"),
        *("rating", "ratings", "values", "response", "state", "would", "feel", "feels", "is", "are", "perspective"),
        *("side", "view", "reaction", "für", "von", "gefühle", "bewertung", "bewertungen", "punktzahlen"),
    )
)
_ROLES = frozenset(
    ("character", "speaker", "person", "participant", "people", "figur", "sprecher", "sprecherin", "personne", "friend")
)
_PRONOUNS = frozenset(("he", "she", "him", "her", "his", "hers", "they", "them", "er", "sie", "ihn", "ihm", "ihr"))
_NO_NAME = late(r"\w{4,40}(?:ed|ing|ions?|ments?|ness)$")
# What a heading of a draft, of an answer or of a part of a reply begins with or holds; a person's never.
_NO_PERSON = frozenset(
    (
        *("first", "second", "third", "last", "next", "final", "finally", "initial", "initially", "draft", "original"),
        *("revised", "revision", "updated", "update", "corrected", "correction", "adjusted", "new", "old", "now"),
        *("then", "later", "before", "after", "again", "answer", "answers", "output", "result", "results", "summary"),
        *("solution", "conclusion", "pass", "attempt", "try", "round", "version", "step", "part", "stage", "option"),
        *(
            "critique",
            "analysis",
            "thinking",
            "thoughts",
            "reasoning",
            "reflection",
            "explanation",
            "example",
            "format",
        ),
        *("so", "ok", "okay", "hmm", "hm", "wait", "well", "but", "yes", "no", "sure", "here", "let", "actually", "oh"),
        *("i", "my", "me", "mine", "we", "our", "it", "this", "that", "these", "those", "there", "to", "in", "on"),
        *("at", "an", "as", "by", "with", "all", "both", "overall", "average", "total", "sum", "note", "scale"),
        *("given", "based", "considering", "hence", "therefore", "thus", "however", "alternatively", "or", "if", "not"),
        *("prompt", "question", "task", "input", "reply", "assistant", "user", "model", "system", "json", "table"),
        *("better", "best", "corrections", "template", "please", "dialogue", "scenario", "text", "rate", "predicted"),
        *("erste", "zweite", "endgültig", "endgültige", "überarbeitete", "neue", "also", "hier", "antwort", "ergebnis"),
        *(
            "amended",
            "set",
            "baseline",
            "rough",
            "guess",
            "tentative",
            "estimate",
            "estimates",
            "verdict",
            "take",
            "self",
        ),
        *("entwurf", "jetzt", "danach", "meine", "das", "die", "der", "nun", "nach"),
    )
)


# With what a heading begins whose numbers are no ratings of the model.
_OF_ANOTHER_THING = frozenset(
    (
        *("confidence", "confidences", "certainty", "certainties", "probability", "probabilities", "likelihood"),
        *("likelihoods", "weight", "weights", "rank", "ranks", "reference", "references", "gold", "frequency"),
        *("frequencies", "percentiles", "konfidenz", "sicherheit", "gewichte", "mentions", "changes", "differences"),
    )
)
_BEFORE_IT = frozenset(("my", "the", "and", "level", "of", "meine", "die"))


class Row(NamedTuple):
    """A complete row of ratings: the place of its first name, and the values."""

    at: int
    values: Mapping[str, float | None]


def rate_several_people(text: str, found: Sequence[Mention], labels: Sequence[str]) -> bool:
    """Whether the last complete row stands under one person's name and an earlier one, which differs, under another's.

    A heading without a person's name begins a new answer: what stands before it does not count.
    """
    rows = _rows(found, len(labels))[-MOST_ROWS:]
    if len(rows) < 2:
        return False
    person = _person(text, rows[-1].at, labels)
    if not person:
        return False
    for row in reversed(rows[:-1]):
        other = _person(text, row.at, labels)
        if not other:
            return False
        if other != person and row.values != rows[-1].values:
            return True
    return False


def last_may_be_another(text: str, labels: Sequence[str]) -> bool:
    """A quick look at the heading of the last row in the official form: most are those that the prompt asks for."""
    at = max(0, min(text.rfind(f"{label}:") for label in labels))
    return bool(_person(text, at, labels)) or _is_of_another_thing(_heading(text, at, labels))


def are_of_another_thing(text: str, found: Sequence[Mention], labels: Sequence[str]) -> bool:
    """Whether the last of several complete rows stands under a heading such as `Confidence:`."""
    rows = _rows(found, len(labels))[-2:]
    if len(rows) < 2 or rows[0].values == rows[1].values:
        return False
    return _is_of_another_thing(_heading(text, rows[-1].at, labels))


def _is_of_another_thing(heading: str) -> bool:
    words = [word.lower() for word in _WORD.findall(heading)]
    first = next((word for word in words if word not in _BEFORE_IT), "")
    return first in _OF_ANOTHER_THING and len(words) <= MOST_WORDS


def _rows(found: Sequence[Mention], size: int) -> list[Row]:
    rows: list[Row] = []
    row: dict[str, float | None] = {}
    at = 0
    for mention in found:
        if mention.rating is None:
            continue
        if mention.label in row:
            row = {}
        at = at if row else mention.at
        row[mention.label] = mention.rating.value
        if len(row) == size:
            rows.append(Row(at, row))
            row = {}
    return rows


def _person(text: str, at: int, labels: Sequence[str]) -> frozenset[str]:
    """The words that name a person in front of a row, in its line or the one above; empty where there are none."""
    note = _NOTE.match(text, at)
    if note:
        return _named(note["note"], labels)
    return _named(_heading(text, at, labels), labels)


def _heading(text: str, at: int, labels: Sequence[str]) -> str:
    """What stands in front of a row in its line, or the line above it."""
    *above, line = text[max(0, at - LOOKED_AT) : at].split("\n")
    for label in labels:  # a rating of a structure stands at its number
        line = line.partition(label)[0]
    for heading in (line, *reversed(above)):
        if _WORD.search(heading) and not _OF_A_FORM.match(heading):
            return heading
    return ""


def _named(heading: str, labels: Sequence[str]) -> frozenset[str]:
    words = _WORD.findall(heading)
    if len(heading) > LONGEST_HEADING or not 0 < len(words) <= MOST_WORDS:
        return frozenset()
    lower = [word.lower() for word in words]
    if (
        _NO_PERSON & set(lower)
        or {each.lower() for each in labels} & set(lower)
        or any(_NO_NAME.match(word) for word in lower if word not in _AROUND)
    ):
        return frozenset()
    told = bool(_ROLES & set(lower))
    rest = [word for word in words if word.lower() not in _AROUND | _ROLES]
    names = [word for word in rest if told or word.lower() in _PRONOUNS or (word[0].isupper() and not word.isdecimal())]
    return frozenset(word.lower() for word in names)
