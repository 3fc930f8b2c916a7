"""What every model replied to one item: a page of replies, the best first. Seven queries at most.

Each model counts once, by its newest counted run, as on the item's own page; of repeats the first one is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Paginator

from evaluation.disclosure import with_replies
from evaluation.models import Item, ItemBank, ItemResult
from leaderboard.kinds import kind_of
from leaderboard.kinds.base import ItemParts
from leaderboard.pages.items.bank_items import notice_of
from leaderboard.pages.runs.items import ItemRow, item_row
from leaderboard.pages.shared.dialogues import dialogue_of
from leaderboard.pages.shared.measures import item_measure, item_word
from leaderboard.pages.shared.paging import PageLinks, page_links
from leaderboard.standings.item_figures import field_rows
from leaderboard.visible import LIMIT

REPLIES_A_PAGE = 20


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The reply of one model. `address` leads to it among the answers of its run."""

    name: str
    slug: str
    run_id: int
    row: ItemRow


@dataclass(frozen=True, slots=True)
class RepliesPage:
    """`n` counts all models with a reply. `dialogue` and texts are "" where the bank is closed."""

    bank: ItemBank
    item: Item
    dialogue: str
    labels: Sequence[str]
    replies: tuple[ModelReply, ...]
    n: int
    pages: PageLinks
    notice: str
    words: ItemParts

    @property
    def shows_texts(self) -> bool:
        return self.bank.shows_texts

    @property
    def score_name(self) -> str:
        """What a model's value on the item is called."""
        return item_word(self.bank.benchmark)


def replies_page(bank: ItemBank, item_id: str, number: str) -> RepliesPage | None:
    """None where the bank has no such item; a page beyond the end is the last one."""
    item = Item.objects.filter(bank=bank, item_id=item_id).first()
    if item is None:
        return None
    newest = field_rows(bank.slug).values("run_id")
    measure = item_measure(bank.benchmark)
    found = ItemResult.objects.filter(item=item, run__in=newest, repeat=1).values_list("pk", "score")
    ordered = sorted(found, key=lambda each: (each[1] is None, -measure.turned(each[1] or 0.0), each[0]))
    page = Paginator(ordered, REPLIES_A_PAGE).get_page(number)
    keys = [pk for pk, _ in page.object_list]
    results = ItemResult.objects.filter(pk__in=keys).select_related("item", "run", "run__model")
    rows = {row.pk: row for row in with_replies(results, bank, LIMIT)}
    return RepliesPage(
        bank=bank,
        item=item,
        dialogue=dialogue_of(item.prompt) if bank.shows_texts else "",
        labels=item.labels if bank.shows_texts else (),
        replies=tuple(reply_of(rows[pk], bank) for pk in keys if pk in rows),
        n=len(ordered),
        pages=page_links(page),
        notice=notice_of(bank),
        words=kind_of(bank.benchmark).item_parts,
    )


def reply_of(result: ItemResult, bank: ItemBank) -> ModelReply:
    run = result.run
    return ModelReply(str(run.model), run.model.slug, run.pk, item_row(result, bank))
