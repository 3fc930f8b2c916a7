"""The drawings of a study's page as SVG attribute values: stacked shares, and dots with intervals.

Pure: numbers in, strings out. x is in per cent of the width; y is in the units of the drawing.
"""

from dataclasses import dataclass

from evaluation.statistics.normal import Interval
from leaderboard.rounding import percent

AXIS_START, AXIS_WIDTH = 1.0, 98.0  # per cent of the width that the axis of the emotions takes
LEAST_LABELLED = 0.055
"""A part of a bar below this share has no room for its number."""
ROOMY = 0.09
"""From this share on there is room on a narrow screen as well."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a stacked bar. `kind` is good, okay, bad or open (Okay or Bad, not known which)."""

    kind: str
    x: str
    width: str
    label: str
    label_x: str
    is_roomy: bool


@dataclass(frozen=True, slots=True)
class Bar:
    parts: tuple[Part, ...]
    interval_x: str
    interval_width: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot with its interval on the axis of shares, 0 to 1."""

    x: str
    low: str
    high: str


def share_bar(good: int, n: int, okay: int | None, bad: int | None, interval: Interval) -> Bar:
    """Good from the left edge, then Okay and Bad; one part for both where they are not known."""
    rest = [("open", n - good)] if okay is None or bad is None else [("okay", okay), ("bad", bad)]
    parts, start = [], 0.0
    for kind, number in [("good", good), *rest]:
        share = number / n
        if number:
            parts.append(_part(kind, start, share))
        start += share
    return Bar(tuple(parts), _per_cent(interval.low), _per_cent(interval.high - interval.low))


def _part(kind: str, start: float, share: float) -> Part:
    return Part(
        kind=kind,
        x=_per_cent(start),
        width=_per_cent(share),
        label=percent(share) if share >= LEAST_LABELLED else "",
        label_x=_per_cent(start + share / 2),
        is_roomy=share >= ROOMY,
    )


def mark(share: float, interval: Interval) -> Mark:
    return Mark(axis(share), axis(interval.low), axis(interval.high))


def axis(share: float) -> str:
    """Where a share stands on the axis of the emotions."""
    return _per_cent((AXIS_START + AXIS_WIDTH * share) / 100)


def _per_cent(share: float) -> str:
    return f"{100 * share:.2f}%"
