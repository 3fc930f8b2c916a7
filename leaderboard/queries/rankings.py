"""The rankings page and what goes with it: thirteen queries at most, however many models there are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.core.paginator import Page

from evaluation.models import Origin, Run
from leaderboard.drawings.ranks import RankFigure
from leaderboard.drawings.shapes import Overview, score_marks
from leaderboard.queries.asked import ALL, SIZES, RankingRequest
from leaderboard.queries.board import Board
from leaderboard.queries.cells import Showing, pins_of
from leaderboard.queries.columns import Column, columns_of
from leaderboard.queries.directory import Ranking, described, filled_rankings, loaded_banks, rankings_stamp
from leaderboard.queries.filters import matches, organisations
from leaderboard.queries.ready import CHARTS
from leaderboard.queries.sections import NOTES, Section, sections
from leaderboard.queries.selection import Selection, shown_of
from leaderboard.queries.sorting import DEFAULT, Heading, Order, choices, heading
from leaderboard.queries.ties import Tie, ties_among
from leaderboard.wording import findings
from leaderboard.wording.baselines import note_of

__all__ = [
    "PageLinks",
    "Ranking",
    "RankingPage",
    "RankingRequest",
    "described",
    "filled_rankings",
    "loaded_banks",
    "matches",
    "page_links",
    "rankings_page",
    "rankings_stamp",
]


@dataclass(frozen=True, slots=True)
class Tab:
    key: str
    title: str
    current: bool


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where this page of the table stands among the others; None where there is no such page."""

    number: int
    last: int
    previous: int | None
    next: int | None


@dataclass(frozen=True, slots=True)
class Choices:
    """What the form offers: values and labels."""

    organisations: tuple[str, ...]
    sizes: tuple[tuple[str, str], ...]
    origins: tuple[str, ...]
    sorts: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column of the table; `heading` is None where the column does not sort."""

    column: Column
    heading: Heading | None


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of other views of the same ranking; `previous` and `next` lead nowhere at the ends."""

    unfiltered: str
    unmarked: str
    with_demo: str
    without_demo: str
    previous: str
    next: str
    all_rows: str
    by_pages: str
    export: str


@dataclass(frozen=True, slots=True)
class RankingPage:
    """`sections` hold the rows of this page; the counts are of the whole ranking, `n_shown` of what the filters left.

    `order` is the one that holds. `legend` has a term and its meaning for each column. `marks_elsewhere` are marked
    models that this page does not show.
    """

    asked: RankingRequest
    ranking: Ranking | None = None
    tabs: tuple[Tab, ...] = ()
    headline: str = ""
    lede: str = ""
    sections: tuple[Section, ...] = ()
    heads: tuple[Head, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    order: Order = DEFAULT
    choices: Choices | None = None
    links: Links | None = None
    has_ranges: bool = False
    has_intervals: bool = False
    has_approximate: bool = False
    n_rows: int = 0
    n_ranked: int = 0
    n_shown: int = 0
    n_demo: int = 0
    origins: tuple[str, ...] = ()
    baseline: str = ""
    all_approximate: bool = False
    can_compare: bool = False
    marks_elsewhere: tuple[str, ...] = ()
    figure: RankFigure | None = None
    score_marks: tuple[tuple[str, str], ...] = ()
    overview: Overview | None = None
    pages: PageLinks | None = None
    computed_at: datetime | None = None
    selection: Selection | None = None

    @property
    def has_other_settings(self) -> bool:
        return any(row.other_settings for section in self.sections for row in section.rows)

    @property
    def has_old_scorers(self) -> bool:
        return any(row.old_scorer for section in self.sections for row in section.rows)

    @property
    def is_narrowed(self) -> bool:
        """Whether the table is sorted by a column that a narrow screen has no room for."""
        return any(head.column.is_plain and head.column.key == self.order.column for head in self.heads)

    @property
    def columns(self) -> frozenset[str]:
        """The keys of the chosen columns."""
        return frozenset(self.asked.columns)


def rankings_page(key: str | None, asked: RankingRequest, today: date) -> RankingPage | None:
    """The page of one ranking, or of the fullest one where `key` is None. None: there is no such ranking."""
    filled, banks = filled_rankings(), loaded_banks()
    chosen = key if key is not None else next(iter(filled), None)
    if chosen is None:
        return RankingPage(asked, headline=findings.headline("", findings.field(())))
    if chosen not in filled and chosen not in banks:
        return None
    selection = shown_of(described(chosen, banks), asked, filled.get(chosen), (CHARTS,))
    tabs = tuple(Tab(name, described(name, banks).title, name == chosen) for name in filled)
    return page_of(selection, asked, tabs, today)


def page_of(selection: Selection, asked: RankingRequest, tabs: tuple[Tab, ...], today: date) -> RankingPage:
    ranking, board, order = selection.ranking, selection.board, selection.order
    columns = columns_of(ranking, board.look)
    in_table = table_columns(columns, asked, order)
    return RankingPage(
        asked=asked,
        ranking=ranking,
        tabs=tabs,
        headline=findings.headline(ranking.title, board.found),
        lede=findings.lede(ranking.title, ranking.benchmark, ranking.n_items, board.found),
        sections=shown_sections(
            selection,
            Showing(asked, board.field, today, in_table, order.column, notes_of(selection), ties_of(selection)),
        ),
        heads=tuple(Head(column, heading(column, order, asked) if column.sorts else None) for column in in_table),
        legend=tuple((column.legend_term, column.note) for column in columns if column.note),
        order=order,
        choices=choices_of(board, asked, order, columns),
        links=links_of(asked, selection.page),
        has_ranges=board.has_ranges,
        has_intervals=board.has_intervals,
        has_approximate=board.has_approximate,
        n_rows=board.n_rows,
        n_ranked=board.found.n_ranked,
        n_shown=selection.n_found,
        n_demo=board.n_demo,
        origins=board.origins,
        baseline=board.found.best_baseline,
        all_approximate=board.found.only_published,
        can_compare=board.can_compare,
        marks_elsewhere=marks_elsewhere(selection, asked),
        figure=board.figure,
        score_marks=score_marks(board.field.axis),
        overview=board.overview,
        pages=page_links(selection.page),
        computed_at=selection.computed_at,
        selection=selection,
    )


def table_columns(columns: Sequence[Column], asked: RankingRequest, order: Order) -> tuple[Column, ...]:
    """Those of the table: the chosen ones, and the sorted one, without which nobody could see an order."""
    wanted = {*asked.columns, order.column}
    return tuple(column for column in columns if column.cell and (not column.optional or column.key in wanted))


def shown_sections(selection: Selection, showing: Showing) -> tuple[Section, ...]:
    """The pinned rows in the order of the pins, then the sections of the page."""
    pins, pinned = pins_of(showing.asked), selection.pinned
    first = (Section("Pinned", NOTES["Pinned"], tuple(showing.row(row, pins) for row in pinned)),) if pinned else ()
    return (*first, *sections(selection.page.object_list, lambda row: showing.row(row, pins)))


def notes_of(selection: Selection) -> dict[int, str]:
    """Run -> what the baseline is, of the baselines that the page shows. One query, none without a baseline."""
    rows = [*selection.pinned, *(each.row for each in selection.page.object_list)]
    runs = {row.run_id for row in rows if row.origin == Origin.BASELINE and row.run_id}
    stored = Run.objects.filter(pk__in=runs).values_list("pk", "settings") if runs else ()
    return {pk: note_of(settings) for pk, settings in stored}


def ties_of(selection: Selection) -> dict[int, Tie]:
    """Which rows of the page are tied with which, by model. One query, none where no ranges are known."""
    rows = [*selection.pinned, *(each.row for each in selection.page.object_list)]
    return ties_among(selection.ranking.key, [row.model_id for row in rows if row.low is not None])


def marks_elsewhere(selection: Selection, asked: RankingRequest) -> tuple[str, ...]:
    here = {each.row.model.slug for each in selection.page.object_list} if asked.marks else set()
    return tuple(slug for slug in asked.marks if slug not in here | set(asked.pins))


def choices_of(board: Board, asked: RankingRequest, order: Order, columns: Sequence[Column]) -> Choices:
    sizes = SIZES if asked.size in SIZES or not asked.size.param else (*SIZES, asked.size)
    return Choices(
        organisations=organisations(board.makers, asked.organisation),
        sizes=tuple((size.param, size.words) for size in sizes),
        origins=board.origins,
        sorts=choices(order, columns),
        columns=tuple(column for column in columns if column.optional),
    )


def links_of(asked: RankingRequest, page: Page[Any]) -> Links:
    export = asked.selection.query
    return Links(
        unfiltered=asked.without_filters().query,
        unmarked=replace(asked, marks=()).query,
        with_demo=replace(asked, demo=True, page="").query,
        without_demo=replace(asked, demo=False, page="").query,
        previous=page_query(asked, page.number - 1),
        next=page_query(asked, page.number + 1),
        all_rows=replace(asked, rows=ALL, page="").query,
        by_pages=replace(asked, rows="", page="").query,
        export="" if export == "?" else export,
    )


def page_query(asked: RankingRequest, number: int) -> str:
    return replace(asked, page=str(number) if number > 1 else "").query


def page_links(page: Page[Any]) -> PageLinks:
    return PageLinks(
        number=page.number,
        last=page.paginator.num_pages,
        previous=page.previous_page_number() if page.has_previous() else None,
        next=page.next_page_number() if page.has_next() else None,
    )
