"""The charts of a ranking, of the rows that its page shows under the same address: at most eleven queries.

Those of the whole ranking are kept ready with its standings; those of a filtered one are made of the rows it leaves.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import isfinite, isnan
from typing import Any

from django.utils.safestring import SafeString

from evaluation.benchmarks.base import Measure
from evaluation.models import Item, Run
from leaderboard import charts
from leaderboard.charts import Chart, ChartRow, Column, HeatRow, strict_json
from leaderboard.charts.heatmap import MOST_ROWS
from leaderboard.charts.references import MEASURES
from leaderboard.pages.charts.table_markup import rows_markup
from leaderboard.pages.rankings.asked import RankingRequest
from leaderboard.pages.rankings.directory import Ranking, described, loaded_banks
from leaderboard.pages.rankings.filters import shows_demo
from leaderboard.pages.rankings.ready import CHARTS, ready_parts
from leaderboard.pages.rankings.rows import RankingRow
from leaderboard.pages.rankings.selection import MOST_CHARTED, Selection, selected, shown, unread_of
from leaderboard.pages.shared.measures import item_measure, ranking_measure
from leaderboard.standings.counted import RUN_COLUMNS, CountedRun, score_matrix
from leaderboard.standings.results import COUNTED

Builder = Callable[[Sequence[ChartRow], Measure], Chart]

OF_ALL_ROWS: Mapping[str, Builder] = {
    "scores": charts.scores,
    "mmlu": lambda rows, measure: charts.reference(rows, "mmlu", measure),
    "arena_elo": lambda rows, measure: charts.reference(rows, "arena_elo", measure),
    "magi_hard": lambda rows, measure: charts.reference(rows, "magi_hard", measure),
    "size": charts.sizes,
    "release": charts.dates,
    "distribution": charts.distribution,
}
ITEMS = "items"
NAMES = (*OF_ALL_ROWS, ITEMS)
WHOLE_TABLE = 200
TABLE_ROWS = 50
"""A table of up to WHOLE_TABLE rows stands on the page of the charts as a whole, of a longer one TABLE_ROWS."""

SECTIONS = (
    ("Scores", "Every model’s score, with its 95 % confidence interval if known.", ("scores",)),
    (
        "Other measures",
        "How scores relate to other benchmarks. Correlation is not causation.",
        ("mmlu", "arena_elo", "magi_hard", "size"),
    ),
    ("Time and spread", "Scores over time and their distribution.", ("release", "distribution")),
    ("Items", "Item scores of the models on one page of the ranking.", (ITEMS,)),
)


@dataclass(frozen=True, slots=True)
class ChartPart:
    """A chart as a page shows it before it is drawn: its sentences, and the first of the `n_rows` of its table."""

    name: str
    title: str
    how: str
    source: str
    height: int
    is_drawn: bool
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    n_rows: int

    @property
    def markup(self) -> SafeString:
        """The rows as HTML."""
        return rows_markup(self.columns, self.rows)

    @property
    def rows_left_out(self) -> int:
        return self.n_rows - len(self.rows)


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
    selection = selected(key, asked) if asked.filters else shown(key, asked, (CHARTS,))
    if selection is None:
        return None
    parts = parts_of(selection)
    if ITEMS not in parts or not is_first_view(asked):
        parts[ITEMS] = part_of(item_chart(selection))
    return page_of(selection, parts)


def charts_beside(selection: Selection, asked: RankingRequest, *, table_rows: int) -> ChartsPage | None:
    """The same charts for the page of the ranking itself, with short tables. No query. The heat map is left to the
    browser, since its item scores are many and no other chart needs them. None where filters leave more rows than are
    read for a page: then the charts have a page of their own."""
    if asked.filters and selection.n_found > MOST_CHARTED:
        return None
    parts = {name: replace(part, rows=part.rows[:table_rows]) for name, part in parts_of(selection).items()}
    measure = item_measure(selection.ranking.benchmark)
    to_come = charts.heat_map_to_come(shown_rows(selection), selection.n_found, measure)
    return page_of(selection, parts | {ITEMS: part_of(to_come)})


def one_chart(key: str, name: str, asked: RankingRequest) -> Chart | None:
    """One chart of a ranking. None: there is no such ranking, or no such chart."""
    if name not in NAMES:
        return None
    selection = shown(key, asked, ()) if name == ITEMS else selected(key, asked)
    if selection is None:
        return None
    return item_chart(selection) if name == ITEMS else built(selection)[name]()


def figure_json(key: str, name: str, asked: RankingRequest) -> str | None:
    """The sentences and the figure of a chart, for the browser. None as for `one_chart`."""
    if name == ITEMS:
        return heat_map_json(key, asked)
    kept = None if asked.filters or shows_demo(asked) else ready_figure(key, name)
    if kept is not None:
        return kept
    chart = one_chart(key, name, asked)
    return None if chart is None else figure_of(chart)


def heat_map_json(key: str, asked: RankingRequest) -> str | None:
    part = figure_part(ITEMS)
    selection = shown(key, asked, (part,) if is_first_view(asked) else ())
    if selection is None:
        return None
    return selection.parts.get(part) or figure_of(item_chart(selection))


def ready_figure(key: str, name: str) -> str | None:
    """A figure of the whole ranking as it is kept ready; None where it is not. Four queries at most."""
    unread = unread_of(described(key, loaded_banks()))
    return ready_parts(key, (figure_part(name),), unread).get(figure_part(name))


def figure_part(name: str) -> str:
    return f"figure {name}"


def figure_of(chart: Chart) -> str:
    """`figure` is null where there is nothing to draw."""
    sentences = {"name": chart.name, "title": chart.title, "how": chart.how, "source": chart.source}
    return strict_json(sentences | {"figure": chart.figure})


def is_first_view(asked: RankingRequest) -> bool:
    """Whether the rows of the page are the first ones of the whole ranking."""
    return not asked.filters and not shows_demo(asked) and not asked.sort and not asked.page


def new_parts(selection: Selection) -> dict[str, str]:
    """What is kept ready of the charts, from all rows of a ranking: part -> content."""
    made = {name: build() for name, build in built(selection).items()} | {ITEMS: item_chart(selection)}
    parts = [asdict(part_of(chart)) for chart in made.values()]
    figures = {figure_part(name): figure_of(chart) for name, chart in made.items()}
    return {CHARTS: json.dumps(parts, ensure_ascii=False, separators=(",", ":")), **figures}


def parts_of(selection: Selection) -> dict[str, ChartPart]:
    """Chart -> its part, all of them where they are kept ready, else without the heat map."""
    if CHARTS in selection.parts:
        return {part.name: part for part in map(part_from, json.loads(selection.parts[CHARTS]))}
    return {name: part_of(build()) for name, build in built(selection).items()}


def built(selection: Selection) -> dict[str, Callable[[], Chart]]:
    """Chart -> what makes it, of all rows of the selection."""
    rows, measure = chart_rows(selection.rows or ()), ranking_measure(selection.ranking.benchmark)
    return {name: partial(build, rows, measure) for name, build in OF_ALL_ROWS.items()}


def part_of(chart: Chart) -> ChartPart:
    n_rows = len(chart.table.rows)
    return ChartPart(
        name=chart.name,
        title=chart.title,
        how=chart.how,
        source=chart.source,
        height=chart.height,
        is_drawn=chart.is_drawn,
        columns=chart.table.columns,
        rows=chart.table.texts(n_rows if n_rows <= WHOLE_TABLE else TABLE_ROWS),
        n_rows=n_rows,
    )


def part_from(stored: dict[str, Any]) -> ChartPart:
    """A part as `asdict` and JSON leave it."""
    columns, rows = (Column(**column) for column in stored["columns"]), map(tuple, stored["rows"])
    return ChartPart(**{**stored, "columns": tuple(columns), "rows": tuple(rows)})


def page_of(selection: Selection, parts: Mapping[str, ChartPart]) -> ChartsPage:
    return ChartsPage(
        ranking=selection.ranking,
        headline=headline(selection.ranking.title, parts),
        n_shown=selection.n_found,
        n_all=selection.board.n_rows,
        sections=tuple(
            ChartSection(title, note, len(names) > 1, tuple(parts[name] for name in names))
            for title, note, names in SECTIONS
        ),
    )


def headline(title: str, made: Mapping[str, ChartPart]) -> str:
    """The finding on the first measure that has one; else what is drawn."""
    drawn = [made[name] for name in MEASURES if made[name].is_drawn]
    return drawn[0].title if drawn else f"{title} in charts"


def chart_rows(rows: Iterable[RankingRow]) -> list[ChartRow]:
    """The rows that have a score, as charts take them."""
    return [chart_row(row, row.score) for row in rows if row.score is not None and isfinite(row.score)]


def chart_row(row: RankingRow, score: float) -> ChartRow:
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
        released_on=row.model.released_on,
        month_only=row.model.month_only,
        references={name: value for name, value in row.model.references.items() if isfinite(value)},
    )


def shown_rows(selection: Selection) -> list[ChartRow]:
    """The rows of the page that have runs behind them, as many as a heat map draws."""
    return chart_rows(each.row for each in selection.page if each.row.run_id is not None)[:MOST_ROWS]


def item_chart(selection: Selection) -> Chart:
    """The heat map of the rows of the page that have runs behind them."""
    shown = shown_rows(selection)
    items = dict(Item.objects.filter(bank=selection.ranking.bank_id).order_by("number").values_list("pk", "number"))
    behind = {each.row.model.full_name: each.row.run_ids for each in selection.page}
    run_ids = [pk for row in shown for pk in behind[row.full_name]]
    scores = item_scores(run_ids, list(items)) if run_ids and items else {}
    heat_rows = [HeatRow(row, scores[row.full_name]) for row in shown if row.full_name in scores]
    measure = item_measure(selection.ranking.benchmark)
    return charts.heat_map(heat_rows, list(items.values()), n_models=selection.n_found, measure=measure)


def item_scores(run_ids: Sequence[int], items: Sequence[int]) -> dict[str, tuple[float | None, ...]]:
    """Full name of the model of each run that still counts -> its mean score on each item, None where there is none."""
    runs = Run.objects.filter(COUNTED, pk__in=run_ids)
    found = runs.order_by("pk").values_list("model__name", *RUN_COLUMNS)
    counted = [(name, CountedRun(*columns)) for name, *columns in found]
    if not counted:
        return {}
    names = list(dict.fromkeys(name for name, _ in counted))
    places = {run.pk: names.index(name) for name, run in counted}
    matrix = score_matrix([run for _, run in counted], places, items)
    return {
        name: tuple(None if isnan(score) else float(score) for score in scores)
        for name, scores in zip(names, matrix, strict=True)
    }
