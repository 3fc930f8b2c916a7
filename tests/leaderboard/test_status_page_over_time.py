"""The page of a submission where something newer has happened: a replicate, a withdrawal, a rejection."""

from typing import Any

import pytest
from django.test import Client

from evaluation.models import FaultKind, Run, Status
from leaderboard.models import Submission
from leaderboard.submissions.moderating import approve, reject, replicate, withdraw
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.sending import sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]

FAILED = {"status": Status.FAILED, "failure_kind": FaultKind.ENDPOINT, "failure_message": "It was away."}
RESUME = "Resume from the last finished item"


def change(run: Run, **fields: Any) -> Run:
    Run.objects.filter(pk=run.pk).update(**fields)
    return Run.objects.select_related("endpoint", "bank", "model").get(pk=run.pk)


@pytest.mark.parametrize(
    ("newer", "offered"),
    [
        ({"status": Status.FINISHED, "score": 50.0}, 0),
        ({"status": Status.RUNNING, "lease_token": "0" * 32}, 0),
        ({"status": Status.FAILED, "failure_kind": FaultKind.PARSE}, 0),
        (FAILED, 1),
        ({"status": Status.CANCELLED}, 1),
    ],
    ids=str,
)
def test_a_run_in_whose_place_a_newer_one_stands_is_not_offered_to_go_on(
    client: Client, newer: dict[str, Any], offered: int
) -> None:
    submission = sent(client)
    assert approve(submission)
    old = change(submission.runs.get(), **FAILED)
    assert RESUME in page(client, f"/submissions/{submission.token}/")
    again = change(replicate(old), **newer)
    assert (RESUME in page(client, f"/submissions/{submission.token}/")) is bool(offered)
    response = client.post(f"/submissions/{submission.token}/resume/", follow=True)
    assert ("1 run resumed" if offered else "No run could be resumed") in content_of(response)
    queued = Run.objects.filter(status=Status.QUEUED).values_list("pk", flat=True)
    resumed = old.pk if newer["status"] == Status.CANCELLED else again.pk
    assert list(queued) == ([resumed] if offered else [])


@pytest.mark.parametrize("what", ["key", "prove"])
@pytest.mark.parametrize("end", ["withdrawn", "rejected"])
def test_a_page_that_was_opened_before_the_end_says_that_nothing_was_changed(
    client: Client, what: str, end: str
) -> None:
    submission: Submission = sent(client)
    assert withdraw(submission) if end == "withdrawn" else reject(submission, "Not yours.")
    data = {"key": "sk-new", "domain": "models.example"}
    response = client.post(f"/submissions/{submission.token}/{what}/", data, follow=True)
    assert "Nothing was changed: this submission was withdrawn or rejected meanwhile." in content_of(response)
    assert response.redirect_chain == [(f"/submissions/{submission.token}/", 302)]
    submission.endpoint.refresh_from_db()
    assert submission.endpoint.sealed_key == ""
