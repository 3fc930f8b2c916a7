"""One item over the whole field: what was answered against the reference, and who did best and worst.

At most twelve queries. Each model counts once, by its newest counted run: its score is the mean over the repeats, its
answer that of the first repeat in which one was read. While no model has answers, the demonstrations stand in.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from django.db.models import QuerySet

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Ask, Measure, Options
from evaluation.models import Item, ItemBank, ItemResult, LanguageModel
from evaluation.runs.summaries import as_item
from evaluation.statistics.intervals import Interval
from evaluation.statistics.items import ItemFigures
from leaderboard.drawings.plots import AnswerPlot, answer_plot
from leaderboard.drawings.shapes import Tracks, tracks
from leaderboard.kinds import kind_of
from leaderboard.kinds.base import ItemParts, ShownPart, shown
from leaderboard.models import ItemAnswers
from leaderboard.pages.items.bank_figures import (
    BankFigures,
    BankItem,
    bank_figures,
    bank_items,
    has_section,
    interval_of,
    is_clearly_negative,
)
from leaderboard.pages.items.bank_items import notice_of
from leaderboard.pages.runs.items import answer_axis, answers_text, value_text
from leaderboard.pages.shared.dialogues import dialogue_of
from leaderboard.pages.shared.measures import is_lower_better, item_measure, item_word, ranks_nothing
from leaderboard.rounding import MISSING, counted
from leaderboard.standings.counted import RUN_COLUMNS, CountedRun, answers_sum_of
from leaderboard.standings.item_answers import Count, Given, Stored, Tally, best_of, given_of, tally_of, worst_of
from leaderboard.standings.item_figures import field_rows

BARS = "0 to 10"  # the scale on which answers are counted one by one
COLUMNS = (*(f"run__{name}" for name in RUN_COLUMNS), "score", "answer")


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model at one end of the field. `answers` and `tracks` are of the answer that counts for it."""

    name: str
    slug: str
    run_id: int
    score: float
    answers: str
    tracks: Tracks


@dataclass(frozen=True, slots=True)
class LabelPlot:
    """The answers to one feeling. `reference` is "" where there is none; the label of a closed bank is a number."""

    label: str
    reference: str
    middle: str
    plot: AnswerPlot


@dataclass(frozen=True, slots=True)
class Answers:
    """What the field answered: `labels` count the answers to each feeling, of `n` models; the best first, the worst
    first."""

    n: int
    labels: Sequence[Count]
    best: Sequence[Given]
    worst: Sequence[Given]


@dataclass(frozen=True, slots=True)
class ItemPage:
    """`discrimination` is the 95 % interval of the item-total correlation, which rests on the models of `over_all`
    with a score on every item.

    `n_answers` counts the models of which an answer was read, `n_without` those without a score. Texts are "" where the
    bank is closed; `rescaled` tells that answers were brought to a sum of 10, as the score does.
    """

    bank: ItemBank
    item: BankItem
    headline: str
    figures: ItemFigures
    n_items: int
    over_all: BankFigures
    discrimination: Interval | None
    previous: BankItem | None
    next: BankItem | None
    shows_texts: bool
    rescaled: bool
    dialogue: str
    prompt: str
    labels: tuple[LabelPlot, ...]
    best: tuple[ModelLine, ...]
    worst: tuple[ModelLine, ...]
    n_answers: int
    n_without: int
    notice: str
    words: ItemParts
    measure: Measure
    has_section: bool
    part: ShownPart | None = None

    @property
    def score_name(self) -> str:
        """What a model's value on the item is called."""
        return item_word(self.bank.benchmark)

    @property
    def is_open(self) -> bool:
        """Whether the data leave open that the item says nothing of the ranking."""
        return self.discrimination is None or self.discrimination.holds(0.0)

    @property
    def counts(self) -> list[tuple[str, list[int]]]:
        """The bars of all feelings as a table: an answer and how often it came for each."""
        columns = [label.plot.bars for label in self.labels]
        return [(bars[0].value, [bar.count for bar in bars]) for bars in zip(*columns, strict=True)]


def item_page(bank: ItemBank, item_id: str) -> ItemPage | None:
    """The page of an item; None where the bank has no such item."""
    items = bank_items(bank)
    at = next((at for at, each in enumerate(items) if each.item_id == item_id), None)
    if at is None:
        return None
    item, over_all = Item.objects.get(pk=items[at].pk), bank_figures(bank, items)
    figures, answers, texts = over_all.figures[at], answers_of(over_all, bank, item), bank.shows_texts
    names = names_of(answers)
    kind = kind_of(bank.benchmark)
    return ItemPage(
        bank=bank,
        item=items[at],
        headline=f"Prompt {items[at].number}; judges or people rate the replies"
        if ranks_nothing(bank.benchmark)
        else headline(items[at], figures, over_all, lower=is_lower_better(bank.benchmark)),
        figures=figures,
        n_items=len(items),
        over_all=over_all,
        discrimination=interval_of(figures, over_all.n_complete),
        previous=items[at - 1] if at else None,
        next=items[at + 1] if at + 1 < len(items) else None,
        shows_texts=texts,
        rescaled=answers_sum_of(bank.benchmark) is not None,
        dialogue=dialogue_of(item.prompt) if texts else "",
        prompt=sent_prompt(bank, item) if texts else "",
        labels=label_plots(item, answers.labels, bank) if kind.item_parts.range == BARS else (),
        best=model_lines(answers.best, names, item, bank),
        worst=model_lines(answers.worst, names, item, bank),
        n_answers=answers.n,
        n_without=over_all.n_models - figures.n,
        notice=notice_of(bank),
        words=kind.item_parts,
        measure=item_measure(bank.benchmark),
        has_section=has_section(bank, over_all),
        part=shown(kind.item_part, item),
    )


def sent_prompt(bank: ItemBank, item: Item) -> str:
    """What a run with standard settings sends; the prompt as stored where the benchmark is not one of this code."""
    benchmark = BENCHMARKS.get(bank.benchmark)
    if benchmark is None:
        return item.prompt.strip()
    messages = benchmark.prompt(Ask(as_item(item), 1, 1, 0), Options()).messages
    return "\n\n".join(message.content for message in messages).strip()


def answers_of(over_all: BankFigures, bank: ItemBank, item: Item) -> Answers:
    """As they are stored with the standings, or from the results of the whole field where that does not hold."""
    key = partial(best_first, measure=item_measure(bank.benchmark))
    stored = ItemAnswers.objects.filter(field__ranking=bank.slug, field__mark=over_all.mark, item=item)
    counts: Stored | None = None if over_all.demo else stored.values_list("counts", flat=True).first()
    if counts is None:
        newest = field_rows(bank.slug, over_all.origins).values("run_id")
        given = list(given_by(ItemResult.objects.filter(item=item, run__in=newest), bank).values())
        ordered = sorted((each for each in given if each.score is not None), key=key)
        tally = tally_of(each.values for each in given if each.values is not None)
        return Answers(tally.n, tally.labels, best_of(ordered), worst_of(ordered))
    runs = [*counts["best"], *counts["worst"]]
    ends = given_by(ItemResult.objects.filter(item=item, run__in=runs), bank)
    best, worst = ([ends[pk] for pk in counts[end] if pk in ends] for end in ("best", "worst"))
    tally = Tally(counts["n"], counts["labels"])
    return Answers(tally.n, tally.labels, sorted(best, key=key), sorted(worst, key=key, reverse=True))


def best_first(given: Given, measure: Measure) -> tuple[float, int]:
    return -measure.turned(given.score or 0.0), given.model_id


def given_by(results: QuerySet[ItemResult], bank: ItemBank) -> dict[int, Given]:
    """Run -> what was answered in it, of results of one item. One query."""
    by_run: dict[CountedRun, list[Sequence[Any]]] = {}
    for row in results.order_by("run_id", "repeat").values_list(*COLUMNS):
        by_run.setdefault(CountedRun(*row[: len(RUN_COLUMNS)]), []).append(row[len(RUN_COLUMNS) :])
    return {run.pk: given_of(run, own, bank.benchmark) for run, own in by_run.items()}


def names_of(answers: Answers) -> dict[int, LanguageModel]:
    """The models at both ends, by primary key. One query."""
    return LanguageModel.objects.in_bulk([each.model_id for each in (*answers.best, *answers.worst)])


def model_lines(
    given: Iterable[Given], models: Mapping[int, LanguageModel], item: Item, bank: ItemBank
) -> tuple[ModelLine, ...]:
    """One each, without a model that was merged into another since the answers were read."""
    references = item.reference if bank.shows_references else ()
    return tuple(
        ModelLine(
            name=str(models[each.model_id]),
            slug=models[each.model_id].slug,
            run_id=each.run_id,
            score=each.score or 0.0,
            answers=answers_text(each.values),
            tracks=tracks(references, each.values, len(item.labels), answer_axis(bank, references, each.values)),
        )
        for each in given
        if each.model_id in models
    )


def label_plots(item: Item, counts: Sequence[Count], bank: ItemBank) -> tuple[LabelPlot, ...]:
    """One plot a feeling, under a number instead of its name where the texts of the bank are closed."""
    word = kind_of(bank.benchmark).item_parts.unnamed
    return tuple(
        label_plot(
            label if bank.shows_texts else f"{word} {at + 1}",
            item.reference[at] if bank.shows_references and at < len(item.reference) else None,
            counts[at] if at < len(counts) else Counter(),
        )
        for at, label in enumerate(item.labels)
    )


def label_plot(label: str, reference: float | None, answers: Count) -> LabelPlot:
    return LabelPlot(
        label=label,
        reference="" if reference is None else value_text(reference),
        middle=value_text(median(answers.elements())) if answers else MISSING,
        plot=answer_plot(answers, reference),
    )


def headline(item: BankItem, figures: ItemFigures, over_all: BankFigures, *, lower: bool) -> str:
    """The finding on the item; none is drawn from demonstrations, as they answer by rule."""
    if figures.difficulty is None:
        return f"Item {item.number}, not answered yet"
    if over_all.demo:
        return f"Item {item.number}, answered by {counted(figures.n, over_all.noun)} only"
    return finding(item, figures, over_all, lower=lower)


def finding(item: BankItem, figures: ItemFigures, over_all: BankFigures, *, lower: bool) -> str:
    """That the item does not rank models as the rest do, or how hard it is among the bank's items; it has a score.

    `lower`: an item is done better the lower its score is.
    """
    if is_clearly_negative(figures, over_all.n_complete):
        return f"Item {item.number} disagrees with the other items"
    others = [each.difficulty for each in over_all.figures if each.difficulty is not None and each is not figures]
    own = figures.difficulty or 0.0
    easier = sum(other < own if lower else other > own for other in others)
    if not others:
        return f"Item {item.number}"
    if easier == len(others):
        return f"Item {item.number} is the hardest of {len(others) + 1}"
    if not easier:
        return f"Item {item.number} is the easiest of {len(others) + 1}"
    return f"Item {item.number} is harder than {easier} of the other {len(others)}"
