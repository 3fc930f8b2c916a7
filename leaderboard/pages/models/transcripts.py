"""The answers of one run on the model page, a page at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.paginator import Paginator

from evaluation.models import ItemBank
from leaderboard.kinds import kind_of
from leaderboard.kinds.base import ItemParts
from leaderboard.pages.models.runs import RunRow
from leaderboard.pages.runs.items import ItemRow, asks_again, item_rows
from leaderboard.pages.shared.measures import item_word
from leaderboard.pages.shared.paging import PageLinks, page_links

TRANSCRIPTS_A_PAGE = 10


@dataclass(frozen=True, slots=True)
class Transcripts:
    """A page of a run's answers. `shown` is False where the bank's texts are not public: then there are rows only."""

    run: RunRow
    bank: ItemBank
    items: tuple[ItemRow, ...]
    n_results: int
    shown: bool
    others: tuple[RunRow, ...]
    pages: PageLinks
    words: ItemParts

    @property
    def asks_again(self) -> bool:
        return asks_again(self.run.run)

    @property
    def score_name(self) -> str:
        return item_word(self.run.run.benchmark)


def transcripts(
    row: RunRow, wanted: Sequence[int], runs: Sequence[RunRow], number: str, medians: Mapping[str, float]
) -> Transcripts:
    """A page of the answers of a run. `wanted` are the keys of its results in order, `number` is the page asked for,
    `medians` are those of the field by the items' ids."""
    page = Paginator(wanted, TRANSCRIPTS_A_PAGE).get_page(number)
    results = row.run.results.filter(pk__in=list(page.object_list)).order_by("item__number", "repeat")
    return Transcripts(
        run=row,
        bank=row.run.bank,
        items=tuple(
            replace(item, median=medians.get(item.item_id)) for item in item_rows(row.run, results, with_texts=True)
        ),
        n_results=len(wanted),
        shown=row.run.bank.shows_texts,
        others=tuple(other for other in runs if other.pk != row.pk),
        pages=page_links(page),
        words=kind_of(row.run.benchmark).item_parts,
    )
