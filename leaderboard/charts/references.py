"""Score against another measure of the same models, with the least-squares line, r and its interval. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from evaluation.benchmarks.base import Measure
from evaluation.statistics.correlation import fisher_interval, pearson
from evaluation.statistics.intervals import Interval
from evaluation.statistics.regression import Line, fit_line
from leaderboard.charts.axes import PERCENT, Axis, axis_of, layout, linear, score_axis
from leaderboard.charts.base import (
    SCORE,
    SCORED_HERE,
    Chart,
    ChartRow,
    Column,
    Figure,
    Trace,
    axis_words,
    by_origin,
    models_of,
)
from leaderboard.charts.scatter import (
    Dot,
    Plane,
    dot_traces,
    held_note,
    label_trace,
    line_trace,
    scatter_table,
)
from leaderboard.rounding import counted, number

FEWEST = 8  # pairs: fewer say next to nothing, and the statistics state no agreement of measures from fewer either
BAND_POINTS = 25


@dataclass(frozen=True, slots=True)
class Other:
    """Another measure: `name` is its benchmark in the table of reference scores, `word` stands in a sentence."""

    name: str
    word: str
    axis: str
    digits: int
    scale: Axis | None = None


MEASURES = {
    "mmlu": Other("mmlu", "MMLU", "MMLU, per cent", 1, PERCENT),
    "arena_elo": Other("arena_elo", "Arena Elo", "Arena Elo, rating", 0),
    "magi_hard": Other("magi_hard", "MAGI-Hard", "MAGI-Hard, per cent", 1, PERCENT),
}


@dataclass(frozen=True, slots=True)
class Relation:
    """Pearson's r over n models with its Fisher interval; both None where no r is defined."""

    n: int
    r: float | None
    interval: Interval | None


def relation(xs: Sequence[float], ys: Sequence[float]) -> Relation:
    r = pearson(xs, ys) if len(xs) >= FEWEST else None
    return Relation(len(xs), r, None if r is None else fisher_interval(r, len(xs)))


def relation_title(found: Relation, what: str, measure: Measure) -> str:
    """The finding in one line. `what` is the other measure, as it stands in the middle of a sentence."""
    if found.r is None or found.interval is None:
        n = f"n\u00a0=\u00a0{found.n}"
        if found.n < FEWEST:
            return f"Too few models to compare the score with {what}: {n}"
        return f"The score cannot be compared with {what}, since one of them never varies: {n}"
    figures = f"r\u00a0=\u00a0{number(found.r, 2)}, n\u00a0=\u00a0{found.n}"
    if found.interval.low > 0:
        return f"{measure.title} {'correlates with' if found.r >= 0.5 else 'correlates weakly with'} {what}: {figures}"
    if found.interval.high < 0:
        return f"{measure.title} falls as {what} rises: {figures}"
    return f"No clear relation between score and {what}: {figures}"


def relation_words(found: Relation) -> str:
    """ "r = 0.83 (Pearson), 95\u00a0% interval 0.77 to 0.87 (Fisher)"; "" where no r is defined."""
    if found.r is None or found.interval is None:
        return ""
    low, high = number(found.interval.low, 2), number(found.interval.high, 2)
    return f"r\u00a0=\u00a0{number(found.r, 2)} (Pearson), 95\u00a0% interval {low} to {high} (Fisher)"


def reference(rows: Sequence[ChartRow], benchmark: str, measure: Measure = SCORE) -> Chart:
    """Score against MMLU, Arena Elo or MAGI-Hard.

    Args:
        rows: Of one ranking; those without a figure of this measure, baselines and demonstrations are left out.
        benchmark: A key of `MEASURES`.
        measure: That of the scores.

    Returns:
        The chart; without a figure where fewer than FEWEST models have both values.

    Raises:
        KeyError: there is no such measure.
    """
    other = MEASURES[benchmark]
    dots = dots_of(rows, other)
    found = relation([dot.x for dot in dots], [dot.y for dot in dots])
    table = scatter_table(dots, Column(other.name, other.word, other.digits), lambda dot: dot.x, measure)
    source = f"{by_origin([dot.row for dot in dots])}. {other.word} as published, one figure per model."
    title = relation_title(found, other.word, measure)
    if found.r is None:
        return Chart(other.name, title, "", source, None, table)
    axes = axis_of((dot.x for dot in dots), scale=other.scale), score_axis([dot.row for dot in dots], measure)
    plane = Plane(*axes, lambda dot: f"{other.word} {number(dot.x, other.digits)}", measure)
    band = f"Line: least squares with its 95\u00a0% band. {relation_words(found)}."
    how = f"{band}{apart_words(dots)}{held_note(dots, plane)}"
    return Chart(other.name, title, how, source, partial(drawn, other, dots, plane), table)


def dots_of(rows: Sequence[ChartRow], other: Other) -> list[Dot]:
    values = [(row, row.reference(other.name)) for row in models_of(rows)]
    return [Dot(row, value, row.score) for row, value in values if value is not None]


def drawn(other: Other, dots: Sequence[Dot], plane: Plane) -> Figure:
    line = fit_line([dot.x for dot in dots], [dot.y for dot in dots])
    fit = [] if line is None else fit_traces(line, dots, plane)
    farthest = [] if line is None else [dots[outlier.index] for outlier in line.outliers]
    return Figure(
        data=(*fit, *dot_traces(dots, plane), *label_trace(farthest, dots, plane)),
        layout=layout(other.axis, axis_words(plane.measure), x=linear(plane.x), y=linear(plane.y)),
    )


def fit_traces(line: Line, dots: Sequence[Dot], plane: Plane) -> list[Trace]:
    """The band of the line and the line itself, as far as there are models in the picture."""
    inside = [plane.x.held(dot.x) for dot in dots]
    xs = [float(x) for x in np.linspace(min(inside), max(inside), BAND_POINTS)]
    bands = [line.band(x) for x in xs]
    around = [*(band.low for band in bands), *(band.high for band in reversed(bands))]
    area = line_trace([*xs, *reversed(xs)], around, width=0)
    return [
        area | {"fill": "toself", "fillcolor": "--accent", "opacity": 0.12},
        line_trace(xs, [line.at(x) for x in xs]),
    ]


def apart_words(dots: Sequence[Dot]) -> str:
    """Where published scores stand beside runs: what the runs alone give. Begins with a space; "" if not mixed."""
    here = [dot for dot in dots if dot.row.origin in SCORED_HERE]
    if not here or len(here) == len(dots):
        return ""
    rings = " Rings are published scores, dots are scores from stored replies or answers"
    alone = relation([dot.x for dot in here], [dot.y for dot in here])
    if alone.r is None:
        return f"{rings}."
    return f"{rings}; over the {counted(alone.n, 'dot')} alone r\u00a0=\u00a0{number(alone.r, 2)}."
