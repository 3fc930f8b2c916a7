"""Which rows of a ranking an address shows, and in which order.

Nine queries at most, however many models there are.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

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
    HiddenRows,
    hidden_for_unknown,
    kept,
    on_board,
    read_by_filters,
    shows_demo,
)
from leaderboard.pages.rankings.ready import ready_parts
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

    `board` is of the table before any filter. `n_found` counts the rows that the filters leave, `hidden` are those
    that they hide for want of a known value. `page` is the part of them on the page, in this `order` and with the names
    of its sections.

    `rows` are all rows that the filters leave, in this order; None where they are more than the page has read. `parts`
    are what is kept ready of the ranking, and {} where that does not hold or not all rows are asked for.
    """

    ranking: Ranking
    columns: tuple[Column, ...]
    order: Order
    board: Board
    n_found: int
    hidden: HiddenRows
    page: Page[Titled]
    rows: tuple[RankingRow, ...] | None
    pinned: tuple[RankingRow, ...]
    parts: Mapping[str, str]
    computed_at: datetime | None

    @property
    def has_lines(self) -> bool:
        """Whether its files state lines beside the rows, such as people; the CSV holds the rows alone."""
        return kind_of(self.ranking.benchmark).lines is not None

    @property
    def ordered(self) -> Sequence[RankingRow]:
        """All rows that the filters leave, in this order, read light where not all were read in full."""
        return cast("Sequence[RankingRow]", self.page.paginator.object_list)


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
    ready. Nine queries at most."""
    filled, banks = filled_rankings(), loaded_banks()
    if not is_known(key, filled, banks):
        return None
    return shown_of(described(key, banks), asked, filled.get(key), names)


def shown_of(
    ranking: Ranking, asked: RankingRequest, computed_at: datetime | None, names: Sequence[str] = ()
) -> Selection:
    unread = unread_of(ranking)
    if not names or asked.filters:
        return selection_of(ranking, asked, computed_at, {}, unread=unread)
    parts = {} if shows_demo(asked) else ready_parts(ranking.key, names, unread)
    is_ready = parts.keys() >= {*names}
    return selection_of(ranking, asked, computed_at, parts if is_ready else {}, unread=unread, whole=not is_ready)


def unread_of(ranking: Ranking) -> list[Unread]:
    return runs_without_score(ranking.key, ranking.bank_id, ranking.benchmark, ranking.variant)


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
    measure = ranking_measure(ranking.benchmark)
    found = kept(on, asked)
    ordered = ordered_rows(found, order, columns, measure)
    page = page_in(ordered, asked)
    charted = whole or (asked.filters and len(ordered) <= MOST_CHARTED)
    if not whole:
        slugs = {*(row.model.slug for row in (ordered if charted else page.object_list)), *asked.pins}
        rows = [*full_rows(ranking.key, benchmarks, slugs), *below]
    # A row that another process deletes in between is in no full row, and so not shown.
    full = {row.model.slug: row for row in rows}
    page.object_list = [placed(full[row.model.slug], order) for row in page.object_list if row.model.slug in full]
    return Selection(
        ranking=ranking,
        columns=columns,
        order=order,
        board=board_of(
            on,
            n_demo=sum(row.origin == Origin.DEMO for row in read),
            measure=measure,
            zooms=kind_of(ranking.benchmark).zooms and not asked.whole_axis,
            zero=kind_of(ranking.benchmark).zero,
        ),
        n_found=len(ordered),
        hidden=hidden_for_unknown(on, asked),
        page=page,
        rows=tuple(full[row.model.slug] for row in ordered if row.model.slug in full) if charted else None,
        pinned=tuple(on_board([full[slug] for slug in asked.pins if slug in full], asked)),
        parts=parts,
        computed_at=computed_at and ranking.told(computed_at),
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


def page_in(ordered: Sequence[RankingRow], asked: RankingRequest) -> Page[Any]:
    """The page that is asked for."""
    size = max(1, len(ordered)) if asked.rows == ALL else PAGE_SIZE
    return Paginator(ordered, size).get_page(asked.page)


def placed(row: RankingRow, order: Order) -> Titled:
    """The row under its section's name, which only the default order has."""
    return titled(row) if order == DEFAULT else Titled("", "", row)
