"""You against the board: one dialogue to answer, and the result after the last one.

`question_of` reads no reference: the page of a dialogue cannot show what was never asked of the database.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import FIRST_PART, Answer, Bank, ItemScore
from evaluation.models import Item, ItemBank
from evaluation.runs.summaries import as_item
from evaluation.statistics.arrays import Floats
from evaluation.statistics.newcomer import Rank, rank_among
from evaluation.statistics.score_interval import half_of
from leaderboard.drawings.plots import AnswerPlot, answer_plot
from leaderboard.drawings.shapes import percent
from leaderboard.models import ItemAnswers, Standing, StatisticsRow
from leaderboard.pages.rankings.people import POINTS
from leaderboard.pages.runs.items import value_text
from leaderboard.pages.shared.dialogues import END_OF_DIALOGUE, dialogue_of
from leaderboard.rounding import number

FEWEST_MODELS = 3
"""Fewer models make no field to rank in."""
AXIS = (-10.0, 100.0)
CLOSEST = 2


@dataclass(frozen=True, slots=True)
class Question:
    """A dialogue without its reference. `lines` are speaker and words; `ask` asks for the feelings of one person."""

    item_id: str
    lines: tuple[tuple[str, str], ...]
    task: str
    ask: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Feeling:
    """One feeling of an answered dialogue; `mine_at` is where the visitor's dot lies in the plot of the models."""

    label: str
    mine: int
    reference: str
    plot: AnswerPlot
    mine_at: str


@dataclass(frozen=True, slots=True)
class Answered:
    """One dialogue of the result. `mean` is that of the models and `beaten` counts those with fewer points, of
    `n_models`; 0 where none has answered."""

    question: Question
    points: float
    feelings: tuple[Feeling, ...]
    n_models: int
    mean: float | None
    beaten: int


@dataclass(frozen=True, slots=True)
class Dot:
    x: str
    title: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a score on some items is worth. `rank` is None where too few models have answered these items."""

    score: float
    half: float | None
    rank: Rank | None
    closest: tuple[str, ...]
    dots: tuple[Dot, ...]
    mine_at: str
    pill: tuple[str, str] | None
    n_models: int


@dataclass(frozen=True, slots=True)
class Field:
    """The models that are ranked on the bank: names and points of each item (0 to 10), NaN where missing."""

    names: tuple[str, ...]
    points: Floats


def question_of(bank: ItemBank, item_id: str) -> Question:
    """Raises: Item.DoesNotExist."""
    return question(Item.objects.only("item_id", "prompt", "labels").get(bank=bank, item_id=item_id))


def question(item: Item) -> Question:
    lines = dialogue_of(item.prompt).split("\n")
    task = item.prompt.strip().partition("\n")[0]
    return Question(item.item_id, tuple(said(line) for line in lines), task, ask_of(item.prompt), tuple(item.labels))


def said(line: str) -> tuple[str, str]:
    """Speaker and words of "Name: words"; a line without a speaker has ""."""
    speaker, colon, words = line.partition(": ")
    return (speaker, words) if colon and len(speaker) <= 40 else ("", line)


def ask_of(prompt: str) -> str:
    """The first line after the dialogue, such as "As the conversation closes, Mara feels..."; "" without one."""
    lines = iter(prompt.split("\n"))
    for line in lines:
        if line.startswith(END_OF_DIALOGUE):
            break
    return next((line.strip() for line in lines if line.strip()), "")


def scored(bank: ItemBank, items: Sequence[Item], answers: Mapping[str, Sequence[int]]) -> tuple[ItemScore, ...]:
    """The scores of these answers by the bank's own scorer."""
    benchmark = BENCHMARKS[bank.benchmark]
    found = []
    for item in items:
        answer = Answer(FIRST_PART, "official", tuple(map(float, answers[item.item_id])))
        values = benchmark.score(as_item(item), answer)
        found.append(ItemScore(item.item_id, 1, FIRST_PART, "official", values))
    return tuple(found)


def total_of(bank: ItemBank, items: Sequence[Item], scores: Sequence[ItemScore]) -> tuple[float, float | None]:
    """Score in points of 100 and half of its 95 % interval, as for a run on these items alone."""
    asked = Bank(tuple(as_item(item) for item in items))
    figure = BENCHMARKS[bank.benchmark].summarise(scores, asked, repeats=1, variant="").figures["score"]
    if figure.value is None:  # one of v1, whose ratings may sum to 0, can have none
        return 0.0, None
    return figure.value, half_of(figure.error, figure.n)


def items_of(bank: ItemBank, item_ids: Sequence[str]) -> list[Item]:
    """The items in this order. One query."""
    found = {item.item_id: item for item in Item.objects.filter(bank=bank, item_id__in=item_ids)}
    return [found[item_id] for item_id in item_ids if item_id in found]


def field_of(bank: ItemBank, items: Sequence[Item]) -> Field:
    """The ranked models with a score on at least one of the items. Three queries."""
    names = dict(
        Standing.objects.filter(ranking=bank.slug, rank__isnull=False, run__isnull=False)
        .order_by("pk")
        .values_list("model_id", "model__display_name")
    )
    order = {pk: at for at, pk in enumerate(bank.items.order_by("number").values_list("pk", flat=True))}
    columns = [order[item.pk] for item in items]
    rows = StatisticsRow.objects.filter(ranking=bank.slug, model_id__in=names).order_by("pk")
    read = [(model_id, np.frombuffer(scores)) for model_id, scores in rows.values_list("model_id", "scores")]
    points = [(names[model_id], row[columns] / POINTS) for model_id, row in read if row.size == len(order)]
    known = [(name, row) for name, row in points if not np.isnan(row).all()]
    return Field(tuple(name for name, _ in known), np.array([row for _, row in known]).reshape(-1, len(columns)))


def outcome(score: float, half: float | None, own: Sequence[float], field: Field) -> Outcome:
    means = POINTS * np.nanmean(field.points, axis=1) if len(field.names) else np.empty(0)
    nearest = np.argsort(np.abs(means - score), kind="stable")[:CLOSEST]
    enough = len(field.names) >= FEWEST_MODELS
    return Outcome(
        score=score,
        half=half,
        rank=rank_among(own, field.points) if enough else None,
        closest=tuple(field.names[at] for at in nearest) if enough else (),
        dots=tuple(
            Dot(place(mean), f"{name}: {number(mean, 1)} on these dialogues")
            for name, mean in zip(field.names, means, strict=True)
        ),
        mine_at=place(score),
        pill=(place(score - half), place(score + half)) if half is not None else None,
        n_models=len(field.names),
    )


def place(value: float) -> str:
    """Where a score lies on the axis of the result, in per cent; held at its ends."""
    low, high = AXIS
    return percent(100 * (min(high, max(low, value)) - low) / (high - low))


def result_of(
    bank: ItemBank, item_ids: Sequence[str], answers: Mapping[str, Sequence[int]]
) -> tuple[Outcome, tuple[Answered, ...]]:
    """The result of a complete play. Six queries."""
    items = items_of(bank, item_ids)
    scores = scored(bank, items, answers)
    field = field_of(bank, items)
    counts = dict(ItemAnswers.objects.filter(field__ranking=bank.slug, item__in=items).values_list("item_id", "counts"))
    own = [score.score or 0.0 for score in scores]
    lines = tuple(
        answered(item, answers[item.item_id], own[at], field.points[:, at], counts.get(item.pk))
        for at, item in enumerate(items)
    )
    return outcome(*total_of(bank, items, scores), own, field), lines


def shared_outcome(bank: ItemBank, item_ids: Sequence[str], points: Sequence[float]) -> Outcome:
    """The outcome of a shared result, of which only the points are known."""
    items = items_of(bank, item_ids)
    scores = [
        ItemScore(item.item_id, 1, FIRST_PART, "official", (own,)) for item, own in zip(items, points, strict=True)
    ]
    return outcome(*total_of(bank, items, scores), points, field_of(bank, items))


def answered(
    item: Item, ratings: Sequence[int], points: float, models: Floats, counts: Mapping[str, object] | None
) -> Answered:
    known = models[~np.isnan(models)]
    labels = counts["labels"] if counts else [[] for _ in item.labels]
    rows = zip(item.labels, ratings, item.reference, labels, strict=False)  # type: ignore[call-overload]
    return Answered(
        question=question(item),
        points=points,
        feelings=tuple(
            feeling(label, mine, float(reference), {float(value): int(n) for value, n in pairs})
            for label, mine, reference, pairs in rows
        ),
        n_models=int(known.size),
        mean=fmean(known.tolist()) if known.size else None,
        beaten=int((known < points).sum()),
    )


def feeling(label: str, mine: int, reference: float, counts: Mapping[float, int]) -> Feeling:
    plot = answer_plot(counts, reference)
    return Feeling(label, mine, value_text(reference), plot, plot.bars[mine].middle)
