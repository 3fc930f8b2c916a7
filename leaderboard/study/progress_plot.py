"""The drawing of how open groups fill: raters done by day, a line a group. x in per cent of the width, y in pixels."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from math import ceil

from leaderboard.study.models import Group, Study
from leaderboard.study.states import ParticipationState

PLOT_LEFT, PLOT_RIGHT, PLOT_TOP, PLOT_BOTTOM = 5.0, 75.0, 16.0, 128.0
MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Line:
    """The raters done of one group by day, as pieces of a line, with its name at the end."""

    label: str
    is_control: bool
    pieces: tuple[tuple[str, str, str, str], ...]
    end_x: str
    end_y: str


@dataclass(frozen=True, slots=True)
class Plot:
    lines: tuple[Line, ...]
    ticks: tuple[tuple[str, str], ...]
    days: tuple[tuple[str, str], ...]


def plot_of(study: Study, groups: Sequence[Group]) -> Plot | None:
    """Raters done by day, of the groups that are not closed. None until there are two days to draw."""
    ends = study.participations.filter(group__in=groups, state=ParticipationState.DONE).exclude(ended_at=None)
    by_group: dict[int, list[date]] = defaultdict(list)
    for group, end in ends.values_list("group", "ended_at"):
        if end:
            by_group[group].append(end.date())
    days = sorted({when for own in by_group.values() for when in own})
    if len(days) < 2:
        return None
    span = [days[0] + timedelta(days=at) for at in range((days[-1] - days[0]).days + 1)]
    top = max(group.target for group in groups)
    lines = tuple(_line(group, by_group[group.pk], span, top) for group in groups)
    step = ceil(len(span) / MOST_TICKS)
    ticks = tuple((_y(share * top, top), f"{share * top:.0f}") for share in (0, 0.5, 1))
    return Plot(lines, ticks, tuple((_day_x(at, span), f"{span[at].day}") for at in range(0, len(span), step)))


def _line(group: Group, ends: Sequence[date], span: Sequence[date], top: int) -> Line:
    sums = [sum(end <= when for end in ends) for when in span]
    points = [(_day_x(at, span), _y(own, top)) for at, own in enumerate(sums)]
    pieces = tuple((x1, x2, y1, y2) for (x1, y1), (x2, y2) in pairwise(points))
    return Line(group.responder.label, group.responder.is_baseline, pieces, *points[-1])


def _day_x(at: int, span: Sequence[date]) -> str:
    return f"{PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * at / (len(span) - 1):.2f}%"


def _y(value: float, top: int) -> str:
    return f"{PLOT_BOTTOM - (PLOT_BOTTOM - PLOT_TOP) * value / top:.1f}"
