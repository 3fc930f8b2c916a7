"""Score against something else: the dots, the labels beside a few of them, and their table. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.benchmarks.base import JsonValue, Measure
from leaderboard import rounding
from leaderboard.charts.axes import Axis, beyond
from leaderboard.charts.base import SCORE, SCORED_HERE, ChartRow, Column, Table, Trace
from leaderboard.charts.labels import SIDES, Spot, figure_name, places, plain_name

MOST_LABELS = 5
OPACITY = 0.42
HELD_NOTE = "A triangle is a model beyond the edge of the picture: {n}."


@dataclass(frozen=True, slots=True, eq=False)
class Dot:
    """A model at (x, y), equal only to itself."""

    row: ChartRow
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Plane:
    """The two axes of a scatter, what the hover text of a dot says about x, the measure of the scores along y, and how
    x is written in the figure."""

    x: Axis
    y: Axis
    said: Callable[[Dot], str]
    measure: Measure = SCORE
    written: Callable[[float], JsonValue] = float

    def holds(self, dot: Dot) -> bool:
        return self.x.holds(dot.x) and self.y.holds(dot.y)

    def spot(self, dot: Dot) -> Spot:
        return Spot(self.x.share(dot.x), self.y.share(dot.y))

    def xs(self, dots: Sequence[Dot]) -> list[JsonValue]:
        return [self.written(self.x.held(dot.x)) for dot in dots]

    def ys(self, dots: Sequence[Dot]) -> list[JsonValue]:
        return [self.y.held(dot.y) for dot in dots]


def dot_traces(dots: Sequence[Dot], plane: Plane) -> list[Trace]:
    """Full dots for what was scored here, rings for published figures, triangles for what lies beyond an axis."""
    inside = [dot for dot in dots if plane.holds(dot)]
    kinds = (
        ([dot for dot in inside if dot.row.origin in SCORED_HERE], marker("circle")),
        ([dot for dot in inside if dot.row.origin not in SCORED_HERE], marker("circle-open")),
        ([dot for dot in dots if not plane.holds(dot)], marker("triangle-up-open")),
    )
    return [dot_trace(group, plane, look) for group, look in kinds if group]


def marker(symbol: str) -> Trace:
    is_open = symbol.endswith("-open")
    return {
        "symbol": symbol,
        "size": 7,
        "color": "--ink-3",
        "opacity": 0.75 if is_open else OPACITY,
        "line": {"width": 1.2 if is_open else 0, "color": "--ink-3"},
    }


def dot_trace(dots: Sequence[Dot], plane: Plane, look: Trace) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": plane.xs(dots),
        "y": plane.ys(dots),
        "text": [hover(dot, plane) for dot in dots],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": look,
        "cliponaxis": False,
    }


def hover(dot: Dot, plane: Plane) -> str:
    return (
        f"{figure_name(dot.row.name)}<br>{score_words(dot.row, plane.measure)}<br>{plane.said(dot)}<br>{dot.row.origin}"
    )


def score_words(row: ChartRow, measure: Measure) -> str:
    """ "74.15 ± 3.2 points"; "≈ 74.15 ± 4.0 points" where the interval is not from items."""
    half = "" if row.half is None else f" ± {rounding.number(row.half, 1)}"
    about = "≈ " if half and row.approximate else ""
    return f"{about}{rounding.figure(row.score, measure)}{half}{rounding.unit(measure)}"


def label_trace(named: Sequence[Dot], dots: Sequence[Dot], plane: Plane, allowed: Sequence[str] = SIDES) -> list[Trace]:
    """The names of the first of the dots `named` that find room among all `dots`; no trace without any."""
    candidates = [dot for dot in named if plane.holds(dot)]
    others = [plane.spot(dot) for dot in dots if dot not in candidates]
    texts = [(plain_name(dot.row.name), plane.spot(dot)) for dot in candidates]
    sides = places(texts, others, MOST_LABELS, allowed)
    shown = [(dot, side) for dot, side in zip(candidates, sides, strict=True) if side]
    return [text_trace([dot for dot, _ in shown], [side for _, side in shown], plane)] if shown else []


def text_trace(dots: Sequence[Dot], sides: Sequence[str], plane: Plane) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "marker": {"size": 8, "opacity": 0},  # never seen: it keeps the text off the dot
        "x": plane.xs(dots),
        "y": plane.ys(dots),
        "text": [figure_name(dot.row.name) for dot in dots],
        "textposition": sides,
        "textfont": {"color": "--ink"},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def frontier_labels(best: Sequence[Dot], dots: Sequence[Dot], plane: Plane) -> list[Trace]:
    """Names over the steps of a frontier, the highest first: its line runs below and to the right of each corner."""
    return label_trace(list(reversed(best)), dots, plane, ("top left", "top center", "top right"))


def line_trace(xs: Sequence[JsonValue], ys: Sequence[float], **line: JsonValue) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(xs),
        "y": list(ys),
        "line": {"color": "--accent", "width": 1.75, **line},
        "hoverinfo": "skip",
    }


def accent_trace(dots: Sequence[Dot], plane: Plane) -> Trace:
    """The dots that the sentence speaks of."""
    return dot_trace(dots, plane, {"symbol": "circle", "size": 8, "color": "--accent"})


def held_note(dots: Sequence[Dot], plane: Plane) -> str:
    """The sentence on models at the edge, or "" where the picture holds them all; begins with a space."""
    n = beyond([(plane.x, [dot.x for dot in dots]), (plane.y, [dot.y for dot in dots])])
    return f" {HELD_NOTE.format(n=rounding.counted(n, 'model'))}" if n else ""


def scatter_table(dots: Sequence[Dot], column: Column, value: Callable[[Dot], str | float], measure: Measure) -> Table:
    """One row a model, best score first: name, origin, score with interval, and the value on the other axis."""
    score = Column("score", measure.title, measure.digits)
    columns = (Column("model", "Model"), Column("origin", "Origin"), column, score)
    bounds = (
        Column("interval_low", "95\u00a0% from", measure.digits, wide_only=True),
        Column("interval_high", "to", measure.digits, wide_only=True),
    )
    ordered = sorted(dots, key=lambda dot: -measure.turned(dot.row.score))
    return Table(
        (*columns, *bounds),
        tuple((d.row.name, d.row.origin, value(d), d.row.score, d.row.low, d.row.high) for d in ordered),
    )
