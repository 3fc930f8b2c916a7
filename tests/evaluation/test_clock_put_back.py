"""Times that were written before the machine's clock was put back lie ahead: nothing waits until it has caught up."""

import shelve
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache, caches
from django.utils import timezone

from evaluation.endpoints.retry_after import MAX_SECONDS
from evaluation.models import Pulse, Run, Status
from evaluation.runs import pulses
from evaluation.runs.clocks import LONGEST_NAMED
from evaluation.runs.runner import claim_next
from leaderboard.administration.forgetting import forget_turns
from leaderboard.celery import app
from leaderboard.models import Mail, Submission
from leaderboard.operations.health import readiness
from leaderboard.operations.steady import SteadyScheduler
from leaderboard.pages.administration.queue_board import queue_board
from leaderboard.pages.shared.stalls import queue_now
from leaderboard.submissions.mailing import LONGEST_WAIT, send_due
from tests.factories import make_bank, make_endpoint, make_model, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]
HOUR = timedelta(hours=1)


def ahead(time: timedelta = 2 * HOUR) -> Any:
    return timezone.now() + time


def run_with(**fields: Any) -> Run:
    return make_run(endpoint=make_endpoint(), **fields)


def running(until: timedelta) -> Run:
    return run_with(status=Status.RUNNING, lease_until=ahead(until), heartbeat_at=ahead(until))


@pytest.mark.parametrize("until", [timedelta(minutes=91), 2 * HOUR, timedelta(days=4000)])
def test_a_lease_beyond_twice_its_length_is_over(until: timedelta, settings: Any) -> None:
    settings.RUN_LEASE_SECONDS = 45 * 60  # so that the seconds of a busy machine do not count
    run = running(until)
    assert queue_now(timezone.now()).at_work == 0
    assert Run.objects.requeue_expired() == 1
    lease = claim_next()
    assert lease
    assert lease.run_id == run.pk


def test_a_lease_that_a_worker_with_a_clock_a_little_ahead_has_set_is_alive() -> None:
    running(timedelta(seconds=80))
    assert queue_now(timezone.now()).at_work == 1
    assert Run.objects.requeue_expired() == 0
    assert claim_next() is None


def test_a_dead_lease_that_lies_ahead_keeps_no_place_of_its_host_and_owner(settings: Any) -> None:
    settings.RUNS_PER_HOST = settings.RUNS_PER_OWNER = 1
    bank, both = make_bank(), {"host": "a.example", "owner": "ann"}
    make_run(bank=bank, status=Status.RUNNING, lease_until=ahead(), priority=-1, **both)
    waiting = make_run(bank=bank, model=make_model(), endpoint=make_endpoint(), **both)
    lease = claim_next()
    assert lease
    assert lease.run_id == waiting.pk


def test_the_queue_page_says_why_such_a_run_stands_still() -> None:
    running(2 * HOUR)
    (line,) = [line for part in queue_board().parts for line in part.lines]
    assert line.stalled
    assert (
        "is too long, since the clock was put back; the next pass of the clock gives the run to another" in line.state
    )


@pytest.mark.parametrize(("wait", "due"), [(25 * HOUR, True), (23 * HOUR, False), (6 * HOUR, False)])
def test_a_wait_longer_than_any_that_we_set_is_over(wait: timedelta, due: bool) -> None:
    """An endpoint may name a day; the breaker waits for six hours at most."""
    assert LONGEST_NAMED == MAX_SECONDS
    run_with(status=Status.WAITING, not_before=ahead(wait))
    assert queue_now(timezone.now()).due == int(due)
    assert (claim_next() is not None) is due


def test_the_longest_wait_follows_the_setting(settings: Any) -> None:
    settings.RUN_BREAKER_WAITS_SECONDS = [300, 48 * 3600]
    run_with(status=Status.WAITING, not_before=ahead(40 * HOUR))
    assert claim_next() is None


def test_a_call_that_was_made_ahead_of_now_is_made_again() -> None:
    run = run_with(rung_at=ahead())
    assert Run.objects.to_ring(again_after_seconds=60, most=5) == [run.pk]
    assert Run.objects.to_ring(again_after_seconds=60, most=5) == []


def state(name: str) -> tuple[bool, str]:
    check = readiness(frozenset({name}))[name]
    return check.ok, check.state


def test_a_tick_and_a_heartbeat_that_lie_ahead_are_no_signs_of_life() -> None:
    pulses.note(pulses.REAPER)
    Pulse.objects.update(at=ahead())
    assert state("reaper") == (False, "late")
    run_with(queued_at=ahead(-HOUR), rung_at=ahead(-HOUR), heartbeat_at=ahead())
    assert state("workers") == (False, "called and none comes: restart the workers")


def test_a_run_that_was_queued_ahead_of_now_and_finds_no_worker_is_told() -> None:
    run_with(queued_at=ahead(), rung_at=ahead(-HOUR))
    assert state("workers")[0] is False


@pytest.mark.parametrize(
    ("tries", "next_at", "sent"),
    [(0, 2 * HOUR, 1), (3, LONGEST_WAIT + HOUR, 1), (3, LONGEST_WAIT - HOUR, 0), (3, -HOUR, 1)],
)
def test_a_mail_is_sent_at_once_where_no_wait_of_ours_is_that_long(tries: int, next_at: timedelta, sent: int) -> None:
    endpoint = make_endpoint()
    submission = Submission.objects.create(model=endpoint.model, endpoint=endpoint, contact="ann@models.example")
    Mail.objects.create(submission=submission, subject="s", text="t", tries=tries, next_at=ahead(next_at))
    assert send_due() == sent


def test_a_network_that_was_counted_ahead_of_now_is_forgotten() -> None:
    caches["limits"].set("dry-run:203.0.113.7:0", 1, 2 * 3600)
    assert forget_turns() == 1


def test_the_clock_calls_what_it_last_called_ahead_of_now(tmp_path: Path) -> None:
    """As a schedule that was kept on disk is found after a restart, and as one in memory is after a step back."""
    path = str(tmp_path / "schedule")
    assert (app.conf.beat_scheduler, app.conf.beat_schedule["tell-submitters"]["schedule"]) == (
        "leaderboard.operations.steady:SteadyScheduler",
        60.0,
    )
    first = SteadyScheduler(app, schedule_filename=path)
    first.close()
    with shelve.open(path, writeback=True) as kept:  # noqa: S301
        for entry in kept["entries"].values():
            entry.last_run_at = ahead()
    scheduler = SteadyScheduler(app, schedule_filename=path)
    assert scheduler.tick() <= 60, "the reaper's interval, not two hours"
    assert all(is_near(entry) for entry in scheduler.schedule.values())
    for entry in scheduler.schedule.values():
        entry.last_run_at = ahead()
    assert scheduler.tick() <= 60
    scheduler.close()


def is_near(entry: Any) -> bool:
    return bool(abs(entry.last_run_at - timezone.now()) < HOUR)


def test_what_the_cache_keeps_for_a_time_goes_by_a_clock_that_nobody_puts_back() -> None:
    cache.set("kept", 1, 60)
    cache.set("for-ever", 1, None)
    cache.set("gone", 1, 0)
    assert (cache.get("kept"), cache.get("for-ever"), cache.get("gone")) == (1, 1, None)
    # Seconds since the machine's start; since 1970 they are 1.8e9, and whoever sets the clock moves them.
    assert (cache.get_backend_timeout(60) or 0) < 1e9
