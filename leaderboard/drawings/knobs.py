"""The picture that opens a ranking: one knob per model at its score, best at the left, with its 95 % interval. Pure.

Drawn on a box of 100 by HEIGHT that the page stretches, so that all models fit in a few paths. The picture carries its
points as JSON, so that a script can name the model under the pointer and lead to its page.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import NamedTuple

from leaderboard.drawings.shapes import Axis

HEIGHT = 142
MOST_KNOBS = 240  # more would lie upon each other
FEW_MARKS = 5
LABEL_ROOM = 13.0  # px that a line of text takes
FIRST_LABEL = 10.0  # px from the top to the base of a text that lies wholly within


class LineLabel(NamedTuple):
    """A baseline: the height of its line and of the base of its name, which lies at the right of the picture or at its
    left. A stroke leads from the line to `lead_y` where the name was moved away from it; "" where it was not."""

    y: str
    text_y: str
    lead_y: str
    at_right: bool
    name: str


class Knob(NamedTuple):
    """A ranked model that is drawn. `tied` is with the leader; `hollow`: its score is published, without stored
    answers. `words` say its score and its ranks."""

    name: str
    slug: str
    score: float
    low: float | None
    high: float | None
    tied: bool
    hollow: bool
    words: str


class Crowd(NamedTuple):
    """All ranked models, `n`, of which `n_tied` are tied with the leader. Their scores and intervals reach from `low`
    to `high`, and `middle` is the score of the one in the middle."""

    n: int
    n_tied: int
    low: float
    high: float
    middle: float

    @property
    def step(self) -> int:
        """Of every so many models one is drawn."""
        return -(-self.n // MOST_KNOBS)


@dataclass(frozen=True, slots=True)
class KnobFigure:
    """Paths for a box of 100 by `height`. `lead` is the top and the height of the leader's interval, `grid` holds y and
    a label, `points` is JSON: [x in per cent, y in px, name, slug, words] of each model that is drawn."""

    n: int
    n_tied: int
    step: int
    height: int
    lead: tuple[str, str] | None
    grid: tuple[tuple[str, str], ...]
    lines: tuple[LineLabel, ...]
    intervals: str
    tied_intervals: str
    dots: str
    tied_dots: str
    holes: str
    points: str


def knob_figure(
    knobs: Sequence[Knob], crowd: Crowd, lines: Sequence[tuple[float, str]], axis: Axis, *, turned: bool = False
) -> KnobFigure:
    """The figure of at least one model. `knobs` are those that are drawn of the crowd, best first, one of every
    `crowd.step`. `lines` are the baselines: score and name. A `turned` one has low scores above, where they are better.
    """
    scale = scale_of(crowd, axis)

    def y(value: float) -> float:
        return HEIGHT * (scale.held(value) if turned else 1.0 - scale.held(value))

    dots: dict[bool, list[str]] = {True: [], False: []}
    intervals: dict[bool, list[str]] = {True: [], False: []}
    holes, points = [], []
    for at, knob in enumerate(knobs):
        x, height = 100 * (at * crowd.step + 0.5) / crowd.n, y(knob.score)
        dot = f"M{x:.2f} {height:.1f}h0"
        dots[knob.tied].append(dot)
        if knob.hollow:
            holes.append(dot)
        if knob.low is not None and knob.high is not None:
            intervals[knob.tied].append(f"M{x:.2f} {y(knob.low):.1f}V{y(knob.high):.1f}")
        points.append([round(x, 2), round(height, 1), knob.name, knob.slug, knob.words])
    first = knobs[0]
    lead = None
    if first.low is not None and first.high is not None:
        top, bottom = sorted((y(first.low), y(first.high)))
        lead = (f"{top:.1f}", f"{bottom - top:.1f}")
    return KnobFigure(
        n=crowd.n,
        n_tied=crowd.n_tied,
        step=crowd.step,
        height=HEIGHT,
        lead=lead,
        grid=tuple((f"{y(value):.1f}", f"{value:g}") for value in marks_of(scale)),
        lines=labelled(
            [(y(score), name) for score, name in lines if scale.low <= score <= scale.high],
            middle=y(crowd.middle),
        ),
        intervals="".join(intervals[False]),
        tied_intervals="".join(intervals[True]),
        dots="".join(dots[False]),
        tied_dots="".join(dots[True]),
        holes="".join(holes),
        points=json.dumps(points, ensure_ascii=False, separators=(",", ":")),
    )


def labelled(lines: Sequence[tuple[float, str]], *, middle: float) -> tuple[LineLabel, ...]:
    """The lines from the top down, their names above them and moved apart where they would lie upon each other.

    The knobs fall from the upper left to the lower right, so names of lines above the `middle` knob lie at the right.
    """
    upper, lower = ([line for line in sorted(lines) if (line[0] < middle) == at_right] for at_right in (True, False))
    return (*side_of(upper, at_right=True), *side_of(lower, at_right=False))


def side_of(lines: Sequence[tuple[float, str]], *, at_right: bool) -> Iterator[LineLabel]:
    wanted = [y - 3 for y, _ in lines]
    for (y, name), want, at in zip(
        lines, wanted, moved_apart(wanted, LABEL_ROOM, FIRST_LABEL, HEIGHT - 2.0), strict=True
    ):
        yield LineLabel(f"{y:.1f}", f"{at:.1f}", f"{at - 3.5:.1f}" if abs(at - want) > 1.0 else "", at_right, name)


def moved_apart(wanted: Sequence[float], room: float, low: float, high: float) -> list[float]:
    """Places near those that are wanted (ascending), at least `room` apart and within `low` to `high`.

    Those that do not fit are set around the middle of what they want, as a block. Where there is too little room for
    all of them they are set evenly from `low` to `high`.
    """
    if len(wanted) > 1:
        room = min(room, (high - low) / (len(wanted) - 1))
    blocks: list[list[float]] = []
    for place in wanted:
        blocks.append([place])
        while len(blocks) > 1 and start_of(blocks[-1], room, low, high) < (
            start_of(blocks[-2], room, low, high) + room * len(blocks[-2])
        ):
            last = blocks.pop()
            blocks[-1] += last
    return [start_of(block, room, low, high) + room * at for block in blocks for at in range(len(block))]


def start_of(block: Sequence[float], room: float, low: float, high: float) -> float:
    """Where the first of a block lies, so that the block is as near as it can be to what its members want."""
    start = sum(place - room * at for at, place in enumerate(block)) / len(block)
    return max(low, min(start, high - room * (len(block) - 1)))


def scale_of(crowd: Crowd, axis: Axis) -> Axis:
    """The part of the axis that the scores and their intervals fill, in whole tenths of the axis."""
    tenth = (axis.high - axis.low) / 10
    low = axis.low + tenth * floor((crowd.low - axis.low) / tenth)
    return Axis(low, max(low + tenth, axis.low + tenth * ceil((crowd.high - axis.low) / tenth)))


def marks_of(scale: Axis) -> tuple[float, ...]:
    """Up to five round values within the scale, without its ends."""
    room = scale.high - scale.low
    step = next(step for step in steps() if room / step <= FEW_MARKS)
    first = floor(scale.low / step) + 1
    return tuple(round(step * at, 6) for at in range(first, ceil(scale.high / step)))


def steps() -> Iterator[float]:
    """Round distances, each larger than the one before: 0.001, 0.002, 0.005, 0.01 and so on."""
    return (factor * 10.0**power for power in range(-3, 12) for factor in (1, 2, 5))
