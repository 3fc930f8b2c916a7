"""What waits for a moderator: the two parts of the queue board, the gauges beside them, and who sees them."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import Run, Status
from leaderboard.models import Submission, SubmissionEvent
from leaderboard.pages.administration.queue_board import queue_board
from leaderboard.submissions.moderating import approve, reject, set_public
from leaderboard.submissions.publishing import agree
from tests.factories import make_run
from tests.leaderboard.pages import flat
from tests.leaderboard.sending import sent
from tests.leaderboard.staff import logged_in, root
from tests.leaderboard.test_metrics import scraped

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
BOARD = "/admin/queue/"


def page(client: Client) -> str:
    response = client.get(BOARD)
    assert response.status_code == 200
    return flat(response.content.decode()).replace("&#x27;", "'")


def ended(client: Client, **form: Any) -> Run:
    """The finished run of an approved submission."""
    found = sent(client, **form)
    approve(found)
    found.runs.update(status=Status.FINISHED, score=61.5, n_scored=5, finished_at=timezone.now())
    return found.runs.get()


def to_list() -> list[int]:
    return [line.run.pk for line in queue_board().to_list.lines]


def test_a_submission_stands_on_the_board_until_it_is_decided(client: Client) -> None:
    found = sent(client)
    Submission.objects.update(flagged=True, note="The name 'a' looks like 'b'.")
    html = page(root())
    for words in ("Awaiting review: 1", f"/admin/leaderboard/submission/{found.pk}/change/", "Flagged.",
                  "No dry run passed.", "looks like 'b'", "127.0.0.1:9/v1", "?state__exact=pending"):  # fmt: skip
        assert words in html
    reject(found, "No.")
    assert "Awaiting review: 0" in page(root())


def test_a_finished_run_stands_on_the_board_until_it_is_listed(client: Client) -> None:
    run = ended(client)
    html = page(root())
    assert "Awaiting publication: 1" in html
    assert "61.50 points, 5 of 5 items scored." in html
    assert "Its submission is flagged." not in html
    Submission.objects.update(flagged=True)
    assert "Its submission is flagged." in page(root())
    root().post(f"/admin/runs/{run.pk}/publish/", {"next": BOARD})
    assert to_list() == []
    set_public([run], public=False)
    assert to_list() == [], "staff took it off the board"


@pytest.mark.parametrize(
    "fields", [{"publish_consent": False}, {"state": "withdrawn"}], ids=["no consent", "withdrawn"]
)
def test_what_may_not_be_listed_is_not_offered(client: Client, fields: dict[str, Any]) -> None:
    run = ended(client)
    assert to_list() == [run.pk]
    Submission.objects.update(**fields)
    assert to_list() == []


def test_what_was_left_unlisted_for_long_or_came_from_no_submission_is_not_offered(client: Client) -> None:
    make_run(status=Status.FINISHED, published=False, finished_at=timezone.now())
    run = ended(client)
    assert to_list() == [run.pk]
    Run.objects.update(finished_at=timezone.now() - timedelta(days=91))
    assert to_list() == []


def test_who_agrees_long_after_the_end_is_not_overlooked(client: Client) -> None:
    run = ended(client, publish_consent="off")
    Run.objects.update(finished_at=timezone.now() - timedelta(days=91))
    assert to_list() == []
    assert agree(run.submissions.get())
    assert to_list() == [run.pk]
    SubmissionEvent.objects.update(at=timezone.now() - timedelta(days=91))
    assert to_list() == []


def test_who_may_not_see_submissions_sees_none_on_the_board(client: Client) -> None:
    sent(client)
    user = User.objects.create(username="operator", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_run"))
    assert "Awaiting review" not in page(logged_in(user))


def test_the_gauges_count_what_the_board_shows(client: Client) -> None:
    sent(client, api_model="a")
    sent(client, api_model="b", contact="")
    ended(client, api_model="c", contact="")
    found = scraped(Client(headers={"host": "127.0.0.1:8000"}))
    assert found["eq_submissions_to_decide", ()] == 2
    assert found["eq_runs_to_list", ()] == 1
    assert found["eq_mails_to_send", ()] == 1


def test_the_board_asks_no_more_for_more_of_them(client: Client) -> None:
    staff = root()
    counts = []
    for number in range(3):
        sent(client, api_model=f"a{number}")
        ended(client, api_model=f"b{number}")
        with CaptureQueriesContext(connection) as captured:
            page(staff)
        counts.append(len(captured))
    assert counts == [counts[0]] * 3
