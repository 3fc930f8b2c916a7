"""The pictures of EmotionBench as SVG attribute values: arrows of moods, scatters by factor, strips of a heat map.

Pure: numbers in, strings out. x is in per cent, y in px, as in `leaderboard.drawings`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.benchmarks.correlation import pearson
from leaderboard.drawings.plots import Scale
from leaderboard.kinds.emotionbench.figures import Cell, MoodRow
from leaderboard.rounding import MINUS

EDGE, LOW, HIGH = 1.5, 10.0, 50.0
TOWARDS = {True: "M2 0L-6 -4.6V4.6z", False: "M-2 0L6 -4.6V4.6z"}
"""The tip of an arrow that points right, or left."""
SHORT = 0.6
"""Points below which an arrow has no room for a tip: then a ring stands alone."""
STEPS = (2.0, 6.0, 12.0, 20.0)
"""Ends of the steps of the heat map, in points of change beyond people's."""
EMOTION_GAP = 0.6
SCATTER_LOW, SCATTER_HIGH = 218.0, 18.0
LABELLED = 3
LONGEST_LABEL = 26
LINE = 14.0


@dataclass(frozen=True, slots=True)
class Arrow:
    """From the mood before to the mood after; without a `tip` where the two are alike."""

    start: str
    end: str
    tip: str


def mood_at(points: float) -> float:
    return EDGE + (min(HIGH, max(LOW, points)) - LOW) / (HIGH - LOW) * (100 - 2 * EDGE)


def arrow(before: float, after: float) -> Arrow:
    tip = "" if abs(after - before) < SHORT else TOWARDS[after > before]
    return Arrow(_percent(mood_at(before)), _percent(mood_at(after)), tip)


@dataclass(frozen=True, slots=True)
class Mood:
    """One affect of one row, drawn: people above, the model below."""

    people: Arrow
    model: Arrow


def mood(cell: Cell) -> Mood:
    return Mood(arrow(cell.people.default, cell.people.evoked), arrow(cell.default.mean, cell.evoked.mean))


@dataclass(frozen=True, slots=True)
class Dot:
    x: str
    y: str
    name: str
    label: str
    anchor: str
    shift: int
    label_y: str


@dataclass(frozen=True, slots=True)
class Mark:
    at: str
    text_at: str
    text: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """People's change across, the model's up, a dot a factor; the line is where both are the same."""

    dots: tuple[Dot, ...]
    columns: tuple[Mark, ...]
    lines: tuple[Mark, ...]
    alike: tuple[str, str, str, str]
    r: float | None


def scatter(rows: Sequence[MoodRow], affect: int) -> Scatter:
    """Of the factors among the rows; the three furthest from their common line are named."""
    factors = [row for row in rows if row.level == "factor"]
    across = [row.cells[affect].people.change for row in factors]
    up = [row.cells[affect].change for row in factors]
    x = Scale(*_round_ends([*across, 0.0]), 8.0, 96.0)
    y = Scale(*_round_ends([*up, 0.0]), SCATTER_LOW, SCATTER_HIGH)
    named = set(_furthest(across, up))
    label_at = _apart({at: y.place(up[at]) + 4 for at in named})
    low, high = max(x.low, y.low), min(x.high, y.high)
    return Scatter(
        tuple(
            _dot(row.name, x.place(a), y.place(b), label_at.get(at))
            for at, (row, a, b) in enumerate(zip(factors, across, up, strict=True))
        ),
        tuple(Mark(_percent(x.place(mark)), "", _whole(mark)) for mark in x.marks),
        tuple(Mark(f"{y.place(mark):.1f}", f"{y.place(mark) + 4:.1f}", _whole(mark)) for mark in y.marks),
        (_percent(x.place(low)), _percent(x.place(high)), f"{y.place(low):.1f}", f"{y.place(high):.1f}"),
        pearson(up, across),
    )


def _dot(name: str, x: float, y: float, label_at: float | None) -> Dot:
    """Args: `label_at` is where its label stands, None for a dot without one."""
    left, short = x > 50, name.partition(",")[0] if len(name) > LONGEST_LABEL else name
    side = ("end", -8) if left else ("start", 8)
    return Dot(_percent(x), f"{y:.1f}", name, short if label_at is not None else "", *side, f"{label_at or 0:.1f}")


def _apart(wanted: Mapping[int, float]) -> dict[int, float]:
    """Each label's height, from the top down, with room for a line between two."""
    found: dict[int, float] = {}
    before = -LINE
    for at, height in sorted(wanted.items(), key=lambda pair: pair[1]):
        before = max(height, before + LINE)
        found[at] = before
    return found


def _furthest(across: Sequence[float], up: Sequence[float]) -> list[int]:
    """The points furthest from the least squares line, in their order of distance."""
    n = len(across)
    if n < LABELLED:
        return list(range(n))
    mean_x, mean_y = sum(across) / n, sum(up) / n
    spread = sum((value - mean_x) ** 2 for value in across)
    together = sum((a - mean_x) * (b - mean_y) for a, b in zip(across, up, strict=True))
    slope = together / spread if spread else 0.0
    off = [abs(b - mean_y - slope * (a - mean_x)) for a, b in zip(across, up, strict=True)]
    return sorted(range(n), key=lambda at: -off[at])[:LABELLED]


def _round_ends(values: Sequence[float], step: float = 5.0) -> tuple[float, float]:
    low, high = min(values) // step * step, -(-max(values) // step) * step
    return (low, high) if high > low else (low, low + step)


@dataclass(frozen=True, slots=True)
class Strip:
    """A row of the heat map: one path a step, and dashes on the steps below people's change."""

    paths: tuple[tuple[str, str], ...]
    dashes: tuple[tuple[str, str], ...]
    width: str


def strip(values: Sequence[float | None], starts: Sequence[bool]) -> Strip:
    """Args: `values` are changes beyond people's in points, None where not known; `starts` marks the first factor of
    each emotion, before which a gap stands."""
    places, at = [], 0.0
    for number, first in enumerate(starts):
        at += EMOTION_GAP if first and number else 0.0
        places.append(at)
        at += 1.0
    by_step: dict[str, list[str]] = {}
    dashes: dict[str, list[str]] = {}
    for place, value in zip(places, values, strict=True):
        if value is None:
            continue
        step = step_of(value)
        by_step.setdefault(step, []).append(f"M{place:g} 0h.94v1h-.94z")
        if step.startswith("less"):
            depth = "dash on-deep" if step in ("less3", "less4") else "dash"
            dashes.setdefault(depth, []).append(f"M{place + 0.25:g} .5h.44")
    join = {step: "".join(pieces) for step, pieces in by_step.items()}
    return Strip(tuple(join.items()), tuple((depth, "".join(each)) for depth, each in dashes.items()), f"{at:g}")


def strip_heads(emotions: Sequence[str]) -> tuple[Mark, ...]:
    """Where the name of each emotion stands above its factors; `emotions` has one an factor, in order."""
    total = len(emotions) + EMOTION_GAP * (len(set(emotions)) - 1)
    heads, at, before = [], 0.0, ""
    for emotion in emotions:
        if emotion != before:
            at += EMOTION_GAP if before else 0.0
            heads.append(Mark(_percent(100 * at / total), "", emotion))
        at, before = at + 1.0, emotion
    return tuple(heads)


def step_of(beyond: float) -> str:
    """The class of a cell: "d0" within 2 points, then "less" or "more" with 1 to 4."""
    depth = sum(abs(beyond) > end for end in STEPS)
    return f"{'less' if beyond < 0 else 'more'}{depth}" if depth else "d0"


def _percent(value: float) -> str:
    return f"{value:.2f}%"


def _whole(value: float) -> str:
    return f"{value:.0f}".replace("-", MINUS)
