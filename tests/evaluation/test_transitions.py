"""A run's status changes: each is one conditional update, and the second to come is told no."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery, current_app
from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluation.models import Driver, FaultKind, Run, Status
from evaluation.runs.manifest import sealed_columns
from evaluation.tasks import ring
from tests.factories import make_endpoint, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def claim(run: Run, *, lease_seconds: float = 45) -> uuid.UUID | None:
    token = uuid.uuid4()
    taken = Run.objects.claim(run.pk, token, lease_seconds=lease_seconds, driver=Driver.WORKER, most_idle_claims=3)
    return token if taken else None


def queued_run(**fields: object) -> Run:
    return make_run(endpoint=make_endpoint(), status=Status.QUEUED, **fields)


def test_a_run_is_claimed_once() -> None:
    run = queued_run()
    assert claim(run)
    assert claim(run) is None
    run.refresh_from_db()
    assert run.status == Status.RUNNING
    assert run.started_at is not None


def test_an_expired_lease_can_be_claimed_and_the_old_holder_writes_nothing() -> None:
    run = queued_run()
    old = claim(run, lease_seconds=-1)
    new = claim(run)
    assert old
    assert new
    assert not Run.objects.renew(run.pk, old, lease_seconds=45, requests=99)
    assert not Run.objects.end(run.pk, old, status=Status.FAILED, seal=sealed_columns)
    assert Run.objects.renew(run.pk, new, lease_seconds=45, requests=7)
    run.refresh_from_db()
    assert (run.requests, run.status) == (7, Status.RUNNING)


def test_a_run_of_the_command_is_not_claimed_by_a_worker() -> None:
    assert claim(queued_run(driver=Driver.COMMAND)) is None


@pytest.mark.parametrize("status", [Status.FINISHED, Status.FAILED, Status.CANCELLED])
def test_an_ended_run_is_not_claimed(status: Status) -> None:
    assert claim(make_run(endpoint=make_endpoint(), status=status)) is None


def test_q14_a_waiting_run_is_due_at_its_time_and_called_once() -> None:
    run = queued_run()
    token = claim(run)
    assert token
    assert Run.objects.wait(run.pk, token, seconds=7200)
    assert claim(run) is None
    assert Run.objects.to_ring(again_after_seconds=60, most=10) == []
    Run.objects.filter(pk=run.pk).update(not_before=timezone.now() - timedelta(seconds=1))
    assert Run.objects.to_ring(again_after_seconds=60, most=10) == [run.pk]
    assert Run.objects.to_ring(again_after_seconds=60, most=10) == [], "called a moment ago"
    assert claim(run)


def test_a_released_run_is_queued_and_a_claim_without_a_result_still_counts() -> None:
    run = queued_run()
    token = claim(run)
    assert token
    assert Run.objects.release(run.pk, token, requests=3)
    run.refresh_from_db()
    assert (run.status, run.lease_token, run.idle_claims, run.requests) == (Status.QUEUED, None, 1, 3)


def test_a_cancelled_run_is_lost_to_its_worker() -> None:
    run = queued_run()
    token = claim(run)
    assert token
    assert Run.objects.cancel(run.pk, seal=sealed_columns)
    assert not Run.objects.renew(run.pk, token, lease_seconds=45)
    assert not Run.objects.cancel(run.pk, seal=sealed_columns), "the second press finds nothing open"


def test_a_run_that_kills_each_worker_stops_as_a_platform_fault() -> None:
    run = queued_run()
    for _ in range(3):
        assert claim(run, lease_seconds=-1)
    assert Run.objects.fail_stuck(3, seal=sealed_columns) == 1
    run.refresh_from_db()
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.PLATFORM)
    assert "3 times" in run.failure_message
    assert claim(run) is None


def test_a_run_with_a_live_lease_is_not_stopped_as_stuck() -> None:
    run = queued_run()
    for _ in range(2):
        claim(run, lease_seconds=-1)
    claim(run)
    assert Run.objects.fail_stuck(3, seal=sealed_columns) == 0


def test_expired_leases_go_back_to_the_queue() -> None:
    run, held = queued_run(), queued_run()
    claim(run, lease_seconds=-1)
    claim(held)
    assert Run.objects.requeue_expired() == 1
    run.refresh_from_db()
    held.refresh_from_db()
    assert (run.status, held.status) == (Status.QUEUED, Status.RUNNING)


def test_a_failed_run_is_resumed_and_a_finished_one_is_not() -> None:
    failed = make_run(endpoint=make_endpoint(), status=Status.FAILED, failure_kind="endpoint", failure_message="gone")
    finished = make_run(endpoint=make_endpoint(), status=Status.FINISHED, score=50.0)
    assert Run.objects.resume(failed.pk)
    assert not Run.objects.resume(finished.pk)
    failed.refresh_from_db()
    assert (failed.status, failed.failure_message) == (Status.QUEUED, "")


def test_one_endpoint_and_bank_has_one_open_run() -> None:
    run = queued_run()
    with pytest.raises(IntegrityError), transaction.atomic():
        make_run(endpoint=run.endpoint, bank=run.bank, status=Status.QUEUED)
    Run.objects.cancel(run.pk, seal=sealed_columns)
    assert make_run(endpoint=run.endpoint, bank=run.bank, status=Status.QUEUED).pk


def test_a_finished_run_without_a_score_is_refused_by_the_database() -> None:
    run = queued_run()
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(status=Status.FINISHED, score=None)


def test_r14_a_broker_out_of_reach_is_logged_and_the_run_stays_queued(
    caplog: pytest.LogCaptureFixture, django_capture_on_commit_callbacks: Any
) -> None:
    run = queued_run()
    usual: Any = current_app
    usual = usual._get_current_object()
    try:
        Celery("broken", broker="redis+socket:///nowhere/redis.sock").set_current()
        with django_capture_on_commit_callbacks(execute=True):
            ring(run.pk)
    finally:
        usual.set_current()
    (line,) = [record for record in caplog.records if record.name == "evaluation.tasks"]
    assert "the broker cannot be reached" in line.getMessage()
    assert line.exc_info is None, "one line: a run may end at any moment of a broker's restart"
    run.refresh_from_db()
    assert run.status == Status.QUEUED
