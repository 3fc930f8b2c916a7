"""What staff do to results, facts and figures calls a worker to what rests on them; a broker away stops none of it."""

from collections.abc import Iterator
from typing import Any

import pytest
from celery.signals import before_task_publish

from leaderboard.calling import call_refresh
from leaderboard.celery import app
from tests.leaderboard.sending import no_turns_taken
from tests.leaderboard.staff import root
from tests.leaderboard.staff_acts import ACTS, board

pytestmark = [pytest.mark.django_db, pytest.mark.database]

REFRESHED = (
    "action evaluation.Run publish", "action evaluation.Run unpublish", "action evaluation.Run rescore",
    "form evaluation.Run change", "address admin-act publish", "address admin-act unpublish",
    "address admin-import-confirmed", "action evaluation.LanguageModel merge_duplicates",
    "form evaluation.LanguageModel change", "form evaluation.LanguageModel delete",
    "form evaluation.ReferenceScore add", "form evaluation.ReferenceScore change",
    "action evaluation.ReferenceScore delete_selected",
)  # fmt: skip
NOTHING_NEW = (
    "action evaluation.Run cancel_runs",
    "form leaderboard.Note change",
    "form leaderboard.Submission change",
)


@pytest.fixture
def called() -> Iterator[list[str]]:
    """The tasks for which a worker is called, while nobody can be reached."""
    names: list[str] = []

    def note(sender: str, **_: object) -> None:
        names.append(sender)

    no_turns_taken()
    before = app.conf.broker_url
    app.conf.update(broker_url="redis+socket:///nowhere/redis.sock")
    before_task_publish.connect(note, weak=False)
    yield names
    before_task_publish.disconnect(note)
    app.conf.update(broker_url=before)
    no_turns_taken()


def done(name: str, captured: Any) -> None:
    act, made = ACTS[name], board()
    with captured(execute=True):
        assert root().post(act.path(made), act.form(made), follow=True).status_code == 200


@pytest.mark.parametrize("name", REFRESHED)
def test_a_worker_is_called_once_to_what_rests_on_the_change(
    name: str, called: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    done(name, django_capture_on_commit_callbacks)
    assert called == ["leaderboard.tasks.refresh_standings"]


@pytest.mark.parametrize("name", NOTHING_NEW)
def test_no_worker_is_called_where_no_page_rests_on_the_change(
    name: str, called: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    done(name, django_capture_on_commit_callbacks)
    assert called == []


def test_a_broker_out_of_reach_is_one_line_in_the_log(
    called: list[str], caplog: pytest.LogCaptureFixture, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        call_refresh()
    (line,) = [record for record in caplog.records if record.name == "evaluation.tasks"]
    assert "the broker cannot be reached" in line.getMessage()
    assert line.exc_info is None
    assert called == ["leaderboard.tasks.refresh_standings"]
