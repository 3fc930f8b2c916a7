"""Which rows of a ranking an address shows: those of its page alone where the ranking is kept ready, else all of them.

Seven queries at most, however many models there are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator

from evaluation.models import Origin
from leaderboard.queries.asked import RankingRequest
from leaderboard.queries.board import Board, board_of, from_json
from leaderboard.queries.directory import Ranking, described, filled_rankings, loaded_banks
from leaderboard.queries.filters import kept, on_board, shows_demo
from leaderboard.queries.ready import BOARD, ready_parts
from leaderboard.queries.rows import (
    REFERENCES,
    RankingRow,
    Unread,
    ranking_rows,
    reference_scores,
    rows_of,
    runs_without_score,
)
from leaderboard.queries.sections import Titled, in_sections, titled
from leaderboard.queries.sorting import DEFAULT, in_order, order_of
from leaderboard.queries.thin import ordered_slugs

PAGE_SIZE = 100
MOST_CHARTED = 500
"""Rows up to which a filtered table has its charts beside it: they are drawn of these rows, which have to be read."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What an address shows of a ranking: `board` is of the table before any filter, `n_found` what the filters leave,
    `page` the part of it on the page, in the order that is asked for and with the names of its sections.

    `rows` are all rows that the filters leave, in this order; None where they are more than the page has read. `parts`
    are what is kept ready of the ranking, and {} where that does not hold or not all rows are asked for.
    """

    ranking: Ranking
    board: Board
    n_found: int
    page: Page[Titled]
    rows: tuple[RankingRow, ...] | None
    pinned: tuple[RankingRow, ...]
    parts: Mapping[str, str]
    computed_at: datetime | None


def selected(key: str, asked: RankingRequest) -> Selection | None:
    """All rows of a ranking that an address asks for, in its order. None: there is no such ranking. Five queries."""
    filled, banks = filled_rankings(), loaded_banks()
    if key not in filled and key not in banks:
        return None
    ranking = described(key, banks)
    return whole_of(ranking, asked, filled.get(key), unread_of(ranking))


def shown(key: str, asked: RankingRequest, names: Sequence[str]) -> Selection | None:
    """The same with the rows of its page alone and these ready parts, where the ranking is kept ready. Seven queries at
    most."""
    filled, banks = filled_rankings(), loaded_banks()
    if key not in filled and key not in banks:
        return None
    return shown_of(described(key, banks), asked, filled.get(key), names)


def shown_of(
    ranking: Ranking, asked: RankingRequest, computed_at: datetime | None, names: Sequence[str] = ()
) -> Selection:
    unread = unread_of(ranking)
    parts = {} if shows_demo(asked) else ready_parts(ranking.key, (BOARD, *names), unread)
    if not parts.keys() >= {BOARD, *names}:
        return whole_of(ranking, asked, computed_at, unread)
    board = from_json(parts[BOARD])
    plain, order = not asked.filters, order_of(asked.sort)
    figures = reference_scores() if order.column in REFERENCES else None
    slugs = board.order if plain and order == DEFAULT else ordered_slugs(ranking.key, asked, unread, figures or {})
    page = page_in(slugs, asked)
    charted = not plain and len(slugs) <= MOST_CHARTED
    read = rows_of(ranking.key, {*(slugs if charted else page.object_list), *asked.pins}, unread, figures)
    page.object_list = [placed(read[slug], asked) for slug in page.object_list if slug in read]
    return Selection(
        ranking=ranking,
        board=board,
        n_found=len(slugs),
        page=page,
        rows=tuple(read[slug] for slug in slugs if slug in read) if charted else None,
        pinned=tuple(on_board([read[slug] for slug in asked.pins if slug in read], asked)),
        parts=parts if plain else {},
        computed_at=computed_at,
    )


def unread_of(ranking: Ranking) -> list[Unread]:
    return runs_without_score(ranking.key, ranking.bank_id, ranking.benchmark)


def whole_of(
    ranking: Ranking, asked: RankingRequest, computed_at: datetime | None, unread: Sequence[Unread]
) -> Selection:
    """The selection from all rows of the ranking. Two queries."""
    rows = ranking_rows(ranking.key, unread)
    whole = on_board(rows, asked)
    board = board_of(whole, n_demo=sum(row.origin == Origin.DEMO for row in rows))
    found, order = kept(whole, asked), order_of(asked.sort)
    ordered = in_sections(found) if order == DEFAULT else in_order(found, order)
    page = page_in(ordered, asked)
    page.object_list = [placed(row, asked) for row in page.object_list]
    by_slug = {row.model.slug: row for row in whole} if asked.pins else {}
    pinned = tuple(by_slug[slug] for slug in asked.pins if slug in by_slug)
    return Selection(ranking, board, len(ordered), page, tuple(ordered), pinned, {}, computed_at)


def page_in(ordered: Sequence[Any], asked: RankingRequest) -> Page[Any]:
    """The page that is asked for. A ranking of up to two pages stands on one."""
    return Paginator(ordered, PAGE_SIZE, orphans=PAGE_SIZE).get_page(asked.page)


def placed(row: RankingRow, asked: RankingRequest) -> Titled:
    """The row under its section's name, which only the default order has."""
    return titled(row) if order_of(asked.sort) == DEFAULT else Titled("", "", row)
