"""Replies of runs that are not listed go after REPLY_DAYS; answers and scores stay, and the page says so."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from evaluation.models import ItemResult, Reply, Run, Status
from evaluation.rescoring import rescore_run
from evaluation.retention import purge_replies
from evaluation.tasks import purge_replies as task
from tests.factories import make_bank, make_endpoint, make_result, make_run, scene_reply

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def ended(days_ago: float, **fields: Any) -> Run:
    run = make_run(
        **{"status": Status.FINISHED, "published": False, "finished_at": timezone.now() - timedelta(days=days_ago)}
        | fields
    )
    make_result(run, "1", reply=scene_reply(1))
    make_result(run, "2", reply=scene_reply(2))
    return run


def test_by_default_all_replies_are_kept_for_ever(settings: Any) -> None:
    ended(5000)
    assert settings.REPLY_DAYS == 0
    task()
    assert Reply.objects.count() == 2


def test_the_task_heeds_the_setting(settings: Any) -> None:
    ended(31)
    settings.REPLY_DAYS = 30
    task()
    assert not Reply.objects.exists()


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ({}, 0),
        ({"days_ago": 29}, 2),
        ({"published": True}, 2),
        ({"published": True, "status": Status.FAILED}, 0),
        ({"published": True, "status": Status.CANCELLED}, 0),
        ({"status": Status.QUEUED}, 2),
        ({"status": Status.RUNNING}, 2),
        ({"finished_at": None}, 2),
    ],
)
def test_only_old_ended_runs_that_are_not_listed_lose_their_replies(fields: dict[str, Any], left: int) -> None:
    run = ended(**{"days_ago": 31, **fields})
    assert purge_replies(30) == 2 - left
    assert Reply.objects.count() == left
    run.refresh_from_db()
    assert (run.replies_erased_at is None) == (left == 2)
    assert run.results.count() == 2


def test_answers_and_scores_stay_and_can_be_scored_anew() -> None:
    run = ended(31, bank=make_bank(2), n_scored=2, score=100.0, settings={"revision": False, "system_prompt": ""})
    before = list(ItemResult.objects.values_list("answer", "score", "reading"))
    purge_replies(30)
    assert list(ItemResult.objects.values_list("answer", "score", "reading")) == before
    assert rescore_run(run.pk).new_score == 100.0


def test_replies_that_came_after_a_resumption_go_in_their_turn() -> None:
    run = ended(31, endpoint=make_endpoint())
    purge_replies(30)
    make_result(run, "3", reply=scene_reply(3))
    assert purge_replies(30) == 1


def test_the_page_of_the_run_says_that_its_replies_were_erased(client: Client) -> None:
    client.force_login(User.objects.create_superuser("staff"))
    run = ended(31)
    purge_replies(30)
    html = client.get(f"/runs/{run.pk}/items/").content.decode()
    day = timezone.now().strftime("%Y-%m-%d")
    assert html.count("The text of this reply was erased on") == 2
    assert "Answer and score stay." in html
    assert day in html or str(timezone.now().day) in html
    assert client.get(f"/runs/{run.pk}/replies/1.txt").status_code == 404
