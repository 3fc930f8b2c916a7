"""How runs end: each ending seals its manifest, says whose it is, and forgets nothing that was known before."""

import threading
import uuid
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from aiohttp import web

from evaluation.endpoints.retrying import Patience
from evaluation.models import FaultKind, ItemState, Run, Status
from evaluation.runs import runner
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.recording import Lease
from evaluation.runs.slices import Limits, Totals
from tests.evaluation.test_runner import Demo
from tests.factories import make_bank, make_endpoint, make_result, make_run, scene_labels, scene_reply
from tests.fakes import serve

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

HASTY = Limits(heartbeat=5, slice=60, drain=1, patience=Patience(backoff_seconds=0.01, faults_in_a_row=4))
REVISING = {"revision": True, "system_prompt": "", "concurrency": 4}


def held(run: Run) -> Lease:
    lease = runner.claim(run.pk, run.driver)
    assert lease, "the run could not be claimed"
    return lease


def finished(run: Run) -> Run:
    runner.finish(run, held(run), asdict(Totals()))
    run.refresh_from_db()
    return run


# --- the manifest --------------------------------------------------------------------------------------------------


def _cancelled(run: Run) -> None:
    assert Run.objects.cancel(run.pk, seal=sealed_columns)


def _failed(run: Run) -> None:
    lease = held(run)
    assert Run.objects.end(
        run.pk, lease.token, status=Status.FAILED, seal=sealed_columns, failure_kind=FaultKind.ENDPOINT, requests=9
    )


def _stuck(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(idle_claims=20)
    assert Run.objects.fail_stuck(20, seal=sealed_columns) == 1


@pytest.mark.parametrize("end", [_cancelled, _failed, _stuck])
def test_every_ending_seals_what_was_asked_and_what_came_of_it(end: Callable[[Run], None]) -> None:
    counts = {"requests": 9, "fault_counts": {"endpoint": 2}, "observed": {"remarks": {}, "put_off": [[1, 1]]}}
    endpoint = make_endpoint(extra_body={"top_p": 0.9})
    run = make_run(endpoint=endpoint, settings={"concurrency": 4}, **counts)
    end(run)
    run.refresh_from_db()
    assert run.departures == {"extra_body": {"top_p": 0.9}}
    assert run.manifest
    assert (run.manifest["run"], run.manifest["bank"]["sha256"]) == (run.pk, run.bank.sha256)
    assert (run.manifest["settings"], run.manifest["requests"]) == ({"concurrency": 4}, 9)
    assert (run.manifest["result"]["score"], run.manifest["faults"]) == (None, {"endpoint": 2})
    assert run.manifest["endpoint"]["observed"] == {"remarks": {}, "negotiated": {}}, "not what the next slice needs"


def test_a_resumed_run_is_open_again_so_its_manifest_is_not_sealed() -> None:
    run = make_run(endpoint=make_endpoint())
    _failed(run)
    assert Run.objects.resume(run.pk)
    run.refresh_from_db()
    assert (run.status, run.manifest) == (Status.QUEUED, None)


def test_a_run_of_a_benchmark_that_is_gone_can_be_cancelled() -> None:
    run = make_run(endpoint=make_endpoint(), benchmark="eq-bench-v0")
    assert Run.objects.cancel(run.pk, seal=sealed_columns)
    run.refresh_from_db()
    assert (run.status, run.manifest) == (Status.CANCELLED, None)


def test_a_worker_that_lost_its_lease_seals_nothing() -> None:
    run = make_run(endpoint=make_endpoint(), status=Status.RUNNING)
    assert not Run.objects.end(run.pk, uuid.uuid4(), status=Status.FAILED, seal=sealed_columns)
    run.refresh_from_db()
    assert run.manifest is None


# --- whose it is that too little was read --------------------------------------------------------------------------


def test_where_each_item_has_one_of_two_parts_and_neither_part_is_enough_the_run_ends_all_the_same() -> None:
    run = make_run(endpoint=make_endpoint(), bank=make_bank(60), settings=REVISING)
    for number in range(1, 49):
        make_result(run, str(number))
    none: dict[str, Any] = {"answer": None, "reading": "none", "reason": "", "flags": "", "score": None}
    for number in range(49, 61):
        revised = {**none, "answer": [1.0, 2.0, 3.0, 4.0], "reading": "official", "score": 5.0}
        make_result(run, str(number), **none, other_parts={"revised": revised})
    run = finished(run)
    assert (run.status, run.failure_kind, run.score) == (Status.FAILED, FaultKind.PARSE, None)
    assert run.failure_message == "Not enough readable items: 48 of 60 read, at least 50 needed."
    assert run.manifest


@pytest.mark.parametrize(("faults", "unread", "kind"), [(4, 2, FaultKind.ENDPOINT), (2, 4, FaultKind.PARSE)])
def test_the_side_that_kept_more_items_from_a_score_is_named(faults: int, unread: int, kind: FaultKind) -> None:
    """Each fault is told in its own words, so that no one reason of theirs is the commonest."""
    run = make_run(endpoint=make_endpoint(), bank=make_bank(6), settings=REVISING)
    none: dict[str, Any] = {"answer": None, "reading": "none", "score": None}
    for number in range(1, 1 + faults):
        make_result(run, str(number), state=ItemState.FAULT, reason=f"endpoint fault: number {number}.", **none)
    for number in range(1 + faults, 1 + faults + unread):
        make_result(run, str(number), state=ItemState.UNREAD, reason="no scores found", **none)
    run = finished(run)
    assert (run.status, run.failure_kind) == (Status.FAILED, kind)
    words = "Endpoint fault: number 1." if kind == FaultKind.ENDPOINT else "No scores found."
    assert run.failure_message.endswith(f"Most often: {words}")


# --- what earlier slices knew --------------------------------------------------------------------------------------


def test_an_address_that_answered_in_an_earlier_slice_is_right_so_a_web_page_there_is_an_outage() -> None:
    with serve(_gone_after(6)) as address:
        run = Demo(address).run(make_bank(20), concurrency=2)
        for waits in (1, 2):
            run = runner.carry(held(run), stop=threading.Event(), limits=HASTY)
            assert (run.status, run.waits) == (Status.WAITING, waits), run.failure_message
            assert Run.objects.try_now(run.pk)
    assert "no chat completions API" in run.failure_message
    assert list(run.results.values_list("state", flat=True)) == [ItemState.READ] * 6


def _gone_after(replies: int) -> web.Application:
    """A tunnel that is closed: its provider puts a page in its place."""
    sent: list[int] = []

    async def complete(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][0]["content"]  # before the look: another may come meanwhile
        if len(sent) == replies:
            return web.Response(status=404, text="<h1>No such tunnel</h1>", content_type="text/html")
        number = next(n for n in range(1, 6) if all(f"\n{label}\n" in prompt for label in scene_labels(n)))
        sent.append(number)
        message = {"content": scene_reply(number)}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_post("/{path:.*}", complete)
    return app
