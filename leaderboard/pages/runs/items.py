"""What was asked, answered and read in a run, item by item: rows for the tables and for the transcripts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from evaluation.benchmarks.base import FIRST_PART
from evaluation.disclosure import counted_part, part_words, parts_of, with_replies
from evaluation.models import ItemBank, ItemResult, ItemState, Run
from leaderboard.drawings.shapes import Axis, Fader, Tracks, fader, tracks
from leaderboard.kinds import kind_of
from leaderboard.pages.shared.dialogues import dialogue_of
from leaderboard.pages.shared.measures import item_word
from leaderboard.rounding import MISSING, number
from leaderboard.visible import LIMIT


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label of an item with its reference and the answer read for it, drawn and in figures."""

    label: str
    answer: str
    reference: str
    fader: Fader


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of a reply that does not count, as the first pass where the revision counts."""

    name: str
    answers: str
    reading: str
    flags: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Texts:
    """The dialogue and the raw reply, cut to `LIMIT` characters; `length` is that of the whole reply. `erased_at` is
    when retention took the reply; None where one is stored or none ever was.
    """

    dialogue: str
    reply: str
    reasoning: str
    finish_reason: str
    length: int
    erased_at: datetime | None = None

    @property
    def is_cut(self) -> bool:
        return self.length > LIMIT


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One result, as the part of it that counts in this run. A bank that is not open gives no `texts`, no `labels`.

    `median` is that of the field on the item, where the page that shows the row knows it.
    """

    number: int
    repeat: int
    state: str
    reading: str
    reason: str
    flags: str
    answers: str
    score: float | None
    attempts: int
    seconds: float | None
    tokens: int | None
    tracks: Tracks
    labels: tuple[LabelRow, ...]
    parts: tuple[PartRow, ...]
    texts: Texts | None
    item_id: str = ""
    median: float | None = None


def asks_again(run: Run) -> bool:
    """Whether any item is asked more than once: in each repeat of the run, or as often as its benchmark wants."""
    return run.n_asks > run.n_items


class OfItems:
    """What the pages that show items of a run have in common."""

    __slots__ = ()
    run: Run

    @property
    def asks_again(self) -> bool:
        return asks_again(self.run)

    @property
    def score_name(self) -> str:
        """What the value of an item is called."""
        return item_word(self.run.benchmark)


READINGS = {"official": "official", "tolerant": "tolerant", "none": "not read"}


def item_rows(run: Run, results: QuerySet[ItemResult], *, with_texts: bool = False) -> tuple[ItemRow, ...]:
    """The rows of these results of a run, in their order, in one query. Long texts are cut by the database."""
    rows = results.select_related("item")
    if not run.bank.shows_texts:
        rows = rows.defer("item__prompt")
    elif with_texts:
        rows = with_replies(rows, run.bank, LIMIT)
    return tuple(item_row(row, run.bank) for row in rows)


def item_row(row: ItemResult, bank: ItemBank) -> ItemRow:
    labels, part = row.item.labels, counted_part(row, bank)
    reference = row.item.reference if bank.shows_references else ()
    axis = answer_axis(bank, reference, part["answer"])
    return ItemRow(
        number=row.item.number,
        repeat=row.repeat,
        state=row.state,
        reading="no reply" if row.state == ItemState.FAULT else READINGS.get(part["reading"], part["reading"]),
        reason=part["reason"],
        flags=part["flags"].replace(",", ", "),
        answers=answers_text(part["answer"]),
        score=part["score"],
        attempts=row.attempts,
        seconds=None if row.latency_ms is None else row.latency_ms / 1000,
        tokens=row.completion_tokens,
        tracks=tracks(reference, part["answer"], len(labels), axis),
        labels=label_rows(labels, reference, part["answer"], axis) if bank.shows_texts else (),
        parts=other_parts(row, bank),
        texts=texts_of(row) if hasattr(row, "reply_text") else None,
        item_id=row.item.item_id,
    )


def answer_axis(bank: ItemBank, *values: Sequence[float | None] | None) -> Axis:
    """The axis that answers to items of the bank are drawn on: as its kind says, else from these values."""
    known = [value for some in values for value in some or () if value is not None]
    return kind_of(bank.benchmark).item_parts.axis(known)


def answers_text(answer: Sequence[float] | None) -> str:
    """ "8 7 6 5", or a dash: the values in the order of the labels."""
    return MISSING if answer is None else " ".join(value_text(value) for value in answer)


def value_text(value: float | None) -> str:
    return MISSING if value is None else number(value, 2).removesuffix("0").removesuffix("0").removesuffix(".")


def label_rows(
    labels: Sequence[str], reference: Sequence[float], answer: Sequence[float] | None, axis: Axis
) -> tuple[LabelRow, ...]:
    references: Sequence[float | None] = reference or [None] * len(labels)
    answers: Sequence[float | None] = answer or [None] * len(labels)
    return tuple(
        LabelRow(label, value_text(given), value_text(wanted), fader(wanted, given, axis))
        for label, wanted, given in zip(labels, references, answers, strict=False)
    )


def other_parts(row: ItemResult, bank: ItemBank) -> tuple[PartRow, ...]:
    """The parts that do not count."""
    return tuple(
        PartRow(
            name=part_words(name),
            answers=answers_text(part["answer"]),
            reading=part["reason"] or READINGS.get(part["reading"], part["reading"]),
            flags=part["flags"].replace(",", ", "),
            score=part["score"],
        )
        for name, part in parts_of(row, bank).items()
        if name != (row.part or FIRST_PART)
    )


def texts_of(row: Any) -> Texts:
    """The annotated texts of a result; a result without a reply (an import, a fault) has empty ones."""
    return Texts(
        dialogue=dialogue_of(row.item.prompt),
        reply=row.reply_text or "",
        reasoning=row.reply_reasoning or "",
        finish_reason=row.reply_finish or "",
        length=row.reply_length or 0,
        erased_at=row.reply_erased if row.reply_length is None and row.state != ItemState.FAULT else None,
    )
