"""The picture of a place in the queue: what is ahead, the run itself, and pills for when it starts and ends.

Pure: seconds in, SVG attribute values out. x is in per cent, so that any width works.
"""

from dataclasses import dataclass

from leaderboard.drawings.shapes import Span
from leaderboard.rounding import counted

LEFT, WIDTH = 1.0, 97.0
MOST_TICKS = 6
LABEL = 40.0  # per cent that the label of one's own run takes on a narrow screen
SHORT_LABEL = 20.0
EDGE = 8.0  # per cent from either end, where the word of a pill would not fit in if it stood in the middle of its dot
PILL, FIRST_PILL, SECOND_PILL, WORD_BELOW = 7.0, 58.0, 88.0, 14.0  # in pixels: a height, two tops, a distance
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400)


@dataclass(frozen=True, slots=True)
class Band:
    """Seconds from now: the 10th, the 50th and the 90th percentile."""

    low: float
    middle: float
    high: float

    def times(self, work: float) -> "Band":
        return Band(self.low * work, self.middle * work, self.high * work)


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    label: str


@dataclass(frozen=True, slots=True)
class Pill:
    """The likely span and, as a dot, its middle, both at the height `top`. `word` stands below the dot, at `word_y`:
    each pill has lines of its own, so that nothing can overlap."""

    span: Span
    top: float
    dot: str
    word: str
    word_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class QueueDrawing:
    """`ahead_label` is "" where there is no room for it. `label_x` and `anchor` place the label of one's own run."""

    words: str
    ticks: tuple[Tick, ...]
    ahead: Span
    ahead_label: str
    mine: Span
    label: str
    label_x: str
    anchor: str
    pills: tuple[Pill, ...]


def queue_drawing(ahead: int, start: Band | None, end: Band | None) -> QueueDrawing | None:
    """None where nothing is ahead or too little was measured.

    Args:
        ahead: Runs before this one.
        start: When it starts.
        end: When it ends.
    """
    if start is None or end is None or not ahead:
        return None
    axis = _Axis(max(end.high, 1.0))
    begins, ends = axis.at(start.middle), axis.at(end.middle)
    runs = counted(ahead, "run")
    takes = f"about {about(end.middle - start.middle)}"
    at_right = begins + LABEL > LEFT + WIDTH
    return QueueDrawing(
        words=f"{runs} ahead for about {about(start.middle)}; yours then takes {takes}",
        ticks=axis.ticks(),
        ahead=axis.span(0.0, start.middle),
        ahead_label=f"{runs} ahead" if begins - LEFT >= SHORT_LABEL else "",
        mine=axis.span(start.middle, end.middle),
        label=f"your run, {takes}",
        label_x=_percent(ends if at_right else begins),
        anchor="end" if at_right else "start",
        pills=(axis.pill(start, "start", FIRST_PILL), axis.pill(end, "end", SECOND_PILL)),
    )


def about(seconds: float) -> str:
    """One figure and its unit: "40 s", "8 min", "3 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


class _Axis:
    """From now to the last second that is drawn."""

    def __init__(self, last: float) -> None:
        self.last = last

    def at(self, seconds: float) -> float:
        return LEFT + WIDTH * seconds / self.last

    def span(self, low: float, high: float) -> Span:
        return Span(_percent(self.at(low)), _percent(max(0.5, self.at(high) - self.at(low))))

    def ticks(self) -> tuple[Tick, ...]:
        step = next((step for step in STEPS if self.last / step <= MOST_TICKS), round(self.last / MOST_TICKS) + 1)
        return tuple(
            Tick(_percent(self.at(second)), _tick_label(second)) for second in range(0, int(self.last) + 1, step)
        )

    def pill(self, band: Band, word: str, top: float) -> Pill:
        dot = self.at(band.middle)
        anchor = "start" if dot < LEFT + EDGE else "end" if dot > LEFT + WIDTH - EDGE else "middle"
        span = self.span(band.low, band.high)
        return Pill(span, top, _percent(dot), word, top + PILL + WORD_BELOW, anchor)


def _tick_label(second: int) -> str:
    if second == 0:
        return "now"
    if second % 3600 == 0:
        return f"{second // 3600} h"
    return f"{second // 60} min" if second % 60 == 0 else f"{second} s"


def _percent(value: float) -> str:
    return f"{value:.2f}%"
