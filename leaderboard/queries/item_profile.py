"""One item over the whole field: what was answered against the reference, and who did best and worst.

At most ten queries. Each model counts once, by its newest counted run: its score is the mean over the repeats, its
answer that of the first repeat in which one was read. While no model has answers, the demonstrations stand in.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from evaluation.models import Item, ItemBank, ItemResult, LanguageModel
from evaluation.statistics.correlation import fisher_interval
from evaluation.statistics.intervals import Interval
from evaluation.statistics.items import ItemFigures
from evaluation.summaries import FIRST_PART, PartFields
from leaderboard.drawings.plots import AnswerPlot, answer_plot
from leaderboard.drawings.shapes import Tracks, tracks
from leaderboard.queries.bank_figures import BankFigures, BankItem, bank_figures, bank_items
from leaderboard.queries.bank_items import dialogue_of, notice_of
from leaderboard.queries.items import answers_text, texts_shown, value_text
from leaderboard.rounding import MISSING, counted
from leaderboard.standings.counted import RELATIVE_FAMILIES, RUN_COLUMNS, CountedRun, as_scored, parts_in_repeats
from leaderboard.standings.item_figures import field_rows

COLUMNS = (*(f"run__{name}" for name in RUN_COLUMNS), "repeat", "score", "answer", "more_parts")
NAMED = 5  # models named at each end


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model at one end of the field. `answers` and `tracks` are of the answer that counts for it."""

    name: str
    slug: str
    score: float
    answers: str
    tracks: Tracks


@dataclass(frozen=True, slots=True)
class LabelPlot:
    """The answers to one feeling. `reference` is "" where the bank is closed; then the label is a number."""

    label: str
    reference: str
    middle: str
    plot: AnswerPlot


@dataclass(frozen=True, slots=True)
class Given:
    """What one model answered: `score` is None where no repeat was scored, `values` None where none was read."""

    model_id: int
    score: float | None
    values: Sequence[float] | None


@dataclass(frozen=True, slots=True)
class ItemPage:
    """`discrimination` is the 95 % interval of the item-total correlation, which rests on the models of `over_all`
    with every item.

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
    figures, given, shown = over_all.figures[at], answers_of(over_all.origins, bank, item), texts_shown(bank)
    names = names_of(given)
    return ItemPage(
        bank=bank,
        item=items[at],
        headline=headline(items[at], figures, over_all),
        figures=figures,
        n_items=len(items),
        over_all=over_all,
        discrimination=interval_of(figures, over_all.n_complete),
        previous=items[at - 1] if at else None,
        next=items[at + 1] if at + 1 < len(items) else None,
        shows_texts=shown,
        rescaled=bank.benchmark in RELATIVE_FAMILIES,
        dialogue=dialogue_of(item.prompt) if shown else "",
        prompt=item.prompt.strip() if shown else "",
        labels=label_plots(item, [each.values for each in given if each.values is not None], shown=shown),
        best=model_lines(best_of(given), names, item, shown=shown),
        worst=model_lines(worst_of(given), names, item, shown=shown),
        n_answers=sum(each.values is not None for each in given),
        n_without=over_all.n_models - figures.n,
        notice=notice_of(bank),
    )


def answers_of(origins: Sequence[str], bank: ItemBank, item: Item) -> list[Given]:
    """What each model of the field answered, best score first, those without a score last; equal ones by model."""
    newest = field_rows(bank.slug, origins).values("run_id")
    rows = ItemResult.objects.filter(item=item, run__in=newest).order_by("run_id", "repeat").values_list(*COLUMNS)
    by_run: dict[CountedRun, list[Sequence[Any]]] = {}
    for row in rows:
        by_run.setdefault(CountedRun(*row[: len(RUN_COLUMNS)]), []).append(row[len(RUN_COLUMNS) :])
    parts = parts_in_repeats(by_run)
    given = [given_of(run, results, parts[run.pk], bank.benchmark) for run, results in by_run.items()]
    return sorted(given, key=lambda each: (each.score is None, -(each.score or 0.0), each.model_id))


def given_of(run: CountedRun, results: Iterable[Sequence[Any]], parts: Mapping[int, str], family: str) -> Given:
    read = [counted_answer(*result, part=parts.get(result[0], "")) for result in results]
    scores = [score for score, _ in read if score is not None]
    answers = (values for _, values in read if values is not None)
    return Given(run.model_id, fmean(scores) if scores else None, as_scored(next(answers, None), family))


def counted_answer(
    repeat: int,
    score: float | None,
    answer: list[float] | None,
    more_parts: Mapping[str, PartFields] | None,
    *,
    part: str,
) -> tuple[float | None, list[float] | None]:
    """Score and values of the part that counts; None for both where it never came."""
    if part == FIRST_PART:
        return score, answer
    later = (more_parts or {}).get(part)
    return (later["score"], later["answer"]) if later else (None, None)


def best_of(given: Sequence[Given]) -> Sequence[Given]:
    return scored(given)[: ends_of(given)]


def worst_of(given: Sequence[Given]) -> Sequence[Given]:
    """The worst first; no model of a small field stands at both ends."""
    return scored(given)[::-1][: min(ends_of(given), len(scored(given)) // 2)]


def ends_of(given: Sequence[Given]) -> int:
    return min(NAMED, (len(scored(given)) + 1) // 2)


def scored(given: Sequence[Given]) -> list[Given]:
    return [each for each in given if each.score is not None]


def names_of(given: Sequence[Given]) -> dict[int, LanguageModel]:
    """The models at both ends, by primary key. One query."""
    return LanguageModel.objects.in_bulk([each.model_id for each in (*best_of(given), *worst_of(given))])


def model_lines(
    given: Iterable[Given], models: Mapping[int, LanguageModel], item: Item, *, shown: bool
) -> tuple[ModelLine, ...]:
    return tuple(
        ModelLine(
            name=str(models[each.model_id]),
            slug=models[each.model_id].slug,
            score=each.score or 0.0,
            answers=answers_text(each.values),
            tracks=tracks(item.reference if shown else (), each.values, len(item.labels)),
        )
        for each in given
    )


def label_plots(item: Item, answers: Sequence[Sequence[float]], *, shown: bool) -> tuple[LabelPlot, ...]:
    """One plot a feeling; of a closed bank without its name and without the reference."""
    return tuple(
        label_plot(
            label if shown else f"Feeling {at + 1}",
            item.reference[at] if shown and at < len(item.reference) else None,
            [values[at] for values in answers if at < len(values)],
        )
        for at, label in enumerate(item.labels)
    )


def label_plot(label: str, reference: float | None, answers: Sequence[float]) -> LabelPlot:
    return LabelPlot(
        label=label,
        reference="" if reference is None else value_text(reference),
        middle=value_text(median(answers)) if answers else MISSING,
        plot=answer_plot(answers, reference),
    )


def headline(item: BankItem, figures: ItemFigures, over_all: BankFigures) -> str:
    """The finding on the item; none is drawn from demonstrations, as they answer by rule."""
    if figures.difficulty is None:
        return f"Item {item.number}, not answered by any model yet"
    if over_all.demo:
        return f"Item {item.number}, answered by {counted(figures.n, over_all.noun)} only"
    return finding(item, figures, over_all.figures)


def finding(item: BankItem, figures: ItemFigures, all_figures: Iterable[ItemFigures]) -> str:
    """That the item does not rank models as the rest do, or how hard it is among the bank's items; it has a score."""
    if figures.negative:
        return f"Item {item.number} does not rank models as the others do"
    others = [each.difficulty for each in all_figures if each.difficulty is not None and each is not figures]
    easier = sum(other > (figures.difficulty or 0.0) for other in others)
    if not others:
        return f"Item {item.number}"
    if easier == len(others):
        return f"Item {item.number} is the hardest of {len(others) + 1}"
    if not easier:
        return f"Item {item.number} is the easiest of {len(others) + 1}"
    return f"Item {item.number} is harder than {easier} of the other {len(others)}"


def interval_of(figures: ItemFigures, n_complete: int) -> Interval | None:
    """The 95 % interval (Fisher) of the item-total correlation."""
    return None if figures.item_total is None else fisher_interval(figures.item_total, n_complete)
