"""What an administrator can do to submissions and runs: who may, by POST alone, twice as once, and what follows."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from evaluation.keys.endpoint_keys import store_key
from evaluation.models import Driver, FaultKind, Run, Status
from evaluation.runs.manifest import sealed_columns
from leaderboard.models import Standing, Submission
from leaderboard.standings import refresh_standings
from leaderboard.submissions.moderating import ONE_PRESS, Refused, approve, replicate
from tests.factories import make_endpoint, make_run
from tests.leaderboard.pages import content_of
from tests.leaderboard.sending import CANARY, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
RUNS, SUBMISSIONS = "/admin/evaluation/run/", "/admin/leaderboard/submission/"


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def do(client: Client, path: str, action: str, rows: Sequence[Model], **data: str) -> str:
    form = {"action": action, "_selected_action": [str(row.pk) for row in rows], **data}
    response = client.post(path, form, follow=True)
    assert response.status_code == 200
    return content_of(response).replace("&#x27;", "'")


def ended(status: Status = Status.FINISHED, **fields: Any) -> Run:
    return make_run(status=status, endpoint=make_endpoint(), **{"published": False, **fields})


def test_pending_submissions_are_approved_once(client: Client, staff: Client) -> None:
    found = sent(client)
    assert "1 submission approved" in do(staff, SUBMISSIONS, "approve_them", [found])
    assert "0 submissions approved" in do(staff, SUBMISSIONS, "approve_them", [found])
    assert found.runs.get().status == Status.QUEUED
    assert "Approved by a moderator." in [event.text for event in found.events.all()]


def test_rejecting_asks_for_the_reason_that_the_submitter_reads(client: Client, staff: Client) -> None:
    found = sent(client, key=CANARY)
    asked = do(staff, SUBMISSIONS, "reject_them", [found])
    assert "Reject 1 submission?" in asked
    assert "This field is required" in do(staff, SUBMISSIONS, "reject_them", [found], confirmed="yes", reason=" ")
    found.refresh_from_db()
    assert found.state == Submission.State.PENDING
    assert "1 submission rejected" in do(
        staff, SUBMISSIONS, "reject_them", [found], confirmed="yes", reason="The name is that of another maker."
    )
    found.refresh_from_db()
    assert (found.state, found.reason) == (Submission.State.REJECTED, "The name is that of another maker.")
    assert found.endpoint.sealed_key == ""
    assert found.runs.count() == 0


def test_the_form_of_a_submission_shows_no_key_and_changes_note_and_flag_alone(client: Client, staff: Client) -> None:
    found = sent(client, key=CANARY)
    path = f"{SUBMISSIONS}{found.pk}/change/"
    html = content_of(staff.get(path))
    assert CANARY not in html
    assert found.endpoint.sealed_key not in html
    inline = {f"events-{name}_FORMS": "0" for name in ("TOTAL", "INITIAL")}
    staff.post(path, {"note": "asked them", "flagged": "on", "state": "approved", "owner": "me", **inline})
    found.refresh_from_db()
    assert (found.note, found.flagged, found.state, found.owner) == (
        "asked them",
        True,
        "pending",
        "127.0.0.1",
    )


def test_running_again_asks_first_with_the_count_and_the_requests(staff: Client) -> None:
    """Q02."""
    runs = [ended() for _ in range(3)] + [ended(repeats=3)]
    html = do(staff, RUNS, "run_again", runs)
    assert "Run 4 runs again?" in html
    assert "about 30 requests" in html
    assert Run.objects.count() == 4
    assert "4 runs opened" in do(staff, RUNS, "run_again", runs, confirmed="yes")
    assert Run.objects.count() == 8


def test_a_replicate_asks_the_same_and_leaves_the_old_run_as_it_is(staff: Client) -> None:
    old = ended(settings={"max_tokens": 60}, published=True)
    do(staff, RUNS, "run_again", [old], confirmed="yes")
    new = Run.objects.get(parent=old)
    assert (new.status, new.published, new.driver, new.settings) == (Status.QUEUED, False, Driver.WORKER, old.settings)
    assert (new.endpoint, new.bank, new.score) == (old.endpoint, old.bank, None)
    old.refresh_from_db()
    assert (old.status, old.published) == (Status.FINISHED, True)


def test_a_second_press_opens_no_second_run(staff: Client) -> None:
    """Q01."""
    run = ended()
    do(staff, RUNS, "run_again", [run], confirmed="yes")
    again = do(staff, RUNS, "run_again", [run], confirmed="yes")
    assert "of the same endpoint and bank is still open" in again
    assert Run.objects.filter(parent=run).count() == 1


def test_a_second_press_opens_none_either_where_the_first_run_has_ended_already(staff: Client) -> None:
    """Q01, with an endpoint that is quick."""
    run = ended()
    do(staff, RUNS, "run_again", [run], confirmed="yes")
    Run.objects.filter(parent=run).update(status=Status.FINISHED, score=61.5)
    assert "was opened as its replicate a moment ago" in do(staff, RUNS, "run_again", [run], confirmed="yes")
    assert Run.objects.filter(parent=run).count() == 1
    Run.objects.filter(parent=run).update(created_at=timezone.now() - ONE_PRESS)
    do(staff, RUNS, "run_again", [run], confirmed="yes")
    assert Run.objects.filter(parent=run).count() == 2


def test_two_runs_of_one_endpoint_and_bank_selected_together_open_one(staff: Client) -> None:
    """Q01: the database holds it, whoever looked first."""
    run = ended()
    twin = make_run(status=Status.FINISHED, endpoint=run.endpoint, bank=run.bank)
    html = do(staff, RUNS, "run_again", [run, twin], confirmed="yes")
    assert "1 run opened" in html
    assert "is still open" in html
    assert Run.objects.open().count() == 1


def test_what_cannot_run_again_is_said_with_its_reason(staff: Client) -> None:
    imported = make_run(status=Status.FINISHED)
    endpoint = make_endpoint()
    store_key(endpoint, CANARY)
    without_key = make_run(status=Status.FINISHED, endpoint=endpoint)
    Run.objects.filter(pk=without_key.pk).update(status=Status.RUNNING, lease_token="0" * 32)
    Run.objects.cancel(without_key.pk, seal=sealed_columns)
    html = do(staff, RUNS, "run_again", [imported, without_key])
    assert "None of the selected runs can be run again" in html
    assert "was not asked from here" in html
    assert "was erased" in html
    with pytest.raises(Refused):
        replicate(Run.objects.get(pk=without_key.pk))


def test_a_replicate_stands_on_the_page_of_its_submission(client: Client, staff: Client) -> None:
    found = sent(client)
    approve(found)
    found.runs.update(status=Status.FINISHED, score=50.0, n_scored=5)
    do(staff, RUNS, "run_again", [found.runs.get()], confirmed="yes")
    assert found.runs.count() == 2
    assert any("replicate of run" in event.text for event in found.events.all())


def test_cancelling_and_resuming_do_what_the_status_allows_once(staff: Client) -> None:
    run = make_run(endpoint=make_endpoint())
    assert "1 run cancelled" in do(staff, RUNS, "cancel_runs", [run])
    assert "0 runs cancelled. 1 run left as they were" in do(staff, RUNS, "cancel_runs", [run])
    Run.objects.update(status=Status.FAILED, failure_kind=FaultKind.PLATFORM)
    assert "1 run resumed" in do(staff, RUNS, "resume_runs", [run])
    assert "0 runs resumed" in do(staff, RUNS, "resume_runs", [run])
    run.refresh_from_db()
    assert (run.status, run.failure_kind) == (Status.QUEUED, "")


def test_resuming_beside_a_newer_open_run_is_refused(staff: Client) -> None:
    old = ended(Status.FAILED)
    make_run(endpoint=old.endpoint, bank=old.bank)
    assert "Another run of this endpoint" in do(staff, RUNS, "resume_runs", [old])


def test_the_standing_follows_publishing_at_once_and_comes_back(staff: Client) -> None:
    run = ended(score=61.5)
    refresh_standings()
    for action, there in (("publish", True), ("unpublish", False), ("publish", True), ("publish", True)):
        do(staff, RUNS, action, [run])
        assert Standing.objects.filter(model=run.model, score=61.5).exists() is there


def test_the_check_box_of_the_form_moves_the_standing_too(staff: Client) -> None:
    run = ended(score=61.5)
    staff.post(f"{RUNS}{run.pk}/change/", {"published": "on", "priority": "0"})
    assert Standing.objects.filter(model=run.model).exists()
    staff.post(f"{RUNS}{run.pk}/change/", {"priority": "0"})
    assert not Standing.objects.filter(model=run.model).exists()


@pytest.mark.parametrize("by", ["action", "form"])
def test_without_consent_nothing_is_published(client: Client, staff: Client, by: str) -> None:
    found = sent(client, publish_consent="off")
    approve(found)
    found.runs.update(status=Status.FINISHED, score=50.0, n_scored=5)
    run = found.runs.get()
    if by == "action":
        html = do(staff, RUNS, "publish", [run])
    else:
        html = content_of(staff.post(f"{RUNS}{run.pk}/change/", {"published": "on", "priority": "0"}, follow=True))
    assert "did not agree to publish it" in html
    run.refresh_from_db()
    assert not run.published


def test_a_refused_tick_is_not_said_to_be_a_change_and_leaves_no_line_in_the_history(
    client: Client, staff: Client
) -> None:
    found = sent(client, publish_consent="off")
    approve(found)
    found.runs.update(status=Status.FINISHED, score=50.0, n_scored=5)
    run = found.runs.get()
    response = staff.post(f"{RUNS}{run.pk}/change/", {"published": "on", "priority": "7"}, follow=True)
    html = content_of(response)
    assert "did not agree to publish it" in html
    assert "changed successfully" not in html
    run.refresh_from_db()
    assert (run.published, run.priority) == (False, 0)
    assert not LogEntry.objects.filter(object_id=str(run.pk)).exists()


@pytest.mark.parametrize(
    ("path", "action"),
    [(RUNS, name) for name in ("run_again", "cancel_runs", "resume_runs", "publish", "unpublish", "rescore")]
    + [(SUBMISSIONS, name) for name in ("approve_them", "reject_them")],
)
def test_each_action_needs_the_right_to_change_and_the_csrf_token(client: Client, path: str, action: str) -> None:
    found = sent(client)
    run = make_run(endpoint=make_endpoint())
    row = run if path == RUNS else found
    data = {"action": action, "_selected_action": [str(row.pk)], "confirmed": "yes", "reason": "no"}
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    assert client.post(path, data).status_code == 302
    client.force_login(looker)
    client.post(path, data)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.create_superuser("root"))
    assert strict.post(path, data).status_code == 403
    strict.get(path, data)
    run.refresh_from_db()
    found.refresh_from_db()
    assert (Run.objects.count(), run.status, run.published, found.state) == (1, Status.QUEUED, False, "pending")
    assert not LogEntry.objects.exists()


def test_a_priority_is_set_by_hand_and_nothing_else_of_a_run_at_work_is_written(staff: Client) -> None:
    run = make_run(status=Status.RUNNING)
    staff.get(f"{RUNS}{run.pk}/change/")
    assert staff.post(f"{RUNS}{run.pk}/change/", {"priority": "5", "status": "failed"}).status_code == 302
    run.refresh_from_db()
    assert (run.priority, run.status) == (5, Status.RUNNING)
