"""The list of a bank's items: how hard each is, how far models part on it, and whether it ranks them as the rest does.

Five queries while nothing new stands in the bank's ranking, up to nine after a new result or while only demonstrations
have answered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.benchmarks.base import Measure
from evaluation.importers.banks import bank_sources
from evaluation.models import ItemBank
from evaluation.statistics.items import ItemFigures
from leaderboard.drawings.plots import Scale, Scatter, Spot, scatter
from leaderboard.drawings.shapes import Axis
from leaderboard.kinds import kind_of
from leaderboard.kinds.base import ItemParts
from leaderboard.pages.items.bank_figures import (
    BankFigures,
    BankItem,
    bank_figures,
    bank_items,
    has_section,
    is_clearly_negative,
)
from leaderboard.pages.rankings.sorting import Order
from leaderboard.pages.shared.dialogues import dialogue_of
from leaderboard.pages.shared.measures import item_measure, ranks_nothing
from leaderboard.rounding import counted, number

WORDS_SHOWN = 90
SMALLEST_PLOT = 5  # items that make a picture


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's head: what a click asks for, and how the list is sorted by it now ("" if it is not)."""

    param: str
    aria_sort: str


@dataclass(frozen=True, slots=True)
class ItemLine:
    """An item in the list. `words` is empty where the bank is closed; figures are None where they are not defined."""

    item: BankItem
    words: str
    figures: ItemFigures


@dataclass(frozen=True, slots=True)
class ItemsPage:
    """`banks` are the slug and title of each; `headings` those of the sortable columns."""

    bank: ItemBank
    banks: tuple[tuple[str, str], ...]
    headline: str
    lines: tuple[ItemLine, ...]
    headings: dict[str, Heading]
    figures: BankFigures
    plot: Scatter | None
    below_title: str
    shows_texts: bool
    notice: str
    words: ItemParts
    measure: Measure
    has_section: bool

    @property
    def axis_title(self) -> str:
        """What the axis of the means is called, and which of its ends is good."""
        name = "mean item score" if self.words.score else f"mean {self.measure.title.lower()}"
        return f"{name}, {self.words.best}" if self.words.best else name


VALUES: Mapping[str, Callable[[ItemLine], float | None]] = {
    "item": lambda line: line.item.number,
    "difficulty": lambda line: line.figures.difficulty,
    "spread": lambda line: line.figures.sd,
    "discrimination": lambda line: line.figures.item_total,
    "models": lambda line: line.figures.n,
}
DEFAULT = Order("item", descending=False)


def items_page(bank: ItemBank, banks: Sequence[ItemBank], sort: str) -> ItemsPage:
    """The page of a bank among all `banks`; an unknown `sort` is the order of the bank's file."""
    items = bank_items(bank)
    figures = bank_figures(bank, items)
    words = telling_words(bank)
    lines = [ItemLine(item, words.get(item.pk, ""), own) for item, own in zip(items, figures.figures, strict=True)]
    order = order_of(sort)
    return ItemsPage(
        bank=bank,
        banks=tuple((each.slug, each.title) for each in banks),
        headline=f"{counted(len(lines), 'prompt')}; judges or people rate the replies"
        if ranks_nothing(bank.benchmark)
        else headline(lines, figures),
        lines=tuple(in_order(lines, order)),
        headings={column: heading(column, order) for column in VALUES},
        figures=figures,
        plot=plot_of(lines, item_measure(bank.benchmark)),
        below_title=below_title(lines, figures),
        shows_texts=bank.shows_texts,
        notice=notice_of(bank),
        words=kind_of(bank.benchmark).item_parts,
        measure=item_measure(bank.benchmark),
        has_section=has_section(bank, figures),
    )


def telling_words(bank: ItemBank) -> dict[int, str]:
    """Item -> the words that tell it from others; nothing of a bank whose texts are not public, for which nothing is
    asked."""
    if not bank.shows_texts:
        return {}
    words = ending if kind_of(bank.benchmark).item_parts.has_prompt_frame else beginning
    return {pk: words(prompt) for pk, prompt in bank.items.values_list("pk", "prompt")}


def ending(prompt: str) -> str:
    """How the dialogue ends, since several items open alike; how a prompt begins that has no such frame."""
    dialogue, whole = (" ".join(text.split()) for text in (dialogue_of(prompt), prompt))
    if len(dialogue) <= WORDS_SHOWN:
        return dialogue
    if dialogue == whole:
        return whole[:WORDS_SHOWN].rpartition(" ")[0] + " …"
    return "… " + dialogue[-WORDS_SHOWN:].partition(" ")[2]


def beginning(prompt: str) -> str:
    """How a text begins."""
    whole = " ".join(prompt.split())
    return whole if len(whole) <= WORDS_SHOWN else whole[:WORDS_SHOWN].rpartition(" ")[0] + " …"


def notice_of(bank: ItemBank) -> str:
    """The licence that goes with the texts of a known bank; "" for a bank whose texts are not shown."""
    source = bank_sources().get(bank.slug)
    return source.notice if source and bank.shows_texts else ""


def headline(lines: Sequence[ItemLine], figures: BankFigures) -> str:
    items = counted(len(lines), "item")
    negative = sum(is_clearly_negative(line.figures, figures.n_complete) for line in lines)
    if not figures.n_models:
        return f"{items}, none answered yet"
    if figures.demo:
        return f"{items}, answered by {counted(figures.n_models, figures.noun)} only"
    if negative:
        correlates = "correlates" if negative == 1 else "correlate"
        return f"{items}, {negative} of which {correlates} below zero with the others"
    return f"{items}, answered by {counted(figures.n_answered, 'model')}"


def below_title(lines: Sequence[ItemLine], figures: BankFigures) -> str:
    """How many items lie below zero, and of how many the data leave zero open."""
    below = [line.figures for line in lines if line.figures.negative]
    n, n_open = len(below), sum(not is_clearly_negative(each, figures.n_complete) for each in below)
    if not n:
        return "No item has negative discrimination"
    some = "" if n_open == n else f"{n_open} of them "
    return f"{counted(n, 'item')} with negative discrimination{f' ({some}not significant)' if n_open else ''}"


def order_of(param: str) -> Order:
    column = param.removeprefix("-")
    return Order(column, param.startswith("-")) if column in VALUES else DEFAULT


def heading(column: str, order: Order) -> Heading:
    """What a click on a column asks for: its other direction, or upwards, the hardest and the oddest first."""
    if column != order.column:
        return Heading(column, "")
    return Heading(Order(column, not order.descending).param, "descending" if order.descending else "ascending")


def in_order(lines: Sequence[ItemLine], order: Order) -> list[ItemLine]:
    """The items sorted by one column, those without a value last in both directions; equal ones by number."""
    value = VALUES[order.column]
    known = [line for line in lines if value(line) is not None]
    missing = [line for line in lines if value(line) is None]
    return sorted(known, key=lambda line: value(line) or 0.0, reverse=order.descending) + missing


def plot_of(lines: Sequence[ItemLine], measure: Measure) -> Scatter | None:
    """Discrimination against difficulty, the negative ones and the hardest named; None for fewer than five items."""
    spots = [spot for line in lines if (spot := spot_of(line))]
    if len(spots) < SMALLEST_PLOT:
        return None
    axis = Axis.of(measure, (spot.x for spot in spots))
    low = max(axis.low, min(axis.zero, *(spot.x for spot in spots)))
    room = 0.02 * (axis.high - axis.low)
    bottom = min(0.0, *(spot.y for spot in spots)) - 0.1
    spots.sort(key=lambda spot: (bool(spot.label), -spot.x))
    return scatter(spots, Scale(low - room, axis.high + room, 5.0, 97.0), Scale(bottom, 1.02, 330.0, 24.0))


def spot_of(line: ItemLine) -> Spot | None:
    figures = line.figures
    if figures.difficulty is None or figures.item_total is None:
        return None
    name = f"item {line.item.number}"
    return Spot(
        x=figures.difficulty,
        y=figures.item_total,
        kind="stress" if figures.negative else "plain",
        title=f"{name}: mean {number(figures.difficulty, 2)}, discrimination {number(figures.item_total, 2)}",
        label=name if figures.negative else "",
    )
