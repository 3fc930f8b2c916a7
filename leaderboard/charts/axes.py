"""Axes that one wild value cannot burst, and the layout that all charts share. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import floor, inf, isfinite, log10

import numpy as np

from evaluation.benchmarks.base import JsonValue, Measure
from evaluation.statistics.arrays import Bools, Floats, as_floats
from leaderboard.charts.base import ChartRow, Trace

FENCE = 3.0  # quartile spreads beyond the quartiles: what lies further out is held at the edge of the picture
ROOM = 0.07  # of the span, free at either end: enough for a label above the highest dot
ROOM_BELOW = 0.1  # of a scale, below it: as on the score bars of the table, lower scores are held at the edge
STEPS = (1.0, 2.0, 5.0, 10.0)
NOTHING = "rgba(0,0,0,0)"
TICKS: Trace = {"ticks": "outside", "ticklen": 4, "tickcolor": "--edge"}
FIRST_DAY = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Axis:
    """The span that a picture shows; low is below high. A `turned` one has its low end above, or at the right."""

    low: float
    high: float
    turned: bool = False

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def held(self, value: float) -> float:
        return min(self.high, max(self.low, value))

    def share(self, value: float) -> float:
        """Where the value lies, 0 at the lower end of the picture and 1 at the upper one."""
        share = (self.held(value) - self.low) / (self.high - self.low)
        return 1 - share if self.turned else share


PERCENT = Axis(0.0, 100.0)


def axis_of(values: Iterable[float], *, scale: Axis | None = None, lowest: float = -inf) -> Axis:
    """The span of the values without those far beyond the quartiles, with a little room at both ends.

    Args:
        values: In the unit of the picture; what is not finite is left out.
        scale: The span of the measure itself, where it has one: a value on it is never far beyond.
        lowest: Nothing below this is shown, however many values lie there.

    Returns:
        An axis that is never empty: one value gets a unit of room to either side, none gives 0 to 1.
    """
    known = as_floats([value for value in values if isfinite(value)])
    if not known.size:
        return Axis(0.0, 1.0)
    kept = known[within_fences(known) | on_scale(known, scale)]
    low, high = max(lowest, float(kept.min())), max(lowest, float(kept.max()))
    room = ROOM * (high - low) or 1.0
    return Axis(low - room, high + room)


def within_fences(values: Floats) -> Bools:
    """Which values lie within three quartile spreads of the quartiles; all where fewer than four tell no spread."""
    first, third = np.percentile(values, [25, 75])
    reach = FENCE * (third - first)
    if values.size < 4 or not reach:
        return np.ones(values.shape, dtype=np.bool_)
    return np.asarray((values >= first - reach) & (values <= third + reach))


def on_scale(values: Floats, scale: Axis | None) -> Bools:
    if scale is None:
        return np.zeros(values.shape, dtype=np.bool_)
    return np.asarray((values >= scale.low) & (values <= scale.high))


def score_axis(rows: Sequence[ChartRow], measure: Measure) -> Axis:
    """The axis of scores: of the scores themselves, not of their intervals, so that wide ones do not press the rest.
    Better scores stand higher."""
    span = axis_of((row.score for row in rows), scale=scale_of(measure), lowest=lowest_of(measure))
    return better_above(span, measure)


def better_above(span: Axis, measure: Measure) -> Axis:
    return replace(span, turned=measure.better == "lower")


def scale_of(measure: Measure) -> Axis | None:
    """The span of the measure itself; None where it has an open end."""
    return None if measure.low is None or measure.high is None else Axis(measure.low, measure.high)


def lowest_of(measure: Measure) -> float:
    """Nothing below this is shown."""
    scale = scale_of(measure)
    return -inf if scale is None else scale.low - ROOM_BELOW * (scale.high - scale.low)


def beyond(axes: Sequence[tuple[Axis, Sequence[float]]]) -> int:
    """How many points lie beyond an axis; each entry is an axis and the values of all points along it."""
    outside = [[not axis.holds(value) for value in values] for axis, values in axes]
    return sum(any(flags) for flags in zip(*outside, strict=True))


def step_of(span: float, parts: int) -> float:
    """A round width (1, 2 or 5 times a power of ten) that cuts the span, above 0, into about so many parts."""
    rough = span / parts
    power: float = 10.0 ** floor(log10(rough))
    return next(step * power for step in STEPS if step * power >= rough)


def day_number(day: date) -> float:
    return float((day - FIRST_DAY).days)


def iso_day(number: float) -> str:
    return (FIRST_DAY + timedelta(days=round(number))).isoformat()


def layout(x_title: str, y_title: str, *, x: Trace, y: Trace, **more: JsonValue) -> Trace:
    """The layout of every chart: no frame, hairlines across only, the titles of the axes above left and below right."""
    across: Trace = {"gridcolor": "--line", "zeroline": False, "fixedrange": True, **y}
    along: Trace = {"showgrid": False, "zeroline": False, "fixedrange": True, **TICKS, **x}
    return {
        "margin": {"l": 40, "r": 12, "t": 28, "b": 40},
        "paper_bgcolor": NOTHING,
        "plot_bgcolor": NOTHING,
        "font": {"size": 12, "color": "--ink-3"},
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": "--paper", "bordercolor": "--edge", "font": {"color": "--ink", "size": 12}},
        "xaxis": along,
        "yaxis": across,
        "annotations": [axis_title(y_title, at_top=True), axis_title(x_title, at_top=False)],
        **more,
    }


def axis_title(text: str, *, at_top: bool) -> Trace:
    """Above the left end of the y axis, or below the right end of the x axis."""
    return {
        "text": text,
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0 if at_top else 1,
        "y": 1 if at_top else 0,
        "xanchor": "left" if at_top else "right",
        "yanchor": "bottom" if at_top else "top",
        "xshift": -40 if at_top else 0,
        "yshift": 8 if at_top else -22,
    }


def linear(axis: Axis) -> Trace:
    return {"range": [axis.high, axis.low] if axis.turned else [axis.low, axis.high]}
