"""All scores from best to worst, each with its interval. Pure."""

from collections.abc import Sequence
from functools import partial
from statistics import median

from evaluation.baselines import BaselineLine
from evaluation.benchmarks.base import JsonValue, Measure
from leaderboard.charts.axes import Axis, axis_of, better_above, layout, linear, lowest_of, scale_of, step_of
from leaderboard.charts.base import (
    SCORE,
    SCORED_HERE,
    Chart,
    ChartRow,
    Column,
    Figure,
    Table,
    Trace,
    axis_words,
    baseline_lines,
    best_first,
    by_origin,
    line_words,
    models_of,
)
from leaderboard.charts.labels import plain_name
from leaderboard.charts.scatter import Dot, Plane, dot_trace, held_note, label_trace
from leaderboard.rounding import counted, figure

NAME = "scores"


def scores(rows: Sequence[ChartRow], measure: Measure = SCORE) -> Chart:
    """Every model of the ranking by score; baselines are dotted lines.

    Args:
        rows: Of one ranking, in any order; demonstrations are left out.
        measure: That of the scores.

    Returns:
        The chart; without a figure where there is no model.
    """
    ordered = best_first(models_of(rows), measure)
    source = f"{by_origin(ordered)}.{interval_source(ordered)}"
    table = scores_table(ordered, measure)
    if not ordered:
        return Chart(NAME, "No model has a score here yet", "", source, None, table)
    dots = [Dot(row, at, row.score) for at, row in enumerate(ordered, 1)]
    lines = baseline_lines(rows, measure)
    plane = Plane(Axis(0.0, len(dots) + 1.0), scores_span(ordered, lines, measure), place_words, measure)
    lines = tuple(line for line in lines if plane.y.holds(line.score))
    how = f"{how_to_read(ordered, lines, measure)}{held_note(dots, plane)}"
    return Chart(NAME, title_of(ordered, measure), how, source, partial(drawn, dots, plane, lines), table, height=320)


def interval_source(ordered: Sequence[ChartRow]) -> str:
    """Where the intervals come from; begins with a space, "" where there are none."""
    known = [row for row in ordered if row.low is not None]
    parts = []
    if any(not row.approximate and row.origin in SCORED_HERE for row in known):
        parts.append(" Intervals of runs: from their items.")
    if any(not row.approximate and row.origin not in SCORED_HERE for row in known):
        parts.append(" Intervals of published scores: as published.")
    if any(row.approximate for row in known):
        parts.append(" Approximate intervals: estimated from runs with similar scores.")
    return "".join(parts)


def place_words(dot: Dot) -> str:
    return f"place {dot.x:.0f} by score"


def drawn(dots: Sequence[Dot], plane: Plane, lines: Sequence[BaselineLine]) -> Figure:
    return Figure(
        data=(*interval_traces(dots, plane), *score_traces(dots, plane), *label_trace(named(dots), dots, plane)),
        layout=layout(
            "place by score",
            axis_words(plane.measure),
            x={**linear(plane.x), "tickvals": place_ticks(len(dots))},
            y=linear(plane.y),
            shapes=[level(line.score) for line in lines],
        ),
    )


def scores_span(ordered: Sequence[ChartRow], lines: Sequence[BaselineLine], measure: Measure) -> Axis:
    """The span of the scores and their intervals, widened to the first line where that is not far away. Better scores
    stand higher."""
    ends, lowest = [end for row in ordered for end in (row.low, row.high) if end is not None], lowest_of(measure)
    span = axis_of([*(row.score for row in ordered), *ends], scale=scale_of(measure), lowest=lowest)
    if lines and not span.holds(lines[0].score):
        span = axis_of([span.low, span.high, lines[0].score], lowest=lowest)
    return better_above(span, measure)


def best_of(ordered: Sequence[ChartRow]) -> ChartRow:
    """The leader of the ranking, or the best of what is shown where filters leave the leader out."""
    ranked = [row for row in ordered if row.rank is not None]
    return min(ranked, key=lambda row: row.rank or 0, default=ordered[0])


def title_of(ordered: Sequence[ChartRow], measure: Measure) -> str:
    """How far the first stands from the rest, or, without an interval of the first, from where to where scores run."""
    best = best_of(ordered)
    others = [row for row in ordered if row is not best]
    if ordered[0].score == ordered[-1].score and (best.low is None or not others):
        every = figure(best.score, measure)
        return f"All scores here are {every}" if others else f"The only score here is {every}"
    if best.low is None or best.high is None or not others:
        middle = median(row.score for row in ordered)
        ends = f"{figure(ordered[-1].score, measure)} to {figure(ordered[0].score, measure)}"
        return f"Scores run from {ends}, with a median of {figure(middle, measure)}"
    bound = min(measure.turned(best.low), measure.turned(best.high))
    inside = sum(measure.turned(row.score) >= bound for row in others)
    lies = counted(inside, "other score lies", "other scores lie") if inside else "No other score lies"
    return f"{lies} within the interval of {plain_name(best.name)}"


def how_to_read(ordered: Sequence[ChartRow], lines: Sequence[BaselineLine], measure: Measure) -> str:
    known = any(row.low is not None for row in ordered)
    parts = ["Dot: a score; line: its 95\u00a0% interval." if known else "Dot: a score."]
    if any(row.origin not in SCORED_HERE for row in ordered):
        parts.append("Rings are quoted scores: this board did not run these models.")
    if any(row.approximate and row.low is not None for row in ordered):
        parts.append("Faint intervals are approximate.")
    return " ".join([*parts, line_words(lines, measure)]).rstrip()


def place_ticks(n: int) -> list[JsonValue]:
    """The first place and round ones up to the last."""
    step = max(1, int(step_of(n, 8)))
    return [1, *(at for at in range(step, n + 1, step) if at > 1)]


def interval_traces(dots: Sequence[Dot], plane: Plane) -> list[Trace]:
    sure = [dot for dot in dots if not dot.row.approximate]
    rough = [dot for dot in dots if dot.row.approximate]
    traces = [
        interval_trace(sure, plane, {"color": "--span", "width": 2.5}),
        interval_trace(rough, plane, {"color": "--bar", "width": 1.5}),
    ]
    return [trace for trace in traces if trace["x"]]


def interval_trace(dots: Sequence[Dot], plane: Plane, line: Trace) -> Trace:
    """All intervals in one trace of strokes, with a gap after each."""
    xs: list[JsonValue] = []
    ys: list[JsonValue] = []
    for dot in dots:
        if dot.row.low is not None and dot.row.high is not None:
            xs += [dot.x, dot.x, None]
            ys += [plane.y.held(dot.row.low), plane.y.held(dot.row.high), None]
    return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "line": line, "hoverinfo": "skip"}


def score_traces(dots: Sequence[Dot], plane: Plane) -> list[Trace]:
    inside = [dot for dot in dots if plane.holds(dot)]
    kinds = (
        ([dot for dot in inside if dot.row.origin in SCORED_HERE], look("circle")),
        ([dot for dot in inside if dot.row.origin not in SCORED_HERE], look("circle-open")),
        ([dot for dot in dots if not plane.holds(dot)], look("triangle-down-open")),
    )
    return [dot_trace(group, plane, marker) for group, marker in kinds if group]


def look(symbol: str) -> Trace:
    return {"symbol": symbol, "size": 5, "color": "--accent", "line": {"width": 1.2, "color": "--accent"}}


def named(dots: Sequence[Dot]) -> list[Dot]:
    """The one that the title speaks of, the first and the last."""
    best = best_of([dot.row for dot in dots])
    return list(dict.fromkeys((next(dot for dot in dots if dot.row is best), dots[0], dots[-1])))


def level(score: float) -> Trace:
    """A dotted line across at this score."""
    line: Trace = {"color": "--ink-3", "width": 1, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": score, "y1": score, "line": line}


def scores_table(ordered: Sequence[ChartRow], measure: Measure) -> Table:
    columns = (
        Column("place", "Place", 0, wide_only=True),
        Column("model", "Model"),
        Column("origin", "Origin"),
        Column("score", measure.title, measure.digits),
        Column("interval_low", "95\u00a0% from", measure.digits),
        Column("interval_high", "to", measure.digits),
        Column("interval_is_approximate", "Interval", wide_only=True),
    )
    places = places_of([row.score for row in ordered])
    return Table(
        columns,
        tuple(
            (place, row.name, row.origin, row.score, row.low, row.high, interval_kind(row))
            for place, row in zip(places, ordered, strict=True)
        ),
    )


def places_of(ordered: Sequence[float]) -> list[int]:
    """The place of each of these scores, which are in order, from 1; equal scores share the better one."""
    places: list[int] = []
    for at, score in enumerate(ordered):
        places.append(places[-1] if at and score == ordered[at - 1] else at + 1)
    return places


def interval_kind(row: ChartRow) -> str:
    if row.low is None:
        return ""
    if row.approximate:
        return "approximate"
    return "over items" if row.origin in SCORED_HERE else "as published"
