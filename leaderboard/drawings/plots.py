"""Drawings with two axes as SVG attribute values: scatter of items, differences on a shared axis, bars of answers.

Pure: numbers in, strings out, as in `shapes`: x in per cent, so that any width works, y in px. A value beyond an axis
is held at its end, so that no outlier squeezes the rest.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from leaderboard.drawings.shapes import Span, between, percent
from leaderboard.rounding import MINUS

SCATTER_HEIGHT = 380
LETTER_WIDTH, LABEL_AWAY = 1.8, 3.0  # per cent of the narrowest drawing, on a phone: a letter, and a label from its dot
NEAR_END = 12.0  # per cent of the width: half of a label on a phone
LABEL_GAP = 15.0  # px that two labels keep apart


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis. `inner` ones lie between the first and the last: where the drawing is narrow, they have no
    words. `anchor` keeps the words of a mark near an end inside the drawing."""

    at: str
    text_at: str
    text: str
    is_zero: bool
    inner: bool = False
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from the value `low` at `start` to `high` at `end`, in per cent of the width or in px of the height."""

    low: float
    high: float
    start: float
    end: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def place(self, value: float) -> float:
        held = min(self.high, max(self.low, value))
        return self.start + (held - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def marks(self) -> list[float]:
        """Round values on the axis, about five of them."""
        step = round_step((self.high - self.low) / 5)
        return [step * at for at in range(ceil(self.low / step), floor(self.high / step) + 1)]


@dataclass(frozen=True, slots=True)
class Point:
    """A mark of a kind ("a" to "d" for models, "plain", "stress") with what it says on hovering."""

    kind: str
    x: str
    y: str
    title: str


@dataclass(frozen=True, slots=True)
class Label:
    x: str
    y: str
    dx: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """`n_held` counts the points that lie beyond an axis and are drawn at its end. `line`: x1, y1, x2, y2, or none."""

    height: int
    bottom: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    points: tuple[Point, ...]
    labels: tuple[Label, ...]
    line: tuple[str, ...]
    n_held: int


@dataclass(frozen=True, slots=True)
class Spot:
    """A point to draw, in values. A spot with a label asks for words beside it; the last of the spots come first."""

    x: float
    y: float
    kind: str
    title: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class IntervalPlot:
    """A value with what is left open: pill for the interval, dot for the value, on an axis that several share."""

    pill: Span | None
    dot: str


@dataclass(frozen=True, slots=True)
class AnswerBar:
    """How often a value was answered: `value` is "0" to "10" or what lies above."""

    x: str
    width: str
    y: str
    height: str
    middle: str
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class AnswerPlot:
    bars: tuple[AnswerBar, ...]
    ring: str


def px(value: float) -> str:
    return f"{value:.1f}"


def round_step(rough: float) -> float:
    """The next larger of 1, 2, 5 times a power of ten."""
    power = 10.0 ** floor(log10(rough))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough * (1 - 1e-9))


def signed(value: float) -> str:
    """ "+5", "−5", "0": ticks of an axis of differences."""
    text = f"{abs(value):g}"
    return text if text == "0" else ("+" if value > 0 else MINUS) + text


def scatter(spots: Sequence[Spot], x: Scale, y: Scale, *, diagonal: bool = False) -> Scatter:
    """The points on their axes; later ones lie above earlier ones. The y axis starts at the bottom."""
    ends = max(x.low, y.low), min(x.high, y.high)
    return Scatter(
        height=SCATTER_HEIGHT,
        bottom=px(y.start),
        x_ticks=tuple(Tick(percent(x.place(v)), percent(x.place(v)), tick_text(v), v == 0) for v in x.marks),
        y_ticks=tuple(Tick(px(y.place(v)), px(y.place(v) - 4), tick_text(v), v == 0) for v in y.marks),
        points=tuple(Point(spot.kind, percent(x.place(spot.x)), px(y.place(spot.y)), spot.title) for spot in spots),
        labels=tuple(labels(reversed(spots), x, y)),
        line=tuple(text for end in ends for text in (percent(x.place(end)), px(y.place(end)))) if diagonal else (),
        n_held=sum(not (x.holds(spot.x) and y.holds(spot.y)) for spot in spots),
    )


def tick_text(value: float) -> str:
    """As many decimals as the value needs: 20, 0.5, 0.005."""
    return f"{MINUS if value < 0 else ''}{abs(value):.6g}"


def labels(spots: Iterable[Spot], x: Scale, y: Scale) -> Iterable[Label]:
    """Words beside the spots that ask for them, on the side where they fit on a phone too, without those that would
    lie on earlier ones.
    """
    taken: list[tuple[float, float, float]] = []
    for spot in spots:
        left, top, width = x.place(spot.x), y.place(spot.y), LABEL_AWAY + LETTER_WIDTH * len(spot.label)
        sides = (("start", 9, left, left + width), ("end", -9, left - width, left))
        inside = [side for side in sides if side[2] >= 0 and side[3] <= 100] or [sides[left > 50]]
        free = (side for side in inside if is_free(*side[2:], top, taken))
        if spot.label and (found := next(free, None)):
            anchor, dx, start, end = found
            taken.append((start, end, top))
            yield Label(percent(left), px(top + 4), dx, anchor, spot.label)


def is_free(start: float, end: float, top: float, taken: Iterable[tuple[float, float, float]]) -> bool:
    return all(start >= b or end <= a or abs(top - height) > LABEL_GAP for a, b, height in taken)


def difference_scale(ends: Sequence[float]) -> Scale:
    """The axis that all differences of a page share: it holds zero and all their ends, with some room."""
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = 0.06 * (high - low) or 1.0
    return Scale(low - room, high + room, 2.0, 98.0)


def score_scale(ends: Sequence[float]) -> Scale:
    """The axis for scores with their intervals; not anchored at zero, since only their distances are looked at."""
    low, high = min(ends, default=0.0), max(ends, default=100.0)
    room = 0.06 * (high - low) or 1.0
    return Scale(low - room, high + room, 2.0, 98.0)


def interval_plot(value: float, low: float | None, high: float | None, scale: Scale) -> IntervalPlot:
    pill = None if low is None or high is None else between(scale.place(low), scale.place(high))
    return IntervalPlot(pill, percent(scale.place(value)))


def ticks(scale: Scale, text: Callable[[float], str]) -> tuple[Tick, ...]:
    """The marks of an axis across. The axis of differences says its signs, that of scores does not."""
    marks = scale.marks
    return tuple(
        Tick(percent(scale.place(v)), "", text(v), v == 0, 0 < at < len(marks) - 1, anchor_at(scale.place(v)))
        for at, v in enumerate(marks)
    )


def anchor_at(place: float) -> str:
    """How words at this place across, in per cent, are anchored so that none are cut off."""
    return "start" if place < NEAR_END else "end" if place > 100 - NEAR_END else "middle"


BARS = (*map(str, range(11)), "above 10")
BAR_BASE, BAR_TOP = 92.0, 18.0


def answer_plot(answers: Mapping[float, int], reference: float | None) -> AnswerPlot:
    """Bars of answers on the scale of 0 to 10, the nearest whole number each, and one bar for all that lie above.
    `answers` maps an answer to how often it was given."""
    counts = [0] * len(BARS)
    for answer, n in answers.items():
        counts[bar_of(answer)] += n
    most, slot = max(1, *counts), 100 / len(BARS)
    bars = (
        AnswerBar(
            x=percent(slot * (at + 0.1)),
            width=percent(slot * 0.8),
            y=px(BAR_BASE - (BAR_BASE - BAR_TOP) * count / most),
            height=px((BAR_BASE - BAR_TOP) * count / most),
            middle=percent(slot * (at + 0.5)),
            value=BARS[at],
            count=count,
        )
        for at, count in enumerate(counts)
    )
    ring = "" if reference is None else percent(slot * (min(11.0, max(0.0, reference)) + 0.5))
    return AnswerPlot(tuple(bars), ring)


def bar_of(answer: float) -> int:
    """The bar that an answer counts in. 10.4 is above 10 though it rounds to 10: the scale ends there."""
    return len(BARS) - 1 if answer > 10 else max(0, floor(answer + 0.5))
