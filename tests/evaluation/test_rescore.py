"""Scoring anew: from stored replies or answers, once, with the old value kept in the history."""

import json
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Endpoint, ItemResult, Reply, Run
from evaluation.states import FaultKind, ItemState, Origin, Status
from leaderboard.models import Standing
from tests.factories import make_bank, make_result, make_run, scene_labels, scene_reply

pytestmark = [pytest.mark.django_db, pytest.mark.database]
VERSION = BENCHMARKS["eq-bench-v2"].scorer_version
ITEM_IDS = ("1", "2", "3", "4", "5")


def measured_run(**fields: Any) -> Run:
    """A finished run of five perfect replies, scored by an older scorer at 50."""
    defaults = {"status": Status.FINISHED, "score": 50.0, "strict_score": 49.0, "scorer_version": "eq-bench-v2/0"}
    run = make_run(**{**defaults, **fields})
    for item_id in ITEM_IDS:
        make_result(run, item_id, reply=scene_reply(int(item_id)), score=5.0)
    return run


def rescored(*runs: Run) -> None:
    call_command("rescore", *(str(run.pk) for run in runs))
    for run in runs:
        run.refresh_from_db()


def test_a_measured_run_is_read_anew_from_its_replies() -> None:
    run = measured_run()
    run.results.filter(item__item_id="1").update(answer=[0, 0, 0, 9], score=-20.0, reading="tolerant")
    rescored(run)
    assert (run.score, run.n_scored, run.scorer_version) == (100.0, 5, VERSION)
    assert run.figures["strict_score"] == {"value": 100.0, "error": None, "n": 5}
    row = run.results.get(item__item_id="1")
    assert (row.answer, row.score, row.reading) == ([7.0, 1.0, 0.0, 3.0], 10.0, "official")


def test_the_old_value_goes_into_the_history() -> None:
    run = measured_run()
    figures = {"score": {"value": 50.0, "error": None, "n": 5}, "strict_score": {"value": 49.0}}
    Run.objects.filter(pk=run.pk).update(figures=figures)
    rescored(run)
    (old,) = run.score_history
    assert datetime.fromisoformat(old.pop("replaced_at")).tzinfo is not None
    assert old == {"score": 50.0, "strict_score": 49.0, "figures": figures, "scorer_version": "eq-bench-v2/0"}


def test_scoring_anew_twice_changes_nothing_more(capsys: pytest.CaptureFixture[str]) -> None:
    run = measured_run()
    rescored(run)
    before = Run.objects.values().get(), list(ItemResult.objects.order_by("pk").values())
    capsys.readouterr()
    rescored(run)
    assert (Run.objects.values().get(), list(ItemResult.objects.order_by("pk").values())) == before
    assert f"run {run.pk}: 100.00, unchanged\n0 of 1 runs changed." in capsys.readouterr().out


def test_the_change_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run = measured_run()
    rescored(run)
    assert f"run {run.pk}: 50.00 -> 100.00" in capsys.readouterr().out


def test_json_has_one_entry_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    run, other = measured_run(), make_run()
    call_command("rescore", "--all", as_json=True)
    assert json.loads(capsys.readouterr().out) == [
        {
            "run_id": run.pk, "old_score": 50.0, "new_score": 100.0, "changed": True, "skipped": "",
            "replies": {"other reason, flags or score": 5},
        },
        {
            "run_id": other.pk, "old_score": None, "new_score": None, "changed": False, "skipped": "queued",
            "replies": {},
        },
    ]  # fmt: skip


def test_what_changes_in_the_readings_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A draft in `[THINK]` counted under the older scorer; arrows were not read; a confidence was."""
    run = measured_run()
    draft = "[THINK]" + "\n".join(f"{name}: 9" for name in scene_labels(1)) + "[/THINK]\n"
    bold = "\n".join(f"**{name}** → {n}" for name, n in zip(scene_labels(2), (7, 1, 0, 3), strict=True))
    columns = "\n".join(f"| {name} | 9 | 9 |" for name in scene_labels(3))
    for item_id, text, answer in (
        ("1", draft + scene_reply(1), [9, 9, 9, 9]), ("2", bold, None), ("3", columns, [9, 9, 9, 9]),
    ):  # fmt: skip
        state = ItemState.READ if answer else ItemState.UNREAD
        run.results.filter(item__item_id=item_id).update(answer=answer, score=1.0 if answer else None, state=state)
        Reply.objects.filter(result__run=run, result__item__item_id=item_id).update(text=text)
    rescored(run)
    said = capsys.readouterr().out
    for words in ("other ratings: 1", "now read: 1", "no longer read: 1", "other reason, flags or score: 2"):
        assert words in said


def test_a_run_that_asked_for_a_revision_is_read_with_it() -> None:
    run = make_run(status=Status.FINISHED, settings={"revision": True, "system_prompt": ""})
    for item_id in ITEM_IDS:
        number = int(item_id)
        first = "\n".join(f"{label}: 5" for label in scene_labels(number))
        make_result(run, item_id, reply=f"First pass scores:\n{first}\nRevised scores:\n{scene_reply(number)}")
    rescored(run)
    assert (run.score, run.counted_part) == (100.0, "revised")
    row = run.results.get(item__item_id="1")
    assert (row.part, row.answer) == ("revised", [7.0, 1.0, 0.0, 3.0])
    assert (row.other_parts or {})["first_pass"]["answer"] == [5.0, 5.0, 5.0, 5.0]


def test_an_imported_run_is_scored_from_its_answers_and_never_read_anew() -> None:
    run = measured_run(origin=Origin.IMPORTED)
    run.results.filter(item__item_id="1").update(answer=[0.0, 0.0, 0.0, 0.0])
    rescored(run)
    row = run.results.get(item__item_id="1")
    assert row.answer == [0.0, 0.0, 0.0, 0.0]
    # The reference is 7, 1, 0, 3; the curve gives 7, 0.172880, 0 and 1.504589 for these differences.
    assert row.score == pytest.approx(10 - 0.7477 * (7 + 0.172880 + 1.504589), abs=1e-4)
    assert run.score == pytest.approx((4 * 100 + 10 * 3.51186) / 5, abs=1e-3)


def test_a_run_of_a_peer_is_read_anew_since_its_answers_are_those_of_our_reader() -> None:
    run = measured_run(origin=Origin.IMPORTED, observed={"peer": {"n_items": 5}})
    run.results.filter(item__item_id="1").update(answer=[0.0, 0.0, 0.0, 0.0])
    rescored(run)
    assert run.results.get(item__item_id="1").answer == [7.0, 1.0, 0.0, 3.0]
    assert run.score == 100.0


def test_a_fault_stays_a_fault() -> None:
    run = measured_run(n_items=6, bank=make_bank(6))
    make_result(run, "6", state=ItemState.FAULT, reading="none", answer=None, score=None, reason="endpoint fault: 503")
    rescored(run)
    row = run.results.get(item__item_id="6")
    assert (row.state, row.reason, row.answer) == (ItemState.FAULT, "endpoint fault: 503", None)
    assert (run.score, run.n_scored) == (100.0, 5)


def test_a_tool_call_stays_a_tool_call() -> None:
    run = measured_run(n_items=6, bank=make_bank(6))
    unread = {"state": ItemState.UNREAD, "reading": "none", "answer": None, "score": None}
    make_result(run, "6", reply="", reason="tool call", **unread)
    rescored(run)
    assert run.results.get(item__item_id="6").reason == "tool call"


@pytest.mark.parametrize("status", [Status.QUEUED, Status.RUNNING, Status.WAITING, Status.CANCELLED])
def test_a_run_that_is_not_at_its_end_is_skipped(status: Status, capsys: pytest.CaptureFixture[str]) -> None:
    run = measured_run(status=status)
    rescored(run)
    assert (run.score, run.score_history) == (50.0, [])
    assert f"run {run.pk}: skipped ({status})" in capsys.readouterr().out


def test_a_run_that_broke_off_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    run = measured_run(status=Status.FAILED, score=None, failure_kind=FaultKind.ENDPOINT, n_items=6, bank=make_bank(6))
    rescored(run)
    assert (run.score, run.status) == (None, Status.FAILED)
    assert "skipped (failed before its last item)" in capsys.readouterr().out


def test_a_run_that_gains_a_score_is_finished() -> None:
    run = measured_run(status=Status.FAILED, score=None, failure_kind=FaultKind.PARSE, failure_message="too few")
    rescored(run)
    assert (run.status, run.score, run.failure_kind, run.failure_message) == (Status.FINISHED, 100.0, "", "")


def test_a_run_that_loses_its_score_is_failed_and_keeps_it_in_the_history() -> None:
    run = make_run(status=Status.FINISHED, score=60.0)
    for item_id in ITEM_IDS:
        make_result(run, item_id, reply="I would rather not say.")
    rescored(run)
    assert (run.status, run.score, run.failure_kind) == (Status.FAILED, None, FaultKind.PARSE)
    assert run.failure_message.startswith("not enough readable items")
    assert run.score_history[0]["score"] == 60.0


def test_no_request_is_sent_and_the_endpoint_is_not_needed() -> None:
    run = measured_run()
    Endpoint.objects.all().delete()
    rescored(run)
    assert (run.score, run.requests) == (100.0, 0)


def test_an_unknown_benchmark_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    run = measured_run(benchmark="eq-bench-v9")
    rescored(run)
    assert "skipped (unknown benchmark eq-bench-v9)" in capsys.readouterr().out


def test_an_unknown_run_is_refused_and_nothing_changes() -> None:
    run = measured_run()
    with pytest.raises(CommandError, match=r"no run 999999\. Nothing was changed"):
        call_command("rescore", str(run.pk), "999999")
    run.refresh_from_db()
    assert run.score == 50.0


def test_a_run_that_is_deleted_meanwhile_does_not_keep_the_others_from_being_scored() -> None:
    first, deleted, last = measured_run(), measured_run(), measured_run()

    class Reader(StringIO):
        """Of the output: deletes the second run as soon as the first one's line is there."""

        def write(self, text: str) -> int:
            Run.objects.filter(pk=deleted.pk).delete()
            return super().write(text)

    out = Reader()
    call_command("rescore", "--all", stdout=out)
    last.refresh_from_db()
    assert last.score == 100.0
    assert Standing.objects.filter(model__in=[first.model, last.model], score=100.0).count() == 2
    assert f"run {deleted.pk}: skipped (it was deleted meanwhile)" in out.getvalue()
    assert "2 of 3 runs changed." in out.getvalue()


@pytest.mark.parametrize("arguments", [[], ["1", "--all"]])
def test_either_runs_or_all_must_be_named(arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="--all"):
        call_command("rescore", *arguments)


def test_replies_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run = measured_run()
    Reply.objects.update(text="whispered in confidence")
    rescored(run)
    shown = capsys.readouterr()
    assert "whispered" not in shown.out + shown.err
