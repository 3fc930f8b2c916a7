"""Files of prompts and of replies for a study, read whole or refused. No database in here.

A file of prompts has item_id, emotion, situation, utterance, and if wanted valence, which must fit the emotion.
A file of replies, of one responder, has item_id and reply, and if wanted tokens and finish_reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.importers.study_lines import WHOLE, Faults, Lines, StudyFileError, refuse_empty, text_of
from evaluation.importers.tables import Row
from evaluation.signs import hides_something, spelled
from evaluation.statistics.emotion_labels import VALENCE

MAX_BYTES = 20_000_000
PROMPT_COLUMNS = ("item_id", "emotion", "situation", "utterance")
REPLY_COLUMNS = ("item_id", "reply")
REPLY_EXTRAS = ("tokens", "finish_reason")
_ID_LENGTH = 60
_TEXT_LENGTH = 10_000
_REASON_LENGTH = 40


@dataclass(frozen=True, slots=True)
class PromptLine:
    item: str
    emotion: str
    situation: str
    utterance: str


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """One reply as it came; `text` is "" where the responder said nothing, and `tokens` None where nobody counted."""

    item: str
    text: str
    tokens: int | None
    finish_reason: str


def read_prompts(name: str, content: bytes) -> list[PromptLine]:
    """In the order of the file. Raises: StudyFileError."""
    lines, found = _opened(name, content), _Prompts()
    lines.check_header(PROMPT_COLUMNS, ("valence",))
    _whole(lines, found)
    return list(found.prompts.values())


def read_replies(name: str, content: bytes, items: Sequence[str]) -> list[ReplyLine]:
    """One reply for each of `items`, in their order.

    Raises:
        StudyFileError: any fault, an item twice, one that is not among `items`, or one of these without a reply.
    """
    lines, found = _opened(name, content), _Replies(frozenset(items))
    lines.check_header(REPLY_COLUMNS, REPLY_EXTRAS)
    _whole(lines, found)
    return [found.replies[item] for item in items]


def _opened(name: str, content: bytes) -> Lines:
    if len(content) > MAX_BYTES:
        raise StudyFileError(f"{name}: is larger than {MAX_BYTES // 1_000_000} MB. Fix: split the file.")
    return Lines(name, content)


def _whole(lines: Lines, found: "_Prompts | _Replies") -> None:
    """Reads all lines. Raises: StudyFileError."""
    faults = Faults()
    rows = faults.all_noted(found.add, lines.rows())
    if not faults.texts:
        found.check_whole(lines.name, faults)
    faults.refuse()
    refuse_empty(lines.name, rows, found.what)


@dataclass
class _Prompts:
    """What has been read of a file of prompts."""

    what = "prompt"
    prompts: dict[str, PromptLine] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        item = _new_id(row, self.lines)
        emotion = row.cells["emotion"].strip().casefold()
        if emotion not in VALENCE:
            said = f'"{spelled(emotion)[:40]}"'
            raise row.error("emotion", f"{said} is not one of the 32 labels. Fix: write one of {', '.join(VALENCE)}.")
        valence = row.cells.get("valence", "").strip().casefold()
        if valence and valence != VALENCE[emotion]:
            raise row.error("valence", f"{emotion} is {VALENCE[emotion]}. Fix: write that, or leave the column out.")
        self.prompts[item] = PromptLine(item, emotion, _words(row, "situation"), _words(row, "utterance"))

    def check_whole(self, name: str, faults: Faults) -> None:
        """Nothing: each line stands for itself."""


@dataclass
class _Replies:
    """What has been read of a file of replies to `items`."""

    items: frozenset[str]
    what = "reply"
    replies: dict[str, ReplyLine] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        item = _new_id(row, self.lines)
        if item not in self.items:
            raise row.error("item_id", f'"{item}" is no prompt of the study. Fix: correct the id, or delete the line.')
        tokens = row.cells.get("tokens", "").strip()
        if tokens and not WHOLE.fullmatch(tokens):
            raise row.error("tokens", "is no whole number. Fix: write digits only, or nothing.")
        reason = text_of(row, "finish_reason", _REASON_LENGTH, required=False) if "finish_reason" in row.cells else ""
        text = _words(row, "reply", required=False)
        self.replies[item] = ReplyLine(item, text, int(tokens) if tokens else None, reason)

    def check_whole(self, name: str, faults: Faults) -> None:
        missing = sorted(self.items - self.replies.keys())
        if missing:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            faults.note(
                f"{name}, line {max(self.lines.values(), default=1)}, item_id: after this line there is no reply to "
                f"{', '.join(missing[:3])}{more}. Fix: add a line for each prompt; an empty reply stays empty."
            )


def _new_id(row: Row, lines: dict[str, int]) -> str:
    item = text_of(row, "item_id", _ID_LENGTH)
    first = lines.setdefault(item, row.line)
    if first != row.line:
        raise row.error("item_id", f"is in line {first} already. Fix: keep one of the two lines.")
    return item


def _words(row: Row, column: str, *, required: bool = True) -> str:
    """A text of several lines, as raters will read it. A reply (not `required`) is kept as it came, emoji and all."""
    text = row.cells[column].strip()
    if required and not text:
        raise row.error(column, "is empty. Fix: fill it in, or delete the line.")
    if len(text) > _TEXT_LENGTH:
        raise row.error(column, f"has more than {_TEXT_LENGTH:,} characters. Fix: shorten it.")
    if "\0" in text:
        raise row.error(column, "holds a NUL. Fix: delete that sign.")
    if required and hides_something(text.replace("\n", " ").replace("\r", " ").replace("\t", " ")):
        raise row.error(column, "holds a sign that cannot be seen. Fix: delete that sign.")
    return text
