"""The rankings page: five queries, however many models there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import ItemBank, Origin
from leaderboard import findings
from leaderboard.drawings import Overview, overview
from leaderboard.models import Standing
from leaderboard.queries.rows import RankingRow, ranking_rows
from leaderboard.queries.sections import Section, Titled, sections, titled
from leaderboard.queries.sorting import DEFAULT, Heading, choices, headings, in_order, order_of

PAGE_SIZE = 200
SMALLEST_OVERVIEW = 3  # scores that make a picture


@dataclass(frozen=True, slots=True)
class RankingRequest:
    """What the address asks for, as it stands there: nothing in it is trusted, and nothing in it is an error."""

    sort: str = ""
    search: str = ""
    page: str = ""
    demo: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranking that has a page. `bank_id` is None where figures are known and the bank is not loaded."""

    key: str
    title: str
    benchmark: str
    bank_id: int | None
    n_items: int | None
    licence: str


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
class RankingPage:
    """`sections` hold the rows of this page; the counts are of the whole ranking, `n_shown` of what the search left."""

    ranking: Ranking | None
    tabs: tuple[Tab, ...]
    headline: str
    lede: str
    sections: tuple[Section, ...]
    headings: dict[str, Heading]
    sort: str
    sorts: tuple[tuple[str, str], ...]
    search: str
    has_ranges: bool
    has_intervals: bool
    n_rows: int
    n_ranked: int
    n_shown: int
    n_demo: int
    demo_shown: bool
    origins: tuple[str, ...]
    baseline: str
    overview: Overview | None
    items_unit: str
    pages: PageLinks
    computed_at: datetime | None


def rankings_page(key: str | None, request: RankingRequest) -> RankingPage | None:
    """The page of one ranking, or of the fullest one where `key` is None. None: there is no such ranking."""
    filled = filled_rankings()
    banks = loaded_banks()
    chosen = key if key is not None else next(iter(filled), None)
    if chosen is None:
        return page_of(None, (), [], request, None)
    if chosen not in filled and chosen not in banks:
        return None
    ranking = described(chosen, banks)
    tabs = tuple(Tab(name, described(name, banks).title, name == chosen) for name in filled)
    rows = ranking_rows(chosen, ranking.bank_id, ranking.benchmark)
    return page_of(ranking, tabs, rows, request, filled.get(chosen))


def filled_rankings() -> dict[str, datetime]:
    """Key -> when its newest row was computed, the fullest ranking first."""
    counts = Standing.objects.values("ranking").annotate(n=Count("pk"), at=Max("computed_at"))
    return dict(counts.order_by("-n", "ranking").values_list("ranking", "at"))


def loaded_banks() -> dict[str, Ranking]:
    """Slug -> the ranking of each bank under its own scoring rule."""
    columns = ("slug", "title", "benchmark", "pk", "n", "licence")
    banks = ItemBank.objects.annotate(n=Count("items")).values_list(*columns)
    return {slug: Ranking(slug, *values) for slug, *values in banks}


def described(key: str, banks: Mapping[str, Ranking]) -> Ranking:
    """What a key says: a bank's slug, or a bank's slug and another scoring rule, or figures without a bank."""
    if key in banks:
        return banks[key]
    slug, _, rule = key.rpartition("--")
    title = BENCHMARKS[rule].title if rule in BENCHMARKS else rule
    if slug in banks:
        return replace(banks[slug], key=key, title=f"{banks[slug].title}, {title}", benchmark=rule)
    return Ranking(key, title, key, None, None, "")


def page_of(
    ranking: Ranking | None,
    tabs: tuple[Tab, ...],
    all_rows: Sequence[RankingRow],
    request: RankingRequest,
    computed_at: datetime | None,
) -> RankingPage:
    order = order_of(request.sort)
    rows = [row for row in all_rows if request.demo or row.origin != Origin.DEMO]
    found = [row for row in rows if matches(row, request.search)]
    ordered = titled(found) if order == DEFAULT else [Titled("", "", row) for row in in_order(found, order)]
    page = Paginator(ordered, PAGE_SIZE).get_page(request.page)
    field = findings.field(rows)
    return RankingPage(
        ranking=ranking,
        tabs=tabs,
        headline=findings.headline(ranking.title if ranking else "", field),
        lede=findings.lede(ranking.benchmark, ranking.n_items, field) if ranking else "",
        sections=sections(page.object_list),
        headings=headings(order),
        sort=order.param,
        sorts=choices(order),
        search=request.search,
        has_ranges=any(row.ribbon for row in rows),
        has_intervals=any(row.half is not None for row in rows),
        n_rows=len(rows),
        n_ranked=field.n_ranked,
        n_shown=len(found),
        n_demo=sum(row.origin == Origin.DEMO for row in all_rows),
        demo_shown=request.demo,
        origins=tuple(origin.value for origin in Origin if any(row.origin == origin for row in rows)),
        baseline=field.best_baseline,
        overview=overview_of(rows),
        items_unit=f"of {ranking.n_items}" if ranking and ranking.n_items else "",
        pages=page_links(page),
        computed_at=computed_at,
    )


def page_links(page: Page[Any]) -> PageLinks:
    return PageLinks(
        number=page.number,
        last=page.paginator.num_pages,
        previous=page.previous_page_number() if page.has_previous() else None,
        next=page.next_page_number() if page.has_next() else None,
    )


def matches(row: RankingRow, search: str) -> bool:
    """Whether the model's name or its maker's holds the text that is looked for, in any case."""
    wanted = search.strip().casefold()
    return any(wanted in text.casefold() for text in (row.model.name, row.model.full_name, row.model.organisation))


def overview_of(rows: Sequence[RankingRow]) -> Overview | None:
    """The picture of all ranked scores, or None where they are too few to make one."""
    ranked = sorted((row for row in rows if row.rank is not None and row.score is not None), key=rank_and_name)
    scores = [(row.score, *interval(row)) for row in ranked if row.score is not None]
    return overview(scores) if len(scores) >= SMALLEST_OVERVIEW else None


def rank_and_name(row: RankingRow) -> tuple[int, str]:
    return row.rank or 0, row.model.name


def interval(row: RankingRow) -> tuple[float | None, float | None]:
    if row.score is None or row.half is None:
        return None, None
    return row.score - row.half, row.score + row.half
