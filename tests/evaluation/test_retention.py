"""Replies of runs that are not listed go after REPLY_DAYS; answers and scores stay, and the page says so."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from evaluation.models import ItemResult, Reply, Run, Status
from evaluation.runs.rescoring import rescore_run
from evaluation.runs.retention import purge_replies
from evaluation.tasks import purge_replies as task
from leaderboard.rounding import day
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


def test_a_run_that_is_published_while_others_are_erased_keeps_its_replies() -> None:
    ended(31)
    ended(31)
    published: list[Run] = []

    def publish_the_other(execute: Any, sql: str, parameters: Any, *rest: Any) -> Any:
        """What staff do after the list of the runs was made, before the last of them is erased."""
        done = execute(sql, parameters, *rest)
        if sql.startswith('UPDATE "evaluation_run"') and not published:
            published.extend(Run.objects.filter(replies_erased_at=None))
            Run.objects.filter(replies_erased_at=None).update(published=True)
        return done

    with connection.execute_wrapper(publish_the_other):
        assert purge_replies(30) == 2
    (kept,) = published
    assert Reply.objects.filter(result__run=kept).count() == 2
    kept.refresh_from_db()
    assert kept.replies_erased_at is None


def test_the_page_of_the_run_says_that_its_replies_were_erased(client: Client) -> None:
    client.force_login(User.objects.create_superuser("staff"))
    run = ended(31)
    purge_replies(30)
    html = client.get(f"/runs/{run.pk}/items/").content.decode()
    erased = Run.objects.values_list("replies_erased_at", flat=True).get(pk=run.pk)
    assert erased
    assert html.count(f"The text of this reply was erased on {day(erased)}") == 2
    assert "Answer and score are kept." in html
    assert client.get(f"/runs/{run.pk}/replies/1.txt").status_code == 404
