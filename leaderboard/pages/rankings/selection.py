"""Which rows of a ranking an address shows, and in which order.

Ten queries at most, however many models there are.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator

from evaluation.benchmarks.base import Measure
from evaluation.models import Origin, Run
from leaderboard.kinds import kind_of
from leaderboard.pages.rankings.asked import ALL, RankingRequest
from leaderboard.pages.rankings.board import Board, board_of
from leaderboard.pages.rankings.column import Column
from leaderboard.pages.rankings.columns import benchmarks_of, columns_of
from leaderboard.pages.rankings.directory import Ranking, described, filled_rankings, loaded_banks
from leaderboard.pages.rankings.filters import (
    NONE_HIDDEN,
    HiddenRows,
    hidden_for_unknown,
    kept,
    on_board,
    read_by_filters,
    shows_demo,
)
from leaderboard.pages.rankings.overview import Overview, from_json, is_usual, overview_of
from leaderboard.pages.rankings.ready import OVERVIEW, ready_parts
from leaderboard.pages.rankings.rows import (
    RankingRow,
    Unread,
    full_rows,
    light_rows,
    reference_scores,
    runs_without_score,
    unread_rows,
)
from leaderboard.pages.rankings.sections import Titled, in_sections, titled
from leaderboard.pages.rankings.sorting import DEFAULT, Order, column_of, in_order, order_of
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.standings.keys import bank_in, ranking_key, rule_in

PAGE_SIZE = 50
MOST_CHARTED = 500
"""Rows up to which a filtered table has its charts beside it: they are drawn of these rows, which have to be read."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What an address shows of a ranking with these `columns`.

    `overview` is of all rows that the filters leave, `hidden` are those that they hide for want of a known value.
    `page` is the part of them on the page, in this `order` and with the names of its sections.

    `rows` are all rows that the filters leave, in this order; None where they are more than the page has read. `parts`
    are what is kept ready of the ranking, and {} where that does not hold or not all rows are asked for.
    """

    ranking: Ranking
    columns: tuple[Column, ...]
    order: Order
    overview: Overview
    hidden: HiddenRows
    page: Page[Titled]
    computed_at: datetime | None
    parts: Mapping[str, str]
    rows: tuple[RankingRow, ...] | None = None
    pinned: tuple[RankingRow, ...] = ()

    @property
    def has_lines(self) -> bool:
        """Whether its files state lines beside the rows, such as people; the CSV holds the rows alone."""
        return kind_of(self.ranking.benchmark).lines is not None

    @property
    def board(self) -> Board:
        """Of the table before any filter."""
        return self.overview.board

    @property
    def n_found(self) -> int:
        """How many rows the filters leave."""
        return len(self.overview.slugs)


def is_known(key: str, filled: Container[str], banks: Mapping[str, Ranking]) -> bool:
    """Whether there is such a ranking: it has rows, it is that of a loaded bank, or public runs belong to it, of which
    none has a score yet. One query in the last case, else none."""
    return key in filled or key in banks or has_runs(key, banks)


def has_runs(key: str, banks: Mapping[str, Ranking]) -> bool:
    bank = banks.get(bank_in(key, banks))
    if bank is None:
        return False
    rule, variant = rule_in(key, bank.key, bank.benchmark)
    is_own = ranking_key(bank.key, bank.benchmark, rule, variant) == key
    runs = Run.objects.listed().filter(bank=bank.bank_id, benchmark=rule, variant=variant)
    return is_own and runs.exists()


def selected(key: str, asked: RankingRequest) -> Selection | None:
    """All rows of a ranking that an address asks for, in its order. None: there is no such ranking. Six queries."""
    filled, banks = filled_rankings(), loaded_banks()
    if not is_known(key, filled, banks):
        return None
    return selection_of(described(key, banks), asked, filled.get(key), {}, whole=True)


def shown(key: str, asked: RankingRequest, names: Sequence[str]) -> Selection | None:
    """The same with the rows of its page alone and these ready parts; with all rows where parts are wanted and not
    ready. Ten queries at most."""
    filled, banks = filled_rankings(), loaded_banks()
    if not is_known(key, filled, banks):
        return None
    return shown_of(described(key, banks), asked, filled.get(key), names)


def shown_of(
    ranking: Ranking, asked: RankingRequest, computed_at: datetime | None, names: Sequence[str] = ()
) -> Selection:
    unread = unread_of(ranking)
    wanted = (*names, OVERVIEW) if is_usual(asked) else () if asked.filters or shows_demo(asked) else names
    parts = ready_parts(ranking.key, wanted, unread) if wanted else {}
    whole = not asked.filters and not parts.keys() >= {*names}
    if OVERVIEW in parts and not whole:
        return of_ready(ranking, asked, computed_at, parts, unread)
    return selection_of(ranking, asked, computed_at, {} if whole else parts, unread=unread, whole=whole)


def unread_of(ranking: Ranking) -> list[Unread]:
    return runs_without_score(ranking.key, ranking.bank_id, ranking.benchmark, ranking.variant)


def of_ready(
    ranking: Ranking,
    asked: RankingRequest,
    computed_at: datetime | None,
    parts: Mapping[str, str],
    unread: Sequence[Unread],
) -> Selection:
    """The selection of a usual address from its overview among the parts: no row is read but those that it shows."""
    columns, overview = columns_of(ranking), from_json(parts[OVERVIEW])
    benchmarks, page = benchmarks_of(columns), page_in(overview.slugs, asked)
    told = computed_at and ranking.told(computed_at)
    found = Selection(ranking, columns, DEFAULT, overview, NONE_HIDDEN, page, told, parts)
    rows = full_rows(ranking.key, benchmarks, {*page.object_list, *asked.pins})
    return with_rows(found, [*rows, *unread_rows(unread, benchmarks)], asked)


def selection_of(
    ranking: Ranking,
    asked: RankingRequest,
    computed_at: datetime | None,
    parts: Mapping[str, str],
    *,
    unread: Sequence[Unread] | None = None,
    whole: bool = False,
) -> Selection:
    """The selection, from all rows in full where the `whole` is wanted. Else all rows are read light, for what the page
    says of all of them and for their order, and in full those that it shows."""
    columns = columns_of(ranking)
    order, benchmarks = order_of(asked.sort, columns), benchmarks_of(columns)
    below = unread_rows(unread_of(ranking) if unread is None else unread, benchmarks)
    read = full_rows(ranking.key, benchmarks) if whole else light_of(ranking, columns, order, asked)
    rows = [*read, *below]
    on = on_board(rows, asked)
    ordered = ordered_rows(kept(on, asked), order, columns, ranking_measure(ranking.benchmark))
    n_demo = sum(row.origin == Origin.DEMO for row in read)
    overview = overview_of(ranking_board(ranking, asked, on, n_demo), ordered)
    page, hidden = page_in(overview.slugs, asked), hidden_for_unknown(on, asked)
    charted = whole or (asked.filters and len(ordered) <= MOST_CHARTED)
    if not whole:
        slugs = {*(overview.slugs if charted else page.object_list), *asked.pins}
        rows = [*full_rows(ranking.key, benchmarks, slugs), *below]
    told = computed_at and ranking.told(computed_at)
    found = Selection(ranking, columns, order, overview, hidden, page, told, parts)
    return with_rows(found, rows, asked, charted=charted)


def ranking_board(ranking: Ranking, asked: RankingRequest, rows: Sequence[RankingRow], n_demo: int) -> Board:
    kind = kind_of(ranking.benchmark)
    zooms = kind.zooms and not asked.whole_axis
    return board_of(rows, n_demo, ranking_measure(ranking.benchmark), zooms=zooms, zero=kind.zero)


def with_rows(
    selection: Selection, rows: Iterable[RankingRow], asked: RankingRequest, *, charted: bool = False
) -> Selection:
    """The same with those of these full rows that it shows, and with all that the filters leave where it is
    `charted`."""
    # A row that another process deletes in between is in no full row, and so not shown.
    full = {row.model.slug: row for row in rows}
    slugs = selection.overview.slugs
    page: Page[Any] = selection.page
    page.object_list = [placed(full[slug], selection.order) for slug in page.object_list if slug in full]
    return replace(
        selection,
        rows=tuple(full[slug] for slug in slugs if slug in full) if charted else None,
        pinned=tuple(on_board([full[slug] for slug in asked.pins if slug in full], asked)),
    )


def light_of(ranking: Ranking, columns: Sequence[Column], order: Order, asked: RankingRequest) -> list[RankingRow]:
    """The light rows with what this order and these filters look at. One query, or two."""
    reads = column_of(order, columns).reads
    references = reference_scores([order.column]) if order.column in benchmarks_of(columns) else {}
    return light_rows(ranking.key, {reads, *read_by_filters(asked)}, references)


def ordered_rows(
    rows: Sequence[RankingRow], order: Order, columns: Sequence[Column], measure: Measure
) -> list[RankingRow]:
    if order == DEFAULT:
        return in_sections(rows, measure)
    return in_order(rows, column_of(order, columns), measure, descending=order.descending)


def page_in(slugs: Sequence[str], asked: RankingRequest) -> Page[Any]:
    """The page that is asked for, of the slugs of all rows in their order."""
    size = max(1, len(slugs)) if asked.rows == ALL else PAGE_SIZE
    return Paginator(slugs, size).get_page(asked.page)


def placed(row: RankingRow, order: Order) -> Titled:
    """The row under its section's name, which only the default order has."""
    return titled(row) if order == DEFAULT else Titled("", "", row)
