"""The picture that opens a ranking: for each model the ranks left open, best at the left. Pure.

Drawn on a square of n by n ranks that the page stretches, so that all of it fits in three paths.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.rounding import count

HEIGHT = 192.0
MOST_LINES = 240  # more do not stand apart in the width of the figure
TICKS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000)
LABEL_HEIGHT = 36.0  # px above its range that a label needs inside the figure
LABEL_ROOM = 32.0  # per cent of the width that a label needs on the side where it stands, on a narrow screen too


@dataclass(frozen=True, slots=True)
class Label:
    """A word at the widest range. `x` in per cent, `y` and `top` in px; `anchor`: which end of the text stands at x."""

    text: str
    x: str
    y: str
    top: str
    anchor: str


@dataclass(frozen=True, slots=True)
class RankFigure:
    """Paths for a box of `n` by `n`; `ticks` hold y in px and the rank; of every `step` models one is drawn."""

    n: int
    step: int
    block: str
    lines: str
    dots: str
    ticks: tuple[tuple[str, str], ...]
    label: Label | None
    widest: int


class Held(NamedTuple):
    """The rank of a model and the ranks left open for it."""

    rank: int
    low: int
    high: int

    @property
    def width(self) -> int:
        return self.high - self.low + 1


def rank_figure(held: Sequence[Held], tied_with_leader: int | None) -> RankFigure:
    """The figure of at least one model, best first. `tied_with_leader` is the last rank that is tied with the first."""
    n = len(held)
    step = -(-n // MOST_LINES)
    drawn = list(enumerate(held))[::step]
    widest = max(range(n), key=lambda at: (held[at].width, -at))
    return RankFigure(
        n=n,
        step=step,
        block=f"M0 0H{n}V{tied_with_leader}H0z" if tied_with_leader else "",
        lines="".join(f"M{at}.5 {each.low - 1}V{each.high}" for at, each in drawn),
        dots="".join(f"M{at}.5 {each.rank - 1}.5h0" for at, each in drawn),
        ticks=ticks(n),
        label=label(held[widest], 100 * (widest + 0.5) / n, n),
        widest=held[widest].width,
    )


def ticks(n: int) -> tuple[tuple[str, str], ...]:
    """About four round ranks between the first and the last, and these two; none close above the last."""
    step = next((tick for tick in TICKS if n / tick <= 5), TICKS[-1])
    between = [rank for rank in range(step, n, step) if rank > 1 and n - rank > 0.5 * step]
    return tuple((f"{y_of(rank, n):.1f}", count(rank)) for rank in dict.fromkeys((1, *between, n)))


def y_of(rank: int, n: int) -> float:
    return HEIGHT * (rank - 0.5) / n


def label(widest: Held, x: float, n: int) -> Label | None:
    """What the widest range says; None where all models have one rank, or no room is left above the range."""
    top = HEIGHT * (widest.low - 1) / n
    if widest.width < 2 or top < LABEL_HEIGHT:
        return None
    anchor = "start" if x < LABEL_ROOM else "end" if x > 100 - LABEL_ROOM else "middle"
    text = f"rank {count(widest.rank)} could be any from {count(widest.low)} to {count(widest.high)}"
    return Label(text, f"{x:.2f}%", f"{top - 20:.1f}", f"{top - 3:.1f}", anchor)
