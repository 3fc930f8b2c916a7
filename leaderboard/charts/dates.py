"""Score against the day of release, with the best score so far. Pure."""

from collections.abc import Sequence
from functools import partial

from evaluation.benchmarks.base import Measure
from leaderboard.charts.axes import axis_of, day_number, iso_day, layout, linear, score_axis
from leaderboard.charts.base import (
    SCORE,
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
    held_note,
    scatter_table,
)
from leaderboard.charts.sizes import frontier_traces, pareto
from leaderboard.rounding import MONTHS, counted, day, figure, in_unit

NAME = "release"
FEWEST = 3  # dates that make a picture


def dates(rows: Sequence[ChartRow], measure: Measure = SCORE) -> Chart:
    """Score against release.

    Args:
        rows: Of one ranking; models of unknown date, baselines and demonstrations are left out.
        measure: That of the scores.

    Returns:
        The chart; without a figure where fewer than three dates are known.
    """
    known = [(row, row.released_on) for row in models_of(rows)]
    dots = [Dot(row, day_number(on), row.score) for row, on in known if on is not None]
    table = scatter_table(dots, Column("released", "Released"), lambda dot: dot.row.released, measure)
    source = (
        f"{by_origin([dot.row for dot in dots])}. Release dates as published; if only the month is known, its "
        f"first day is used."
    )
    if len(dots) < FEWEST:
        title = f"Too few release dates are known: n\u00a0=\u00a0{len(dots)}"
        return Chart(NAME, title, "", source, None, table)
    axes = axis_of(dot.x for dot in dots), score_axis([dot.row for dot in dots], measure)
    plane = Plane(*axes, lambda dot: f"released {when(dot.row)}", measure, iso_day)
    best = pareto(dots, measure)
    how = f"Line: best score so far.{held_note(dots, plane)}"
    return Chart(NAME, title_of(best, measure), how, source, partial(drawn, best, dots, plane), table)


def drawn(best: Sequence[Dot], dots: Sequence[Dot], plane: Plane) -> Figure:
    days: Trace = {"range": [iso_day(plane.x.low), iso_day(plane.x.high)], "tickformat": "%b %Y", "nticks": 5}
    return Figure(
        data=tuple(frontier_traces(best, dots, plane)),
        layout=layout("released", axis_words(plane.measure), x={"type": "date", **days}, y=linear(plane.y)),
    )


def title_of(best: Sequence[Dot], measure: Measure) -> str:
    """How the best score changed. `best` are the models that set it, earliest first; at least one."""
    first, last = best[0], best[-1]
    if len(best) == 1:
        return f"No later model passes the {in_unit(first.y, measure)} of {when(first.row)}"
    start, end = (f"{figure(dot.y, measure)} ({when(dot.row)})" for dot in (first, last))
    went = "fell" if measure.better == "lower" else "rose"
    return f"Where dates are known, the best score {went} from {start} to {end} in {counted(len(best) - 1, 'step')}"


def when(row: ChartRow) -> str:
    """ "Feb 2024" where only the month is known, else "14 Feb 2024"; a row without a date has a dash."""
    on = row.released_on
    if on is not None and row.month_only:
        return f"{MONTHS[on.month - 1]} {on.year}"
    return day(on)
