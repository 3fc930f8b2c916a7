"""Ratings under their names: a name alone in its line, the number in the next or behind a key further down. Pure."""

from collections.abc import Iterator, Sequence

from evaluation.benchmarks.eqbench_mentions import Mention, Name
from evaluation.benchmarks.eqbench_trees import Read
from evaluation.benchmarks.eqbench_values import Rating, whole_value
from evaluation.benchmarks.eqbench_words import NAME_KEYS, SEVERAL, Subject, label_in, subject_of, which_is_rating
from evaluation.late import late

MOST_LINES = 12
"""How many lines of a section are looked at."""

_KEY = late(
    r"[\s\-*_•>#|`\"']{0,20}+(?P<key>[^\W\d][^:=\n|]{1,40}?)[\s*_`\"']{0,8}+(?:[:=]|\s[-–—]\s|→|->)"
    r"(?P<value>[^\n]{0,80}+)$"
)
_NUMBER = late(r"[#*\s]{0,8}+[(\[]?\d{1,2}[.)\]:]\s{1,4}+(?=\S)")
_ITEM = late(r"^[-•>]\s{1,3}+")
_SCALE = late(r"[(\[][01]\s?[-–—]\s?10[)\]]")
MOST_SECTION_LINES = 400


class _Line:
    """A line of the text: what name it heads a section with, or what number it holds and of what."""

    __slots__ = ("at", "label", "rating", "starts_record", "subject", "text", "yaml")

    def __init__(self, at: int, text: str) -> None:
        self.at, self.text = at, text
        self.label: str | None = None
        self.rating: Rating | None = None
        self.subject: Subject = ""
        self.yaml = False
        self.starts_record = text.lstrip().startswith("- ")

    def look(self, labels: tuple[str, ...]) -> None:
        stripped = self.text.strip()
        if not stripped or len(stripped) > 160:
            return
        head = _SCALE.sub("", _NUMBER.sub("", stripped))
        self.label = None if any(map(str.isdecimal, head)) else label_in(head, labels)
        if self.label:
            return
        key = _KEY.match(self.text)
        if key is None:
            self.rating = None if _NUMBER.match(stripped) else whole_value(_ITEM.sub("", stripped))
            return
        if key["key"].strip(" *_`\"'").rstrip(" 0123456789#").casefold() in NAME_KEYS:
            self.label, self.yaml = label_in(key["value"], labels), True
            return
        self.subject = subject_of(key["key"])
        if self.subject in {"rating", "final", "draft", "other"}:
            self.rating, self.yaml = whole_value(key["value"]), True


def sections_in(text: str, names: Sequence[Name], labels: tuple[str, ...]) -> Iterator[Read]:
    """The ratings of all sections as one reading, which leaves the text to others where the order is not plain."""
    lines = list(_near_names(text, names, labels))
    heads = [number for number, line in enumerate(lines) if line.label]
    if len({lines[number].label for number in heads}) < len(labels) or _precedes(lines[: heads[0]]):
        return
    mentions = []
    for head, following in zip(heads, [*heads[1:], len(lines)], strict=True):
        below = lines[head + 1 : min(following, head + 1 + MOST_LINES)]
        mention = _mention(lines[head], list(_of_record(lines[head], below)))
        if mention:
            mentions.append(mention)
    if len({mention.label for mention in mentions}) == len(labels):
        yield Read(lines[heads[0]].at, lines[-1].at + len(lines[-1].text), mentions)


def _near_names(text: str, names: Sequence[Name], labels: tuple[str, ...]) -> Iterator[_Line]:
    """The lines from a little before the first name on."""
    start = text.rfind("\n", 0, names[0].at) + 1 if names else 0
    start = text.rfind("\n", 0, max(0, start - 1)) + 1 if start else 0
    at = start
    for raw in text[start:].split("\n", MOST_SECTION_LINES)[:MOST_SECTION_LINES]:
        line = _Line(at, raw)
        line.look(labels)
        if raw.strip():
            yield line
        at += len(raw) + 1


def _precedes(before: Sequence[_Line]) -> bool:
    """Whether a number stands above the first name, so that each may belong to the name below it."""
    return any(line.rating is not None and line.subject != "other" for line in before)


def _of_record(head: _Line, below: Sequence[_Line]) -> Iterator[_Line]:
    """The lines that belong to a name: in a list of records, up to the next dash."""
    for line in below:
        if head.starts_record and head.yaml and line.starts_record:
            return
        yield line


def _mention(head: _Line, below: Sequence[_Line]) -> Mention | None:
    if below and below[0].rating is not None and not below[0].yaml:
        rating: Rating | None = below[0].rating
        others = [line for line in below[1:] if line.rating is not None]
        form = "next line"
    else:
        titled = [line for line in below if line.rating is not None and line.yaml]
        which = which_is_rating([line.subject for line in titled])
        if which is None:
            return None
        if which == SEVERAL:
            return Mention(head.at, head.label or "", Rating("several numbers", None))
        rating, others, form = titled[which].rating, [], "YAML" if head.yaml or ":" in head.text else "next line"
        rating = rating._replace(draft=titled[which].subject == "draft") if rating else None
    if rating is None:
        return None
    if others:
        return Mention(head.at, head.label or "", rating._replace(value=None, scale=""))
    return Mention(head.at, head.label or "", rating._replace(form=rating.form or form, end=-1))
