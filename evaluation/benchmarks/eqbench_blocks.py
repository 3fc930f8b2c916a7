"""Rows of ratings in a reply: the last complete one, and whether the reply was on its way to another. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from evaluation.benchmarks.eqbench_mentions import Mention, Name
from evaluation.benchmarks.eqbench_prepared import DRESS
from evaluation.benchmarks.eqbench_values import Rating
from evaluation.late import late

_LATER = (
    r"(?:final|revis(?:ed|ion)|updated?|corrected|correction|adjusted|new|after(?: \w{1,12}+)?|now"
    r"|überarbeitet\w?|endgültig\w?|korrigiert\w?)"
)
_RATINGS = r"(?:scores?|ratings?|answers?|values?|assessment|pass|punktzahl(?:en)?|bewertung(?:en)?|antwort)"
_HEADING = late(rf"^[^\w\n]{{0,16}}+{_LATER}(?:[ _]{_RATINGS})?[^\w\n]{{0,16}}+$", re.IGNORECASE | re.MULTILINE)
_CHANGES = late(
    r"\b(?:correction|actually|reflection|second thoughts?|wait|lower(?:ing)?|rais(?:e|ing)|chang(?:e|ing)"
    r"|adjust(?:ing)?|revis(?:e|ing)|updat(?:e|ing)|korrektur|eigentlich|ändere)\b[^.\n\d]{0,40}+$",
    re.IGNORECASE,
)
_SET_TO = late(
    r"[*_`\"']{0,4}+\s{0,2}+(?:(?P<change>should be|is now|sollte)|to|auf|is|[:=]|→|->)"
    r"[*_`\"'\s]{0,6}+(?P<number>\d{1,2}+)(?![\d:]|[.,]\d)",
    re.IGNORECASE,
)
_DIGIT = late(r"\d")
_OPENED = late(rf"<(?!(?:{DRESS}|end\w{{0,20}}+|eos|eot|stop\w{{0,20}}+)>)(?P<name>[^\W\d]\w{{1,40}}+)>", re.IGNORECASE)
MOST_TAGS = 200
_NOTHING_SAID = late(r"\W{0,40}+$")


@dataclass(frozen=True, slots=True)
class Blocks:
    """The last complete row, which ends with the mention at `at`, and the unfinished row behind it."""

    complete: Mapping[str, Rating] = field(default_factory=dict)
    at: int = 0
    rest: Mapping[str, Rating] = field(default_factory=dict)


def blocks_in(found: Sequence[Mention], size: int) -> Blocks:
    """Rows of `size` names. A name that comes again before its row is complete begins the row after its earlier place.

    So a row may hold names of a broken one before it, as of a first pass with a name misspelt. It takes their later
    ratings where these follow in its order.
    """
    complete: dict[str, Rating] = {}
    row: dict[str, Rating] = {}
    older: set[str] = set()  # names of the row that stand before the name with which it began anew
    at = 0
    for mention in found:
        if mention.rating is None:
            continue
        if len(row) == size and (not older or mention.label != next(iter(row))):
            row, older = {}, set()
        if mention.label in row:
            kept = list(row)[list(row).index(mention.label) + 1 :]
            row = {name: row[name] for name in kept}
            older = (older if mention.label in older else set(row)) & set(row)
        row[mention.label] = mention.rating
        if len(row) == size:
            complete, at = row, mention.at
    return Blocks(complete, at, {} if len(row) == size else row)


def rates_otherwise(rest: Mapping[str, Rating], earlier: Mapping[str, Rating]) -> bool:
    return any(rating.value not in {None, earlier[label].value} for label, rating in rest.items())


def is_under_way(text: str, blocks: Blocks) -> bool:
    """Whether a text that was cut has a draft for its last complete row: others had begun, or were to come."""
    ratings = blocks.complete.values()
    return (
        any(rating.draft for rating in ratings)
        or rates_otherwise(blocks.rest, blocks.complete)
        or _HEADING.search(text, blocks.at) is not None
        or _is_left_open(text, blocks.at)
        or _lacks_its_change(text, list(ratings))
    )


def _is_left_open(text: str, at: int) -> bool:
    """Whether the last thing that a text does is to open an element, of whatever name."""
    tags = list(islice(_OPENED.finditer(text, at), MOST_TAGS))
    return bool(tags) and text.find(f"</{tags[-1]['name']}>", tags[-1].end()) < 0


def is_corrected(text: str, blocks: Blocks, names: Sequence[Name]) -> bool:
    """Whether a sentence behind the last complete row gives one of its names another rating: `I'd lower Angry to 3`."""
    for name in names:
        if name.at <= blocks.at:
            continue
        number = _SET_TO.match(text, name.end)
        before = text[max(blocks.at, name.at - 40) : name.at]
        is_change = number is not None and (number["change"] or _CHANGES.search(before))
        if number and is_change and float(number["number"]) != blocks.complete[name.label].value:
            return True
    return False


def is_replaced(text: str, blocks: Blocks, labels: Sequence[str]) -> bool:
    """Whether a heading of later ratings follows the last complete row, with all names behind it: none was read."""
    heading = _HEADING.search(text, blocks.at)
    if heading is None:
        return False
    behind = text[heading.end() :].lower()
    return all(label.lower() in behind for label in labels) and _DIGIT.search(behind) is not None


def _lacks_its_change(text: str, ratings: Sequence[Rating]) -> bool:
    """Whether the last rating is still without the arrow and the new value that all others have: `9 → 3`, `1 →`."""
    *others, last = ratings
    end = text.rfind(last.written)
    changed = all(rating.form == "changed value" for rating in others) and last.form != "changed value"
    return changed and _NOTHING_SAID.match(text, end + len(last.written)) is not None
