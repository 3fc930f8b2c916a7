"""Where a run stands in the queue and when it is likely to start, from the measured times of the newest runs.

The queue is played forward by the order that the database keeps (`evaluation.runs.queueing`). How many runs the workers
drive at once is told from how many are at work now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import quantiles

from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from evaluation.models import Driver, Run, Status
from evaluation.runs.clocks import is_due, lease_lives
from evaluation.runs.queueing import Entry, Line, Start, start_of
from evaluation.runs.runner import shares_from_settings
from leaderboard.drawings.queue import Band
from leaderboard.rounding import moment

MEASURED_RUNS = 50
FEWEST_MEASURED = 3  # fewer say nothing of the spread
SILENT_AFTER = timedelta(minutes=2)  # the reaper calls a due run every minute, and a free worker takes it at once
MOST_PLAYED = 500
NOT_SENT = 2**62  # in place of the number of a run that does not exist yet: the last of its owner


@dataclass(frozen=True, slots=True)
class Place:
    """Runs before this one; when it starts and ends, None where too few runs were measured.

    `host` names the host that is at work on another run, which has to end first; "" where that holds nobody up. `more`
    says that `ahead` is only as far as the queue was played.
    """

    ahead: int
    host: str = ""
    start: Band | None = None
    end: Band | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class QueueNow:
    """What the places of all runs rest on. `answer` has the seconds for one answer, None where they are not known."""

    waiting: Sequence[Entry]
    at_work: Sequence[Entry]
    turns: Mapping[str, int]
    answer: Band | None


def queue_now() -> QueueNow:
    """Four queries, for however many runs a place is wanted."""
    waiting = _waiting()
    at_work = _entries(Run.objects.filter(status=Status.RUNNING, driver=Driver.WORKER))
    return QueueNow(waiting, at_work, _turns(waiting), seconds_an_answer())


def place_of(run: Run, queue: QueueNow) -> Place | None:
    """The place of a queued run; None for one that is not queued."""
    if run.status != Status.QUEUED:
        return None
    mine = next((entry for entry in queue.waiting if entry.run_id == run.pk), None)
    return _place(mine, queue) if mine else None


def place_if_sent(host: str, owner: str, answers: int) -> Place:
    """The place of a run that would be sent now. Five queries."""
    mine, queue = Entry(NOT_SENT, host, owner, float(answers)), queue_now()
    turns = {**_turns([mine]), **queue.turns}
    return _place(mine, replace(queue, waiting=[*queue.waiting, mine], turns=turns))


def _place(mine: Entry, queue: QueueNow) -> Place:
    slots = max(1, len(queue.at_work))
    line = Line(queue.waiting, queue.at_work, queue.turns, shares_from_settings(), slots=slots)
    start = start_of(mine.run_id, line, most=MOST_PLAYED)
    if start is None:
        return Place(min(MOST_PLAYED, len(queue.waiting) + len(queue.at_work) - 1), more=True)
    return _timed(start, mine, queue.answer)


def _timed(start: Start, mine: Entry, answer: Band | None) -> Place:
    host = mine.host if start.host_busy else ""
    if answer is None:
        return Place(start.ahead, host)
    return Place(start.ahead, host, answer.times(start.work), answer.times(start.work + mine.work))


def _waiting() -> list[Entry]:
    """The runs that wait for a worker alone. One that waits for its endpoint joins them when it is due."""
    due = is_due(timezone.now())
    return _entries(Run.objects.filter(due, status__in=(Status.QUEUED, Status.WAITING), driver=Driver.WORKER))


def _entries(runs: QuerySet[Run]) -> list[Entry]:
    """`work` is in answers that are still to come."""
    left = F("n_asks") - Count("results")  # not items by repeats: a benchmark may repeat its items as it likes
    rows = runs.annotate(left=left).order_by("pk").values_list("pk", "host", "owner", "left", "priority")
    return [Entry(pk, host, owner, float(max(0, left)), priority) for pk, host, owner, left, priority in rows]


def _turns(waiting: Sequence[Entry]) -> dict[str, int]:
    """The last turn of each owner in the queue that had one."""
    served = Run.objects.filter(turn__isnull=False, owner__in={entry.owner for entry in waiting})
    return dict(served.order_by().values_list("owner").annotate(Max("turn")))


def seconds_an_answer() -> Band | None:
    """The working seconds for one item, over the newest finished runs."""
    finished = (
        Run.objects.shown().filter(status=Status.FINISHED, driver=Driver.WORKER, wall_seconds__gt=0).order_by("-pk")
    )
    columns = finished.values_list("wall_seconds", "n_asks")[:MEASURED_RUNS]
    rates = [wall / n_asks for wall, n_asks in columns if n_asks]
    if len(rates) < FEWEST_MEASURED:
        return None
    deciles = quantiles(rates, n=10, method="inclusive")
    return Band(deciles[0], deciles[4], deciles[-1])


def silence(run: Run) -> str:
    """That no worker takes up runs, as far as the rows tell it; "" while a worker is at work or the wait is short."""
    due = run.not_before if run.status == Status.WAITING else run.queued_at
    if run.status not in {Status.QUEUED, Status.WAITING} or due is None or timezone.now() - due < SILENT_AFTER:
        return ""
    seen = Run.objects.filter(driver=Driver.WORKER).aggregate(
        heartbeat=Max("heartbeat_at"),
        at_work=Count("pk", filter=Q(lease_lives(timezone.now()), status=Status.RUNNING)),
    )
    return "" if seen["at_work"] else _silent_since(seen["heartbeat"])


def _silent_since(heartbeat: datetime | None) -> str:
    since = f"since {moment(heartbeat)}" if heartbeat else "yet"
    return (
        f"No worker has been running {since}. This is a problem on our side: your place in the queue and your "
        f"quota are safe, and the run starts by itself."
    )
