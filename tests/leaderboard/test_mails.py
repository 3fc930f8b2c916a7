"""Mail to submitters: who is told what, that a mail server that is down loses nothing, and what the clock costs."""

from collections.abc import Sequence
from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import FaultKind, Run, Status
from leaderboard.models import Mail, Standing, Submission
from leaderboard.submissions.emails import tell_submitters
from leaderboard.submissions.mailing import MOST_TRIES, send_due
from leaderboard.submissions.moderating import approve, cancel, reject, set_public, withdraw
from tests.leaderboard.pages import publish
from tests.leaderboard.sending import sent
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
SCORED: dict[str, Any] = {"status": Status.FINISHED, "score": 61.5, "n_scored": 5}


class DownBackend(BaseEmailBackend):
    """A mail server that nobody can connect to."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise ConnectionRefusedError("team@models.example could not be reached")


class ChoosyBackend(EmailBackend):
    """A mail server that refuses one address for good."""

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        if messages[0].to == ["refused@models.example"]:
            raise SMTPRecipientsRefused({"refused@models.example": (550, b"no such mailbox")})
        return super().send_messages(messages)


@pytest.fixture
def submission(client: Client) -> Submission:
    """Approved, with one queued run; the mail that confirms it is out."""
    found = sent(client)
    assert approve(found)
    assert send_due() == 1
    mail.outbox.clear()
    return found


def finish(submission: Submission, **fields: Any) -> Run:
    submission.runs.update(**{**SCORED, "finished_at": timezone.now(), **fields})
    return submission.runs.get()


def due_now() -> None:
    Mail.objects.update(next_at=timezone.now())


def bodies() -> list[str]:
    return [str(message.body) for message in mail.outbox]


def test_a_submission_is_confirmed_with_the_address_of_its_page(client: Client) -> None:
    found = sent(client)
    assert mail.outbox == [], "the page does not wait for a mail server"
    assert [send_due(), send_due()] == [1, 0]
    message = mail.outbox[0]
    assert (message.to, message.subject) == (["team@models.example"], "new-model: your submission")
    assert f"http://testserver/submissions/{found.token}/" in message.body
    assert "A moderator looks at it before it runs." in message.body
    assert "If it was not you" in message.body


def test_without_a_contact_nothing_is_written_down(client: Client) -> None:
    reject(sent(client, contact=""), "No.")
    assert not Mail.objects.exists()


def test_a_mailbox_is_not_filled_by_somebody_who_types_its_address(client: Client, settings: Any) -> None:
    settings.SUBMISSIONS_PER_DAY = 2
    for number in range(3):
        sent(client, f"192.0.2.{number}", api_model=f"m{number}")
    assert Mail.objects.count() == 2


def test_a_rejection_a_cancellation_by_staff_and_a_listing_are_told(client: Client, submission: Submission) -> None:
    other = sent(client, api_model="other")
    mail.outbox.clear()
    Mail.objects.all().delete()
    assert reject(other, "This is not your model.")
    run = submission.runs.get()
    root().post(f"/admin/runs/{run.pk}/cancel/")
    finish(submission)
    root().post(f"/admin/runs/{run.pk}/publish/")
    assert send_due() == 3
    assert [message.subject for message in mail.outbox] == [
        "new-model: your submission was rejected", "new-model: your run was cancelled", "new-model: your run is public",
    ]  # fmt: skip
    assert "This is not your model." in mail.outbox[0].body
    assert f"run {run.pk} on Own scenes was cancelled by an administrator." in mail.outbox[1].body
    assert f"http://testserver/runs/{run.pk}/" in mail.outbox[2].body


@pytest.mark.parametrize(
    ("fields", "has_rank"),
    [({}, True), ({"status": Status.FAILED, "score": None}, False), ({"ranks": False, "score": None}, False)],
    ids=["finished", "failed", "replies alone"],
)
def test_a_rank_is_promised_to_what_has_one(submission: Submission, fields: dict[str, Any], has_rank: bool) -> None:
    assert set_public([finish(submission, **fields)], public=True)
    send_due()
    assert ("Its rank, its ties and a badge" in bodies()[0]) is has_rank


def test_cancelling_ones_own_run_is_told_to_nobody(submission: Submission) -> None:
    assert cancel(submission.runs.get())
    assert not Mail.objects.exists()


def test_a_run_that_lists_itself_is_told_in_one_mail(submission: Submission, settings: Any) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True
    run = finish(submission)
    assert tell_submitters(run.pk) == 1
    assert len(mail.outbox) == 1
    assert "61.50 points, 5 of 5 items scored.\nIt is on the board." in mail.outbox[0].body


@pytest.mark.parametrize("status", [Status.FAILED, Status.WAITING])
def test_advice_after_a_fault_of_ours_fits_what_the_run_does_next(submission: Submission, status: Status) -> None:
    finish(submission, status=status, failure_kind=FaultKind.PLATFORM, failure_message="A worker died.", score=None)
    tell_submitters()
    assert ("the run resumes by itself" in bodies()[0]) is (status == Status.WAITING)
    assert ("press “Resume from the last finished item”" in bodies()[0]) is (status == Status.FAILED)


def test_a_mail_server_that_is_down_loses_no_mail_and_stops_no_listing(
    client: Client, submission: Submission, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True
    second = sent(client, api_model="second", name="maker/second")
    approve(second)
    finish(submission)
    finish(second)
    settings.EMAIL_BACKEND = f"{__name__}.DownBackend"
    assert tell_submitters() == 2
    assert Run.objects.filter(published=True).count() == Standing.objects.count() == 2
    assert "is tried again: ConnectionRefusedError" in caplog.text
    assert "team@models.example" not in caplog.text
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    due_now()
    assert tell_submitters() == 0
    assert len(mail.outbox) == 3
    assert not Mail.objects.exists()


def test_one_address_that_is_refused_holds_up_no_other_and_is_given_up_in_the_end(
    client: Client, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.ChoosyBackend"
    sent(client, api_model="a", contact="refused@models.example")
    sent(client, api_model="b")
    assert [send_due(), send_due()] == [0, 1]
    refused = Mail.objects.get()
    assert timedelta(minutes=4) < refused.next_at - timezone.now() <= timedelta(minutes=5)
    Mail.objects.update(tries=MOST_TRIES - 1, next_at=timezone.now())
    assert send_due() == 0
    assert not Mail.objects.exists()
    assert "was given up after" in caplog.text


def test_a_process_that_dies_after_the_listing_leaves_the_telling_to_the_clock(
    submission: Submission, settings: Any
) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True
    run = finish(submission)
    set_public([run], public=True, mailed=False)  # and there the process died
    assert tell_submitters() == 1
    assert [event.text for event in submission.events.order_by("pk")][-2:] == [
        f"Run {run.pk} is public now.", f"Run {run.pk} ended: 61.50 points, 5 of 5 items scored.",
    ]  # fmt: skip
    assert len(mail.outbox) == 1


def test_the_clock_asks_the_same_few_questions_however_many_runs_were_told(client: Client) -> None:
    counts = []
    for number in range(3):
        found = sent(client, api_model=f"m{number}", name=f"maker/m{number}")
        approve(found)
        finish(found)
        assert tell_submitters() == 1
        with CaptureQueriesContext(connection) as captured:
            assert tell_submitters() == 0
        counts.append(len(captured))
    assert counts == [counts[0]] * 3
    assert counts[0] <= 5
    assert not any("UPDATE" in query["sql"] for query in captured), "what was told is not locked again"


def test_figures_that_came_in_meanwhile_keep_a_run_from_listing_itself(submission: Submission, settings: Any) -> None:
    settings.SUBMISSIONS_AUTO_PUBLISH = True
    run = finish(submission)
    publish(submission.model, "eq-bench-v2", 70.0)
    assert tell_submitters() == 1
    run.refresh_from_db()
    assert not run.published
    assert "It is not on the board yet: a moderator has to list it." in bodies()[0]


@pytest.mark.parametrize("reason", ["withdrawn", "no consent"])
def test_what_was_withdrawn_since_it_was_looked_at_is_not_listed(submission: Submission, reason: str) -> None:
    """The run in hand is older than the withdrawal, as it is for a request that began before it."""
    run = finish(submission)
    if reason == "withdrawn":
        assert withdraw(submission)
    else:
        Submission.objects.update(publish_consent=False)
    assert set_public([run], public=True) == []
    run.refresh_from_db()
    assert not run.published
