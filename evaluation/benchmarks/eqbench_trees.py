"""Ratings in JSON and XML, read by their structure: a number inside of a text never counts. Pure; one pass.

The JSON is read with all the leniences that models need: single quotes, names without quotes, a comma too many, an end
that is cut off.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evaluation.benchmarks.eqbench_mentions import Mention, Name
from evaluation.benchmarks.eqbench_values import WRAP, Rating, noted_value, whole_value
from evaluation.benchmarks.eqbench_words import (
    NAME_KEYS,
    SEVERAL,
    SPEAKER_KEYS,
    Subject,
    label_in,
    subject_of,
    which_is_rating,
)
from evaluation.benchmarks.quotes import closing_quote
from evaluation.late import late

MOST_TOKENS, MOST_ROOTS, MOST_TAGS, DEEPEST = 10_000, 200, 1_000, 40
_TOKEN = late(
    r"(?P<quote>[\"'])|(?P<comment>(?<=[\s,])(?://|#)[^\n]*+)|(?P<number>[-+~≈]?\d[^\s,{}\[\]\"':]{0,40}+)"
    r"|(?P<word>[^\W\d]\w{0,60}+)|(?P<sign>[{}\[\],:\n])|(?P<space>[^\S\n]{1,60}+)|[^\w\s\"'{}\[\],:\n/#]{1,60}+|.",
    re.DOTALL,
)
_DECIMAL_COMMA = late(r",\d{1,2}+(?![\d\w:])")
_BEGIN = late(r"[{\[]")
_QUOTED_KEY = late(r"[\[\s]{0,8}+\{\s*+\"")
_ASSIGNS = late(rf"{WRAP}[:=]\s{{0,20}}+")
LONGEST_GAP, LONGEST_BARE = 40, 80
_TAG = late(r"<(?P<end>/?)(?P<name>[^\W\d][\w:.\-]{0,40}+)(?P<attributes>(?:[\s=][^<>]{0,200}+)?)>")
_ATTRIBUTE = late(r"([\w:.\-]{1,40}+)\s{0,3}+=\s{0,3}+[\"']([^\"'<>]{0,60}+)[\"']")


@dataclass(slots=True)
class Node:
    """An object, a list or an element. Entries of a list, and the text of an element, have the key ""."""

    at: int
    key: str = ""
    is_list: bool = False
    entries: list["Entry"] = field(default_factory=list)
    end: int = -1
    block: int | str = 0
    """The speaker that it names, else a number of its own; 0 before it is asked for."""


class Entry(NamedTuple):
    """A key with its value: a text or a further node. `at` is where the value begins."""

    key: str
    value: "str | Node"
    at: int


class Found(NamedTuple):
    """A mention with what the keys above it say it is, and the object or the speaker that it is of."""

    mention: Mention
    subject: Subject
    block: int | str


class Read(NamedTuple):
    """The ratings of one structure, which takes `start` to `end` of the text."""

    start: int
    end: int
    mentions: list[Mention]


def json_in(text: str, names: Sequence[Name], labels: tuple[str, ...]) -> Iterator[Read]:
    """The ratings of each JSON object or list of a text. What is in quotes there is not read in another way."""
    at, left = 0, MOST_TOKENS
    for _ in range(MOST_ROOTS):
        begin = _BEGIN.search(text, at)
        if begin is None or left <= 0:
            return
        parser = _Parser(text, begin.start(), left)
        root, at, left = parser.root, max(parser.root.end, begin.end()), left - parser.n
        owner = _owner(text, names, root)
        if owner:
            rating, _ = _Reader(labels, "JSON").number(root.entries)
            if rating:
                yield Read(owner.at, root.end, [Mention(owner.at, owner.label, rating._replace(form="JSON", end=-1))])
        else:
            yield from _read(root, labels, "JSON", or_blank=_QUOTED_KEY.match(text, root.at) is not None)


def _owner(text: str, names: Sequence[Name], root: Node) -> Name | None:
    """The name right before an object, as in `Angry: {score: 3}`."""
    at = bisect_left(names, root.at, key=lambda name: name.at) - 1
    if at < 0 or root.is_list or not root.entries or root.at - names[at].end > LONGEST_GAP:
        return None
    return names[at] if _ASSIGNS.fullmatch(text, names[at].end, root.at) else None


class _Parser:
    """Reads one object or list; where it ends is `root.end`, and `n` the number of tokens."""

    def __init__(self, text: str, start: int, most: int) -> None:
        self.root = Node(start)
        self.stack: list[Node] = []
        self.key: str | None = None
        self.pending: tuple[str, int] | None = None  # a text that is a key if a colon follows
        self.bare = False  # whether that text stands without quotes, so that all up to the next sign belongs to it
        self.n = 0
        end = start
        while self.n < most and (token := _TOKEN.match(text, end)):
            self.n, begin, end = self.n + 1, token.start(), token.end()
            if token["quote"]:
                closing = closing_quote(text, begin)
                if closing is not None:
                    self._take(text[begin + 1 : closing], begin, bare=False)
                    end = min(closing + 1, len(text))
            elif token["sign"] is None:
                self._run_on(text, token)
            elif token["sign"] == "," and self._is_decimal(text, begin):
                end = self._take_decimals(text, begin)
            elif self._ends_with(token["sign"], token):
                break
        self._enter_pending()
        self.root.end = end

    def _take(self, written: str, at: int, *, bare: bool) -> None:
        if self.pending is None:
            self.pending, self.bare = (written, at), bare

    def _run_on(self, text: str, token: re.Match[str]) -> None:
        """A word or a number; behind another one it is a part of the same value: `3 to 5`, `9 -> 3`, `3 / 10`."""
        if self.pending is not None and self.bare and not (token["space"] or token["comment"]):
            at = self.pending[1]
            self.pending = text[at : min(token.end(), at + LONGEST_BARE)], at
        elif token["number"] or token["word"]:
            self._take(token.group(), token.start(), bare=True)

    def _is_decimal(self, text: str, comma: int) -> bool:
        """Whether a comma is that of a decimal: `"Angry": 3,5`. In a list it parts two values."""
        in_object = bool(self.stack) and not self.stack[-1].is_list
        number = self.pending is not None and self.bare and text[comma - 1 : comma].isdecimal()
        return in_object and self.key is not None and number and _DECIMAL_COMMA.match(text, comma) is not None

    def _take_decimals(self, text: str, comma: int) -> int:
        decimals = _DECIMAL_COMMA.match(text, comma)
        end = decimals.end() if decimals else comma
        at = self.pending[1] if self.pending else comma
        self.pending = text[at:end], at
        return end

    def _ends_with(self, sign: str, token: re.Match[str]) -> bool:
        """Takes in a sign; whether the outermost object or list ends with it."""
        if sign == ":" and self.pending is not None:
            self.key, self.pending = self.pending[0], None
            return False
        self._enter_pending()
        if sign in "{[":
            self._open(sign, token.start())
        elif sign == ",":
            self.key = None
        return sign in "}]" and self._closes(sign)

    def _enter_pending(self) -> None:
        if self.pending is not None and self.stack:
            node, (value, at) = self.stack[-1], self.pending
            if self.key is not None or node.is_list:
                node.entries.append(Entry(self.key or "", value, at))
            self.key = None
        self.pending = None

    def _open(self, sign: str, at: int) -> None:
        if len(self.stack) >= DEEPEST:
            return
        child = Node(at, self.key or "", sign == "[")
        if self.stack:
            self.stack[-1].entries.append(Entry(self.key or "", child, at))
        else:
            self.root = child
        self.stack.append(child)
        self.key = None

    def _closes(self, sign: str) -> bool:
        """Ends the innermost object or list of that kind; whether it was the outermost."""
        is_list = sign == "]"
        if any(node.is_list == is_list for node in self.stack):
            while self.stack.pop().is_list != is_list:
                pass
        return not self.stack


def xml_in(text: str, names: Sequence[Name], labels: tuple[str, ...]) -> Iterator[Read]:
    """The ratings of the elements of a text, which is read as one document."""
    root, last = Node(0), 0
    stack = [root]
    first = end = -1
    for number, tag in enumerate(_TAG.finditer(text)):
        if number >= MOST_TAGS:
            break
        inner = text[last : tag.start()].strip()
        if inner and len(inner) < 200 and len(stack) > 1:
            stack[-1].entries.append(Entry("", inner, last))
        last = end = tag.end()
        first = tag.start() if first < 0 else first
        if tag["end"]:
            _leave(stack, tag["name"])
        else:
            _enter_element(stack, tag)
    if first >= 0:
        root.at, root.end = first, end
        yield from _read(root, labels, "XML")


def _enter_element(stack: list[Node], tag: re.Match[str]) -> None:
    node = Node(tag.start(), tag["name"])
    attributes = tag["attributes"]
    node.entries += [Entry(name, value, tag.start()) for name, value in _ATTRIBUTE.findall(attributes)]
    if attributes[:1] == "=":  # `<parameter=Angry>` of a call of a tool
        node.entries.append(Entry("name", attributes[1:].strip(" \"'"), tag.start()))
    stack[-1].entries.append(Entry(tag["name"], node, tag.start()))
    if not attributes.rstrip().endswith("/") and len(stack) < DEEPEST:
        stack.append(node)


def _leave(stack: list[Node], name: str) -> None:
    if any(node.key == name for node in stack[1:]):
        while stack.pop().key != name:
            pass


def _read(root: Node, labels: tuple[str, ...], form: str, *, or_blank: bool = False) -> Iterator[Read]:
    """The ratings of a structure, if there are any; with `or_blank` also one that holds none."""
    reader = _Reader(labels, form)
    reader.walk(root, "")
    found = reader.found
    if found or or_blank:
        yield Read(root.at, root.end, _chosen(found, labels, is_list=root.is_list))


class _Reader:
    """Finds the ratings of the labels in the nodes of a structure: in `found`, in their order."""

    def __init__(self, labels: tuple[str, ...], form: str) -> None:
        self.labels, self.form = labels, form
        self.found: list[Found] = []

    def walk(self, node: Node, subject: Subject) -> None:
        named = [number for number, entry in enumerate(node.entries) if self._names(entry)]
        if len(named) == 1 and not self._label_keys(node):
            self._record(node, node.entries, named[0], subject)
        elif named and not self._label_keys(node):
            self._row_of_records(node, named, subject)
        for entry in node.entries:
            label = label_in(entry.key, self.labels) if entry.key else None
            if label:
                self._rated(node, entry, label, subject)
            elif isinstance(entry.value, Node):
                below = subject_of(entry.key) if entry.key else ""
                _inherit_block(entry.value, node)
                if below != "other" or self.form == "XML":
                    self.walk(entry.value, subject if below in {"rating", ""} else below)
        self._side_by_side(node, subject)

    def _label_keys(self, node: Node) -> bool:
        return any(entry.key and label_in(entry.key, self.labels) for entry in node.entries)

    def _names(self, entry: Entry) -> str | None:
        """The label that an entry names: `"emotion": "Angry"`, or `<emotion>Angry</emotion>`."""
        value = entry.value
        if isinstance(value, Node):
            alone = len(value.entries) == 1 and not value.is_list and entry.key.casefold() in NAME_KEYS
            value = value.entries[0].value if alone else ""
        if not isinstance(value, str) or (entry.key and subject_of(entry.key) not in {"", "final"}):
            return None
        return label_in(value, self.labels)

    def _record(self, node: Node, entries: list[Entry], named: int, subject: Subject) -> None:
        label = self._names(entries[named])
        others = entries[:named] + entries[named + 1 :]
        rating, place = self.number(others)
        if label and rating:
            usual = named == 0 and place == 0 and bool(others[0].key) and subject_of(others[0].key) == "rating"
            self._take(entries[named].at, label, rating, subject, node, form="" if usual else self.form)

    def _row_of_records(self, node: Node, named: list[int], subject: Subject) -> None:
        """`<emotion>Angry</emotion><score>3</score><emotion>Hopeful</emotion>…`, which has to begin with a name."""
        if any(self._value(entry) for entry in node.entries[: named[0]]):
            return
        for start, end in zip(named, [*named[1:], len(node.entries)], strict=True):
            self._record(node, node.entries[start:end], 0, subject)

    def _rated(self, node: Node, entry: Entry, label: str, subject: Subject) -> None:
        if isinstance(entry.value, Node):
            rating, place = self.number(entry.value.entries)
            usual = place == 0 and subject_of(entry.value.entries[0].key) == "rating" and not entry.value.is_list
        else:
            rating, usual = whole_value(entry.value) or noted_value(entry.value), True
            if rating is None and entry.value.lstrip()[:1] in "<[" and entry.value.strip():
                self.found.append(Found(Mention(entry.at, label, None), subject, _block(node)))
        if rating:
            self._take(entry.at, label, rating, subject, node, form="" if usual else self.form)

    def number(self, entries: list[Entry]) -> tuple[Rating | None, int]:
        """The rating among entries, and its place; refused where several could be it."""
        found = [
            (number, subject_of(entry.key), rating)
            for number, entry in enumerate(entries)
            if (rating := self._value(entry)) is not None
        ]
        which = which_is_rating([subject for _, subject, _ in found])
        if which is None:
            nodes = [entry.value for entry in entries if isinstance(entry.value, Node)]
            return self.number(nodes[0].entries) if len(nodes) == 1 and not found else (None, -1)
        if which == SEVERAL:
            written = ", ".join(rating.written for _, _, rating in found)[:20]
            return Rating(written, None), -1
        place, subject, rating = found[which]
        return rating._replace(draft=subject == "draft"), place

    def _value(self, entry: Entry) -> Rating | None:
        value = entry.value
        if isinstance(value, Node):
            if self.form != "XML" or len(value.entries) != 1:
                return None
            value = value.entries[0].value
        return whole_value(value) if isinstance(value, str) else None

    def _side_by_side(self, node: Node, subject: Subject) -> None:
        """A list of the names beside a list of as many numbers."""
        lists = [
            (entry, entry.value) for entry in node.entries if isinstance(entry.value, Node) and entry.value.is_list
        ]
        if len(lists) != 2:
            return
        names = [
            label_in(each.value, self.labels) if isinstance(each.value, str) else None for each in lists[0][1].entries
        ]
        numbers = [self._value(each) for each in lists[1][1].entries]
        if None in names or None in numbers or len(names) != len(numbers) or subject_of(lists[1][0].key) == "other":
            return
        for name, rating, each in zip(names, numbers, lists[0][1].entries, strict=True):
            if name and rating:
                self._take(each.at, name, rating, subject, node, form=self.form)

    def _take(self, at: int, label: str, rating: Rating, subject: Subject, node: Node, *, form: str) -> None:
        given = form or rating.form or (self.form if self.form == "XML" else "")
        mention = Mention(at, label, rating._replace(form=given, end=-1))
        self.found.append(Found(mention, subject, _block(node)))


def _block(node: Node) -> int | str:
    if not node.block:
        named = (each for each in node.entries if isinstance(each.value, str) and each.key.casefold() in SPEAKER_KEYS)
        speaker = next(named, None)
        node.block = str(speaker.value).casefold() if speaker else id(node)
    return node.block


def _inherit_block(node: Node, above: Node) -> None:
    if isinstance(_block(above), str) and not isinstance(_block(node), str):
        node.block = _block(above)


def _chosen(found: list[Found], labels: tuple[str, ...], *, is_list: bool) -> list[Mention]:
    """The ratings of the last word on the matter: revised ones before those without a title, and drafts last.

    Of several objects side by side, or speakers in a list, that rate all labels otherwise, none is taken.
    """
    is_list = is_list and len({each.block for each in found if isinstance(each.block, str)}) < 2
    for wanted in (("final",), ("rating", ""), ("draft",)):
        chosen = [each for each in found if each.subject in wanted]
        if {each.mention.label for each in chosen} == set(labels):
            mentions = [each.mention for each in (chosen if is_list else _one_of(chosen, labels))]
            return [_as_draft(mention) for mention in mentions] if wanted == ("draft",) else mentions
    return [each.mention for each in found]


def _as_draft(mention: Mention) -> Mention:
    return mention._replace(rating=mention.rating._replace(draft=True)) if mention.rating else mention


def _one_of(chosen: list[Found], labels: tuple[str, ...]) -> list[Found]:
    blocks: dict[int | str, dict[str, float | None]] = {}
    for each in chosen:
        if each.mention.rating:
            blocks.setdefault(each.block, {})[each.mention.label] = each.mention.rating.value
    whole = [block for block in blocks.values() if block.keys() == set(labels)]
    if len(whole) < 2 or all(block == whole[0] for block in whole):
        return chosen
    refused = Rating("several objects", None)
    return [Found(Mention(each.mention.at, each.mention.label, refused), each.subject, each.block) for each in chosen]
