"""The queue as an administrator sees it: what runs where, what waits and why, what comes next. Eight queries."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from evaluation.models import Access, Driver, ItemResult, Run, Status
from evaluation.runs.clocks import holds_lease
from evaluation.runs.queueing import NEVER, Shares
from leaderboard.models import Submission
from leaderboard.pages.administration.moderation import Undecided, to_decide, to_list, undecided
from leaderboard.pages.administration.queue_words import (
    QUIET_AFTER,
    Line,
    line_at_work,
    line_queued,
    line_stopped,
    line_to_list,
    line_waiting,
)
from leaderboard.submissions.moderating import RESUMED_AFTER

SHOWN = 50  # rows of a part, and hosts and owners
STOPPED_WITHIN = timedelta(days=7)
BULKY = ("manifest", "settings", "observed", "score_history", "repeat_scores", "fault_counts", "figures", "detail")


class Open(NamedTuple):
    """The columns of an open run that order and counts need."""

    pk: int
    status: str
    host: str
    owner: str
    priority: int
    lease_until: datetime | None
    not_before: datetime | None

    def is_held(self, now: datetime) -> bool:
        return self.status == Status.RUNNING and holds_lease(self.lease_until, now)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the board, `total` rows of which the first are shown."""

    title: str
    lines: tuple[Line, ...]
    total: int

    @property
    def left_off(self) -> int:
        return self.total - len(self.lines)


@dataclass(frozen=True, slots=True)
class Group:
    """The open runs of one host or owner; `most` may be at work at once, 0 sets no limit."""

    name: str
    at_work: int
    waiting: int
    queued: int
    most: int

    @property
    def is_full(self) -> bool:
        return 0 < self.most <= self.at_work


@dataclass(frozen=True, slots=True)
class QueueBoard:
    """All parts, and the open runs by host and by owner, the busiest first. What waits for a moderator stands apart:
    `n_to_decide` submissions, of which the first are shown, and the runs of `to_list`.
    """

    to_decide: tuple[Undecided, ...]
    n_to_decide: int
    to_list: Part
    parts: tuple[Part, ...]
    hosts: tuple[Group, ...]
    owners: tuple[Group, ...]
    now: datetime

    @property
    def all_parts(self) -> tuple[Part, ...]:
        return self.to_list, *self.parts

    @property
    def n_stalled(self) -> int:
        return sum(line.stalled for part in self.parts for line in part.lines)


def queue_board(*, private: bool = False) -> QueueBoard:
    """`private`: with the runs on private banks, for those who may see their items."""
    now = timezone.now()
    seen = Run.objects.all() if private else Run.objects.shown()
    rows = [Open(*columns) for columns in seen.open().order_by("pk").values_list(*Open._fields)]
    at_work = [row for row in rows if row.status == Status.RUNNING]
    waiting = sorted((row for row in rows if row.status == Status.WAITING), key=lambda row: row.not_before or now)
    queued = in_order([row for row in rows if row.status == Status.QUEUED], last_turns())
    runs = details([row.pk for part in (at_work, waiting, queued) for row in part[:SHOWN]])
    answers = answered([row.pk for row in at_work[:SHOWN]], now)
    shares = Shares(settings.RUNS_PER_HOST, settings.RUNS_PER_OWNER)
    held = [(row.host, row.owner) for row in rows if row.is_held(now)]
    full = shares.full(held)

    def working(run: Run, place: int) -> Line:
        return line_at_work(run, *answers.get(run.pk, (0, 0)), now)

    def in_queue(run: Run, place: int) -> Line:
        return line_queued(run, place, full, now, idle=not held)

    decisions = undecided(SHOWN)
    return QueueBoard(
        to_decide=decisions,
        n_to_decide=total(len(decisions), to_decide()),
        to_list=listable(to_list() if private else to_list().exclude(bank__access=Access.PRIVATE)),
        parts=(
            part("Running", at_work, runs, working),
            part("Waiting for an endpoint", waiting, runs, lambda run, place: line_waiting(run, now)),
            part("Queued, in the order of their turn", queued, runs, in_queue),
            stopped(seen, now),
        ),
        hosts=groups(rows, "host", shares.per_host),
        owners=groups(rows, "owner", shares.per_owner),
        now=now,
    )


def part(title: str, rows: Sequence[Open], runs: Mapping[int, Run], line: Callable[[Run, int], Line]) -> Part:
    """A run that ended between two queries is left out of the lines."""
    shown = [(runs[row.pk], place) for place, row in enumerate(rows[:SHOWN], 1) if row.pk in runs]
    return Part(title, tuple(line(run, place) for run, place in shown), len(rows))


def in_order(rows: Sequence[Open], turns: Mapping[str, int]) -> list[Open]:
    """By priority, then one run of each owner in turn, whose last turn is longest ago first; hosts set aside."""
    mine: Counter[tuple[int, str]] = Counter()
    keyed = []
    for row in rows:
        mine[row.priority, row.owner] += 1
        keyed.append((-row.priority, mine[row.priority, row.owner], turns.get(row.owner, NEVER), row.pk, row))
    return [key[-1] for key in sorted(keyed)]


def last_turns() -> dict[str, int]:
    """Owner -> the number of its last turn."""
    taken = Run.objects.filter(turn__isnull=False).order_by().values_list("owner")
    return dict(taken.annotate(last=Max("turn")))


def details(pks: Sequence[int]) -> dict[int, Run]:
    return Run.objects.select_related("model", "bank").defer(*BULKY).in_bulk(pks)


def answered(pks: Sequence[int], now: datetime) -> dict[int, tuple[int, int]]:
    """Run -> its answers in all and within QUIET_AFTER."""
    lately = Count("pk", filter=Q(created_at__gt=now - QUIET_AFTER))
    results = ItemResult.objects.filter(run_id__in=pks).order_by().values_list("run_id")
    return {pk: (n, n_lately) for pk, n, n_lately in results.annotate(n=Count("pk"), n_lately=lately)}


def stopped(seen: QuerySet[Run], now: datetime) -> Part:
    """Runs that failed lately and can go on, the newest first."""
    failed = seen.filter(
        status=Status.FAILED,
        failure_kind__in=RESUMED_AFTER,
        driver=Driver.WORKER,
        endpoint__isnull=False,
        finished_at__gt=now - STOPPED_WITHIN,
    )
    rows = list(failed.select_related("model", "bank").defer(*BULKY).order_by("-finished_at")[:SHOWN])
    return Part("Stopped within 7 days, can be resumed", tuple(map(line_stopped, rows)), total(len(rows), failed))


def listable(finished: QuerySet[Run]) -> Part:
    """Finished runs that a moderator may list, the oldest first."""
    flagged = Exists(Submission.objects.filter(runs=OuterRef("pk"), flagged=True))
    shown = finished.select_related("model", "bank").defer(*BULKY).annotate(is_flagged=flagged)[:SHOWN]
    lines = tuple(line_to_list(run, is_flagged=run.is_flagged) for run in shown)
    return Part("Awaiting publication", lines, total(len(lines), finished))


def total(n_shown: int, rows: QuerySet[Any]) -> int:
    """How many rows there are; counted only where not all are shown."""
    return n_shown if n_shown < SHOWN else rows.count()


def groups(rows: Sequence[Open], column: str, most: int) -> tuple[Group, ...]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[getattr(row, column)][row.status] += 1
    made = [
        Group(name, n[Status.RUNNING], n[Status.WAITING], n[Status.QUEUED], most if name else 0)
        for name, n in counts.items()
    ]
    return tuple(sorted(made, key=lambda each: (-each.at_work, -each.queued - each.waiting, each.name))[:SHOWN])
