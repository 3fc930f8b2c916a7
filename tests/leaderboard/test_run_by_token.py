"""The page of a run that is not public, reached through the unguessable address of its submission."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.models import FaultKind, ItemState, Run, Status
from leaderboard.models import Submission
from leaderboard.submissions.moderating import approve
from tests.factories import make_result, make_run
from tests.leaderboard.pages import page
from tests.leaderboard.sending import no_turns_taken, offered_bank, sent

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PARTS = (
    "",
    "live/",
    "items/",
    "items/?show=unread",
    "manifest.json",
    "items.csv",
    "items.json",
    "items.parquet",
    "replies.jsonl",
)
UNREAD = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None, "reason": "no scores found"}
LINK = re.compile(r'(?:href|hx-get)="(/[^"#]*)"')


@pytest.fixture
def submission(client: Client) -> Submission:
    """A run that has ended for want of readable replies: of its five items one is read, two are not, as published."""
    offered_bank(access="open")
    no_turns_taken()
    found = sent(client)
    assert approve(found)
    ended = {"failure_kind": FaultKind.PARSE, "failure_message": "1 of 5 replies could be read."}
    found.runs.update(status=Status.FAILED, finished_at=timezone.now(), **ended)
    run = found.runs.get()
    make_result(run, "1", reply="a reply that is read")
    for number in ("2", "3"):
        make_result(run, number, reply=f"no number {number}", **UNREAD)
    return found


def of(submission: Submission, run: Run | None = None) -> str:
    return f"/submissions/{submission.token}/runs/{(run or submission.runs.get()).pk}/"


def test_a_run_without_a_score_has_a_page_with_what_was_read_of_each_reply(
    client: Client, submission: Submission
) -> None:
    status = page(client, f"/submissions/{submission.token}/")
    assert "Without a score it takes no place in a ranking, and only this page leads to it." in status
    assert f'href="{of(submission)}">See the run</a>' in status
    assert f'href="{of(submission)}items/">All 3 replies</a>' in status
    html = page(client, of(submission))
    assert "No score: 1 of 5 replies could be read" in html
    assert "no score, no rank" in html
    assert "This run is not public. Whoever has this address sees the page" in html
    items = page(client, f"{of(submission)}items/")
    assert [items.count(text) for text in ("a reply that is read", "no number 2", "no number 3")] == [1, 1, 1]
    assert "no scores found" in items


def test_the_public_address_of_such_a_run_stays_closed(client: Client, submission: Submission) -> None:
    for part in PARTS:
        assert client.get(f"/runs/{submission.runs.get().pk}/{part}").status_code == 404
        assert client.get(of(submission) + part).status_code == 200


def test_the_token_opens_the_runs_of_its_own_submission_alone(client: Client, submission: Submission) -> None:
    for part in PARTS:
        assert client.get(of(submission, make_run(published=False)) + part).status_code == 404
        assert client.get(f"/submissions/another/runs/{submission.runs.get().pk}/{part}").status_code == 404


def test_every_link_on_these_pages_leads_somewhere_and_to_no_public_address_of_the_run(
    client: Client, submission: Submission
) -> None:
    links = {link for part in ("", "items/") for link in LINK.findall(page(client, of(submission) + part))}
    public = f"/runs/{submission.runs.get().pk}/"
    assert f"{of(submission)}replies/2.txt?repeat=1" in links
    assert [link for link in links if link.startswith(public)] == []
    own = sorted(link for link in links if not link.startswith("/static/"))
    assert [link for link in own if client.get(link).status_code >= 400] == []


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("part", PARTS)
def test_nobody_keeps_or_indexes_what_stands_under_a_token(
    client: Client, submission: Submission, part: str, published: bool
) -> None:
    submission.runs.update(published=published)
    response = client.get(of(submission) + part)
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert response["Referrer-Policy"] == "same-origin"
    assert {"no-store", "private"} <= set(response["Cache-Control"].split(", "))
    assert "public" not in response["Cache-Control"].split(", ")


def test_a_page_that_is_open_renews_itself_under_its_own_address(client: Client, submission: Submission) -> None:
    submission.runs.update(status=Status.RUNNING, lease_token="0" * 32, failure_kind="")
    assert f'hx-get="{of(submission)}live/"' in page(client, of(submission))
    assert '<meta name="robots" content="noindex, nofollow">' in page(client, of(submission))


def test_a_public_run_points_to_its_page_for_everybody(client: Client, submission: Submission) -> None:
    submission.runs.update(published=True)
    run = submission.runs.get()
    assert f'This run is public: <a href="/runs/{run.pk}/">' in page(client, of(submission))
    status = page(client, f"/submissions/{submission.token}/")
    assert "Its page is public. Without a score it takes no place in a ranking." in status


def test_a_parent_that_is_not_public_is_named_without_a_link(client: Client, submission: Submission) -> None:
    parent = make_run(published=False)
    submission.runs.update(parent=parent)
    html = page(client, of(submission))
    assert f"again after run {parent.pk}" in html
    assert f'href="/runs/{parent.pk}/"' not in html


def test_texts_that_are_closed_stay_closed_to_the_submitter_too(client: Client, submission: Submission) -> None:
    bank = submission.runs.get().bank
    bank.access = "withheld"
    bank.save()
    for part in PARTS:
        assert b"no number" not in client.get(of(submission) + part).content
    assert client.get(f"{of(submission)}replies/2.txt").status_code == 404
