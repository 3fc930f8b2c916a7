"""The small drawings of the pages as SVG attribute values: rank ribbon, score bar, tracks of an item, strip of a run.

Pure: numbers in, strings out. x is in per cent, so that any width works; y is in the units of the drawing. Nothing is
written by a template but these strings, since a decimal comma of some locale would break a drawing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from leaderboard.rounding import points

ZERO_AT = 9.0  # per cent of the score axis that lie below zero; lower scores are held at the edge
STRIP_BASE, STRIP_TOP = 66.0, 6.0
OVERVIEW_HEIGHT = 180.0


@dataclass(frozen=True, slots=True)
class Span:
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """Bar from zero to the score, pill for the interval, dotted line of the baseline; all on the axis 0 to 100."""

    fill: Span
    dot: str
    interval: Span | None
    constant: str


@dataclass(frozen=True, slots=True)
class Ribbon:
    """Pill over the ranks left open and dot at the rank by score, on the axis 1 to n; block: the tie group."""

    span: Span
    dot: str
    block: Span | None


@dataclass(frozen=True, slots=True)
class Track:
    """One label of an item: ring at the reference, dot at the answer; "" where there is none."""

    x: str
    ring: str
    dot: str


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


@dataclass(frozen=True, slots=True)
class Overview:
    """All scores of a ranking from best to worst in two paths, for a box of 100 by `height`."""

    height: int
    intervals: str
    dots: str
    lines: tuple[tuple[str, int], ...]


def percent(value: float) -> str:
    return f"{value:.2f}%"


def between(low: float, high: float) -> Span:
    return Span(percent(low), percent(max(0.0, high - low)))


def score_x(score: float) -> float:
    """Where a score lies on the axis, 0 to 100 per cent of the width."""
    return min(100.0, max(0.0, ZERO_AT + score * (100.0 - ZERO_AT) / 100.0))


def score_bar(score: float, low: float | None, high: float | None, constant: float | None) -> ScoreBar:
    at = score_x(score)
    return ScoreBar(
        fill=between(min(at, ZERO_AT), max(at, ZERO_AT)),
        dot=percent(at),
        interval=None if low is None or high is None else between(score_x(low), score_x(high)),
        constant="" if constant is None else percent(score_x(constant)),
    )


def ribbon(rank: int, low: int, high: int, tied_with_leader: int | None, n: int) -> Ribbon:
    """`tied_with_leader` is the last rank that is tied with the first; `n` the number of ranked models, at least 1."""
    return Ribbon(
        span=ranks_span(low, high, n),
        dot=percent(100 * (rank - 0.5) / n),
        block=ranks_span(1, tied_with_leader, n) if tied_with_leader else None,
    )


def ranks_span(low: int, high: int, n: int) -> Span:
    return between(100 * (low - 1) / n, 100 * high / n)


def tracks(reference: Sequence[float], answer: Sequence[float] | None, n: int) -> Tracks:
    """n upright tracks of 0 to 10, 30 apart; values beyond the scale are held at its ends."""
    return Tracks(
        width=24 + 30 * (n - 1),
        tracks=tuple(
            Track(str(12 + 30 * at), track_y(reference[at : at + 1]), track_y((answer or ())[at : at + 1]))
            for at in range(n)
        ),
    )


def track_y(values: Sequence[float]) -> str:
    return f"{25 - 2.2 * held(values[0]):.1f}" if values else ""


def fader(reference: float | None, answer: float | None) -> Fader:
    ring, dot = fader_x(reference), fader_x(answer)
    known = sorted(held(value) for value in (reference, answer) if value is not None)
    both = len(known) == 2
    return Fader(ring, dot, fader_x(known[0]) if both else "", fader_x(known[1]) if both else "")


def fader_x(value: float | None) -> str:
    return "" if value is None else percent(2 + 9.6 * held(value))


def held(value: float) -> float:
    """The value within the scale of 0 to 10; what is not a finite number lies at the bottom."""
    return min(10.0, max(0.0, value)) if isfinite(value) else 0.0


def strip(items: Iterable[tuple[int, str, float | None]], n: int, *, is_open: bool) -> tuple[StripBar, ...]:
    """One bar an item: (number, kind, score) of the answered ones, in order of number; n bars in all.

    Kinds: "cell" with a height by the score, "cell-none" for items not read (full height), and "cell-next" (a low
    mark) for those still to come. Item scores of EQ-Bench end at 10 above and thin out below -5.
    """
    answered = {number: (kind, score) for number, kind, score in items}
    missing = "to come" if is_open else "no answer stored"
    return tuple(
        strip_bar(number, *answered.get(number, ("cell-next", None)), n, missing) for number in range(1, n + 1)
    )


def strip_bar(number: int, kind: str, score: float | None, n: int, missing: str) -> StripBar:
    empty = 2.5 if kind == "cell-next" else STRIP_BASE - STRIP_TOP
    height = empty if score is None else min(60.0, max(3.0, 26.3 + 3.38 * score))
    words = missing if kind == "cell-next" else "not read"
    title = f"item {number}: {words if score is None else points(score)}"
    width = 100 / n
    return StripBar(
        percent((number - 1) * width), percent(0.8 * width), f"{STRIP_BASE - height:.1f}", f"{height:.1f}", kind, title
    )


def overview(scores: Sequence[tuple[float, float | None, float | None]]) -> Overview:
    """Scores with their intervals, best first. The axis goes from 0, or a round number below the worst, to 100."""
    bottom = min(0.0, *(20.0 * (score // 20) for score, _, _ in scores)) if scores else 0.0
    xs = [(at + 0.5) * 100 / len(scores) for at in range(len(scores))]

    def y(value: float) -> float:
        return OVERVIEW_HEIGHT * (100.0 - min(100.0, max(bottom, value))) / (100.0 - bottom)

    intervals = [
        f"M{x:.2f} {y(low):.1f}V{y(high):.1f}"
        for x, (_, low, high) in zip(xs, scores, strict=True)
        if low is not None and high is not None
    ]
    dots = [f"M{x:.2f} {y(score):.1f}h0" for x, (score, _, _) in zip(xs, scores, strict=True)]
    lines = tuple((f"{y(value):.1f}", value) for value in (0, 50, 100))
    return Overview(int(OVERVIEW_HEIGHT), "".join(intervals), "".join(dots), lines)
