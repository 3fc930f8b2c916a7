"""How far the groups of a study are. Shares of open groups are not even read: seeing them tempts to stop early."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from statistics import median

from django.db.models import Count, Q
from django.utils import timezone

from evaluation.statistics.study_figures import LEAST_RATERS
from leaderboard.rounding import MISSING, counted, day, number
from leaderboard.study.flags import is_excluded
from leaderboard.study.models import Group, Participation, Rating, Study
from leaderboard.study.progress_plot import Plot, plot_of
from leaderboard.study.states import Flag, GroupState, Level, ParticipationSource, ParticipationState

TRACK_START, TRACK_WIDTH = 1.0, 98.0  # per cent of the width


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group. x are for the drawing: done so far, and done with those at work. `share` is "" until it is closed."""

    pk: int
    label: str
    note: str
    wave: int
    state: str
    done: int
    target: int
    reserved: int
    expired: int
    withdrawn: int
    minutes: str
    share: str
    done_x: str
    held_x: str
    is_control: bool
    left: int
    is_enough: bool

    @property
    def is_closed(self) -> bool:
        return self.state == GroupState.CLOSED

    @property
    def may_close(self) -> bool:
        return not self.is_closed and not self.reserved


@dataclass(frozen=True, slots=True)
class FlagRow:
    label: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    headline: str
    about: str
    rows: tuple[GroupRow, ...]
    open_waves: tuple[int, ...]
    paused_waves: tuple[int, ...]
    flagged: tuple[GroupRow, ...]
    flags: tuple[FlagRow, ...]
    plot: Plot | None
    controls: tuple[str, ...]
    n_entered: int
    n_declined: int


def progress_of(study: Study) -> Progress:
    """About eight queries."""
    groups = list(_groups(study))
    shares, times, first = _shares(study), _minutes(study), _first_wave(study, groups)
    rows = tuple(_row(group, shares.get(group.pk, ""), times.get(group.pk), first) for group in groups)
    begun = tuple(row for row, group in zip(rows, groups, strict=True) if group.opened_at is not None)
    live = tuple(row for row in begun if not row.is_closed)
    return Progress(
        headline=_headline(begun, live),
        about=_about(study, groups, live),
        rows=begun,
        open_waves=_waves(groups, GroupState.OPEN),
        paused_waves=_waves(groups, GroupState.DRAFT),
        flagged=begun,
        flags=_flags(study, begun),
        plot=plot_of(study, [group for group in groups if group.state != GroupState.CLOSED and group.opened_at]),
        controls=tuple(_control(row) for row in live if row.is_control),
        n_entered=study.n_entered,
        n_declined=study.n_declined,
    )


def _groups(study: Study) -> Sequence[Group]:
    counts = {
        f"n_{state}": Count("participations", filter=Q(participations__state=state))
        for state in ParticipationState.values
    }
    return list(study.groups.select_related("responder").annotate(**counts).order_by("-wave", "pk"))


def _waves(groups: Sequence[Group], state: str) -> tuple[int, ...]:
    return tuple(sorted({group.wave for group in groups if group.state == state and group.opened_at is not None}))


def _first_wave(study: Study, groups: Sequence[Group]) -> int:
    """The wave of the baseline itself; 0 where its counts are stored. Its groups in other waves are controls."""
    if study.counts.filter(responder__is_baseline=True).exists():
        return 0
    return min((group.wave for group in groups if group.responder.is_baseline), default=0)


def _row(group: Group, share: str, minutes: float | None, first_wave: int) -> GroupRow:
    is_control = group.responder.is_baseline and group.wave != first_wave
    done, reserved = _n(group, ParticipationState.DONE), _n(group, ParticipationState.RESERVED)
    return GroupRow(
        pk=group.pk,
        label=group.responder.label,
        note=_note(group, is_control=is_control),
        wave=group.wave,
        state=group.state,
        done=done,
        target=group.target,
        reserved=reserved,
        expired=_n(group, ParticipationState.EXPIRED),
        withdrawn=_n(group, ParticipationState.WITHDRAWN),
        minutes=MISSING if minutes is None else f"{number(minutes, 1)} min",
        share=share if group.state == GroupState.CLOSED else "",
        done_x=_x(done / group.target),
        held_x=_x((done + reserved) / group.target),
        is_control=is_control,
        left=max(0, group.target - done),
        is_enough=done >= LEAST_RATERS,
    )


def _n(group: Group, state: str) -> int:
    return int(getattr(group, f"n_{state}"))


def _x(share: float) -> str:
    return f"{TRACK_START + TRACK_WIDTH * min(1.0, share):.2f}%"


def _note(group: Group, *, is_control: bool) -> str:
    if group.state == GroupState.CLOSED:
        return f"closed {day(group.closed_at)}"
    kind = f"control of wave {group.wave}" if is_control else "baseline" if group.responder.is_baseline else "responder"
    return f"{kind}, paused" if group.state == GroupState.DRAFT else kind


def _shares(study: Study) -> dict[int, str]:
    """Of closed groups alone."""
    counts = (
        Rating.objects.filter(
            participation__study=study,
            participation__state=ParticipationState.DONE,
            participation__group__state=GroupState.CLOSED,
        )
        .values("participation__group")
        .annotate(n=Count("pk"), good=Count("pk", filter=Q(value=Level.GOOD)))
    )
    return {each["participation__group"]: f"{number(100 * each['good'] / each['n'], 2)} %" for each in counts}


def _minutes(study: Study) -> dict[int, float]:
    """Group -> median minutes from consent to the end; of imported ratings from the first to the last one."""
    done = study.participations.filter(state=ParticipationState.DONE).exclude(ended_at=None)
    found: dict[int, list[float]] = defaultdict(list)
    for group, source, consent, start, end in done.values_list(
        "group", "source", "consent_at", "started_at", "ended_at"
    ):
        begin = consent if source == ParticipationSource.LIVE else start
        if begin and end:
            found[group].append((end - begin).total_seconds() / 60)
    return {group: median(minutes) for group, minutes in found.items()}


def _headline(begun: Sequence[GroupRow], live: Sequence[GroupRow]) -> str:
    if live:
        done, target = sum(row.done for row in live), sum(row.target for row in live)
        return f"{done} of {counted(target, 'rater')} {'has' if done == 1 else 'have'} finished"
    if begun:
        return "All groups are closed"
    return "No group has been open yet"


def _about(study: Study, groups: Sequence[Group], live: Sequence[GroupRow]) -> str:
    own = [group for group in groups if group.state != GroupState.CLOSED and group.opened_at is not None]
    if not own or not live:
        return ""
    since = min(group.opened_at for group in own if group.opened_at)
    wave = max(group.wave for group in own)
    return f"Wave {wave}, open since {day(since)}{_full_on(study, since, live)}"


def _full_on(study: Study, since: datetime, live: Sequence[GroupRow]) -> str:
    """When the open groups are full if it goes on like that; nothing on the first day."""
    now = timezone.now()
    days = (now - since) / timedelta(days=1)
    done, left = sum(row.done for row in live), sum(row.left for row in live)
    if days < 1 or not done or not left:
        return ""
    return f" · at this pace full on {day((now + timedelta(days=ceil(left / (done / days)))).date())}"


def _control(row: GroupRow) -> str:
    if row.is_enough:
        return f"Wave {row.wave}: the control has {row.done} raters, enough for the test."
    return f"Wave {row.wave}: {counted(LEAST_RATERS - row.done, 'rater')} to go until the control can be compared."


def _flags(study: Study, rows: Sequence[GroupRow]) -> tuple[FlagRow, ...]:
    """Counts a flag and a group, and those whom the exclusion rule excludes."""
    found: dict[tuple[str, int], int] = defaultdict(int)
    excluded: dict[int, int] = defaultdict(int)
    rule = study.exclusion_rule
    done = Participation.objects.filter(study=study, state=ParticipationState.DONE).exclude(flags=[])
    for group, flags in done.values_list("group", "flags"):
        for flag in flags:
            found[(flag, group)] += 1
        excluded[group] += is_excluded(flags, rule)
    lines = [
        FlagRow(f"{label[0].upper()}{label[1:]}", tuple(found[(flag, row.pk)] for row in rows))
        for flag, label in Flag.choices
        if flag != Flag.REVERSED or study.questionnaire
    ]
    if rule:
        lines.append(FlagRow("Excluded by the rule", tuple(excluded[row.pk] for row in rows)))
    return tuple(lines)
