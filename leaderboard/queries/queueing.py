"""Where a run stands in the queue and when it is likely to start, from the measured times of the newest runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import quantiles

from django.db.models import Count, F, Max, Q
from django.utils import timezone

from evaluation.models import Driver, Run, Status
from leaderboard.rounding import moment

MEASURED_RUNS = 50
FEWEST_MEASURED = 3  # fewer say nothing of the spread
SILENT_AFTER = timedelta(minutes=2)  # the reaper calls a due run every minute, and a free worker takes it at once
MOST_AHEAD = 500


@dataclass(frozen=True, slots=True)
class Place:
    """Runs before this one, and the band of seconds until it starts; None where too few runs were measured."""

    ahead: int
    low: float | None = None
    high: float | None = None


def place_of(run: Run) -> Place | None:
    """The place of a queued run; None for one that is not queued. Two queries."""
    if run.status != Status.QUEUED:
        return None
    now = timezone.now()
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    before = Q(status=Status.RUNNING) | Q(status__in=(Status.QUEUED, Status.WAITING), pk__lt=run.pk) & due
    others = Run.objects.filter(before, driver=Driver.WORKER).exclude(pk=run.pk)
    rows = list(
        others.annotate(done=Count("results")).values_list("status", F("n_items") * F("repeats") - F("done"))[
            :MOST_AHEAD
        ]
    )
    return _place(rows, seconds_an_answer())


def seconds_an_answer() -> tuple[float, float] | None:
    """The 10th and the 90th percentile of the working seconds for one item, over the newest finished runs."""
    finished = Run.objects.filter(status=Status.FINISHED, driver=Driver.WORKER, wall_seconds__gt=0).order_by("-pk")
    columns = finished.values_list("wall_seconds", "n_items", "repeats")[:MEASURED_RUNS]
    rates = [wall / (n_items * repeats) for wall, n_items, repeats in columns if n_items]
    if len(rates) < FEWEST_MEASURED:
        return None
    deciles = quantiles(rates, n=10, method="inclusive")
    return deciles[0], deciles[-1]


def _place(rows: Sequence[tuple[str, int]], rates: tuple[float, float] | None) -> Place:
    """As many runs as are under way now go on side by side."""
    if rates is None:
        return Place(len(rows))
    side_by_side = max(1, sum(status == Status.RUNNING for status, _ in rows))
    answers = sum(max(0, left) for _, left in rows) / side_by_side
    return Place(len(rows), answers * rates[0], answers * rates[1])


def silence(run: Run) -> str:
    """That no worker takes up runs, as far as the rows tell it; "" while a worker is at work or the wait is short."""
    due = run.not_before if run.status == Status.WAITING else run.queued_at
    if run.status not in {Status.QUEUED, Status.WAITING} or due is None or timezone.now() - due < SILENT_AFTER:
        return ""
    seen = Run.objects.filter(driver=Driver.WORKER).aggregate(
        heartbeat=Max("heartbeat_at"),
        at_work=Count("pk", filter=Q(status=Status.RUNNING, lease_until__gt=timezone.now())),
    )
    return "" if seen["at_work"] else _silent_since(seen["heartbeat"])


def _silent_since(heartbeat: datetime | None) -> str:
    since = f"since {moment(heartbeat)}" if heartbeat else "yet"
    return (
        f"No worker has been at work {since}. This is on our side: the place is kept, your quota is not touched, "
        "and the run starts by itself."
    )
