"""Scoring anew by an action: asks first, keeps the old score, moves the standing, and twice is once."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Origin, Run, Status
from leaderboard.models import Standing
from tests.factories import make_bank, make_endpoint, make_result, make_run, scene_reply
from tests.leaderboard.pages import content_of
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
RUNS = "/admin/evaluation/run/"


def press(runs: list[Run], **data: Any) -> str:
    form = {"action": "rescore", "_selected_action": [str(run.pk) for run in runs], **data}
    response = root().post(RUNS, form, follow=True)
    assert response.status_code == 200
    return content_of(response)


def run_scored_by_an_older_scorer() -> Run:
    bank = make_bank(5)
    run = make_run(
        bank=bank, endpoint=make_endpoint(), status=Status.FINISHED, score=61.5, n_scored=5, scorer_version="older"
    )
    for number in range(1, 6):
        make_result(run, str(number), reply=scene_reply(number))
    return run


def test_it_asks_first_and_changes_nothing() -> None:
    run = run_scored_by_an_older_scorer()
    html = press([run])
    assert "Score 1 run anew?" in html
    assert "scorer older" in html
    run.refresh_from_db()
    assert run.score == 61.5


def test_the_old_score_stays_in_the_history_and_the_standing_moves_at_once() -> None:
    run = run_scored_by_an_older_scorer()
    html = press([run], confirmed="yes")
    run.refresh_from_db()
    assert run.score == 100.0
    assert (run.score_history[0]["score"], run.score_history[0]["scorer_version"]) == (61.5, "older")
    assert Standing.objects.get(model=run.model).score == 100.0
    assert f"Run {run.pk}: 61.50 → 100.00." in html
    assert LogEntry.objects.get().change_message == "Scored anew: 61.50 → 100.00."


def test_the_manifest_keeps_what_was_sealed_and_names_the_correction_and_the_scorer_that_counts(client: Client) -> None:
    run = run_scored_by_an_older_scorer()
    sealed = {"benchmark": {"scorer_version": "older"}, "result": {"score": 61.5}}
    Run.objects.filter(pk=run.pk).update(manifest=sealed)
    path = f"/runs/{run.pk}/manifest.json"
    assert client.get(path).json() == sealed
    press([run], confirmed="yes")
    served = client.get(path).json()
    run.refresh_from_db()
    assert run.manifest == sealed
    assert {name: served[name] for name in sealed} == sealed
    assert [(old["score"], old["scorer_version"]) for old in served["corrections"]] == [(61.5, "older")]
    assert served["current"] == {
        "score": 100.0, "strict_score": 100.0, "standard_error": 0.0, "n_scored": 5, "n_strict": 5,
        "scorer_version": BENCHMARKS["eq-bench-v2"].scorer_version,
    }  # fmt: skip


def test_twice_is_once() -> None:
    run = run_scored_by_an_older_scorer()
    press([run], confirmed="yes")
    assert "0 runs of 1 changed" in press([run], confirmed="yes")
    run.refresh_from_db()
    assert len(run.score_history) == 1
    assert LogEntry.objects.count() == 1


def test_what_is_left_alone_is_said_with_its_reason() -> None:
    html = press([make_run(), make_run(status=Status.FINISHED, origin=Origin.BASELINE)], confirmed="yes")
    assert "was left alone: queued." in html
    assert "was left alone: a baseline" in html


def test_more_than_a_request_can_bear_are_sent_to_the_command() -> None:
    bank = make_bank(1)
    html = press([make_run(bank=bank, status=Status.CANCELLED) for _ in range(51)], confirmed="yes")
    assert "manage.py rescore" in html
    assert not LogEntry.objects.exists()
