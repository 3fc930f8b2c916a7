"""What a chart is made of and what it makes: rows, a figure in Plotly's schema, a table, a sentence. Pure.

A colour in a figure is the name of a token of the site's sheet ("--accent"): the browser puts the colour of the
present theme in its place when it draws. So a figure fits both themes and holds no colour of its own.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from math import isfinite

from evaluation.baselines import BaselineLine, lines_among
from evaluation.benchmarks.base import JsonValue, Measure
from evaluation.benchmarks.eqbench import MEASURES
from evaluation.signs import spelled_lines
from evaluation.states import Origin
from leaderboard import rounding
from leaderboard.cells import Cell
from leaderboard.charts.labels import plain_name

SCORED_HERE = frozenset({Origin.MEASURED.value, Origin.IMPORTED.value})
NO_MODELS = frozenset({Origin.BASELINE.value, Origin.DEMO.value})
SCORE = MEASURES[0]
"""What scores are where nobody says otherwise: those of EQ-Bench."""
IN_WORDS = tuple(origin.value for origin in (Origin.MEASURED, Origin.IMPORTED, Origin.PUBLISHED, Origin.BASELINE))


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A model with a finite score in a ranking; None is what is not known.

    `low` and `high` bound the 95 % interval in points, `approximate` where it does not come from items. `size` is in
    billions of parameters. `references` maps a benchmark's name to the preferred figure of this model.
    """

    name: str
    organisation: str
    origin: str
    score: float
    full_name: str = ""
    rank: int | None = None
    low: float | None = None
    high: float | None = None
    approximate: bool = False
    size: float | None = None
    released_on: date | None = None
    month_only: bool = False
    references: Mapping[str, float] | None = None
    run_id: int | None = None

    @property
    def half(self) -> float | None:
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def released(self) -> str:
        """The date of release in ISO 8601, to the known precision; "" where it is not known."""
        if self.released_on is None:
            return ""
        return f"{self.released_on:%Y-%m}" if self.month_only else self.released_on.isoformat()

    def reference(self, benchmark: str) -> float | None:
        return None if self.references is None else self.references.get(benchmark)


Trace = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in Plotly's schema, colours as token names. Values that are not finite are still in it.

    `narrow` holds what a narrow screen changes in the layout, by Plotly's dotted names.
    """

    data: tuple[Trace, ...]
    layout: Trace
    narrow: Trace = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Column:
    """`name` heads the CSV, `heading` the page; `digits` are the decimals on the page, None for a column of texts.

    A narrow screen goes without the columns that are `wide_only`. A column `of_p` holds the p of tests, whose decimals
    follow from their size.
    """

    name: str
    heading: str
    digits: int | None = None
    wide_only: bool = False
    of_p: bool = False

    @property
    def css(self) -> str:
        """The classes of its cells: "n" for numbers, "name" for models' names."""
        kind = "n" if self.digits is not None else "name" if self.name == "model" else ""
        return f"{kind} x-narrow".strip() if self.wide_only else kind


@dataclass(frozen=True, slots=True)
class Shown:
    """A cell as the page writes it, with the classes of its column."""

    text: str
    css: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers behind a chart, in full; `texts` and `shown` write the first of them by the one rule of rounding."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def texts(self, limit: int) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(map(text_of, self.columns, row)) for row in self.rows[:limit])

    def shown(self, limit: int) -> tuple[tuple[Shown, ...], ...]:
        return tuple(tuple(map(shown, self.columns, row)) for row in self.rows[:limit])


def shown(column: Column, value: Cell) -> Shown:
    return Shown(text_of(column, value), column.css, is_number=column.digits is not None)


def text_of(column: Column, value: Cell) -> str:
    if column.digits is None:
        return rounding.MISSING if value in {None, ""} else str(value)
    known = value if isinstance(value, int | float) else None
    return rounding.p_value(known) if column.of_p else rounding.number(known, column.digits)


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart: the finding as its title, how to read it, where it comes from, the numbers behind it, the figure.

    `draw` makes the figure, which only the browser needs; it is None where there is nothing to draw, and then `title`
    says so. `csv` is what the CSV holds where that is not the table. `height` is the picture's, in px; charts.css has a
    class for each that is used.
    """

    name: str
    title: str
    how: str
    source: str
    draw: Callable[[], Figure] | None
    table: Table
    csv: Table | None = None
    height: int = 300

    @property
    def is_drawn(self) -> bool:
        return self.draw is not None

    @property
    def figure(self) -> Figure | None:
        return self.draw() if self.draw else None

    @property
    def data(self) -> Table:
        return self.csv or self.table


def models_of(rows: Sequence[ChartRow]) -> list[ChartRow]:
    """The rows that are models: what baselines and demonstrations score is no finding about models."""
    return [row for row in rows if row.origin not in NO_MODELS]


def best_first(rows: Sequence[ChartRow], measure: Measure) -> list[ChartRow]:
    """The rows by score, equal ones by name."""
    return sorted(rows, key=lambda row: (-measure.turned(row.score), row.name))


def axis_words(measure: Measure) -> str:
    """What stands at an axis of scores: "score, points"; which way is better where that is not upwards."""
    words = ", ".join(filter(None, [lowered(measure.title), measure.unit]))
    return f"{words}; lower is better" if measure.better == "lower" else words


def lowered(title: str) -> str:
    """A title within a sentence: "Mean miss" -> "mean miss", but "EQ" stays."""
    return title if title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def baseline_lines(rows: Sequence[ChartRow], measure: Measure) -> tuple[BaselineLine, ...]:
    """The baselines that are lines, from the best answer that reads nothing to those that know most."""
    return lines_among(((row.name, row.score) for row in rows if row.origin == Origin.BASELINE), measure)


def line_words(lines: Sequence[BaselineLine], measure: Measure) -> str:
    """What the dotted lines are; "" without any. Names are set as `plain_name` sets them."""
    if not lines:
        return ""
    scores = [rounding.in_unit(line.score, measure) for line in lines]
    each = "; ".join(
        f"{plain_name(line.name)}, {score} ({line.words})" for line, score in zip(lines, scores, strict=True)
    )
    return f"Dotted: {each}. {'None of them is a model' if len(lines) > 1 else 'It is no model'}."


def by_origin(rows: Sequence[ChartRow]) -> str:
    """ "n = 142: 60 imported, 82 published", so that no chart mixes origins without saying so; "n = 0" for none."""
    counts = [(origin, sum(row.origin == origin for row in rows)) for origin in IN_WORDS]
    words = ", ".join(f"{rounding.count(n)} {origin}" for origin, n in counts if n)
    return f"n\u00a0=\u00a0{rounding.count(len(rows))}" + (f": {words}" if words else "")


def strict_json(value: object) -> str:
    """JSON that every parser takes: what is not a finite number becomes null. It keeps six decimals.

    Its names are drawn as they stand, so signs that cannot be seen are spelled out.
    """
    return spelled_lines(json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def plain(value: object) -> object:
    if isinstance(value, Figure):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, float):
        return round(value, 6) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value
