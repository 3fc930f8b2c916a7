"""The page of a submission: who may see it, what it says in each state, and what its owner can do there."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.keys.endpoint_keys import store_key
from evaluation.keys.sealing import unseal
from evaluation.models import Driver, FaultKind, ItemState, Run, Status
from evaluation.runs.manifest import sealed_columns
from leaderboard.celery import app
from leaderboard.models import Standing, Submission
from leaderboard.standings import refresh_standings
from leaderboard.submissions.emails import tell_submitters
from leaderboard.submissions.moderating import approve, cancel, reject, replicate, resume
from tests.factories import make_result, make_run
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.sending import CANARY, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
UNREAD = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}


@pytest.fixture
def submission(client: Client) -> Submission:
    """Approved, with one queued run and a key."""
    found = sent(client, key=CANARY)
    assert approve(found)
    return found


def shown(client: Client, submission: Submission) -> str:
    html = page(client, f"/submissions/{submission.token}/").replace("&#x27;", "'")
    assert CANARY not in html
    return html


def act(client: Client, submission: Submission, name: str, **data: str) -> str:
    response = client.post(f"/submissions/{submission.token}/{name}/", data, follow=True)
    assert response.status_code == 200
    return content_of(response).replace("&#x27;", "'")


def become(submission: Submission, **fields: Any) -> Run:
    submission.runs.update(**fields)
    return submission.runs.get()


def failed(submission: Submission, kind: FaultKind = FaultKind.ENDPOINT, **fields: Any) -> Run:
    at = timezone.now()
    usual = {"failure_kind": kind, "failure_message": "The endpoint refused the key.", "finished_at": at}
    return become(submission, status=Status.FAILED, **{**usual, **fields})


def test_the_token_is_the_only_lock_and_has_128_bits(client: Client, submission: Submission) -> None:
    assert len(submission.token) >= 22
    assert client.get(f"/submissions/{submission.pk}/").status_code == 404
    assert client.get("/submissions/not-a-token/").status_code == 404


def test_the_page_stays_out_of_search_engines_and_referrers(client: Client, submission: Submission) -> None:
    for path in ("", "live/"):
        response = client.get(f"/submissions/{submission.token}/{path}")
        assert response["X-Robots-Tag"] == "noindex, nofollow"
        assert response["Referrer-Policy"] == "same-origin"
        assert "no-store" in response["Cache-Control"]
    assert '<meta name="robots" content="noindex, nofollow">' in shown(client, submission)
    assert submission.token not in page(client, "/sitemap.xml")


def test_before_the_approval_it_says_so_and_nothing_can_be_claimed(client: Client) -> None:
    found = sent(client)
    assert "A moderator looks at your submission" in shown(client, found)
    assert Run.objects.count() == 0


def test_a_rejection_gives_its_reason_and_erases_the_key(client: Client) -> None:
    found = sent(client, key=CANARY)
    assert reject(found, "This is not your model.")
    html = shown(client, found)
    assert "Your submission was rejected" in html
    assert "This is not your model." in html
    assert "Submission rejected." in html
    found.endpoint.refresh_from_db()
    assert found.endpoint.sealed_key == ""
    assert not approve(found)
    assert not reject(found, "again")


def test_approving_twice_opens_one_run(submission: Submission) -> None:
    assert not approve(submission)
    run = submission.runs.get()
    assert (run.status, run.published, run.driver) == (Status.QUEUED, False, Driver.WORKER)
    assert run.settings["concurrency"] == 2
    assert run.settings["system_prompt"] == ""


def test_a_queued_run_tells_its_place_and_the_band_of_its_start(client: Client, submission: Submission) -> None:
    assert "Your run is next" in shown(client, submission)
    for seconds in (5.0, 10.0, 15.0, 20.0):
        make_run(status=Status.FINISHED, wall_seconds=seconds)
    Run.objects.filter(status=Status.FINISHED).update(driver=Driver.WORKER)
    ahead = make_run(bank=submission.runs.get().bank)
    Run.objects.filter(pk=ahead.pk).update(status=Status.RUNNING, lease_token="0" * 32)
    # 5 items at 1 to 4 seconds each, the deciles of which are 1.3 and 3.7.
    assert "One run is ahead of yours; it starts in 6–18 s" in shown(client, submission)


def test_the_place_is_drawn_with_pills_for_start_and_end(client: Client, submission: Submission) -> None:
    measure(5.0, 10.0, 15.0, 20.0)
    assert "Pills:" not in shown(client, submission), "nothing is ahead, so there is nothing to draw"
    at_work(submission.runs.get())
    html = shown(client, submission)
    # 5 items at a median of 2.5 seconds each are ahead, and as many are its own.
    assert 'aria-label="1 run ahead for about 12 s; yours then takes about 12 s"' in html
    assert html.count('<rect class="r-span"') == 2
    assert "Pills: when it is likely to start and end" in html


def test_a_run_whose_host_is_at_work_says_so(client: Client, submission: Submission) -> None:
    mine = submission.runs.get()
    assert mine.host == "127.0.0.1"
    assert mine.owner == "127.0.0.1"
    at_work(mine, host="127.0.0.1")
    assert "One run at a time for each endpoint, and 127.0.0.1 is running one." in shown(client, submission)


def measure(*seconds: float) -> None:
    """Finished runs of five items that took so long."""
    for wall in seconds:
        make_run(status=Status.FINISHED, wall_seconds=wall, driver=Driver.WORKER)


def at_work(mine: Run, **fields: Any) -> Run:
    """Another run of as many items, which a worker has."""
    lease = timezone.now() + timedelta(seconds=30)
    return make_run(bank=mine.bank, status=Status.RUNNING, lease_until=lease, heartbeat_at=timezone.now(), **fields)


def test_a_waiting_run_can_be_tried_at_once_and_only_while_it_waits(client: Client, submission: Submission) -> None:
    due = timezone.now() + timedelta(hours=1)
    run = become(submission, status=Status.WAITING, not_before=due, failure_kind="endpoint", failure_message="Limits.")
    assert ">Try now</button>" in shown(client, submission)
    html = act(client, submission, "try-now")
    assert "1 run will be tried as soon as a worker is free." in html
    assert ">Try now</button>" not in html
    assert f"Run {run.pk} was asked to try again at once." in html
    assert "No run was waiting." in act(client, submission, "try-now")
    assert Run.objects.to_ring(again_after_seconds=60, most=10) == [run.pk]


def test_a_running_run_tells_how_far_it_is_and_what_went_wrong(client: Client, submission: Submission) -> None:
    run = become(submission, status=Status.RUNNING, lease_token="0" * 32, fault_counts={"endpoint": 2})
    make_result(run, "1")
    make_result(run, "2", reply="I would rather not.", reason="no scores found", **UNREAD)
    html = shown(client, submission)
    assert "2 of 5 answered" in html
    assert "What to do:" in html
    assert "Endpoint" in html
    assert "I would rather not." in html
    assert 'hx-get="/submissions/' in html
    live = client.get(f"/submissions/{submission.token}/live/")
    assert "2 of 5 answered" in content_of(live)
    assert "HX-Refresh" not in live


def test_the_last_renewal_loads_the_whole_page(client: Client, submission: Submission) -> None:
    failed(submission)
    assert client.get(f"/submissions/{submission.token}/live/")["HX-Refresh"] == "true"


def test_a_run_of_unreadable_replies_shows_three_of_them(client: Client, submission: Submission) -> None:
    """P17."""
    run = failed(submission, FaultKind.PARSE, failure_message="Not enough readable items.")
    for number in range(1, 6):
        make_result(run, str(number), reply=f"no number {number}", reason="no scores found", **UNREAD)
    html = shown(client, submission)
    assert html.count("no number ") == 3
    assert "Not enough readable items." in html
    assert "Resume from the last finished item" not in html


def test_a_waiting_run_names_the_next_try(client: Client, submission: Submission) -> None:
    due = timezone.now() + timedelta(hours=1)
    become(submission, status=Status.WAITING, not_before=due, failure_kind="endpoint", failure_message="It limits.")
    assert f"{due:%H:%M} UTC. Nothing is needed from you" in shown(client, submission)


def test_without_a_worker_it_says_since_when_and_only_what_the_rows_tell(
    client: Client, submission: Submission
) -> None:
    """Q05."""
    assert "A problem on our side" not in shown(client, submission)
    become(submission, queued_at=timezone.now() - timedelta(hours=1))
    assert "No worker has been running yet" in shown(client, submission)
    seen = timezone.now() - timedelta(minutes=50)
    other = make_run(heartbeat_at=seen)
    assert f"No worker has been running since {seen.day}" in shown(client, submission)
    lease = {"status": Status.RUNNING, "lease_token": "0" * 32, "lease_until": timezone.now() + timedelta(seconds=30)}
    Run.objects.filter(pk=other.pk).update(**lease)
    assert "A problem on our side" not in shown(client, submission)


def test_the_timeline_tells_each_step_and_each_use_of_the_key(client: Client, submission: Submission) -> None:
    run = submission.runs.get()
    submission.endpoint.key_events.create(kind="used", run=run)
    html = shown(client, submission)
    order = [html.index(text) for text in ("Key sealed", "Submitted.", "Approved by a moderator.", "Key used")]
    assert order == sorted(order)


def test_cancelling_keeps_the_replies_and_erases_the_key(client: Client, submission: Submission) -> None:
    """Q06."""
    run = become(submission, status=Status.RUNNING, lease_token="0" * 32)
    make_result(run, "1", reply="kept")
    assert "1 run cancelled" in act(client, submission, "cancel")
    run.refresh_from_db()
    assert run.status == Status.CANCELLED
    assert run.results.count() == 1
    submission.endpoint.refresh_from_db()
    assert submission.endpoint.sealed_key == ""
    assert "No run was open" in act(client, submission, "cancel")
    assert "cancelled" in shown(client, submission)


def test_a_rerun_after_a_cancellation_leaves_the_old_run_cancelled_and_uncounted(submission: Submission) -> None:
    """Q06."""
    old = submission.runs.get()
    assert cancel(old)
    store_key(submission.endpoint, CANARY)
    new = replicate(Run.objects.get(pk=old.pk))
    Run.objects.filter(pk=new.pk).update(status=Status.FINISHED, score=50.0, n_scored=5, published=True)
    refresh_standings()
    assert Standing.objects.get(model=submission.model).runs_used == 1
    old.refresh_from_db()
    assert old.status == Status.CANCELLED
    assert new.parent == old


def test_the_page_of_one_submission_shows_nothing_of_another(client: Client, submission: Submission) -> None:
    """Q07."""
    act(client, submission, "cancel")
    second = sent(client, key="another-key-of-mine", max_tokens="99")
    approve(second)
    run = second.runs.get()
    make_result(run, "1", reply="of the second")
    assert f"Run {run.pk}" not in shown(client, submission)
    assert f"Run {submission.runs.get().pk}" not in shown(client, second)


def test_a_new_key_lets_a_failed_run_go_on_from_where_it_was(client: Client, submission: Submission) -> None:
    """Q08."""
    run = failed(submission)
    make_result(run, "1")
    Run.objects.filter(pk=run.pk).update(status=Status.RUNNING, lease_token="0" * 32)
    assert Run.objects.cancel(run.pk, seal=sealed_columns)  # which erases the key, as each end does
    Run.objects.filter(pk=run.pk).update(status=Status.FAILED)
    html = shown(client, submission)
    assert "Enter a new key and resume" in html
    assert "Resume from the last finished item" not in html
    assert "Enter it again" in act(client, submission, "resume")
    assert "1 run went on" in act(client, submission, "key", key="sk-the-right-one")
    run.refresh_from_db()
    assert (run.status, run.results.count()) == (Status.QUEUED, 1)
    submission.endpoint.refresh_from_db()
    assert unseal(submission.endpoint.sealed_key) == "sk-the-right-one"


def test_a_run_without_a_key_goes_on_by_a_button(client: Client) -> None:
    found = sent(client)
    approve(found)
    failed(found)
    assert "Resume from the last finished item" in shown(client, found)
    assert "1 run resumed" in act(client, found, "resume")
    assert "No run could be resumed" in act(client, found, "resume")


@pytest.mark.parametrize("key", ["", "two words", f"{CANARY} ü"])
def test_a_wrong_key_is_refused_and_never_shown(client: Client, submission: Submission, key: str) -> None:
    response = client.post(f"/submissions/{submission.token}/key/", {"key": key})
    assert response.status_code == 422
    assert "new-key_error" in content_of(response)
    assert CANARY not in content_of(response)
    submission.endpoint.refresh_from_db()
    assert unseal(submission.endpoint.sealed_key) == CANARY


@override_settings(ENDPOINT_ALLOWED_NETWORKS=[])
def test_a_key_for_an_address_without_https_is_refused(client: Client, submission: Submission) -> None:
    assert client.post(f"/submissions/{submission.token}/key/", {"key": "sk-new"}).status_code == 422


def test_withdrawing_takes_the_score_off_the_board_and_erases_the_key(client: Client, submission: Submission) -> None:
    become(submission, status=Status.FINISHED, score=50.0, n_scored=5, published=True)
    refresh_standings()
    assert Standing.objects.filter(model=submission.model).exists()
    assert "Nothing was changed" in act(client, submission, "withdraw")
    submission.refresh_from_db()
    assert submission.state == Submission.State.APPROVED
    assert "The submission is withdrawn" in act(client, submission, "withdraw", sure="on")
    refresh_standings()
    assert not Standing.objects.filter(model=submission.model).exists()
    submission.endpoint.refresh_from_db()
    assert submission.endpoint.sealed_key == ""
    assert "You have withdrawn this submission" in shown(client, submission)
    assert "Nothing was changed" in act(client, submission, "key", key="sk-new")


@pytest.mark.parametrize("name", ["cancel", "withdraw", "resume", "key", "try-now"])
def test_what_changes_something_is_post_only_and_needs_the_csrf_token(submission: Submission, name: str) -> None:
    path = f"/submissions/{submission.token}/{name}/"
    assert Client().get(path).status_code == 405
    assert Client(enforce_csrf_checks=True).post(path).status_code == 403
    assert submission.runs.get().status == Status.QUEUED


def test_a_finished_run_says_whether_it_is_on_the_board(client: Client, submission: Submission) -> None:
    run = become(submission, status=Status.FINISHED, score=61.5, n_scored=5)
    html = shown(client, submission)
    assert "61.50 points, 5 of 5 items scored" in html
    assert "It is not on the board yet" in html
    Run.objects.filter(pk=run.pk).update(published=True)
    assert "It is on the board" in shown(client, submission)
    Run.objects.filter(pk=run.pk).update(published=False)
    Submission.objects.update(publish_consent=False)
    assert "you did not agree to publish it" in shown(client, submission)


def test_the_queries_do_not_grow_with_the_replies(client: Client, submission: Submission) -> None:
    run = become(submission, status=Status.RUNNING, lease_token="0" * 32)
    make_result(run, "1", reply="a")
    with CaptureQueriesContext(
        connection,
    ) as few:
        shown(client, submission)
    for number in range(2, 6):
        make_result(run, str(number), reply="b")
    with CaptureQueriesContext(connection) as many:
        shown(client, submission)
    assert len(many) == len(few) <= 16


@pytest.fixture
def broker_down() -> Iterator[None]:
    before = app.conf.broker_url
    app.conf.update(broker_url="redis+socket:///nowhere/redis.sock")
    yield
    app.conf.update(broker_url=before)


@pytest.mark.django_db(transaction=True)
def test_with_the_broker_down_the_form_is_saved_and_the_run_starts_later(client: Client, broker_down: None) -> None:
    """R14: the reaper finds the run without a message."""
    found = sent(client)
    assert approve(found)
    assert "Your run is next" in shown(client, found)
    assert Run.objects.to_ring(again_after_seconds=60, most=10) == [found.runs.get().pk]


def test_trouble_and_end_are_told_once_each_and_by_mail(client: Client, submission: Submission) -> None:
    due = timezone.now() + timedelta(hours=1)
    run = become(
        submission, status=Status.WAITING, not_before=due, failure_kind="endpoint", failure_message="It limits."
    )
    assert [tell_submitters(run.pk), tell_submitters()] == [1, 0]
    assert f"Run {run.pk} waits: It limits." in shown(client, submission)
    failed(submission)
    assert [tell_submitters(), tell_submitters(run.pk)] == [1, 0]
    assert resume(Run.objects.select_related("endpoint").get(pk=run.pk))
    failed(submission)
    assert tell_submitters() == 1
    assert [message.to for message in mail.outbox] == [["team@models.example"]] * 4
    assert [message.subject.rpartition(": ")[2] for message in mail.outbox] == [
        "your submission", "your run waits for its endpoint", "your run has stopped", "your run has stopped",
    ]  # fmt: skip
    assert f"http://testserver/submissions/{submission.token}/" in mail.outbox[0].body
    assert all(CANARY not in message.body for message in mail.outbox)


def test_without_a_contact_the_timeline_alone_is_written(client: Client) -> None:
    found = sent(client, contact="")
    approve(found)
    failed(found)
    assert tell_submitters() == 1
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("automatic", "consent", "public"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_a_finished_run_is_listed_by_itself_only_where_setting_and_consent_allow(
    submission: Submission, automatic: bool, consent: bool, public: bool
) -> None:
    Submission.objects.update(publish_consent=consent)
    run = become(submission, status=Status.FINISHED, score=61.5, n_scored=5, finished_at=timezone.now())
    with override_settings(SUBMISSIONS_AUTO_PUBLISH=automatic):
        tell_submitters(run.pk)
    run.refresh_from_db()
    assert run.published is public
    assert Standing.objects.filter(model=submission.model).exists() is public
