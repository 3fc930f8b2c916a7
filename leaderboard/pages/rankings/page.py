"""The rankings page and what goes with it: nineteen queries at most with the news, however many models there are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.core.paginator import Page
from django.db.models import Exists, OuterRef

from evaluation.models import ItemResult, Origin, Run
from evaluation.published_tables import PUBLISHED, PublishedTable
from leaderboard import rounding
from leaderboard.drawings.knobs import KnobFigure
from leaderboard.drawings.shapes import score_marks
from leaderboard.kinds import kind_of
from leaderboard.kinds.base import OfRanking, ShownPart, shown
from leaderboard.models import Standing
from leaderboard.pages.rankings.asked import ALL, SIZES, RankingRequest, SizeRange
from leaderboard.pages.rankings.board import Board
from leaderboard.pages.rankings.cells import Showing, pins_of
from leaderboard.pages.rankings.column import Column
from leaderboard.pages.rankings.columns import columns_of
from leaderboard.pages.rankings.directory import Ranking, described, filled_rankings, loaded_banks, rankings_stamp
from leaderboard.pages.rankings.filters import NONE_HIDDEN, HiddenRows, matches, organisations
from leaderboard.pages.rankings.heat import shades_of
from leaderboard.pages.rankings.nothing_found import Hints, hints_for
from leaderboard.pages.rankings.people import people_of_ranking
from leaderboard.pages.rankings.ready import CHARTS
from leaderboard.pages.rankings.sections import NOTES, Section, sections, with_people
from leaderboard.pages.rankings.selection import Selection, is_known, shown_of
from leaderboard.pages.rankings.sorting import DEFAULT, Heading, Order, choices, heading
from leaderboard.pages.rankings.tabs import Tab, tabs_of
from leaderboard.pages.rankings.ties import Tie, ties_among
from leaderboard.pages.shared.measures import ranking_measure
from leaderboard.pages.shared.paging import PageLinks, page_links
from leaderboard.wording import findings, published
from leaderboard.wording.baselines import note_of
from leaderboard.wording.vouching import offered

__all__ = [
    "Ranking",
    "RankingPage",
    "RankingRequest",
    "described",
    "filled_rankings",
    "loaded_banks",
    "matches",
    "rankings_page",
    "rankings_stamp",
]

SMALL_BILLION = 10
"""Parameters up to which a model runs on a machine that many people have."""


MANY = 7  # plain columns beside name, rank and score


@dataclass(frozen=True, slots=True)
class Chip:
    """A link to the same view with another range of sizes."""

    words: str
    query: str
    current: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """What the form offers: values and labels."""

    organisations: tuple[str, ...]
    sizes: tuple[Chip, ...]
    origins: tuple[str, ...]
    vouchers: tuple[tuple[str, str], ...]
    sorts: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column of the table; `heading` is None where the column does not sort."""

    column: Column
    heading: Heading | None


@dataclass(frozen=True, slots=True)
class Best:
    """The best model of a part of the field, which `words` name."""

    words: str
    name: str
    slug: str
    score: str


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of other views of the same ranking; `previous` and `next` lead nowhere at the ends."""

    unfiltered: str
    with_unknown: str
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
    """`sections` hold the rows of this page; the counts are of the whole ranking, `n_shown` of what the filters left,
    `hidden` of what they hide because a size, weights or date is unknown.

    `columns` are the keys of the chosen ones; `order` is the one that holds. `legend` has a term and its meaning for
    each column. `marks_elsewhere` are marked models that this page does not show. `part` and `part_below` are of the
    kind alone, above and below the table.
    """

    asked: RankingRequest
    ranking: Ranking | None = None
    tabs: tuple[Tab, ...] = ()
    headline: str = ""
    lede: str = ""
    sections: tuple[Section, ...] = ()
    columns: frozenset[str] = frozenset()
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
    hidden: HiddenRows = NONE_HIDDEN
    n_demo: int = 0
    origins: tuple[str, ...] = ()
    baseline: str = ""
    all_approximate: bool = False
    can_compare: bool = False
    marks_elsewhere: tuple[str, ...] = ()
    figure: KnobFigure | None = None
    hints: Hints | None = None
    bests: tuple[Best, ...] = ()
    note: str = ""
    is_zoomed: bool = False
    score_marks: tuple[tuple[str, str], ...] = ()
    pages: PageLinks | None = None
    computed_at: datetime | None = None
    selection: Selection | None = None
    part: ShownPart | None = None
    part_below: ShownPart | None = None

    @property
    def table(self) -> PublishedTable | None:
        """The table of others that the ranking is, None for a ranking of runs."""
        return PUBLISHED.get(self.ranking.benchmark) if self.ranking else None

    @property
    def has_other_settings(self) -> bool:
        return any(row.other_settings for section in self.sections for row in section.rows)

    @property
    def has_old_scorers(self) -> bool:
        return any(row.old_scorer for section in self.sections for row in section.rows)

    @property
    def own_size(self) -> str:
        """The range of sizes in words, where it is none of the chips."""
        size = self.asked.size
        return "" if size in (SizeRange(), *SIZES) else size.words

    @property
    def is_narrowed(self) -> bool:
        """Whether the table is sorted by a column that a narrow screen has no room for."""
        return any(head.column.is_plain and head.column.key == self.order.column for head in self.heads)

    @property
    def has_many(self) -> bool:
        """Whether the table has so many columns that the drawings give way."""
        return sum(head.column.is_plain for head in self.heads) > MANY


def rankings_page(key: str | None, asked: RankingRequest, today: date) -> RankingPage | None:
    """The page of one ranking, or of the fullest one where `key` is None. None: there is no such ranking."""
    filled, banks = filled_rankings(), loaded_banks()
    chosen = key if key is not None else next(iter(filled), None)
    if chosen is None:
        return RankingPage(asked, headline=findings.headline("", findings.NOBODY))
    if not is_known(chosen, filled, banks):
        return None
    selection = shown_of(described(chosen, banks), asked, filled.get(chosen), (CHARTS,))
    return page_of(selection, asked, tabs_of(filled, banks, chosen), today)


def page_of(selection: Selection, asked: RankingRequest, tabs: tuple[Tab, ...], today: date) -> RankingPage:
    ranking, board, order = selection.ranking, selection.board, selection.order
    kind, subject = kind_of(ranking.benchmark), subject_of(ranking)
    columns = columns_of(ranking, board.look)
    in_table = table_columns(columns, asked, order)
    return RankingPage(
        asked=asked,
        ranking=ranking,
        tabs=tabs,
        headline=headline_of(ranking, board.found),
        lede=kind.introduction(ranking.benchmark, ranking.title, ranking.n_items),
        sections=shown_sections(selection, showing_of(selection, asked, in_table, today)),
        columns=chosen_columns(columns, asked),
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
        hidden=selection.hidden,
        n_demo=board.n_demo,
        origins=board.origins,
        baseline=board.found.best_baseline,
        all_approximate=board.found.only_published,
        can_compare=board.can_compare,
        marks_elsewhere=marks_elsewhere(selection, asked),
        figure=board.figure,
        hints=hints_for(asked.search, tabs) if asked.search and not selection.n_found else None,
        bests=() if asked.filters else bests_of(ranking, board),
        note=note_of_ranks(ranking, board.found),
        is_zoomed=board.field.lead is not None,
        score_marks=score_marks(board.field.axis),
        pages=page_links(selection.page),
        computed_at=selection.computed_at,
        selection=selection,
        part=shown(kind.ranking_part, subject),
        part_below=shown(kind.ranking_below, subject),
    )


def showing_of(selection: Selection, asked: RankingRequest, columns: tuple[Column, ...], today: date) -> Showing:
    """How the rows of the page are shown in these columns of the table."""
    return Showing(
        asked,
        selection.board.field,
        today,
        columns,
        selection.order.column,
        *notes_of(selection),
        ties_of(selection),
        shades_of(selection.ranking.key, columns),
    )


def headline_of(ranking: Ranking, found: findings.Field) -> str:
    table = PUBLISHED.get(ranking.benchmark)
    return published.headline(table, found) if table else findings.headline(ranking.title, found)


def note_of_ranks(ranking: Ranking, found: findings.Field) -> str:
    table = PUBLISHED.get(ranking.benchmark)
    return published.ranks_note(table, found) if table else findings.ranks_note(found)


def bests_of(ranking: Ranking, board: Board) -> tuple[Best, ...]:
    """What visitors ask for most: the best model with stored answers and the best small one, unless it leads anyway.
    One query."""
    found, measure = [], ranking_measure(ranking.benchmark)
    own = board.best_with_answers
    if own and own.rank != 1:
        score = rounding.figure(own.score, measure)
        found.append(Best("Best with stored answers", own.model.name, own.model.slug, score))
    small = Standing.objects.filter(ranking=ranking.key, rank__isnull=False, model__params_billion__lte=SMALL_BILLION)
    columns = ("rank", "model__display_name", "model__name", "model__slug", "score")
    first = small.order_by("rank", "model__name").values_list(*columns).first()
    if first and first[0] != 1:
        _, display, name, slug, score = first
        found.append(Best(f"Best ≤ {SMALL_BILLION}B params", display or name, slug, rounding.figure(score, measure)))
    return tuple(found)


def subject_of(ranking: Ranking) -> OfRanking:
    """The ranking as parts of a kind get it."""
    return OfRanking(ranking.key, ranking.title, ranking.benchmark, ranking.bank_id, ranking.n_items, ranking.variant)


def table_columns(columns: Sequence[Column], asked: RankingRequest, order: Order) -> tuple[Column, ...]:
    """Those of the table: the chosen ones, and the sorted one, without which nobody could see an order."""
    wanted = {*chosen_columns(columns, asked), order.column}
    return tuple(column for column in columns if column.cell and (not column.optional or column.key in wanted))


def chosen_columns(columns: Sequence[Column], asked: RankingRequest) -> frozenset[str]:
    """The keys of the optional columns that are ticked: the chosen ones, or those that are shown at first."""
    optional = [column for column in columns if column.optional]
    if asked.columns is None:
        return frozenset(column.key for column in optional if column.shown)
    return frozenset(column.key for column in optional if column.key in asked.columns)


def shown_sections(selection: Selection, showing: Showing) -> tuple[Section, ...]:
    """The pinned rows in the order of the pins, then the sections of the page."""
    pins, pinned = pins_of(showing.asked), selection.pinned
    first = (Section("Pinned", NOTES["Pinned"], tuple(showing.row(row, pins) for row in pinned)),) if pinned else ()
    found = sections(selection.page.object_list, lambda row: showing.row(row, pins))
    return (*first, *with_line_of_people(found, selection, showing.asked))


def with_line_of_people(found: tuple[Section, ...], selection: Selection, asked: RankingRequest) -> tuple[Section, ...]:
    """The sections with the line for people where its score puts it, in the default order and without filters."""
    people = people_of_ranking(selection.ranking.key) if selection.order == DEFAULT and not asked.filters else None
    if people is None or people.score is None:
        return found
    scores, page = selection.overview.scores, selection.page
    below = (at for at, score in enumerate(scores) if score is None or score < people.score)
    at, start = next(below, len(scores)), max(0, page.start_index() - 1)
    here = start <= at < page.end_index() or (at == len(scores) and not page.has_next())
    return with_people(found, at - start, people) if here else found


def notes_of(selection: Selection) -> tuple[dict[int, str], frozenset[int]]:
    """Run -> what the baseline is, of the baselines that the page shows, and the runs of those that have no answers to
    compare. One query, none without a baseline."""
    rows = [*selection.pinned, *(each.row for each in selection.page.object_list)]
    runs = {row.run_id for row in rows if row.origin == Origin.BASELINE and row.run_id}
    answered = Exists(ItemResult.objects.filter(run=OuterRef("pk")))
    stored = list(Run.objects.filter(pk__in=runs).values_list("pk", "settings", answered)) if runs else []
    notes = {pk: note_of(settings) for pk, settings, _ in stored}
    return notes, frozenset(pk for pk, _, has_answers in stored if not has_answers)


def ties_of(selection: Selection) -> dict[int, Tie]:
    """Which rows of the page are tied with which, by model. One query, none where no ranges are known."""
    rows = [*selection.pinned, *(each.row for each in selection.page.object_list)]
    return ties_among(selection.ranking.key, [row.model_id for row in rows if row.low is not None])


def marks_elsewhere(selection: Selection, asked: RankingRequest) -> tuple[str, ...]:
    here = {each.row.model.slug for each in selection.page.object_list} if asked.marks else set()
    return tuple(slug for slug in asked.marks if slug not in here | set(asked.pins))


def choices_of(board: Board, asked: RankingRequest, order: Order, columns: Sequence[Column]) -> Choices:
    return Choices(
        organisations=organisations(board.makers, asked.organisation),
        sizes=tuple(
            Chip(size.words, replace(asked, size=size, page="").query, size == asked.size)
            for size in (SizeRange(), *SIZES)
        ),
        origins=board.origins,
        vouchers=offered(board.origins),
        sorts=choices(order, columns),
        columns=tuple(column for column in columns if column.optional),
    )


def links_of(asked: RankingRequest, page: Page[Any]) -> Links:
    export = asked.selection.query
    return Links(
        unfiltered=asked.without_filters().query,
        with_unknown=replace(asked, unknown=True, page="").query,
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
