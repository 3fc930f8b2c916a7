"""The charts of a ranking, of the rows that its page shows under the same address: at most ten queries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isfinite, isnan

from evaluation.models import Item, LanguageModel, Run, Status
from leaderboard import charts
from leaderboard.charts import Chart, ChartRow, HeatRow, Shown
from leaderboard.charts.heatmap import MOST_ROWS
from leaderboard.charts.references import MEASURES
from leaderboard.queries.asked import RankingRequest
from leaderboard.queries.directory import Ranking
from leaderboard.queries.rankings import Selection, selected
from leaderboard.queries.rows import REFERENCES, RankingRow
from leaderboard.standings.counted import RUN_COLUMNS, CountedRun, score_matrix

Builder = Callable[[Sequence[ChartRow]], Chart]
Releases = Mapping[str, tuple[date | None, bool]]

OF_ALL_ROWS: Mapping[str, Builder] = {
    "scores": charts.scores,
    "mmlu": lambda rows: charts.reference(rows, "mmlu"),
    "arena_elo": lambda rows: charts.reference(rows, "arena_elo"),
    "magi_hard": lambda rows: charts.reference(rows, "magi_hard"),
    "size": charts.sizes,
    "release": charts.dates,
    "distribution": charts.distribution,
}
ITEMS = "items"
NAMES = (*OF_ALL_ROWS, ITEMS)
TABLE_ROWS = 200
SECTIONS = (
    ("Scores", "Every model, and what its items leave open of its score.", ("scores",)),
    (
        "Other measures",
        "What goes with the score among these models, and how closely. It does not say why.",
        ("mmlu", "arena_elo", "magi_hard", "size"),
    ),
    ("Time and spread", "When the best scores came, and where the many lie.", ("release", "distribution")),
    ("Items", "Where models differ, item by item.", (ITEMS,)),
)


@dataclass(frozen=True, slots=True)
class ChartPart:
    """A chart with the first rows of its table as texts."""

    chart: Chart
    rows: tuple[tuple[Shown, ...], ...]

    @property
    def rows_left_out(self) -> int:
        return len(self.chart.table.rows) - len(self.rows)


@dataclass(frozen=True, slots=True)
class ChartSection:
    """Charts under one name; `paired` where two stand side by side."""

    title: str
    note: str
    paired: bool
    parts: tuple[ChartPart, ...]


@dataclass(frozen=True, slots=True)
class ChartsPage:
    """`n_shown` of the `n_all` rows of the ranking are left by the filters."""

    ranking: Ranking
    headline: str
    n_shown: int
    n_all: int
    sections: tuple[ChartSection, ...]


def charts_page(key: str, asked: RankingRequest) -> ChartsPage | None:
    """All charts of a ranking with their tables. None: there is no such ranking."""
    selection = selected(key, asked)
    if selection is None:
        return None
    rows = chart_rows(selection)
    made = {name: build(rows) for name, build in OF_ALL_ROWS.items()} | {ITEMS: item_chart(selection, rows)}
    return page_of(selection, made, TABLE_ROWS)


def charts_beside(selection: Selection, *, table_rows: int) -> ChartsPage:
    """The same charts for the page of the ranking itself, with short tables: one query. The heat map is left to the
    browser, since its item scores are many and no other chart needs them."""
    rows = chart_rows(selection)
    made = {name: build(rows) for name, build in OF_ALL_ROWS.items()}
    shown = shown_rows(selection, rows)
    return page_of(selection, made | {ITEMS: charts.heat_map_to_come(shown, len(selection.page))}, table_rows)


def one_chart(key: str, name: str, asked: RankingRequest) -> Chart | None:
    """One chart of a ranking. None: there is no such ranking, or no such chart."""
    selection = selected(key, asked) if name in NAMES else None
    if selection is None:
        return None
    rows = chart_rows(selection)
    return item_chart(selection, rows) if name == ITEMS else OF_ALL_ROWS[name](rows)


def page_of(selection: Selection, made: Mapping[str, Chart], table_rows: int) -> ChartsPage:
    parts = {name: ChartPart(chart, chart.table.shown(table_rows)) for name, chart in made.items()}
    return ChartsPage(
        ranking=selection.ranking,
        headline=headline(selection.ranking.title, made),
        n_shown=len(selection.found),
        n_all=len(selection.whole),
        sections=tuple(
            ChartSection(title, note, len(names) > 1, tuple(parts[name] for name in names))
            for title, note, names in SECTIONS
        ),
    )


def headline(title: str, made: Mapping[str, Chart]) -> str:
    """The finding on the first measure that has one; else what is drawn."""
    drawn = [made[name] for name in MEASURES if made[name].is_drawn]
    return drawn[0].title if drawn else f"{title} in charts"


def chart_rows(selection: Selection) -> list[ChartRow]:
    """The rows that have a score, as charts take them."""
    releases = released(selection.ranking.key)
    scored = [(row, row.score) for row in selection.rows if row.score is not None and isfinite(row.score)]
    return [chart_row(row, score, releases) for row, score in scored]


def released(key: str) -> Releases:
    """Full name of each model with a standing and a known day of release -> that day, and whether only its month is
    known."""
    models = LanguageModel.objects.filter(standings__ranking=key, released_on__isnull=False).order_by()
    return {name: (on, month) for name, on, month in models.values_list("name", "released_on", "released_month_only")}


def chart_row(row: RankingRow, score: float, releases: Releases) -> ChartRow:
    released_on, month_only = releases.get(row.model.full_name, (None, False))
    values = zip(REFERENCES, row.model.references, strict=True)
    return ChartRow(
        name=row.model.name,
        full_name=row.model.full_name,
        organisation=row.model.organisation,
        origin=row.origin,
        score=score,
        rank=row.rank,
        low=row.interval_low,
        high=row.interval_high,
        approximate=row.approximate,
        size=row.model.size,
        released_on=released_on,
        month_only=month_only,
        references={name: value for name, value in values if value is not None and isfinite(value)},
    )


def shown_rows(selection: Selection, rows: Sequence[ChartRow]) -> list[ChartRow]:
    """The rows of the page that have runs behind them, as many as a heat map draws."""
    by_name = {row.full_name: row for row in rows}
    on_page = [each.row for each in selection.page if each.row.run_id is not None]
    found = [by_name[row.model.full_name] for row in on_page if row.model.full_name in by_name]
    return found[:MOST_ROWS]


def item_chart(selection: Selection, rows: Sequence[ChartRow]) -> Chart:
    """The heat map of the rows of the page that have runs behind them."""
    shown = shown_rows(selection, rows)
    items = dict(Item.objects.filter(bank=selection.ranking.bank_id).order_by("number").values_list("pk", "number"))
    scores = item_scores(selection.ranking, shown, list(items)) if shown and items else {}
    heat_rows = [HeatRow(row, scores[row.full_name]) for row in shown if row.full_name in scores]
    return charts.heat_map(heat_rows, list(items.values()), n_models=len(selection.page))


def item_scores(
    ranking: Ranking, rows: Sequence[ChartRow], items: Sequence[int]
) -> dict[str, tuple[float | None, ...]]:
    """Full name of each model with counted runs -> its mean score on each item, None where there is none."""
    origins = {row.full_name: row.origin for row in rows}
    runs = Run.objects.filter(bank=ranking.bank_id, benchmark=ranking.benchmark, model__name__in=origins)
    public = runs.filter(status=Status.FINISHED, published=True, limit__isnull=True)
    found = list(public.order_by("pk").values_list("model__name", "origin", *RUN_COLUMNS))
    counted = [(name, CountedRun(*columns)) for name, origin, *columns in found if origin == origins[name]]
    if not counted:
        return {}
    names = list(dict.fromkeys(name for name, _ in counted))
    places = {run.pk: names.index(name) for name, run in counted}
    matrix = score_matrix([run for _, run in counted], places, items)
    return {
        name: tuple(None if isnan(score) else float(score) for score in scores)
        for name, scores in zip(names, matrix, strict=True)
    }
