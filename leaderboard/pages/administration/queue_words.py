"""One line of the queue board in words: where the run is, since when, how fast, and what it waits for. No query."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.disclosure import failure_of
from evaluation.models import Driver, Run
from evaluation.runs.clocks import holds_lease
from leaderboard.administration.run_acts import Button, buttons
from leaderboard.rounding import count, counted, duration, moment, score

QUIET_AFTER = timedelta(minutes=10)  # no answer for so long while a lease is held is worth a look
SILENT_AFTER = timedelta(minutes=2)  # a due run is called every minute, and a free worker takes it at once


@dataclass(frozen=True, slots=True)
class Line:
    """A run on the board. `since` and `state` are sentences; `stalled` marks what does not move as it should."""

    run: Run
    since: str
    state: str
    progress: str = ""
    rate: str = ""
    stalled: bool = False
    place: int | None = None
    acts: Collection[str] = ("try-now", "resume", "cancel")

    @property
    def buttons(self) -> tuple[Button, ...]:
        return tuple(button for button in buttons(self.run) if button.name in self.acts)


def line_at_work(run: Run, answered: int, lately: int, now: datetime) -> Line:
    lease = lease_words(run, now)
    begun = run.started_at is not None and now - run.started_at > QUIET_AFTER
    quiet = begun and not lately and run.driver == Driver.WORKER
    return Line(
        run,
        since=f"since {moment(run.started_at)}",
        state=f"{lease} No answer came in the last {duration(QUIET_AFTER.total_seconds())}." if quiet else lease,
        progress=f"{count(answered)} of {count(run.n_asks)}",
        rate=f"{lately / (QUIET_AFTER.total_seconds() / 60):.1f} a minute",
        stalled=quiet or is_lapsed(run, now),
    )


def is_lapsed(run: Run, now: datetime) -> bool:
    return not holds_lease(run.lease_until, now)


def lease_words(run: Run, now: datetime) -> str:
    """Whether a worker holds the run, and for how long it is still trusted to."""
    if run.lease_until is None:
        return "Held by nobody."
    if is_lapsed(run, now):
        return f"The lease {_ended(run.lease_until, now)}; the next pass of the clock gives the run to another."
    beat = f"heartbeat {ago(run.heartbeat_at, now)}" if run.heartbeat_at else "no heartbeat yet"
    by = "" if run.driver == Driver.WORKER else " by the evaluate command"
    return f"Lease held{by} for {duration((run.lease_until - now).total_seconds())} more, {beat}."


def _ended(until: datetime, now: datetime) -> str:
    return f"ran out {ago(until, now)}" if until < now else "is too long, since the clock was put back"


def ago(then: datetime, now: datetime) -> str:
    return f"{duration(max(0.0, (now - then).total_seconds()))} ago"


def line_waiting(run: Run, now: datetime) -> Line:
    due = run.not_before
    late = due is None or now - due > SILENT_AFTER
    left = (due - now).total_seconds() if due else 0.0
    when = f"Next try in {duration(left)}." if left > 0 else "The next try is due."
    return Line(
        run,
        since=f"until {moment(due)}",
        state=f"{when} {failure_of(run) or 'No reason is stored.'}",
        progress=f"{counted(run.waits, 'wait')} so far",
        stalled=late,
    )


def line_queued(
    run: Run, place: int, full: tuple[Collection[str], Collection[str]], now: datetime, *, idle: bool
) -> Line:
    since = run.queued_at or run.created_at
    return Line(
        run,
        since=f"since {moment(since)}",
        state=why_queued(run, full, now),
        stalled=idle and now - since > SILENT_AFTER and run.driver == Driver.WORKER,
        place=place,
    )


def why_queued(run: Run, full: tuple[Collection[str], Collection[str]], now: datetime) -> str:
    hosts, owners = full
    if run.driver != Driver.WORKER:
        return "Waits for its evaluate command."
    if run.not_before and run.not_before > now:
        return f"Not before {moment(run.not_before)}."
    if run.host in hosts:
        return "Its host already has the maximum number of running runs."
    if run.owner in owners:
        return "Its owner already has the maximum number of running runs."
    return "Starts when a worker is free and it is next in line."


def line_to_list(run: Run, *, is_flagged: bool) -> Line:
    scored = f"{score(run.score, run.benchmark)}, {run.n_scored} of {run.n_items} items scored."
    state = f"{scored} Its submission is flagged." if is_flagged else scored
    return Line(run, since=f"ended {moment(run.finished_at)}", state=state, acts=("publish",))


def line_stopped(run: Run) -> Line:
    return Line(run, since=f"ended {moment(run.finished_at)}", state=failure_of(run) or "No reason is stored.")
