"""How a bank's items did over the field: computed once for each state of the ranking, then kept in Django's cache.

The field is every model that competes and has answers, and each counts once, by its newest run. Baselines and
demonstrations are left out, since they are no models.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Max, QuerySet

from evaluation.models import ItemBank
from evaluation.statistics.items import ItemFigures, complete_rows, item_figures
from leaderboard.models import Standing
from leaderboard.queries.counted import RUN_COLUMNS, CountedRun
from leaderboard.queries.model_field import Scored, table_of
from leaderboard.standings.ranks import COMPETING

KEPT_SECONDS = 86_400
SCORED_COLUMNS = ("run__scorer_version", "run__score", "run__n_scored")
COLUMNS = (*SCORED_COLUMNS, *(f"run__{name}" for name in RUN_COLUMNS))


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
    """The figures of all items: one query while nothing new stands in the bank's ranking, else up to four."""
    key = state_key(bank)
    kept: BankFigures | None = cache.get(key)
    if kept is not None:
        return kept
    figures = computed(bank, items)
    cache.set(key, figures, KEPT_SECONDS)
    return figures


def state_key(bank: ItemBank) -> str:
    """A name for the present state of the bank's ranking: another result, or one less, gives another name."""
    state = Standing.objects.filter(ranking=bank.slug).aggregate(n=Count("pk"), newest=Max("computed_at"))
    moment = state["newest"].timestamp() if state["newest"] else 0
    return f"bank-figures:{bank.sha256}:{state['n']}:{moment}"


def computed(bank: ItemBank, items: Sequence[BankItem]) -> BankFigures:
    at = len(SCORED_COLUMNS)
    rows = field(bank.slug).values_list(*COLUMNS)
    runs = tuple(Scored(CountedRun(*row[at:]), *row[:at]) for row in rows)
    if not runs or not items:
        return BankFigures(0, 0, tuple(ItemFigures(column, 0, None, None, None) for column in range(len(items))))
    scores = table_of(bank.slug, runs, tuple(item.pk for item in items)).scores
    return BankFigures(len(runs), len(complete_rows(scores)), item_figures(scores))


def fullest_bank(banks: Sequence[ItemBank]) -> ItemBank:
    """The bank whose ranking has most models with answers, the first of `banks` among equals; at least one is given."""
    slugs = [bank.slug for bank in banks]
    counts = (
        Standing.objects.filter(ranking__in=slugs, run__isnull=False).values_list("ranking").annotate(n=Count("pk"))
    )
    n_models = dict(counts.order_by())
    return max(banks, key=lambda bank: n_models.get(bank.slug, 0))
