"""The drawings of the model page as SVG attribute values: place in the field, runs, items, bias.

Pure: numbers in, strings out, as in `shapes`: x in per cent, y in the units of the drawing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from leaderboard.drawings.shapes import Axis, Span, between, percent
from leaderboard.rounding import number

LEFT = 7.0  # per cent at the left of a chart that hold the labels of its y axis
Scale = Callable[[float], float]
Label = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """A model among the ranked ones. `others` and `near` (the ranks left open) are paths in a box of 100 by 28."""

    others: str
    near: str
    dot: str
    pill: Span | None
    lines: tuple[str, ...]
    anchor: str
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class RunDot:
    x: str
    y: str
    top: str
    bottom: str
    counts: bool
    title: str


@dataclass(frozen=True, slots=True)
class History:
    """Runs from the oldest to the newest, evenly spaced; `low` and `height` are the band mean ± SD, "" without one."""

    dots: tuple[RunDot, ...]
    mean: str
    band_y: str
    band_height: str
    y_labels: tuple[Label, ...]
    x_labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class ItemDot:
    """An item at its place; those that are named have a label at `dx` beside them."""

    x: str
    y: str
    name: str = ""
    anchor: str = ""
    dx: str = ""


@dataclass(frozen=True, slots=True)
class Scatter:
    """Items by field median (right) and by this model's score (up); `line` is where both are equal."""

    dots: tuple[ItemDot, ...]
    named: tuple[ItemDot, ...]
    line: tuple[str, str, str, str]
    x_labels: tuple[Label, ...]
    y_labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Pill:
    """A mean error on an axis around zero; `clear` where its interval leaves zero out."""

    dot: str
    span: Span | None
    clear: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """Mean answer (up) for each reference intensity (right), both 0 to 10; a pill is (x, top, bottom, dot)."""

    pills: tuple[tuple[str, str, str, str], ...]
    line: tuple[str, str, str, str]
    x_labels: tuple[Label, ...]
    y_labels: tuple[Label, ...]


HISTORY_HEIGHT, SCATTER_HEIGHT, CALIBRATION_HEIGHT = 132.0, 330.0, 250.0
ROOM = 14.0  # above and below the outermost values
LABEL_WIDTH, LABEL_HEIGHT = 16.0, 14.0  # of "item 171": per cent of a narrow chart, and pixels
MOST_DAYS = 4  # under a chart of runs; of more, the first and the last


def place(
    scores: Sequence[float],
    near: Sequence[float],
    own: float,
    interval: tuple[float, float] | None,
    lines: Sequence[float],
    axis: Axis,
) -> Place:
    """All ranked scores as ticks with one model's score, baselines as lines. `scores` may be empty, `near` are those
    within its ranks.

    The axis reaches down to a round value below the worst score where that is lower.
    """
    step = (axis.high - axis.low) / 5
    low = min([axis.low, *(axis.low + step * floor((score - axis.low) / step) for score in (own, *scores))])
    x = linear(low, axis.high, 0.0, 100.0)
    at = held(x(own))
    return Place(
        others=ticks(map(x, scores)),
        near=ticks(map(x, near)),
        dot=percent(at),
        pill=None if interval is None else between(held(x(interval[0])), held(x(interval[1]))),
        lines=tuple(percent(held(x(line))) for line in lines),
        anchor="start" if at < 25 else "end" if at > 75 else "middle",
        labels=tuple((percent(x(value)), number(value, 0)) for value in stepped(low, axis.high, step)),
    )


def stepped(low: float, high: float, step: float) -> list[float]:
    """The values from low to high, both among them, one a step."""
    return [low + step * at for at in range(round((high - low) / step) + 1)]


def ticks(xs: "Sequence[float] | map[float]") -> str:
    return "".join(f"M{held(at):.2f} 0v28" for at in xs)


def history(runs: Sequence[tuple[str, float, float | None, bool]], band: tuple[float, float] | None) -> History:
    """Runs as (day, score, half of the interval, counts), oldest first, at least one; `band` is mean and SD."""
    ends = [value for _, score, half, _ in runs for value in (score - (half or 0.0), score + (half or 0.0))]
    values = round_values(min(ends), max(ends), 4)
    y = linear(min(values[0], *ends), max(values[-1], *ends), HISTORY_HEIGHT - ROOM, ROOM)
    step = (100.0 - LEFT) / len(runs)
    xs = [LEFT + step * (at + 0.5) for at in range(len(runs))]
    mean, sd = band or (0.0, 0.0)
    shown = {0, len(runs) - 1} if len(runs) > MOST_DAYS else set(range(len(runs)))
    return History(
        dots=tuple(run_dot(run, x, y) for run, x in zip(runs, xs, strict=True)),
        mean=f"{y(mean):.1f}" if band else "",
        band_y=f"{y(mean + sd):.1f}" if band else "",
        band_height=f"{y(mean - sd) - y(mean + sd):.1f}" if band else "",
        y_labels=tuple((f"{y(value):.1f}", number(value, digits(values))) for value in values),
        x_labels=tuple((percent(xs[at]), runs[at][0]) for at in sorted(shown)),
    )


def run_dot(run: tuple[str, float, float | None, bool], x: float, y: Scale) -> RunDot:
    day, score, half, counts = run
    ends = ("", "") if half is None else (f"{y(score + half):.1f}", f"{y(score - half):.1f}")
    title = f"{day}: {number(score, 2)}{'' if counts else ', does not count'}"
    return RunDot(percent(x), f"{y(score):.1f}", *ends, counts, title)


def scatter(items: Sequence[tuple[str, float, float]], named: Sequence[str]) -> Scatter:
    """Items as (id, field median, own score), at least one; those in `named` get their label."""
    ends = [value for _, median, own in items for value in (median, own)]
    values = round_values(min(ends), max(ends), 6)
    low, high = min(values[0], *ends), max(values[-1], *ends)
    x, y = linear(low, high, LEFT, 98.0), linear(low, high, SCATTER_HEIGHT - ROOM, ROOM)
    places = {name: (x(median), y(own)) for name, median, own in items}
    return Scatter(
        dots=tuple(ItemDot(percent(at), f"{height:.1f}") for name, (at, height) in places.items() if name not in named),
        named=labelled({name: places[name] for name in named}),
        line=(percent(LEFT), percent(98.0), f"{SCATTER_HEIGHT - ROOM:.1f}", f"{ROOM:.1f}"),
        x_labels=tuple((percent(x(value)), number(value, digits(values))) for value in values),
        y_labels=tuple((f"{y(value):.1f}", number(value, digits(values))) for value in values),
    )


def labelled(places: Mapping[str, tuple[float, float]]) -> tuple[ItemDot, ...]:
    """Dots with their labels, on the left where there is room, else on the right; without one where each side is taken
    by another label. Their numbers stand in the table too.
    """
    dots: list[ItemDot] = []
    taken: list[tuple[float, float]] = []
    for name, (x, y) in sorted(places.items(), key=lambda place: place[1]):
        sides = (("end", "-8", x - LABEL_WIDTH), ("start", "8", x))
        free = next((side for side in sides if is_free(side[2], y, taken)), None)
        if free:
            taken.append((free[2], y))
        anchor, dx = free[:2] if free else ("start", "8")
        dots.append(ItemDot(percent(x), f"{y:.1f}", f"item {name}" if free else "", anchor, dx))
    return tuple(dots)


def is_free(start: float, y: float, taken: Sequence[tuple[float, float]]) -> bool:
    """Whether a label that starts there lies in the picture and on no other one."""
    inside = LEFT <= start <= 100 - LABEL_WIDTH
    return inside and not any(abs(start - x) < LABEL_WIDTH and abs(y - height) < LABEL_HEIGHT for x, height in taken)


def error_axis(bounds: Sequence[float]) -> float:
    """How far an axis around zero goes for these values: a whole number, at least 1."""
    return float(max(1, *(ceil(abs(bound)) for bound in bounds))) if bounds else 1.0


def pill(mean: float, interval: tuple[float, float] | None, reach: float) -> Pill:
    """A mean error on the axis -reach to reach."""
    x = linear(-reach, reach, 2.0, 98.0)
    span = None if interval is None else between(held(x(interval[0])), held(x(interval[1])))
    return Pill(percent(held(x(mean))), span, interval is not None and not interval[0] <= 0.0 <= interval[1])


def calibration(points: Sequence[tuple[float, float, float | None]], axis: Axis) -> Calibration:
    """Points as (reference, mean answer, half of the interval); answers beyond the axis are held at its ends."""
    x = linear(axis.low, axis.high, LEFT + 3, 96.0)
    y = linear(axis.low, axis.high, CALIBRATION_HEIGHT - ROOM, ROOM)

    def at(value: float) -> str:
        return f"{y(min(axis.high, max(axis.low, value))):.1f}"

    values = stepped(axis.low, axis.high, (axis.high - axis.low) / 5)
    return Calibration(
        pills=tuple(
            (percent(x(reference)), *(("", "") if half is None else (at(mean + half), at(mean - half))), at(mean))
            for reference, mean, half in points
        ),
        line=(percent(x(axis.low)), percent(x(axis.high)), at(axis.low), at(axis.high)),
        x_labels=tuple((percent(x(value)), number(value, 0)) for value in values),
        y_labels=tuple((at(value), number(value, 0)) for value in values),
    )


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """The scale that takes low to start and high to end; a range of one value lies in the middle."""
    if high == low:
        return lambda value: (start + end) / 2
    return lambda value: start + (value - low) * (end - start) / (high - low)


def held(x: float) -> float:
    return min(100.0, max(0.0, x))


def round_values(low: float, high: float, about: int) -> list[float]:
    """About so many round values that enclose low to high; three around the value where both are one."""
    if high == low:
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / about
    size = 10.0 ** floor(log10(raw))
    step = size * next(factor for factor in (1, 2, 5, 10) if factor * size >= raw * 0.999)
    return [round(step * at, 9) for at in range(floor(low / step), ceil(high / step) + 1)]


def digits(values: Sequence[float]) -> int:
    """The decimals that tell these evenly spaced values apart."""
    return max(0, -floor(log10(values[1] - values[0]) + 1e-9))
