"""What a section of the statistics is shown as: claims, drawings and tables, made of its stored numbers. No ORM.

A claim names its n, its interval and its method; the page adds the date on which the section was computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.drawings.crowds import gathered
from leaderboard.drawings.plots import (
    IntervalPlot,
    Scale,
    Scatter,
    Spot,
    Tick,
    difference_scale,
    interval_plot,
    score_scale,
    tick_text,
    ticks,
)
from leaderboard.drawings.plots import scatter as scatter_of
from leaderboard.drawings.ranks import RankFigure
from leaderboard.rounding import MISSING, count, number
from leaderboard.statistics.items import ALIAS_SHARE

LEFT, RIGHT, BOTTOM, TOP = 5.0, 97.0, 330.0, 24.0
ROOM = 0.06
COUNTED_ONCE = f"Two models with the same score on {number(100 * ALIAS_SHARE, 0)} % of the items or more count as one."


@dataclass(frozen=True, slots=True)
class Claim:
    """One finding in words for everybody. `interval` says in words what the data leave open."""

    figure: str
    text: str
    n: str
    interval: str
    method: str


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A value with its interval on an axis that all rows share; `open` where the interval holds the zero line."""

    name: str
    plot: IntervalPlot
    value: str
    interval: str
    n: int | None
    open: bool


@dataclass(frozen=True, slots=True)
class Forest:
    """`name` heads the rows, `measure` the values; `zero` is where the zero line stands, "" without one."""

    name: str
    measure: str
    rows: tuple[ForestRow, ...]
    ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A scatter with the words around it. `note` says how many spots share a dot, "" where each has its own."""

    plot: Scatter
    label: str
    x_title: str
    y_title: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A pair of neighbours in the strip; tall where they are apart."""

    x: str
    width: str
    y: str
    height: str
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class RangesView:
    """One of several ways to compare the models, between which a reader switches; `key` names it in the markup."""

    key: str
    label: str
    caption: str
    figure: RankFigure


@dataclass(frozen=True, slots=True)
class Part:
    """One finding of a section with what stands behind it. `name` is the address of its table and its anchor.

    `views` are ways to compare, of which the page shows one at a time, the first one first; `downloads` are the names
    of the Parquet files that belong to it. `matrix` and `pairs` are those of `statistics_agree`.
    """

    name: str
    title: str
    how: str
    formula: str
    source: str
    table: Table
    picture: Picture | None = None
    forest: Forest | None = None
    strip: tuple[Step, ...] = ()
    more: tuple[str, ...] = ()
    views: tuple[RangesView, ...] = ()
    downloads: tuple[str, ...] = ()
    matrix: Any = None
    pairs: tuple[Any, ...] = ()

    @property
    def is_drawn(self) -> bool:
        return bool(self.picture or self.forest or self.strip or self.views or self.matrix or self.pairs)


def picked(rows: Sequence[Sequence[Any]], names: Sequence[str], columns: Sequence[Column]) -> Table:
    """The columns of stored rows, found by their names."""
    places = [names.index(column.name) for column in columns]
    return Table(tuple(columns), tuple(tuple(row[at] for at in places) for row in rows))


def picture(
    spots: Sequence[Spot], label: str, x_title: str, y_title: str, *, square: bool = False, line: Sequence[float] = ()
) -> Picture:
    """A scatter whose axes hold all its spots. `square`: both axes alike, with a diagonal. `line`: x1, y1, x2, y2."""
    xs, ys = [spot.x for spot in spots], [spot.y for spot in spots]
    ends = (*xs, *ys) if square else ()
    x, y = scale(ends or xs, LEFT, RIGHT), scale(ends or ys, BOTTOM, TOP)
    dots = gathered(spots, lambda spot: (x.place(spot.x), y.place(spot.y)))
    plot = scatter_of(dots, x, y, diagonal=square)
    return Picture(with_line(plot, x, y, line) if line else plot, label, x_title, y_title, shared(spots, dots))


def shared(spots: Sequence[Spot], dots: Sequence[Spot]) -> str:
    if len(dots) == len(spots):
        return ""
    return f"{count(len(spots))} are drawn as {count(len(dots))} dots: those that lie close together share one."


def scale(values: Sequence[float], start: float, end: float) -> Scale:
    low, high = min(values), max(values)
    room = ROOM * (high - low) or 1.0
    return Scale(low - room, high + room, start, end)


def with_line(plot: Scatter, x: Scale, y: Scale, line: Sequence[float]) -> Scatter:
    x1, y1, x2, y2 = line
    ends = (f"{x.place(x1):.2f}%", f"{y.place(y1):.1f}", f"{x.place(x2):.2f}%", f"{y.place(y2):.1f}")
    return replace(plot, line=ends)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A row of a forest before it is drawn."""

    name: str
    value: float
    low: float | None
    high: float | None
    n: int | None = None


def forest(name: str, measure: str, rows: Sequence[Estimate], digits: int, *, signed: bool) -> Forest:
    """All rows on one axis. `signed`: of differences, with a zero line."""
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    axis = difference_scale(ends) if signed else score_scale(ends)
    return Forest(
        name=name,
        measure=measure,
        rows=tuple(forest_row(row, axis, digits, signed=signed) for row in rows),
        ticks=ticks(axis, tick_text),
    )


def forest_row(row: Estimate, axis: Scale, digits: int, *, signed: bool) -> ForestRow:
    crosses = row.low is not None and row.high is not None and row.low <= 0 <= row.high
    return ForestRow(
        name=row.name,
        plot=interval_plot(row.value, row.low, row.high, axis),
        value=number(row.value, digits),
        interval=span(row.low, row.high, digits),
        n=row.n,
        open=signed and crosses,
    )


def span(low: float | None, high: float | None, digits: int) -> str:
    """ "0.77 to 0.87", or a dash."""
    return MISSING if low is None or high is None else f"{number(low, digits)} to {number(high, digits)}"


def ends_text(interval: Sequence[float] | None, digits: int) -> str:
    """An interval as it is stored, in the words of `span`."""
    low, high = interval or (None, None)
    return span(low, high, digits)


def named(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Stored rows as mappings from the names of their columns."""
    return [dict(zip(names, row, strict=True)) for row in rows]
