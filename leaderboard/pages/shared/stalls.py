"""Whether the queue stands still, for the line on every page, for /readyz and for /metrics. One query."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import DatabaseError
from django.db.models import Count, F, Max, Min, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from evaluation.models import OPEN_STATUSES, Driver, Run, Status
from evaluation.runs.clocks import is_due, lease_lives

SILENT_AFTER = timedelta(minutes=2)  # the reaper calls a due run every minute, and a free worker takes it at once
KEPT_SECONDS = 15
STALLED = (
    "No worker has started a waiting run for some minutes. This is a problem on our side: every run keeps its "
    "place and starts by itself."
)


@dataclass(frozen=True, slots=True)
class Queue:
    """The open runs that workers drive. `due_since` is since when the longest waiting one could have been worked on,
    `rung_at` when a worker was last called to one that is due; `beat_at` is the newest heartbeat. None where no run
    has such a time.
    """

    due: int
    at_work: int
    due_since: datetime | None
    rung_at: datetime | None
    beat_at: datetime | None

    def is_stalled(self, now: datetime, after: timedelta = SILENT_AFTER) -> bool:
        """Whether a run has been due for so long while no worker is at work at all. A time that lies ahead, as after
        the clock was put back, is as far from now as one that is past."""
        return not self.at_work and self.due_since is not None and abs(now - self.due_since) > after

    def is_deaf(self, now: datetime, after: timedelta) -> bool:
        """Whether the queue is stalled although workers were called: none hears, or none is there."""
        beating = self.beat_at is not None and abs(now - self.beat_at) < after
        return self.is_stalled(now, after) and self.rung_at is not None and not beating


def queue_now(now: datetime) -> Queue:
    """As the rows stand. A run whose lease has run out is due since then."""
    runs = Run.objects.filter(status__in=OPEN_STATUSES, driver=Driver.WORKER)
    at_work = Q(lease_lives(now), status=Status.RUNNING)
    due = ~at_work & is_due(now)
    since = Coalesce(F("not_before"), F("lease_until"), F("queued_at"), F("created_at"))
    found = runs.aggregate(
        due=Count("pk", filter=due),
        at_work=Count("pk", filter=at_work),
        due_since=Min(since, filter=due),
        rung_at=Max("rung_at", filter=due),
        beat_at=Max("heartbeat_at"),
    )
    return Queue(**found)


def stalled_line() -> str:
    """The sentence for all pages while the queue stands still, else "". Looked up every 15 seconds at most in a
    process; a database out of reach says nothing here, since the page has its own way to fail.
    """
    line: str | None = cache.get("stalled-line")
    if line is None:
        line = _line()
        cache.set("stalled-line", line, KEPT_SECONDS)
    return line


def _line() -> str:
    now = timezone.now()
    try:
        return STALLED if queue_now(now).is_stalled(now) else ""
    except DatabaseError:
        return ""
