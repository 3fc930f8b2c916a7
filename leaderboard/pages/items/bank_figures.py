"""How a bank's items did over the field of its ranking, as it is stored with the standings.

While no model has answers there, the demonstrations stand in, so that a new board shows how its pages work.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from evaluation.models import ItemBank
from evaluation.statistics.correlation import fisher_interval
from evaluation.statistics.intervals import Interval
from evaluation.statistics.items import ItemFigures
from leaderboard.models import Standing, StatisticsSection
from leaderboard.standings.item_figures import DEMO, demo_field, item_field, marks
from leaderboard.standings.ranks import WITH_ANSWERS


@dataclass(frozen=True, slots=True)
class BankItem:
    """What the figures need of an item: `pk` of the row, `item_id` of the address, `number` in the bank's file."""

    pk: int
    item_id: str
    number: int


@dataclass(frozen=True, slots=True)
class BankFigures:
    """`figures` has the order of the bank's items. Item-total rests on `n_complete` of the `n_models` models;
    `n_copies` further ones are near copies of these and left out.

    `demo`: these are demonstrations, as no model has answered yet. `mark` is that of the ranking's standings, "" where
    there are none.
    """

    n_models: int
    n_complete: int
    figures: tuple[ItemFigures, ...]
    demo: bool = False
    mark: str = ""
    n_copies: int = 0

    @property
    def origins(self) -> tuple[str, ...]:
        """Those whose standings are the field."""
        return DEMO if self.demo else WITH_ANSWERS

    @property
    def n_answered(self) -> int:
        """All that have answers, copies too."""
        return self.n_models + self.n_copies

    @property
    def noun(self) -> str:
        """What one of the field is called."""
        return "demonstration" if self.demo else "model"


def interval_of(figures: ItemFigures, n_complete: int) -> Interval | None:
    """The 95 % interval (Fisher) of the item-total correlation."""
    return None if figures.item_total is None else fisher_interval(figures.item_total, n_complete)


def is_clearly_negative(figures: ItemFigures, n_complete: int) -> bool:
    """Whether that interval lies below zero: else the sign of the correlation may be chance."""
    found = interval_of(figures, n_complete)
    return found is not None and found.high < 0


def bank_items(bank: ItemBank) -> list[BankItem]:
    """The items in the order of the bank's file, without their texts."""
    return [BankItem(*row) for row in bank.items.order_by("number").values_list("pk", "item_id", "number")]


def bank_figures(bank: ItemBank, items: Sequence[BankItem]) -> BankFigures:
    """The figures of all items: two queries, up to five where the standings changed without being refreshed, up to six
    where no model has answered."""
    keys, mark = [item.pk for item in items], marks([bank.slug]).get(bank.slug, "")
    models = item_field(bank.slug, keys, mark)
    shown = models if models.n_models else demo_field(bank.slug, keys)
    is_demo = shown.n_models > models.n_models
    return BankFigures(shown.n_models, shown.n_complete, shown.figures, is_demo, mark, shown.n_copies)


def has_section(bank: ItemBank, figures: BankFigures) -> bool:
    """Whether the statistics have a section about its items: not of each kind, not before they are made, and none of
    demonstrations. At most one query."""
    return not figures.demo and StatisticsSection.objects.filter(section="items", ranking=bank.slug, n__gt=0).exists()


def fullest_bank(banks: Sequence[ItemBank]) -> ItemBank:
    """The bank whose ranking has most models with answers, the first of `banks` among equals; at least one is given."""
    slugs = [bank.slug for bank in banks]
    counts = (
        Standing.objects.filter(ranking__in=slugs, run__isnull=False).values_list("ranking").annotate(n=Count("pk"))
    )
    n_models = dict(counts.order_by())
    return max(banks, key=lambda bank: n_models.get(bank.slug, 0))
