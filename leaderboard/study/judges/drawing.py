"""Positions on the drawings of judges, in per cent of the width. Pure: numbers in, strings out."""

from dataclasses import dataclass

from evaluation.statistics.judges import Lean

START, WIDTH = 1.0, 98.0  # per cent of the width that an axis takes
WIDEST = 0.2
"""The axis of a lean ends at 20 points on both sides, or where the largest one needs it."""


@dataclass(frozen=True, slots=True)
class LeanMark:
    """Where a lean stands between its ends; the span is empty without an interval. `ticks` are (x, words)."""

    zero: str
    x: str
    span_x: str
    span_width: str
    ticks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ShareMark:
    """A judge's share and people's on one axis from 0 to 1; "" for one that is not known."""

    judge: str
    people: str


def reach(leans: list[Lean]) -> float:
    """Where the axis ends on both sides, in shares: a multiple of 10 points."""
    ends = [abs(end) for lean in leans for end in _ends(lean)]
    return max(WIDEST, -(-max(ends, default=0.0) // 0.1) * 0.1)


def lean_mark(lean: Lean, most: float) -> LeanMark:
    low, high = _ends(lean)
    spanned = lean.interval is not None
    return LeanMark(
        zero=_at(0, most),
        x=_at(lean.lean, most),
        span_x=_at(low, most) if spanned else "",
        span_width=f"{WIDTH * (high - low) / (2 * most):.2f}%" if spanned else "",
        ticks=tuple((_at(value, most), _signed(100 * value)) for value in (-most, -most / 2, 0.0, most / 2, most)),
    )


def share_mark(judge: float | None, people: float | None) -> ShareMark:
    return ShareMark(*("" if value is None else f"{START + WIDTH * value:.2f}%" for value in (judge, people)))


def _ends(lean: Lean) -> tuple[float, float]:
    return (lean.interval.low, lean.interval.high) if lean.interval else (lean.lean, lean.lean)


def _at(value: float, most: float) -> str:
    return f"{START + WIDTH * (value + most) / (2 * most):.2f}%"


def _signed(points: float) -> str:
    sign = "+" if points > 0 else "−" if points < 0 else ""
    return f"{sign}{abs(points):.0f}"
