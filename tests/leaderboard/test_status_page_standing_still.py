"""What the status page keeps from being renewed, its timeline by days, and what it asks twice."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from evaluation.models import ItemState, Run, Status
from leaderboard.models import Submission, SubmissionEvent
from leaderboard.pages.submissions.page import Line, with_days
from leaderboard.submissions.moderating import approve
from tests.factories import make_result, make_run
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.sending import sent

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
UNREAD: dict[str, Any] = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}


@pytest.fixture
def submission(client: Client) -> Submission:
    """Approved, with a run at work of which one reply could not be read."""
    found = sent(client)
    assert approve(found)
    found.runs.update(status=Status.RUNNING, lease_token="0" * 32)
    run = found.runs.get()
    make_result(run, "1")
    make_result(run, "2", reply="I would rather not.", reason="no scores found", **UNREAD)
    return found


def live(client: Client, submission: Submission) -> str:
    response = client.get(f"/submissions/{submission.token}/live/")
    assert response.status_code == 200
    return unescape(content_of(response))


def test_a_reply_that_a_reader_opens_stands_outside_of_what_is_renewed(client: Client, submission: Submission) -> None:
    html = page(client, f"/submissions/{submission.token}/")
    assert "I would rather not." in html
    part = live(client, submission)
    assert "<details" not in part
    assert "I would rather not." not in part
    assert "?show=unread" in part, "what comes after the page was loaded is a link away"


def test_each_link_of_the_part_that_renews_itself_has_an_id_of_its_own(client: Client, submission: Submission) -> None:
    earlier = submission.runs.get()
    Run.objects.filter(pk=earlier.pk).update(status=Status.CANCELLED)
    newest = make_run(bank=earlier.bank, status=Status.RUNNING, published=True)
    make_result(newest, "1", reason="no scores found", **UNREAD)
    submission.runs.add(newest)
    links = re.findall("<a [^>]*>", live(client, submission))
    ids = [found.group(1) for link in links if (found := re.search(' id="([^"]+)"', link))]
    assert len(ids) == len(links) == len(set(ids)) == 7


def test_the_page_stands_still_where_its_reader_asks_for_that(client: Client, submission: Submission) -> None:
    address = f"/submissions/{submission.token}/"
    assert f'<a id="still" href="{address}?still=1">Pause</a>' in page(client, address)
    html = page(client, f"{address}?still=1")
    assert "hx-get" not in html
    assert "htmx" not in html
    assert "2 of 5 answered" in html
    assert f'<a id="refresh" class="button" href="{address}?still=1">Refresh</a>' in html
    assert f'<a id="still" href="{address}">Update every 5 s</a>' in html


def test_the_timeline_names_the_day_where_it_changes(client: Client, submission: Submission) -> None:
    for at, event in zip((3, 3, 4, 6), submission.events.order_by("pk"), strict=False):
        SubmissionEvent.objects.filter(pk=event.pk).update(at=datetime(2026, 5, at, 12, tzinfo=UTC))
    days = re.findall('<li class="day">([^<]+)</li>', page(client, f"/submissions/{submission.token}/"))
    assert days == ["3 May 2026", "4 May 2026"]


def test_no_line_gives_no_day() -> None:
    assert with_days([]) == []
    one = Line(datetime(2026, 5, 3, tzinfo=UTC), "Sealed")
    assert [line.day for line in with_days([one, one])] == ["3 May 2026", ""]


@pytest.mark.parametrize("sent_along", [{}, {"sure": ""}, {"sure": "off"}])
def test_a_withdrawal_without_its_tick_changes_nothing(
    client: Client, submission: Submission, sent_along: dict[str, str]
) -> None:
    response = client.post(f"/submissions/{submission.token}/withdraw/", sent_along, follow=True)
    assert "Nothing was changed. Tick the box" in content_of(response)
    submission.refresh_from_db()
    assert submission.state == Submission.State.APPROVED
    assert submission.runs.get().status == Status.RUNNING


def test_withdrawing_is_folded_away_behind_a_box_that_must_be_ticked(client: Client, submission: Submission) -> None:
    html = page(client, f"/submissions/{submission.token}/")
    inside = html.partition('<details class="withdraw">')[2].partition("</details>")[0]
    assert f'action="/submissions/{submission.token}/withdraw/"' in inside
    assert 'name="sure" id="sure" required' in inside
    assert html.count("/withdraw/") == 1


def test_what_may_be_pressed_while_a_run_is_open_comes_with_what_is_renewed(client: Client) -> None:
    """Who has the page open since before the approval, or since before the wait, needs the button as well."""
    found = sent(client)
    assert "Cancel the" not in live(client, found)
    assert approve(found)
    part = live(client, found)
    assert ">Cancel the run</button>" in part
    assert ">Try now</button>" not in part
    due = datetime.now(UTC) + timedelta(hours=1)
    found.runs.update(status=Status.WAITING, not_before=due, failure_kind="endpoint", failure_message="It is down.")
    part = live(client, found)
    assert "you can retry at once" in part
    assert ">Try now</button>" in part
    buttons = re.findall("<button [^>]*>", part)
    assert len({re.findall(' id="([^"]+)"', button)[0] for button in buttons}) == len(buttons) == 2
    whole = page(client, f"/submissions/{found.token}/")
    assert whole.count(">Try now</button>") == whole.count(">Cancel the run</button>") == 1
