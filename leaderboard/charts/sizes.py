"""Score against the number of parameters, with the line that no smaller model passes. Pure."""

from collections.abc import Sequence
from functools import partial
from math import ceil, floor, log10

from evaluation.benchmarks.base import Measure
from leaderboard.charts.axes import Axis, axis_of, layout, linear, score_axis
from leaderboard.charts.base import SCORE, Chart, ChartRow, Column, Figure, Trace, axis_words, by_origin, models_of
from leaderboard.charts.references import relation, relation_title, relation_words
from leaderboard.charts.scatter import (
    Dot,
    Plane,
    accent_trace,
    dot_traces,
    frontier_labels,
    held_note,
    line_trace,
    scatter_table,
)
from leaderboard.rounding import size

NAME = "size"
FEWEST = 4  # sizes that make a picture


def sizes(rows: Sequence[ChartRow], measure: Measure = SCORE) -> Chart:
    """Score against parameters on a logarithmic axis.

    Args:
        rows: Of one ranking; models of unknown size, baselines and demonstrations are left out. Sizes are above 0.
        measure: That of the scores.

    Returns:
        The chart; without a figure where fewer than four sizes are known.
    """
    known = [(row, row.size) for row in models_of(rows) if row.size]
    dots = [Dot(row, log10(billion), row.score) for row, billion in known]
    found = relation([dot.x for dot in dots], [dot.y for dot in dots])
    column = Column("params_billion", "Billion", 2)
    table = scatter_table(dots, column, lambda dot: dot.row.size or "", measure)
    source = f"{by_origin([dot.row for dot in dots])}. Total parameters as published; unknown for most closed models."
    title = relation_title(found, "the logarithm of size", measure)
    if len(dots) < FEWEST:
        return Chart(NAME, title, "", source, None, table)
    axes = axis_of(dot.x for dot in dots), score_axis([dot.row for dot in dots], measure)
    plane = Plane(*axes, lambda dot: f"{size(dot.row.size)} billion parameters", measure, lambda x: 10.0**x)
    words = relation_words(found)
    how = f"Line: the best score among models up to each size.{f' {words}.' if words else ''}{held_note(dots, plane)}"
    return Chart(NAME, title, how, source, partial(drawn, dots, plane), table)


def drawn(dots: Sequence[Dot], plane: Plane) -> Figure:
    return Figure(
        data=tuple(frontier_traces(pareto(dots, plane.measure), dots, plane)),
        layout=layout("parameters, billion", axis_words(plane.measure), x=log_axis(plane.x), y=linear(plane.y)),
    )


def pareto(dots: Sequence[Dot], measure: Measure) -> list[Dot]:
    """The dots that score better than every dot to their left or at the same place; smallest first."""
    best: list[Dot] = []
    for dot in sorted(dots, key=lambda dot: (dot.x, -measure.turned(dot.y))):
        if not best or measure.turned(dot.y) > measure.turned(best[-1].y):
            best.append(dot)
    return best


def frontier_traces(best: Sequence[Dot], dots: Sequence[Dot], plane: Plane) -> list[Trace]:
    """All dots, those on the frontier in the accent, joined and named."""
    marked = [dot for dot in best if plane.holds(dot)]
    others = [dot for dot in dots if dot not in marked]
    accents = [accent_trace(marked, plane)] if marked else []
    return [*dot_traces(others, plane), pareto_line(best, plane), *accents, *frontier_labels(marked, dots, plane)]


def pareto_line(best: Sequence[Dot], plane: Plane) -> Trace:
    """Steps: the best score that a size allows holds until a larger model passes it."""
    end = plane.written(plane.x.high)
    ys = [plane.y.held(dot.y) for dot in best]
    return line_trace([*plane.xs(best), end], [*ys, ys[-1]], width=1.5, shape="hv")


def log_axis(span: Axis) -> Trace:
    """Ticks at 1 and 3 of each power of ten: Plotly's own crowd a narrow picture."""
    powers = range(floor(span.low), ceil(span.high) + 1)
    ticks = [step * 10.0**power for power in powers for step in (1, 3)]
    held = [tick for tick in ticks if span.holds(log10(tick))]
    return {"type": "log", "range": [span.low, span.high], "tickvals": held, "ticktext": [size(tick) for tick in held]}
