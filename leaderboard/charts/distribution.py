"""How the scores are spread: a histogram whose bars tell runs from published figures. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, floor

import numpy as np

from evaluation.baselines import BaselineLine
from evaluation.benchmarks.base import Measure
from leaderboard.charts.axes import Axis, layout, linear, score_axis, step_of
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
    by_origin,
    line_words,
    models_of,
)
from leaderboard.rounding import MINUS, count, figure, number

NAME = "distribution"
FEWEST = 3  # scores that make a picture
BARS = 18


@dataclass(frozen=True, slots=True)
class Bin:
    """Scores from `low` up to below `high`; the outermost bins also hold what lies beyond them."""

    low: float
    high: float
    here: int
    published: int

    @property
    def all(self) -> int:
        return self.here + self.published


def distribution(rows: Sequence[ChartRow], measure: Measure = SCORE) -> Chart:
    """The histogram of the scores of models, with the median and the baselines.

    Args:
        rows: Of one ranking; demonstrations are left out.
        measure: That of the scores.

    Returns:
        The chart; without a figure where there are fewer than three models.
    """
    models = models_of(rows)
    source = f"{by_origin(models)}."
    bins = bins_of(models, measure) if len(models) >= FEWEST else ()
    table = bins_table(bins)
    if not bins:
        return Chart(
            NAME, f"Too few scores to show how they are spread: n\u00a0=\u00a0{len(models)}", "", source, None, table
        )
    low, middle, high = (float(value) for value in np.percentile([row.score for row in models], [25, 50, 75]))
    ends = f"{figure(low, measure)} to {figure(high, measure)}"
    title = f"The middle half of the {count(len(models))} models scores {ends}"
    span = Axis(bins[0].low, bins[-1].high)
    lines = tuple(line for line in baseline_lines(rows, measure) if span.holds(line.score))
    how = how_to_read(bins, middle, lines, measure)
    return Chart(NAME, title, how, source, partial(drawn, bins, middle, lines, measure), table)


def drawn(bins: Sequence[Bin], middle: float, lines: Sequence[BaselineLine], measure: Measure) -> Figure:
    return Figure(tuple(bar_traces(bins, measure)), bars_layout(bins, middle, lines, measure))


def bins_of(models: Sequence[ChartRow], measure: Measure) -> tuple[Bin, ...]:
    """Bins of one round width over the span of the scores; what lies beyond the span is counted in the last bin."""
    span = score_axis(models, measure)
    width = step_of(span.high - span.low, BARS)
    first, last = floor(span.low / width), ceil(span.high / width)
    edges = [width * at for at in range(first, last + 1)]
    here = counts([row.score for row in models if row.origin in SCORED_HERE], edges)
    published = counts([row.score for row in models if row.origin not in SCORED_HERE], edges)
    return tuple(
        Bin(low, high, ours, theirs)
        for low, high, ours, theirs in zip(edges[:-1], edges[1:], here, published, strict=True)
    )


def counts(values: Sequence[float], edges: Sequence[float]) -> list[int]:
    at = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return [int(n) for n in np.bincount(at, minlength=len(edges) - 1)]


def bar_traces(bins: Sequence[Bin], measure: Measure) -> list[Trace]:
    stacks = ((tuple(each.here for each in bins), "--span"), (tuple(each.published for each in bins), "--bar"))
    return [bar_trace(bins, heights, colour, measure) for heights, colour in stacks if any(heights)]


def bar_trace(bins: Sequence[Bin], heights: Sequence[int], colour: str, measure: Measure) -> Trace:
    return {
        "type": "bar",
        "x": [(each.low + each.high) / 2 for each in bins],
        "y": list(heights),
        "width": [(each.high - each.low) * 0.92 for each in bins],
        "text": [hover(each, measure) for each in bins],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": colour, "line": {"width": 0}},
    }


def hover(each: Bin, measure: Measure) -> str:
    parts = [f"{' '.join(filter(None, [words(each.low), 'to', words(each.high), measure.unit]))}: {each.all}"]
    if each.here:
        parts.append(f"from runs {each.here}")
    if each.published:
        parts.append(f"published {each.published}")
    return "<br>".join(parts)


def words(edge: float) -> str:
    return f"{edge:g}".replace("-", MINUS)


def bars_layout(bins: Sequence[Bin], middle: float, lines: Sequence[BaselineLine], measure: Measure) -> Trace:
    span = Axis(bins[0].low, bins[-1].high)
    shown = [upright(line.score, "--ink-3", "dot") for line in lines]
    made = layout(axis_words(measure), "models", x=linear(span), y=counts_axis(bins))
    made |= {"barmode": "stack", "shapes": [upright(middle, "--accent", "solid"), *shown]}
    made["annotations"] = [*titles_in(made), median_label(middle, span, measure)]
    return made


def counts_axis(bins: Sequence[Bin]) -> Trace:
    """From zero, with ticks at whole numbers only."""
    return {"rangemode": "tozero", "tick0": 0, "dtick": max(1, int(step_of(max(each.all for each in bins), 5)))}


def titles_in(made: Trace) -> Sequence[Trace]:
    titles = made["annotations"]
    return [title for title in titles if isinstance(title, dict)] if isinstance(titles, list) else []


def median_label(middle: float, span: Axis, measure: Measure) -> Trace:
    left = span.share(middle) > 0.5
    return {
        "text": f"median {figure(middle, measure)}",
        "showarrow": False,
        "x": middle,
        "yref": "paper",
        "y": 1,
        "xanchor": "right" if left else "left",
        "yanchor": "top",
        "xshift": -5 if left else 5,
        "font": {"color": "--accent"},
    }


def upright(score: float, colour: str, dash: str) -> Trace:
    line: Trace = {"color": colour, "width": 1.5 if dash == "solid" else 1, "dash": dash}
    return {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": score, "x1": score, "line": line}


def how_to_read(bins: Sequence[Bin], middle: float, lines: Sequence[BaselineLine], measure: Measure) -> str:
    width = number(bins[0].high - bins[0].low, 2).removesuffix("0").removesuffix("0").removesuffix(".")
    wide = " ".join(filter(None, [width, measure.unit]))
    parts = [f"Each bar spans {wide}; the line is the median, {figure(middle, measure)}."]
    if any(each.here for each in bins) and any(each.published for each in bins):
        parts.append("Strong colour: scores from stored replies or answers; faint: published scores.")
    return " ".join([*parts, line_words(lines, measure)]).rstrip()


def bins_table(bins: Sequence[Bin]) -> Table:
    columns = (
        Column("from", "From", 1),
        Column("to", "to below", 1),
        Column("from_runs", "From runs", 0),
        Column("published", "Published", 0),
        Column("models", "Models", 0),
    )
    return Table(columns, tuple((each.low, each.high, each.here, each.published, each.all) for each in bins))
