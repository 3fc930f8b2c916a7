"""SECEU's drawings as SVG attribute values: people as bars, models as knobs, a track an item. Pure.

x is in per cent and y in px. Each drawing says in words what it shows, for those who do not see it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from evaluation.benchmarks.seceu.scoring import DIFFERENT_BELOW, EXPERT_ABOVE, POOR_BELOW, Histogram, eq
from leaderboard.drawings.shapes import Axis, percent
from leaderboard.rounding import number

EQ_AXIS, R_AXIS = Axis(30.0, 155.0, 100.0), Axis(-0.5, 0.65)
EQ_TICKS, R_TICKS = (40, 60, 80, 100, 120, 140), (-0.4, -0.2, 0.0, 0.2, 0.4, 0.6)
GAP = 0.24  # between two bars, in per cent of the width
TRACKS_TOP, TRACKS_BOTTOM = 18.0, 214.0
TRACKS_LEFT, TRACKS_RIGHT = 5.0, 98.0
NAMED = 3  # items furthest off that are named


@dataclass(frozen=True, slots=True)
class Bar:
    """People in one bin; `below` where all of them did worse than the model."""

    x: str
    width: str
    y: str
    height: str
    below: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the axis with its words; `anchor` keeps them inside the drawing."""

    x: str
    text: str = ""
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class People:
    """People as bars over an axis. `knobs` are models, the leader or the model itself apart; `lines` fixed answers."""

    bars: tuple[Bar, ...]
    ticks: tuple[Mark, ...]
    base: int
    main: Mark | None = None
    knobs: tuple[Mark, ...] = ()
    lines: tuple[Mark, ...] = ()
    bands: tuple[Mark, ...] = ()
    edges: tuple[str, ...] = ()
    pill: tuple[str, str] | None = None
    zone: str = ""


@dataclass(frozen=True, slots=True)
class ItemTrack:
    """One item: ring for people's mean distance, dot for the model's; no dot where it gave no answer."""

    name: str
    x: str
    ring: str
    dot: str
    far: bool
    named: bool


@dataclass(frozen=True, slots=True)
class ItemTracks:
    tracks: tuple[ItemTrack, ...]
    lines: tuple[tuple[str, str], ...]
    furthest: tuple[str, ...] = field(default=())


def place(value: float, axis: Axis) -> float:
    """In per cent of the width, held at the ends of the axis."""
    return 100 * axis.held(value)


def mark(value: float, axis: Axis, text: str) -> Mark:
    at = place(value, axis)
    return Mark(percent(at), text, "start" if at < 12 else "end" if at > 88 else "middle")


def people_by_eq(
    histogram: Histogram,
    *,
    main: tuple[float, str] | None = None,
    interval: tuple[float, float] | None = None,
    models: Sequence[float] = (),
    lines: Sequence[tuple[float, str]] = (),
    highlight: bool = False,
    base: int = 150,
) -> People:
    """People by EQ. `main` is the model that is named, `highlight` marks the people who did worse than it."""
    limit = main[0] if main and highlight else None
    edges = [(eq(high), eq(low), left - right) for (low, left), (high, right) in steps(histogram)]
    return People(
        bars=bars(edges, EQ_AXIS, base, limit),
        ticks=tuple(Mark(percent(place(tick, EQ_AXIS)), str(tick)) for tick in EQ_TICKS),
        base=base,
        main=mark(main[0], EQ_AXIS, main[1]) if main else None,
        knobs=tuple(Mark(percent(place(value, EQ_AXIS))) for value in models),
        lines=tuple(mark(value, EQ_AXIS, text) for value, text in lines),
        bands=tuple(
            Mark(percent(place(at, EQ_AXIS)), text)
            for at, text in (
                ((EQ_AXIS.low + POOR_BELOW) / 2, "poor, below 85"),
                ((POOR_BELOW + EXPERT_ABOVE) / 2, "normal"),
                ((EXPERT_ABOVE + EQ_AXIS.high) / 2, "expert, above 115"),
            )
        ),
        edges=tuple(percent(place(at, EQ_AXIS)) for at in (POOR_BELOW, EXPERT_ABOVE)),
        pill=pill(interval, EQ_AXIS),
    )


def people_by_pattern(histogram: Histogram, r: float, lines: Sequence[tuple[float, str]] = ()) -> People:
    """People by how like all others their own pattern is, with the model's similarity."""
    edges = [(low, high, right - left) for (low, left), (high, right) in steps(histogram)]
    return People(
        bars=bars(edges, R_AXIS, 112, None),
        ticks=tuple(Mark(percent(place(tick, R_AXIS)), number(tick, 1)) for tick in R_TICKS),
        base=112,
        main=mark(r, R_AXIS, f"this model, {number(r, 2)}"),
        lines=tuple(mark(value, R_AXIS, text) for value, text in lines),
        zone=percent(place(DIFFERENT_BELOW, R_AXIS)),
    )


def steps(histogram: Histogram) -> Sequence[tuple[tuple[float, float], tuple[float, float]]]:
    """Each bin as its two edges with the per cents at them."""
    return list(pairwise(zip(histogram.edges, histogram.per_cents, strict=True)))


def bars(edges: Sequence[tuple[float, float, float]], axis: Axis, base: int, limit: float | None) -> tuple[Bar, ...]:
    """Bins as (low, high, per cent of people); the heights are densities, so that wide bins are not too tall."""
    shown = [(low, high, share / (high - low)) for low, high, share in edges if high > axis.low and low < axis.high]
    tallest = max((density for _, _, density in shown), default=0.0) or 1.0
    return tuple(bar(low, high, density / tallest, axis, base, limit) for low, high, density in shown)


def bar(low: float, high: float, share: float, axis: Axis, base: int, limit: float | None) -> Bar:
    left, right, height = place(low, axis), place(high, axis), (base - 48) * share
    width = max(0.0, right - left - GAP)
    return Bar(
        percent(left), percent(width), f"{base - height:.1f}", f"{height:.1f}", limit is not None and high <= limit
    )


def pill(interval: tuple[float, float] | None, axis: Axis) -> tuple[str, str] | None:
    if interval is None:
        return None
    left, right = (place(end, axis) for end in interval)
    return percent(left), percent(right)


def item_tracks(items: Sequence[tuple[str, float, float | None]]) -> ItemTracks:
    """Items as (name, people's mean distance, the model's), sorted by what people find hard; at least one."""
    ordered = sorted(items, key=lambda item: item[1])
    top = max(6.0, *(value for _, people, own in ordered for value in (people, own or 0.0)))
    step = (TRACKS_RIGHT - TRACKS_LEFT) / max(1, len(ordered) - 1)
    off = sorted((item for item in ordered if item[2] is not None), key=lambda item: item[1] - (item[2] or 0.0))
    furthest = tuple(name for name, people, own in off[:NAMED] if own is not None and own > people)

    def y(value: float) -> str:
        return f"{TRACKS_BOTTOM - (TRACKS_BOTTOM - TRACKS_TOP) * min(value, top) / top:.1f}"

    tracks = tuple(
        ItemTrack(
            name=name,
            x=percent(TRACKS_LEFT + at * step),
            ring=y(people),
            dot="" if own is None else y(own),
            far=own is not None and own > people,
            named=name in furthest,
        )
        for at, (name, people, own) in enumerate(ordered)
    )
    return ItemTracks(tracks, tuple((y(value), f"{value:g}") for value in range(0, int(top) + 1, 2)), furthest)
