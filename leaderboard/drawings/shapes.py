"""The small drawings of the pages as SVG attribute values: rank ribbon, score bar, tracks of an item, strip of a run.

Pure: numbers in, strings out, and no text of others in them. x is in per cent, so that any width works; y is in the
units of the drawing. Nothing is written by a template but these strings, since a decimal comma of some locale would
break a drawing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite

from evaluation.benchmarks.base import Measure
from leaderboard.rounding import figure

ROOM_BELOW = 9.0  # per cent of a score bar's width below the low end of its axis; lower values are drawn at the edge
STRIP_BASE, STRIP_TOP = 66.0, 6.0
STRIP_LOWEST, STRIP_LOW, STRIP_HIGH = 3.0, 9.4, 60.1  # heights of a strip's bars: at least, and at the axis' ends


@dataclass(frozen=True, slots=True)
class Axis:
    """The values that a drawing goes from and to; a bar begins at `zero`."""

    low: float
    high: float
    zero: float = 0.0

    @classmethod
    def of(cls, measure: Measure, values: Iterable[float] = ()) -> "Axis":
        """The axis of a measure. An end that it leaves open is that of the values, which are then needed."""
        open_ended = measure.low is None or measure.high is None
        known = [value for value in values if isfinite(value)] if open_ended else []
        low = measure.low if measure.low is not None else min(known, default=0.0)
        high = measure.high if measure.high is not None else max(known, default=low + 1.0)
        high = high if high > low else low + 1.0
        return cls(low, high, min(high, max(low, 0.0)))

    def share(self, value: float) -> float:
        """Where a value lies between the ends: 0 at the low one, 1 at the high one, and beyond them where it does."""
        return (value - self.low) / (self.high - self.low)

    def held(self, value: float) -> float:
        """The same, held at the ends; what is not a finite number lies at the low one."""
        return min(1.0, max(0.0, self.share(value))) if isfinite(value) else 0.0

    @property
    def marks(self) -> tuple[float, ...]:
        """The ends and the middle, which the drawings name; in place of the middle the zero, where it lies inside."""
        inside = self.low < self.zero < self.high
        return self.low, self.zero if inside else (self.low + self.high) / 2, self.high


@dataclass(frozen=True, slots=True)
class Span:
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """Bar from zero to the score, pill for the interval, dotted line of the baseline, all on one axis; `zero` is where
    its zero lies. On a part of the axis that has no zero there is no bar, and the band of the leader's interval in its
    place; `is_below`: the score lies before its low end."""

    zero: str
    fill: Span | None
    dot: str
    interval: Span | None
    constant: str
    lead: Span | None = None
    is_below: bool = False

    @property
    def markup(self) -> str:
        """The shapes of the drawing: a template would take ten times as long, for each of 2,000 rows."""
        drawn = []
        if self.lead:
            drawn.append(f'<rect class="b-lead" x="{self.lead.x}" width="{self.lead.width}" height="100%"/>')
        if self.fill:
            drawn.append(f'<line class="b-zero" x1="{self.zero}" x2="{self.zero}" y1="0" y2="100%"/>')
            drawn.append(f'<rect class="b-fill" x="{self.fill.x}" width="{self.fill.width}" y="50%" height="5"/>')
        if self.constant:
            drawn.append(f'<line class="b-constant" x1="{self.constant}" x2="{self.constant}" y1="0" y2="100%"/>')
        if self.is_below:
            return "".join([*drawn, '<text class="b-below" x="0" y="50%" dy="4">◂</text>'])
        if self.interval:
            drawn.append(pill_markup(self.interval))
        return "".join([*drawn, dot_markup(self.dot)])


@dataclass(frozen=True, slots=True)
class Ribbon:
    """Pill over the ranks left open and dot at the rank by score, on the axis 1 to n; block: the tie group."""

    span: Span
    dot: str
    block: Span | None

    @property
    def markup(self) -> str:
        """The shapes of the drawing, as those of a score bar."""
        block = (
            f'<rect class="r-block" x="{self.block.x}" width="{self.block.width}" height="100%"/>' if self.block else ""
        )
        return f"{block}{pill_markup(self.span)}{dot_markup(self.dot)}"


@dataclass(frozen=True, slots=True)
class Track:
    """One label of an item: ring at the reference, dot at the answer; "" where there is none."""

    x: str
    ring: str
    dot: str


MOST_WIDE_TRACKS = 4
"""More tracks, such as the 20 words of a questionnaire, move together: drawn smaller nothing could be seen."""


@dataclass(frozen=True, slots=True)
class Tracks:
    width: int
    tracks: tuple[Track, ...]


@dataclass(frozen=True, slots=True)
class Fader:
    """One label of an item laid flat: ring at the reference, dot at the answer, a bar over the gap."""

    ring: str
    dot: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class StripBar:
    x: str
    width: str
    y: str
    height: str
    kind: str
    title: str


def pill_markup(span: Span) -> str:
    return f'<rect class="r-span" x="{span.x}" width="{span.width}" y="50%" height="7" rx="3.5"/>'


def dot_markup(x: str) -> str:
    return f'<circle class="r-dot" cx="{x}" cy="50%" r="2.3"/>'


def percent(value: float) -> str:
    return f"{value:.2f}%"


def between(low: float, high: float) -> Span:
    return Span(percent(low), percent(max(0.0, high - low)))


def score_x(score: float, axis: Axis) -> float:
    """Where a score lies on the axis, 0 to 100 per cent of the width."""
    return min(100.0, max(0.0, ROOM_BELOW + axis.share(score) * (100.0 - ROOM_BELOW)))


def score_marks(axis: Axis) -> tuple[tuple[str, str], ...]:
    """The places of the axis that its head names, with their values."""
    return tuple((f"{score_x(value, axis):g}%", f"{value:g}") for value in axis.marks)


def score_bar(
    score: float,
    low: float | None,
    high: float | None,
    constant: float | None,
    axis: Axis,
    lead: tuple[float, float] | None = None,
) -> ScoreBar:
    """The drawing of one score. With `lead`, the ends of the leader's interval, the axis is a part without its zero."""
    at, zero = score_x(score, axis), score_x(axis.zero, axis)
    return ScoreBar(
        zero=f"{zero:g}%",
        fill=None if lead else between(min(at, zero), max(at, zero)),
        dot=percent(at),
        interval=None if low is None or high is None else between(score_x(low, axis), score_x(high, axis)),
        constant="" if constant is None or (lead and constant < axis.low) else percent(score_x(constant, axis)),
        lead=between(score_x(lead[0], axis), score_x(lead[1], axis)) if lead else None,
        is_below=bool(lead) and score < axis.low,
    )


def zoomed(axis: Axis, scores: Sequence[float], best: float) -> Axis:
    """The part of the axis, in whole tenths, from the score that two thirds of the models reach to `best`, which lies
    below it where lower is better.

    `scores` are the ranked ones, best first, at least one.
    """
    tenth, far = (axis.high - axis.low) / 10, scores[2 * (len(scores) - 1) // 3]
    low = axis.low + tenth * floor((min(far, best) - axis.low) / tenth)
    high = min(axis.high, axis.low + tenth * ceil((max(far, best) - axis.low) / tenth))
    return Axis(low, high, low) if low < high else axis


def ribbon(rank: int, low: int, high: int, tied_with_leader: int | None, n: int) -> Ribbon:
    """`tied_with_leader` is the last rank that is tied with the first; `n` the number of ranked models, at least 1."""
    return Ribbon(
        span=ranks_span(low, high, n),
        dot=percent(100 * (rank - 0.5) / n),
        block=ranks_span(1, tied_with_leader, n) if tied_with_leader else None,
    )


def ranks_span(low: int, high: int, n: int) -> Span:
    return between(100 * (low - 1) / n, 100 * high / n)


def tracks(reference: Sequence[float], answer: Sequence[float] | None, n: int, axis: Axis) -> Tracks:
    """n upright tracks, closer together where they are many; values beyond the axis are held at its ends."""
    apart = 30 if n <= MOST_WIDE_TRACKS else 6
    return Tracks(
        width=24 + apart * (n - 1),
        tracks=tuple(
            Track(
                str(12 + apart * at), track_y(reference[at : at + 1], axis), track_y((answer or ())[at : at + 1], axis)
            )
            for at in range(n)
        ),
    )


def track_y(values: Sequence[float | None], axis: Axis) -> str:
    """Of the first of them; "" where there is none, as in an answer of which a part was read."""
    return f"{25 - 22 * axis.held(values[0]):.1f}" if values and values[0] is not None else ""


def fader(reference: float | None, answer: float | None, axis: Axis) -> Fader:
    ring, dot = fader_x(reference, axis), fader_x(answer, axis)
    known = sorted((value for value in (reference, answer) if value is not None), key=axis.held)
    both = len(known) == 2
    return Fader(ring, dot, fader_x(known[0], axis) if both else "", fader_x(known[1], axis) if both else "")


def fader_x(value: float | None, axis: Axis) -> str:
    return "" if value is None else percent(2 + 96 * axis.held(value))


def strip(
    items: Iterable[tuple[int, str, float | None]], n: int, measure: Measure, *, is_open: bool
) -> tuple[StripBar, ...]:
    """One bar an item: (number, kind, score) of the answered ones, in order of number; n bars in all. `measure` is that
    of the scores.

    Kinds: "cell" with a height by the score, "cell-none" for items not read (full height), and "cell-next" (a low
    mark) for those still to come.
    """
    answered = {number: (kind, score) for number, kind, score in items}
    missing = "to come" if is_open else "no answer stored"
    axis = Axis.of(measure, (score for _, score in answered.values() if score is not None))
    return tuple(
        strip_bar(number, answered.get(number, ("cell-next", None)), n, missing, measure, axis)
        for number in range(1, n + 1)
    )


def strip_bar(
    number: int, answered: tuple[str, float | None], n: int, missing: str, measure: Measure, axis: Axis
) -> StripBar:
    (kind, score), full = answered, STRIP_BASE - STRIP_TOP
    empty = 2.5 if kind == "cell-next" else full
    height = empty if score is None else strip_height(score, axis)
    words = missing if kind == "cell-next" else "not read"
    title = f"item {number}: {words if score is None else figure(score, measure)}"
    width = 100 / n
    return StripBar(
        percent((number - 1) * width), percent(0.8 * width), f"{STRIP_BASE - height:.1f}", f"{height:.1f}", kind, title
    )


def strip_height(score: float, axis: Axis) -> float:
    """Scores below the axis thin out, and keep a bar that can be seen."""
    full = STRIP_BASE - STRIP_TOP
    return min(full, max(STRIP_LOWEST, STRIP_LOW + (STRIP_HIGH - STRIP_LOW) * axis.share(score)))
