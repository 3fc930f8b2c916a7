"""What is kept of submitters goes after CONTACT_DAYS; their scores, their runs' turns and the page of it stay."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.utils import timezone

from evaluation.models import Endpoint, Run, Status
from leaderboard.administration.forgetting import forget_contacts, forget_turns
from leaderboard.models import Mail, Submission
from leaderboard.submissions.limits import take_turn
from leaderboard.submissions.moderating import replicate
from leaderboard.tasks import purge_administration as task
from tests.factories import make_bank, make_endpoint, make_run
from tests.leaderboard.pages import page
from tests.leaderboard.sending import no_turns_taken

pytestmark = [pytest.mark.django_db, pytest.mark.database]

WHO = "team@maker.example"
APPROVED, REJECTED = Submission.State.APPROVED, Submission.State.REJECTED


def days_ago(days: float) -> Any:
    return timezone.now() - timedelta(days=days)


def submission(
    ended: float | None = 400, decided: float = 401, run: dict[str, Any] | None = None, **fields: Any
) -> Submission:
    """A decided submission with one run that ended so many days ago; `ended` None: without a run."""
    endpoint = make_endpoint(owner=WHO)
    usual = {"state": APPROVED, "contact": WHO, "owner": WHO, "decided_at": days_ago(decided)}
    found = Submission.objects.create(model=endpoint.model, endpoint=endpoint, **{**usual, **fields})
    if ended is not None:
        usual_run = {"status": Status.FINISHED, "score": 60.0, "finished_at": days_ago(ended), "driver": "worker"}
        found.runs.add(make_run(model=endpoint.model, endpoint=endpoint, owner=WHO, **{**usual_run, **(run or {})}))
    return found


def known(found: Submission) -> bool:
    """Whether anything of the person is left in the rows of the submission."""
    found.refresh_from_db()
    endpoint = Endpoint.objects.get(pk=found.endpoint_id)
    runs = Run.objects.filter(endpoint=endpoint).values_list("owner", flat=True)
    return WHO in (found.contact, found.owner, endpoint.owner, *runs)


def test_contact_and_network_go_a_year_after_the_last_run_ended_by_the_hourly_purge(settings: Any) -> None:
    found, recent = submission(ended=366), submission(ended=364)
    assert settings.CONTACT_DAYS == 365
    task()
    assert (known(found), known(recent)) == (False, True)
    assert Run.objects.filter(score=60.0).count() == 2


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ({"ended": None, "state": REJECTED}, False),
        ({"ended": None, "state": REJECTED, "decided": 29}, True),
        ({"ended": None, "state": Submission.State.WITHDRAWN}, False),
        ({"ended": None, "state": Submission.State.PENDING}, True),
        ({"ended": 31}, False),
        ({"ended": 29}, True),
        ({"run": {"status": Status.QUEUED, "finished_at": None}}, True),
        ({"run": {"status": Status.WAITING}}, True),
        ({"contact": "", "owner": "203.0.113.7"}, False),
    ],
)
def test_only_what_ended_long_ago_is_erased(fields: dict[str, Any], left: bool) -> None:
    found = submission(**fields)
    assert forget_contacts(30) == (not left)
    found.refresh_from_db()
    assert (found.owner == f"submission {found.pk}") is not left


def test_a_later_run_of_the_same_endpoint_holds_it_up_although_no_submission_names_it() -> None:
    found = submission(ended=400)
    make_run(model=found.model, endpoint=found.endpoint, status=Status.FINISHED, score=1.0, finished_at=days_ago(3))
    assert forget_contacts(30) == 0
    assert known(found)


def test_nothing_is_erased_twice_and_nothing_at_all_by_zero_days() -> None:
    found = submission()
    assert forget_contacts(0) == 0
    assert known(found)
    assert [forget_contacts(30), forget_contacts(30)] == [1, 0]
    assert found.events.count() == 1


def test_a_replicate_that_is_opened_later_takes_its_turn_under_a_name_that_tells_nothing() -> None:
    found = submission(run={"bank": make_bank()})
    Mail.objects.create(submission=found, subject="never went out", text="x")
    forget_contacts(30)
    assert not Mail.objects.exists()
    again = replicate(found.runs.get())
    assert again.owner == f"submission {found.pk}"


def test_the_page_of_the_submission_still_opens_and_says_that_it_was_erased(client: Client) -> None:
    found = submission()
    forget_contacts(30)
    html = page(client, f"/submissions/{found.token}/")
    assert "Contact address and network were erased: 30 days have passed" in html
    assert WHO not in html


def test_a_network_that_was_counted_is_forgotten_when_its_ten_minutes_are_over() -> None:
    no_turns_taken()
    take_turn("dry-run", "203.0.113.7", 3)
    assert forget_turns() == 0
    caches["limits"].set("dry-run:203.0.113.8:0", 1, -5)
    assert forget_turns() == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT cache_key FROM limits")
        left = [key for (key,) in cursor.fetchall()]
    assert len(left) == 1
    assert "203.0.113.7" in left[0]
    no_turns_taken()
