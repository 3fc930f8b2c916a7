"""The rankings page and what goes with it: seven queries at most, however many models there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.core.paginator import Page, Paginator

from evaluation.models import Origin
from leaderboard.drawings.ranks import Held, RankFigure, rank_figure
from leaderboard.drawings.shapes import Overview, overview
from leaderboard.queries.asked import SIZES, RankingRequest
from leaderboard.queries.cells import Field, Showing, field_of, pins_of
from leaderboard.queries.directory import Ranking, described, filled_rankings, loaded_banks, rankings_stamp
from leaderboard.queries.filters import kept, matches, on_board, organisations
from leaderboard.queries.rows import RankingRow, ranking_rows
from leaderboard.queries.sections import NOTES, Section, Titled, sections, titled
from leaderboard.queries.sorting import DEFAULT, Heading, choices, headings, in_order, order_of
from leaderboard.standings.field import FIELDS
from leaderboard.wording import findings

__all__ = [
    "PAGE_SIZE",
    "PageLinks",
    "Ranking",
    "RankingPage",
    "RankingRequest",
    "Selection",
    "described",
    "filled_rankings",
    "loaded_banks",
    "matches",
    "page_links",
    "rankings_page",
    "rankings_stamp",
    "selected",
]

PAGE_SIZE = 200
SMALLEST_FIGURE = 3  # models that make a picture


@dataclass(frozen=True, slots=True)
class Selection:
    """What an address shows of a ranking: `whole` is the table without any filter, `found` what the filters leave, in
    the order that is asked for and with the names of its sections, `page` the part of it on the page."""

    ranking: Ranking
    whole: tuple[RankingRow, ...]
    found: tuple[Titled, ...]
    page: Page[Any]
    n_demo: int
    computed_at: datetime | None

    @property
    def rows(self) -> tuple[RankingRow, ...]:
        return tuple(each.row for each in self.found)


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


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of other views of the same ranking; `previous` and `next` lead nowhere at the ends."""

    unfiltered: str
    unmarked: str
    with_demo: str
    without_demo: str
    previous: str
    next: str
    export: str


@dataclass(frozen=True, slots=True)
class RankingPage:
    """`sections` hold the rows of this page; the counts are of the whole ranking, `n_shown` of what the filters left.

    `sort` is the order that holds, as its parameter. `gap` is the difference between two published scores below which
    they count as tied, None where no row is approximate. `marks_elsewhere` are marked models that this page does not
    show.
    """

    asked: RankingRequest
    ranking: Ranking | None = None
    tabs: tuple[Tab, ...] = ()
    headline: str = ""
    lede: str = ""
    sections: tuple[Section, ...] = ()
    headings: Mapping[str, Heading] | None = None
    sort: str = DEFAULT.param
    choices: Choices | None = None
    links: Links | None = None
    has_ranges: bool = False
    has_intervals: bool = False
    gap: float | None = None
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
    overview: Overview | None = None
    items_unit: str = ""
    pages: PageLinks | None = None
    computed_at: datetime | None = None
    selection: Selection | None = None


def rankings_page(key: str | None, asked: RankingRequest, today: date) -> RankingPage | None:
    """The page of one ranking, or of the fullest one where `key` is None. None: there is no such ranking."""
    filled, banks = filled_rankings(), loaded_banks()
    chosen = key if key is not None else next(iter(filled), None)
    if chosen is None:
        return RankingPage(asked, headline=findings.headline("", findings.field(())))
    selection = selected_of(chosen, asked, filled, banks)
    if selection is None:
        return None
    tabs = tuple(Tab(name, described(name, banks).title, name == chosen) for name in filled)
    return page_of(selection, asked, tabs, today)


def selected(key: str, asked: RankingRequest) -> Selection | None:
    """The rows of a ranking that an address asks for, in its order. None: there is no such ranking. Five queries."""
    return selected_of(key, asked, filled_rankings(), loaded_banks())


def selected_of(
    key: str, asked: RankingRequest, filled: Mapping[str, datetime], banks: Mapping[str, Ranking]
) -> Selection | None:
    if key not in filled and key not in banks:
        return None
    ranking = described(key, banks)
    rows = ranking_rows(key, ranking.bank_id, ranking.benchmark)
    whole = on_board(rows, asked)
    found, order = kept(whole, asked), order_of(asked.sort)
    ordered = titled(found, whole) if order == DEFAULT else [Titled("", "", row) for row in in_order(found, order)]
    page = Paginator(ordered, PAGE_SIZE).get_page(asked.page)
    n_demo = sum(row.origin == Origin.DEMO for row in rows)
    return Selection(ranking, tuple(whole), tuple(ordered), page, n_demo, filled.get(key))


def page_of(selection: Selection, asked: RankingRequest, tabs: tuple[Tab, ...], today: date) -> RankingPage:
    ranking, rows, order = selection.ranking, selection.whole, order_of(asked.sort)
    found, field = findings.field(rows), field_of(rows)
    return RankingPage(
        asked=asked,
        ranking=ranking,
        tabs=tabs,
        headline=findings.headline(ranking.title, found),
        lede=findings.lede(ranking.title, ranking.benchmark, ranking.n_items, found),
        sections=shown_sections(selection, Showing(asked, field, today)),
        headings=headings(asked),
        sort=order.param,
        choices=choices_of(rows, asked),
        links=links_of(asked, selection.page),
        has_ranges=any(row.low is not None for row in rows),
        has_intervals=any(row.half is not None for row in rows),
        gap=gap_of(ranking, rows),
        n_rows=len(rows),
        n_ranked=found.n_ranked,
        n_shown=len(selection.found),
        n_demo=selection.n_demo,
        origins=tuple(origin.value for origin in Origin if any(row.origin == origin for row in rows)),
        baseline=found.best_baseline,
        all_approximate=found.only_published,
        can_compare=any(row.run_id for row in rows),
        marks_elsewhere=marks_elsewhere(selection, asked),
        figure=figure_of(rows, field),
        overview=overview_of(rows),
        items_unit=f"of {ranking.n_items}" if ranking.n_items else "",
        pages=page_links(selection.page),
        computed_at=selection.computed_at,
        selection=selection,
    )


def shown_sections(selection: Selection, showing: Showing) -> tuple[Section, ...]:
    """The pinned rows in the order of the pins, then the sections of the page."""
    pins = pins_of(showing.asked)
    by_slug = {row.model.slug: row for row in selection.whole} if showing.asked.pins else {}
    pinned = [by_slug[slug] for slug in showing.asked.pins if slug in by_slug]
    first = (Section("Pinned", NOTES["Pinned"], tuple(showing.row(row, pins) for row in pinned)),) if pinned else ()
    return (*first, *sections(selection.page.object_list, lambda row: showing.row(row, pins)))


def marks_elsewhere(selection: Selection, asked: RankingRequest) -> tuple[str, ...]:
    here = {each.row.model.slug for each in selection.page.object_list} if asked.marks else set()
    return tuple(slug for slug in asked.marks if slug not in here | set(asked.pins))


def choices_of(rows: Sequence[RankingRow], asked: RankingRequest) -> Choices:
    sizes = SIZES if asked.size in SIZES or not asked.size.param else (*SIZES, asked.size)
    return Choices(
        organisations=organisations(rows, asked.organisation),
        sizes=tuple((size.param, size.words) for size in sizes),
        origins=tuple(origin.value for origin in Origin if any(row.origin == origin for row in rows)),
        sorts=choices(order_of(asked.sort)),
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
        export="" if export == "?" else export,
    )


def page_query(asked: RankingRequest, number: int) -> str:
    return replace(asked, page=str(number) if number > 1 else "").query


def gap_of(ranking: Ranking, rows: Sequence[RankingRow]) -> float | None:
    known = FIELDS.get(ranking.key) if any(row.approximate for row in rows) else None
    return known.least_significant_difference if known else None


def page_links(page: Page[Any]) -> PageLinks:
    return PageLinks(
        number=page.number,
        last=page.paginator.num_pages,
        previous=page.previous_page_number() if page.has_previous() else None,
        next=page.next_page_number() if page.has_next() else None,
    )


def ranked_rows(rows: Sequence[RankingRow]) -> list[RankingRow]:
    """The rows with a rank, best first."""
    return sorted((row for row in rows if row.rank is not None), key=lambda row: (row.rank or 0, row.model.name))


def figure_of(rows: Sequence[RankingRow], field: Field) -> RankFigure | None:
    """The picture of the ranks left open, or None where they are too few, or not all tested."""
    ranked = ranked_rows(rows)
    held = [Held(row.rank or 0, row.low, row.high) for row in ranked if row.low is not None and row.high is not None]
    return rank_figure(held, field.groups) if len(held) == len(ranked) >= SMALLEST_FIGURE else None


def overview_of(rows: Sequence[RankingRow]) -> Overview | None:
    """The picture of all ranked scores where no ranges are known; None where they are too few to make one."""
    ranked = ranked_rows(rows)
    if len(ranked) < SMALLEST_FIGURE or any(row.low is not None for row in ranked):
        return None
    return overview([(row.score, row.interval_low, row.interval_high) for row in ranked if row.score is not None])
