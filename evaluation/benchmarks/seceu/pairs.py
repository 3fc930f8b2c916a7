"""Options with their points in the text of a reply: lines, tables and JSON. Pure.

Every finder gives pairs in the order of the text. A pair whose number cannot be read with certainty is kept with the
value None, so that it counts as an answer that is unclear and not as no answer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeGuard

from evaluation.benchmarks.eqbench_mentions import is_doubted
from evaluation.benchmarks.eqbench_words import subject_of
from evaluation.benchmarks.seceu.amounts import BLANKS, NUMBER, POINTS, SIGNS, amount_at, whole_amount
from evaluation.benchmarks.strict_json import JsonInText, JsonObject
from evaluation.late import late

NAME_KEYS = frozenset({"name", "emotion", "option", "label", "feeling"})
SCORE_KEYS = frozenset({"score", "points", "value", "rating"})
TOTALS = frozenset({"total", "sum", "totalscore", "合计", "总计", "总分", "总和"})
"""Names beside the four options that carry no answer."""

_LEADING_NUMBER = late(r"\(?\d{1,2}[).:、]|（\d{1,2}）")
_OPENERS, _CLOSERS = r"[*_`\"'“‘(\[]{0,6}+", r"[*_`\"'”’)\]]{0,6}+"
_ENUMERATED = rf"[\s,;|]{{0,8}}+[*_`\"'“‘]{{0,6}}+[(（]?\d{{1,2}}[).:）]{BLANKS}[*_`\"'“‘]{{0,6}}+"
_RULES = " \t\r|:+=-"
"""What a line is made of that only parts the head of a table from its rows."""

_CELL_BREAK = late(r"[|｜,;，；\t]")
_LEAD_WORDS = frozenset(
    (
        *("the", "my", "final", "here", "are", "is", "answer", "answers", "score", "scores", "point", "points"),
        *("rating", "ratings", "result", "results"),
    )
)
"""Words that may stand before a colon and four bare numbers."""

_BEFORE, _BEHIND = " \t\r*_`[({|", " \t\r*_`])}|."


class Pair(NamedTuple):
    """One option with its points. `label` is its position among the item's options."""

    label: int
    value: float | None
    unit: str
    start: int
    end: int


class Bare(NamedTuple):
    """Four numbers on a line of their own, already in the order of the item's options."""

    values: tuple[float, ...]
    unit: str
    start: int


class JsonBlock(NamedTuple):
    """The pairs of one JSON value. `odd` says that a name stands twice in an object, or that a name with points is no
    option.
    """

    pairs: tuple[Pair, ...]
    odd: bool
    end: int


def folded(name: str) -> str:
    """A name as names are compared: without case, blanks, a leading "(n)" and the signs that set it off."""
    name = re.sub(r"[\s*_`\"'“”‘’]", "", name).casefold()
    return _LEADING_NUMBER.sub("", name, count=1) if _LEADING_NUMBER.match(name) else name


def _label_pattern(labels: Sequence[str]) -> str:
    """Any of the labels, the longest first, with any blanks between its words."""
    words = (r"\s{1,3}".join(map(re.escape, label.split())) for label in sorted(labels, key=len, reverse=True))
    return rf"(?<!\w)(?:{'|'.join(f'(?P<l{number}>{word})' for number, word in enumerate(words))})(?!\w)"


def pairs_in_lines(text: str, labels: Sequence[str]) -> list[Pair]:
    """Each option that has a number behind it on its line, as in `(2) Joyful: 3`, `Joyful - 3` or `| Joyful | 3 |`."""
    pattern = _label_pattern(labels)
    by_length = sorted(range(len(labels)), key=lambda number: len(labels[number]), reverse=True)
    unnamed = re.sub(r"\?P<l\d+>", "?:", pattern)
    following = _Following(
        re.compile(_ENUMERATED + unnamed, re.IGNORECASE),
        re.compile(rf"{_CLOSERS}{BLANKS}(?:[{SIGNS}=]{BLANKS})?{_OPENERS}{unnamed}", re.IGNORECASE),
    )
    found = []
    names = list(re.finditer(pattern, text, re.IGNORECASE))
    for place, match in enumerate(names):
        group = next(number for number in range(len(labels)) if match[f"l{number}"] is not None)
        pair = _pair(text, by_length[group], match, following)
        if pair is not None:
            stop = names[place + 1].start() if place + 1 < len(names) else len(text)
            found.append(_unless_doubted(pair, text[pair.end : min(stop, pair.end + LONGEST_REST)]))
    return found


def _unless_doubted(pair: Pair, rest: str) -> Pair:
    """The pair, without its value where what stands behind it may be the points instead: `9, revised: 3`."""
    rest = _CONFIDENCE.sub("", rest)
    doubted = pair.value is not None and is_doubted(rest, 0, len(rest), pair.value)
    return pair._replace(value=None) if doubted else pair


_SEPARATOR = r"(?:[:：=→⇒|｜\t]|[-=]>)"
_STRONG = late(
    rf"{_CLOSERS}{BLANKS}{_SEPARATOR}{_SEPARATOR}?{BLANKS}[*_`\"'“‘(\[]{{0,6}}+{BLANKS}(?P<sign>[{SIGNS}])?(?={NUMBER})"
)
_DASH = late(rf"{_CLOSERS}{BLANKS}[{SIGNS}]{{1,2}}[^\S\r\n]{{1,8}}{_OPENERS}(?P<sign>[{SIGNS}])?(?={NUMBER})")
_UNCLEAR_DASH = late(rf"{_CLOSERS}{BLANKS}(?:[:：=|]{BLANKS})?[{SIGNS}]{{1,8}}+{BLANKS}{NUMBER}")
_WEAK = late(rf"{_CLOSERS}(?:{BLANKS}[,，;]{BLANKS}|[^\S\r\n]{{1,8}})[*_`\"'“‘]{{0,6}}+(?={NUMBER})")
_BRACKETS = late(rf"{_CLOSERS}{BLANKS}[(\[（](?P<sign>[{SIGNS}])?(?={NUMBER})")
_CONFIDENCE = late(
    r"\b(?:confidence|certainty)\b[^\w\n]{0,4}(?:(?:level|score|is|of)\b[^\w\n]{0,4})?"
    r"\d{1,3}+(?:\.\d{1,3}+)?[ %/10]{0,4}+",
    re.IGNORECASE,
)
LONGEST_REST = 300
_ITEM_NUMBER_END = late(rf"{BLANKS}(?:[):、]|\.(?!{BLANKS}(?:$|[\r\n])))")
_BRACKET_END = late(rf"{BLANKS}[)\]）]")


class _Following(NamedTuple):
    """Patterns of what may follow a number: the next option with its item number, and an option right behind."""

    numbered: re.Pattern[str]
    any: re.Pattern[str]


def _pair(text: str, label: int, name: re.Match[str], following: _Following) -> Pair | None:
    """The pair that begins with a name, None where no number belongs to it."""
    for form in (_STRONG, _DASH):
        if joint := form.match(text, name.end()):
            amount = amount_at(text, joint.end(), negative=bool(joint["sign"]), next_label=following.numbered)
            return amount and Pair(label, amount.value, amount.unit, name.start(), amount.end)
    if unclear := _UNCLEAR_DASH.match(text, name.end()):
        return Pair(label, None, POINTS, name.start(), unclear.end())
    return _bracketed(text, label, name, following) or _behind_blanks(text, label, name, following)


def _bracketed(text: str, label: int, name: re.Match[str], following: _Following) -> Pair | None:
    joint = _BRACKETS.match(text, name.end())
    amount = joint and amount_at(text, joint.end(), negative=bool(joint["sign"]), next_label=following.numbered)
    closed = amount and _BRACKET_END.match(text, amount.end)
    # In "Joyful (2) Proud" the bracket may as well be the number of the next option.
    if not amount or not closed or following.any.match(text, closed.end()):
        return None
    return Pair(label, amount.value, amount.unit, name.start(), closed.end())


def _behind_blanks(text: str, label: int, name: re.Match[str], following: _Following) -> Pair | None:
    joint = _WEAK.match(text, name.end())
    amount = joint and amount_at(text, joint.end(), next_label=following.numbered)
    # In "Joyful, 2) Proud" and "3 - Joyful, 2 - Proud" the number is that of the next option. A full stop may end a
    # line.
    if not amount or _ITEM_NUMBER_END.match(text, amount.end) or following.any.match(text, amount.end):
        return None
    return Pair(label, amount.value, amount.unit, name.start(), amount.end)


def bare_lines(text: str, labels: Sequence[str], order: Sequence[int]) -> Iterator[Bare]:
    """Lines of exactly four numbers. They stand in the order of the labels in the line above, if it names all four
    (a table in columns), else in the order in which the options were shown.
    """
    names = {folded(label): number for number, label in enumerate(labels)}
    head: tuple[int, ...] | None = None
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        if head is not None and not line.strip(_RULES):
            continue
        amounts = _four(line)
        if amounts is not None:
            places = head or tuple(order)
            values = dict(zip(places, amounts[0], strict=True))
            yield Bare(tuple(values[number] for number in range(len(labels))), amounts[1], start)
        head = _head(line, names)


def _head(line: str, names: Mapping[str, int]) -> tuple[int, ...] | None:
    cells = [folded(cell) for cell in _CELL_BREAK.split(line) if cell.strip()]
    known = tuple(names[cell] for cell in cells if cell in names)
    return known if len(known) == len(cells) == len(set(known)) == len(names) else None


def _four(line: str) -> tuple[tuple[float, ...], str] | None:
    if not any(map(str.isdecimal, line)):
        return None
    numbers = _without_lead(line).lstrip(_BEFORE).rstrip(_BEHIND)
    for parts in (*(numbers.split(sign) for sign in ",，、;；|"), numbers.split()):
        if len(parts) == 4 and (amounts := _amounts(parts)):
            return amounts
    return None


def _without_lead(line: str) -> str:
    """The line without words such as "My final scores are:" before its numbers."""
    lead, colon, rest = line.replace("：", ":").partition(":")
    words = lead.casefold().strip("*_` \t").split()
    return rest if colon and words and _LEAD_WORDS.issuperset(words) else line


def _amounts(parts: Sequence[str]) -> tuple[tuple[float, ...], str] | None:
    amounts = [whole_amount(part) for part in parts]
    units = {amount.unit for amount in amounts if amount}
    values = tuple(amount.value for amount in amounts if amount and amount.value is not None)
    return (values, units.pop()) if len(values) == len(parts) and len(units) == 1 else None


def json_block(found: JsonInText, labels: Sequence[str]) -> JsonBlock:
    """The pairs of a JSON value: objects of name and score, a score a name, or a list of each."""
    reader = _JsonReader({folded(label): number for number, label in enumerate(labels)}, found)
    reader.walk(found.value)
    return JsonBlock(tuple(reader.pairs), reader.odd and bool(reader.pairs), found.end)


class _JsonReader:
    def __init__(self, names: Mapping[str, int], found: JsonInText) -> None:
        self.names, self.found = names, found
        self.pairs: list[Pair] = []
        self.odd = False

    def walk(self, value: object) -> None:
        if isinstance(value, list):
            for entry in value:
                self.walk(entry)
        elif isinstance(value, JsonObject):
            self._walk_object(value)

    def _walk_object(self, value: JsonObject) -> None:
        self.odd |= value.doubled is not None
        name, score = _one_of(value, NAME_KEYS), _one_of(value, SCORE_KEYS)
        if isinstance(name, str) and score is not None:
            self._take(name, score)
        elif isinstance(name, list) and isinstance(score, list):
            self.odd |= len(name) != len(score)
            for one, points in zip(name, score, strict=False):
                self._take(str(one), points)
        else:
            with_options = any(folded(key) in self.names for key in value)
            passed_over = _passed_over(value) - {key for key in value if folded(key) in self.names}
            for key, inner in value.items():
                if key not in passed_over:
                    self._walk_entry(key, inner, with_options=with_options)

    def _walk_entry(self, key: str, inner: object, *, with_options: bool) -> None:
        known = folded(key) in self.names
        if known and isinstance(inner, JsonObject) and (score := _one_of(inner, SCORE_KEYS)) is not None:
            self.odd |= inner.doubled is not None
            self._take(key, score)
        elif isinstance(inner, list | JsonObject):
            self.walk(inner)
        elif known or (with_options and _is_number(inner)):
            self._take(key, inner)

    def _take(self, name: str, score: object) -> None:
        label = self.names.get(folded(name))
        if label is None:
            self.odd |= folded(name) not in TOTALS
            return
        value, unit = _points(score)
        self.pairs.append(Pair(label, value, unit, self.found.start, self.found.end))


def _passed_over(value: JsonObject) -> set[str]:
    """The keys whose objects hold no ratings, as `confidence`, and those of drafts beside what replaced them."""
    subjects = {key: subject_of(key) for key, inner in value.items() if isinstance(inner, list | JsonObject)}
    given = set(subjects.values())
    without = {"other"}
    if "final" in given:
        without |= {"draft", "rating"}
    elif "rating" in given:
        without |= {"draft"}
    return {key for key, subject in subjects.items() if subject in without}


def _one_of(value: JsonObject, keys: frozenset[str]) -> object:
    """What stands under the one of these keys that the object has; None for none of them or several."""
    found = [inner for key, inner in value.items() if folded(key) in keys]
    return found[0] if len(found) == 1 else None


def _points(score: object) -> tuple[float | None, str]:
    if _is_number(score):
        return float(score), POINTS
    amount = whole_amount(score) if isinstance(score, str) else None
    return (amount.value, amount.unit) if amount else (None, POINTS)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
