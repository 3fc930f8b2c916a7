"""A run that goes on after a fault is told of anew, once for each stretch, and never as what it has ceased to be."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils import timezone

from evaluation.models import FaultKind, Run, Status
from leaderboard.models import Submission
from leaderboard.submissions.emails import tell_submitters
from leaderboard.submissions.mailing import send_due
from leaderboard.submissions.moderating import approve, resume
from tests.leaderboard.sending import sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
SCORED: dict[str, Any] = {"status": Status.FINISHED, "score": 61.5, "n_scored": 5}
LEASE = "0" * 32


@pytest.fixture
def submission(client: Client) -> Submission:
    """Approved, with one queued run; the mail that confirms it is out."""
    found = sent(client)
    assert approve(found)
    send_due()
    mail.outbox.clear()
    return found


def become(submission: Submission, **fields: Any) -> Run:
    submission.runs.update(**fields)
    return submission.runs.get()


def waits(submission: Submission) -> Run:
    due = timezone.now() + timedelta(hours=1)
    fault = {"failure_kind": FaultKind.ENDPOINT, "failure_message": "The endpoint is down."}
    return become(submission, status=Status.WAITING, not_before=due, **fault)


def fails(submission: Submission) -> Run:
    fault = {"failure_kind": FaultKind.ENDPOINT, "failure_message": "The endpoint refused the key."}
    return become(submission, status=Status.FAILED, finished_at=timezone.now(), **fault)


def lines(submission: Submission, word: str) -> int:
    return submission.events.filter(text__contains=f" {word}").count()


def test_a_resumed_run_that_waits_for_the_first_time_is_told_once(submission: Submission) -> None:
    run = fails(submission)
    assert tell_submitters() == 1
    assert resume(run)
    waits(submission)
    assert [tell_submitters(), tell_submitters(), tell_submitters()] == [1, 0, 0]
    assert [message.subject for message in mail.outbox] == [
        "new-model: your run has stopped", "new-model: your run waits for its endpoint",
    ]  # fmt: skip


def test_a_run_that_was_resumed_before_its_stop_was_told_is_told_once_of_its_end(submission: Submission) -> None:
    assert resume(fails(submission))
    become(submission, finished_at=timezone.now(), **SCORED)
    assert [tell_submitters(), tell_submitters()] == [1, 0]
    assert len(mail.outbox) == 1


def test_each_stretch_of_a_run_is_told_of(submission: Submission) -> None:
    for _ in range(2):
        waits(submission)
        assert [tell_submitters(), tell_submitters()] == [1, 0]
        run = fails(submission)
        assert [tell_submitters(), tell_submitters()] == [1, 0]
        assert resume(run)
    become(submission, finished_at=timezone.now(), **SCORED)
    assert [tell_submitters(), tell_submitters()] == [1, 0]
    assert len(mail.outbox) == 5


def once_after(table: str, act: Callable[[], object]) -> Callable[..., Any]:
    """Runs the act once, right after the first query that reads the table: another process was quicker."""
    done: list[bool] = []

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if not done and sql.startswith("SELECT") and f'FROM "{table}"' in sql:
            done.append(True)
            act()
        return result

    return wrapper


def test_a_run_that_a_worker_takes_up_while_the_clock_looks_has_not_ended(submission: Submission) -> None:
    run = waits(submission)
    taken_up = {"status": Status.RUNNING, "lease_token": LEASE, "not_before": None}
    with connection.execute_wrapper(
        once_after("leaderboard_submission_runs", lambda: Run.objects.filter(pk=run.pk).update(**taken_up))
    ):
        assert tell_submitters() == 0
    assert (lines(submission, "ended"), mail.outbox) == (0, [])
    become(submission, lease_token=None, finished_at=timezone.now(), **SCORED)
    assert tell_submitters() == 1
    assert [message.subject for message in mail.outbox] == ["new-model: your run has ended"]


def test_a_run_that_is_resumed_while_the_clock_looks_has_not_ended(submission: Submission) -> None:
    run = fails(submission)
    with connection.execute_wrapper(once_after("leaderboard_submission_runs", lambda: resume(run))):
        assert tell_submitters() == 0
    become(submission, finished_at=timezone.now(), **SCORED)
    assert tell_submitters() == 1
    assert len(mail.outbox) == 1


def test_a_run_that_is_deleted_while_the_clock_looks_keeps_no_other_from_being_told(
    client: Client, submission: Submission
) -> None:
    fails(submission)
    other = sent(client, api_model="other", name="maker/other")
    approve(other)
    fails(other)
    gone = submission.runs.get()
    with connection.execute_wrapper(once_after("leaderboard_submission_runs", gone.delete)):
        assert tell_submitters() == 1
    assert lines(other, "ended") == 1
