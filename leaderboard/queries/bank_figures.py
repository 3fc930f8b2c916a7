"""How a bank's items did over the field of its ranking, as it is stored with the standings."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from evaluation.models import ItemBank
from evaluation.statistics.items import ItemFigures
from leaderboard.models import Standing
from leaderboard.standings.item_figures import item_field
from leaderboard.standings.ranks import COMPETING


@dataclass(frozen=True, slots=True)
class BankItem:
    """What the figures need of an item: `pk` of the row, `item_id` of the address, `number` in the bank's file."""

    pk: int
    item_id: str
    number: int


@dataclass(frozen=True, slots=True)
class BankFigures:
    """`figures` has the order of the bank's items. Item-total rests on `n_complete` of the `n_models` models."""

    n_models: int
    n_complete: int
    figures: tuple[ItemFigures, ...]


def bank_items(bank: ItemBank) -> list[BankItem]:
    """The items in the order of the bank's file, without their texts."""
    return [BankItem(*row) for row in bank.items.order_by("number").values_list("pk", "item_id", "number")]


def field(ranking: str) -> QuerySet[Standing]:
    """The standings whose newest run counts in the field, best first."""
    competing = Standing.objects.filter(ranking=ranking, origin__in=COMPETING, run__isnull=False)
    return competing.order_by("rank", "pk")


def bank_figures(bank: ItemBank, items: Sequence[BankItem]) -> BankFigures:
    """The figures of all items: two queries, up to five where the standings changed without being refreshed."""
    stored = item_field(bank.slug, [item.pk for item in items])
    return BankFigures(stored.n_models, stored.n_complete, stored.figures)


def fullest_bank(banks: Sequence[ItemBank]) -> ItemBank:
    """The bank whose ranking has most models with answers, the first of `banks` among equals; at least one is given."""
    slugs = [bank.slug for bank in banks]
    counts = (
        Standing.objects.filter(ranking__in=slugs, run__isnull=False).values_list("ranking").annotate(n=Count("pk"))
    )
    n_models = dict(counts.order_by())
    return max(banks, key=lambda bank: n_models.get(bank.slug, 0))
