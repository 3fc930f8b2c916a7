"""Whether this installation can do its work: each check with a state that a monitor may read, and no secret in it."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from evaluation.database_faults import NO_ANSWER, public_reason
from evaluation.runs import pulses
from leaderboard.celery import app
from leaderboard.operations.broker import messages_waiting
from leaderboard.pages.shared.stalls import Queue, queue_now

BROKER_SECONDS = 1.0
SOCKET_SECONDS = 0.8
WRITES = "readiness-writes"
WRITE_SECONDS = 20  # from one try to the next, in each web process that is asked
LOCK_MILLISECONDS = 2_000


@dataclass(frozen=True, slots=True)
class Check:
    """`seconds` is the age or the time that the check is about; None where there is none."""

    ok: bool
    state: str
    seconds: float | None = None


def readiness(names: frozenset[str] = frozenset()) -> Mapping[str, Check]:
    """Every check, or those named. After a database that does not answer, what needs it is not asked."""
    wanted = {name: check for name, check in CHECKS.items() if not names or name in names}
    return {name: _checked(check) for name, check in wanted.items()}


def _checked(check: Callable[[], Check]) -> Check:
    try:
        return check()
    except (DatabaseError, InterfaceError) as error:
        return Check(False, public_reason(error) or NO_ANSWER)


def database() -> Check:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return Check(True, "answers")


def writes() -> Check:
    """Whether anything can be written. Each web process tries it once in a while, and tells the last outcome."""
    check: Check | None = cache.get(WRITES)
    if check is None:
        check = _written()
        cache.set(WRITES, check, WRITE_SECONDS)
    return check


def _written() -> Check:
    try:
        with _impatient():
            pulses.note(pulses.WRITE_TRIED)
    except (DatabaseError, InterfaceError) as error:
        return Check(False, f"nothing can be written: {public_reason(error)}")
    return Check(True, "can be written")


@contextmanager
def _impatient() -> Iterator[None]:
    """What waits for a lock gives up soon: a probe must not wait as long as an import may take."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with transaction.atomic():
                cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_MILLISECONDS}ms"])
                yield
            return
        usual = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {LOCK_MILLISECONDS}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")


def broker() -> Check:
    """Asked in a thread, so that no library's own patience can hold the answer up."""
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="broker-check")
    try:
        waiting = pool.submit(messages_waiting, app, [app.conf.task_default_queue], SOCKET_SECONDS).result(
            timeout=BROKER_SECONDS
        )
    except (OperationalError, OSError, TimeoutError):
        return Check(False, "does not answer")
    finally:
        pool.shutdown(wait=False)
    return Check(True, f"answers, {waiting} messages waiting")


def reaper() -> Check:
    """Whether the clock ticks and a worker hears it. Workers that are all at work may hear it a slice later."""
    now = timezone.now()
    beat = pulses.beats().get(pulses.REAPER)
    if beat is None:
        return Check(False, "has never run: is a worker with its clock up?")
    return _reaper(now, beat.at, queue_now(now))


def _reaper(now: datetime, at: datetime, queue: Queue) -> Check:
    age = abs(now - at)  # a tick that lies ahead was made before the clock was put back
    slice_seconds = settings.RUN_SLICE_SECONDS + settings.RUN_LAST_REPLIES_SECONDS
    slack = timedelta(seconds=slice_seconds if queue.at_work else 0)
    late = age > silence() + slack
    words = "late" if late else "behind runs that are at work" if age > silence() else "ticks"
    return Check(not late, words, round(age.total_seconds(), 1))


def workers() -> Check:
    """The deaf worker: runs are due and workers were called to them, yet for minutes none took one up."""
    now = timezone.now()
    queue = queue_now(now)
    waited = round((now - queue.due_since).total_seconds(), 1) if queue.due_since else None
    if queue.is_deaf(now, silence()):
        return Check(False, "called and none comes: restart the workers", waited)
    if queue.is_stalled(now, silence()):
        return Check(False, "not called: is the clock up?", waited)
    return Check(True, f"{queue.at_work} runs at work, {queue.due} due", waited)


def silence() -> timedelta:
    return timedelta(seconds=settings.READY_SILENCE_SECONDS)


CHECKS: Mapping[str, Callable[[], Check]] = {
    "database": database,
    "writes": writes,
    "broker": broker,
    "reaper": reaper,
    "workers": workers,
}


def as_json(checks: Mapping[str, Check]) -> dict[str, object]:
    return {"ready": is_ready(checks), "checks": {name: asdict(check) for name, check in checks.items()}}


def is_ready(checks: Mapping[str, Check]) -> bool:
    return all(check.ok for check in checks.values())
