"""The items on which the models of a comparison differ, with their answers side by side. Three queries at most."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from evaluation.disclosure import counted_part, with_replies
from evaluation.models import ItemBank, ItemResult, ItemState
from leaderboard.drawings.shapes import Axis, fader_x
from leaderboard.kinds import kind_of
from leaderboard.pages.compare.pairs import Side
from leaderboard.pages.runs.items import READINGS, answer_axis, value_text
from leaderboard.pages.shared.dialogues import dialogue_of
from leaderboard.pages.shared.measures import item_measure
from leaderboard.rounding import figure
from leaderboard.standings.counted import CountedRun, as_scored

TOLD = 5  # items told in full
REPLY_LIMIT = 4_000  # characters of a reply here; the run's own page shows more
RESULT_COLUMNS = (
    "run_id", "item_id", "repeat", "state", "reading", "reason", "flags", "answer", "score", "part", "other_parts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparedItem:
    """An item as the comparison needs it; labels and reference in one order. `prompt` is "" where texts are not
    public."""

    pk: int
    number: int
    item_id: str
    labels: Sequence[str]
    reference: Sequence[float]
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class ItemLine:
    """The scores of an item, one a model, None where there is none; `gap` is the widest, None below two scores."""

    item: ComparedItem
    scores: tuple[float | None, ...]
    gap: float | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A model's mark on a track; `y` keeps equal answers apart."""

    kind: str
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One feeling of an item with all answers; `ring` is empty where there is no reference."""

    label: str
    ring: str
    marks: tuple[Mark, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Replied:
    """What one model answered. `text` is None where replies are not shown, "" where none is stored."""

    kind: str
    name: str
    run_id: int
    reading: str
    text: str | None
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Telling:
    """`dialogue` is "" where the texts are not public."""

    line: ItemLine
    dialogue: str
    scores: str
    labels: tuple[LabelLine, ...]
    replies: tuple[Replied, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of one model to one item, as its score compares it; None where nothing was read."""

    values: Sequence[float] | None
    reading: str
    text: str
    length: int


def compared_items(bank: ItemBank) -> list[ComparedItem]:
    """All items, with their prompts where these may be shown."""
    columns = ("pk", "number", "item_id", "labels", "reference", *(["prompt"] if bank.shows_texts else []))
    return [ComparedItem(*row) for row in bank.items.order_by("number").values_list(*columns)]


def item_lines(items: Iterable[ComparedItem], sides: Sequence[Side]) -> tuple[ItemLine, ...]:
    """All items, the widest gap between two models first, those without a gap last."""
    rows = zip(items, zip(*(side.scores.tolist() for side in sides), strict=True), strict=True)
    return tuple(sorted((item_line(item, scores) for item, scores in rows), key=widest_first))


def item_line(item: ComparedItem, scores: Sequence[float]) -> ItemLine:
    known = [score for score in scores if not isnan(score)]
    gap = max(known) - min(known) if len(known) > 1 else None
    return ItemLine(item, tuple(None if isnan(score) else score for score in scores), gap)


def widest_first(line: ItemLine) -> tuple[bool, float, int]:
    return line.gap is None, -(line.gap or 0.0), line.item.number


def tellings(
    bank: ItemBank, lines: Sequence[ItemLine], sides: Sequence[Side], newest: Sequence[CountedRun]
) -> tuple[Telling, ...]:
    """The items of the widest gaps with the answers of each model's newest run; `sides` and `newest` in one order."""
    told = [line for line in lines if line.gap][:TOLD]
    answers = answers_of(bank, told, newest)
    return tuple(telling(bank, line, sides, newest, answers) for line in told)


def answers_of(
    bank: ItemBank, told: Iterable[ItemLine], newest: Sequence[CountedRun]
) -> Mapping[tuple[int, int], Answered]:
    """(run, item) -> the answer of the first repeat in which one was read, else of the first repeat."""
    items = [line.item.pk for line in told]
    results = ItemResult.objects.filter(run__in=[run.pk for run in newest], item__in=items).order_by("-repeat")
    answers: dict[tuple[int, int], Answered] = {}
    for result in with_replies(results.only(*RESULT_COLUMNS), bank, REPLY_LIMIT):
        key = result.run_id, result.item_id
        found = answered(result, bank)
        if found.values is not None or key not in answers or answers[key].values is None:
            answers[key] = found
    return answers


def answered(result: Any, bank: ItemBank) -> Answered:
    part = counted_part(result, bank)
    reading = "no reply" if result.state == ItemState.FAULT else READINGS.get(part["reading"], part["reading"])
    return Answered(
        values=as_scored(part["answer"], bank.benchmark),
        reading=f"{reading}: {part['reason']}" if part["reason"] else reading,
        text=getattr(result, "reply_text", "") or "",
        length=getattr(result, "reply_length", 0) or 0,
    )


NEVER = Answered(None, "not answered", "", 0)


def telling(
    bank: ItemBank,
    line: ItemLine,
    sides: Sequence[Side],
    newest: Sequence[CountedRun],
    answers: Mapping[tuple[int, int], Answered],
) -> Telling:
    given = [answers.get((run.pk, line.item.pk), NEVER) for run in newest]
    shown = bank.shows_texts
    return Telling(
        line=line,
        dialogue=dialogue_of(line.item.prompt) if line.item.prompt else "",
        scores=" · ".join(figure(score, item_measure(bank.benchmark)) for score in line.scores),
        labels=label_lines(line.item, sides, [answer.values for answer in given], bank),
        replies=tuple(
            Replied(
                kind=side.kind,
                name=side.name,
                run_id=run.pk,
                reading=answer.reading,
                text=answer.text if shown else None,
                is_cut=answer.length > REPLY_LIMIT,
            )
            for side, run, answer in zip(sides, newest, given, strict=True)
        ),
    )


def label_lines(
    item: ComparedItem, sides: Sequence[Side], answers: Sequence[Sequence[float] | None], bank: ItemBank
) -> tuple[LabelLine, ...]:
    """A track a label, under a number instead of its name where the texts of the bank are closed."""
    kinds, word = [side.kind for side in sides], kind_of(bank.benchmark).item_parts.unnamed
    references = item.reference if bank.shows_references else ()
    axis = answer_axis(bank, references, *answers)
    return tuple(
        label_line(
            label if bank.shows_texts else f"{word} {at + 1}",
            references[at] if at < len(references) else None,
            kinds,
            [None if values is None or at >= len(values) else values[at] for values in answers],
            axis,
        )
        for at, label in enumerate(item.labels)
    )


def label_line(
    label: str, reference: float | None, kinds: Sequence[str], values: Sequence[float | None], axis: Axis
) -> LabelLine:
    given = " · ".join(value_text(value) for value in values)
    return LabelLine(
        label=label,
        ring=fader_x(reference, axis),
        marks=marks(kinds, values, axis),
        text=given if reference is None else f"{given}, reference {value_text(reference)}",
    )


def marks(kinds: Sequence[str], values: Sequence[float | None], axis: Axis) -> tuple[Mark, ...]:
    """The marks of all who answered, one above the other where they agree, the first on top of the drawing."""
    found = [(kind, fader_x(value, axis)) for kind, value in zip(kinds, values, strict=True) if value is not None]
    by_place: defaultdict[str, list[str]] = defaultdict(list)
    for kind, x in found:
        by_place[x].append(kind)
    return tuple(
        Mark(kind, x, f"{13 + 7 * (at - (len(held) - 1) / 2):.1f}")
        for x, held in by_place.items()
        for at, kind in enumerate(held)
    )
