"""A submitter's key along a run: opened for the call, noted, erased at each end, never silently missing."""

import base64
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from django.db import connections
from django.utils import timezone

from evaluation import tasks
from evaluation.benchmarks import BENCHMARKS
from evaluation.endpoints.retrying import Patience
from evaluation.keys import erasing
from evaluation.keys.endpoint_keys import needs_key, store_key
from evaluation.keys.erasing import erase_key, purge_keys
from evaluation.models import Driver, Endpoint, FaultKind, ItemBank, KeyEvent, Run, Status
from evaluation.runs import runner
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.opening import RunRequest
from evaluation.runs.slices import Limits
from tests.factories import make_bank, make_endpoint, make_run, scene_labels, scene_reply
from tests.fakes import serve

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

KEY = "sk-own-Example/Key+0123456789="
HASTY = Limits(heartbeat=5, slice=60, drain=1, patience=Patience(tries=2, backoff_seconds=0.01, faults_in_a_row=4))


@contextmanager
def endpoint_server(status: int = 200, headers: dict[str, str] | None = None) -> Iterator[tuple[str, list[str | None]]]:
    """Answers every scene with its reference, or with this status; and the keys that it was sent."""
    seen: list[str | None] = []

    async def handle(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization"))
        if status != 200:
            return web.json_response({"error": {"message": f"no, {seen[-1]}"}}, status=status, headers=headers)
        prompt = (await request.json())["messages"][0]["content"]
        number = next(n for n in range(1, 6) if all(f"\n{label}\n" in prompt for label in scene_labels(n)))
        message = {"content": scene_reply(number)}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    with serve(app) as address:
        yield f"{address}/v1", seen


def queued(endpoint: Endpoint, bank: ItemBank, **fields: Any) -> Run:
    request = RunRequest(
        model="maker/demo",
        base_url=endpoint.base_url,
        api_model="demo",
        benchmark=BENCHMARKS["eq-bench-v2"],
        bank=bank,
        repeats=1,
        limit=None,
        concurrency=2,
        max_tokens=60,
        timeout_seconds=60.0,
    )
    return make_run(endpoint=endpoint, bank=bank, settings=request.settings(), **fields)


def endpoint_with_key(base_url: str, **choices: Any) -> Endpoint:
    endpoint = make_endpoint(base_url=base_url)
    store_key(endpoint, KEY, **choices)
    endpoint.refresh_from_db()
    return endpoint


def carried(run: Run, **changes: Any) -> Run:
    lease = runner.claim(run.pk, run.driver)
    assert lease
    return runner.carry(lease, stop=threading.Event(), limits=HASTY, **changes)


def events(endpoint: Endpoint) -> list[str]:
    return list(endpoint.key_events.values_list("kind", flat=True))


def has_key(endpoint: Endpoint) -> bool:
    endpoint.refresh_from_db()
    return bool(endpoint.sealed_key)


def test_a_key_is_sealed_used_and_erased_and_each_step_has_its_line() -> None:
    with endpoint_server() as (url, seen):
        endpoint = endpoint_with_key(url)
        assert KEY not in endpoint.sealed_key
        run = carried(queued(endpoint, make_bank(5)))
    assert (run.status, set(seen)) == (Status.FINISHED, {f"Bearer {KEY}"})
    assert not has_key(endpoint)
    assert endpoint.key_erased_at is not None
    assert events(endpoint) == ["sealed", "used", "erased"]
    last = endpoint.key_events.last()
    assert last
    assert (last.run, last.detail) == (run, "run finished")
    assert not any(KEY in str(vars(event)) for event in endpoint.key_events.all())


@pytest.mark.parametrize(("status", "words"), [(401, "key"), (302, "redirect")])
def test_a_run_that_fails_erases_the_key_too(status: int, words: str) -> None:
    with endpoint_server(status, {"Location": f"/elsewhere?key={KEY}"}) as (url, _):
        endpoint = endpoint_with_key(url)
        run = carried(queued(endpoint, make_bank(5)))
    assert run.status == Status.FAILED
    assert words in run.failure_message
    assert KEY not in run.failure_message
    assert not has_key(endpoint)
    assert events(endpoint) == ["sealed", "used", "erased"]


def test_a_waiting_run_keeps_its_key_and_a_cancelled_one_does_not() -> None:
    with endpoint_server(429, {"Retry-After": "7200"}) as (url, _):
        endpoint = endpoint_with_key(url)
        run = carried(queued(endpoint, make_bank(5)))
    assert run.status == Status.WAITING
    assert has_key(endpoint)
    assert Run.objects.cancel(run.pk, seal=sealed_columns)
    assert not has_key(endpoint)
    assert events(endpoint) == ["sealed", "used", "erased"]


def test_a_run_that_was_stopped_as_stuck_erases_the_key() -> None:
    endpoint = endpoint_with_key("https://models.example/v1")
    run = queued(endpoint, make_bank(1), idle_claims=20)
    other = queued(endpoint_with_key("https://other.example/v1"), make_bank(1), idle_claims=19)
    assert Run.objects.fail_stuck(20, seal=sealed_columns) == 1
    run.refresh_from_db()
    other.refresh_from_db()
    assert (run.status, run.failure_kind, other.status) == (Status.FAILED, FaultKind.PLATFORM, Status.QUEUED)
    assert not has_key(endpoint)


def test_a_key_that_several_open_runs_share_goes_with_the_last_of_them() -> None:
    with endpoint_server() as (url, _):
        endpoint = endpoint_with_key(url)
        first, second = queued(endpoint, make_bank(2)), queued(endpoint, make_bank(3))
        third = queued(endpoint, make_bank(1))
        assert Run.objects.cancel(third.pk, seal=sealed_columns)
        assert carried(first).status == Status.FINISHED
        assert has_key(endpoint)
        assert carried(second).status == Status.FINISHED
    assert not has_key(endpoint)
    assert events(endpoint) == ["sealed", "used", "used", "erased"]


def test_a_key_that_was_to_be_kept_stays_to_its_date_and_goes_then_whatever_the_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = timezone.now()
    monkeypatch.setattr(erasing, "timezone", SimpleNamespace(now=lambda: now))  # midnight may come meanwhile
    today = now.date()
    with endpoint_server() as (url, _):
        endpoint = endpoint_with_key(url, kept_until=today)
        assert carried(queued(endpoint, make_bank(2))).status == Status.FINISHED
        assert has_key(endpoint)
        assert purge_keys(14) == 0
        assert carried(queued(endpoint, make_bank(2))).status == Status.FINISHED
    queued(endpoint, make_bank(1))
    Endpoint.objects.filter(pk=endpoint.pk).update(key_kept_until=today - timedelta(days=1))
    assert purge_keys(14) == 1
    assert not has_key(endpoint)
    assert purge_keys(14) == 0
    assert events(endpoint) == ["sealed", "used", "used", "erased"]


def sealed_days_ago(endpoint: Endpoint, days: float) -> None:
    moment = timezone.now() - timedelta(days=days)
    KeyEvent.objects.filter(endpoint=endpoint, kind="sealed").update(at=moment)


def test_a_key_goes_after_fourteen_days_whatever_the_state(settings: Any) -> None:
    old, young, kept = (endpoint_with_key(f"https://{name}.example/v1") for name in ("old", "young", "kept"))
    Endpoint.objects.filter(pk=kept.pk).update(key_kept_until=date.today() + timedelta(days=60))  # noqa: DTZ011
    run = queued(old, make_bank(1))
    sealed_days_ago(old, 14.01)
    sealed_days_ago(young, 13.99)
    sealed_days_ago(kept, 50)
    tasks.purge_keys()
    assert [has_key(endpoint) for endpoint in (old, young, kept)] == [False, True, True]
    assert events(old) == ["sealed", "erased"]
    run.refresh_from_db()
    assert run.status == Status.QUEUED


def test_a_key_that_is_given_anew_starts_its_time_anew() -> None:
    endpoint = endpoint_with_key("https://models.example/v1")
    sealed_days_ago(endpoint, 20)
    store_key(endpoint, KEY + "2")
    assert purge_keys(14) == 0


def test_a_run_after_the_erasure_fails_with_a_sentence_and_goes_on_with_a_new_key() -> None:
    with endpoint_server() as (url, seen):
        endpoint = endpoint_with_key(url)
        assert erase_key(endpoint.pk, "rejected")
        assert not erase_key(endpoint.pk, "rejected")
        endpoint.refresh_from_db()
        assert needs_key(endpoint)
        run = carried(queued(endpoint, make_bank(2)))
        assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.ENDPOINT)
        assert "Submit the key again" in run.failure_message
        assert seen == []
        store_key(endpoint, KEY)
        endpoint.refresh_from_db()
        assert not needs_key(endpoint)
        assert Run.objects.resume(run.pk)
        assert carried(run).status == Status.FINISHED
    assert seen == [f"Bearer {KEY}"] * 2


def test_a_wrong_sealing_key_fails_the_run_closed_with_its_sentence(settings: Any) -> None:
    with endpoint_server() as (url, seen):
        endpoint = endpoint_with_key(url)
        settings.ENDPOINT_KEYS = [base64.urlsafe_b64encode(os.urandom(32)).decode()]
        run = carried(queued(endpoint, make_bank(2)))
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.PLATFORM)
    assert "key can't be read" in run.failure_message
    assert "submit the key again" in run.failure_message
    assert seen == []
    assert events(endpoint) == ["sealed", "erased"]


def test_an_endpoint_without_a_key_is_asked_without_one_and_has_no_audit() -> None:
    with endpoint_server() as (url, seen):
        endpoint = make_endpoint(base_url=url)
        assert carried(queued(endpoint, make_bank(2))).status == Status.FINISHED
    assert (seen, events(endpoint)) == ([None, None], [])


def test_the_key_of_the_evaluate_command_is_not_stored_and_touches_no_stored_one() -> None:
    with endpoint_server() as (url, seen):
        endpoint = endpoint_with_key(url)
        run = queued(endpoint, make_bank(2), driver=Driver.COMMAND)
        assert carried(run, api_key="sk-of-the-command").status == Status.FINISHED
        keyless = queued(endpoint, make_bank(2), driver=Driver.COMMAND)
        assert carried(keyless).status == Status.FINISHED
    assert seen == ["Bearer sk-of-the-command"] * 2 + [None] * 2
    assert has_key(endpoint)
    assert events(endpoint) == ["sealed"]


def test_each_slice_opens_the_key_anew_and_no_row_holds_it() -> None:
    with endpoint_server() as (url, _):
        endpoint = endpoint_with_key(url)
        run = queued(endpoint, make_bank(5))
        lease = runner.claim(run.pk, run.driver)
        assert lease
        stopped = threading.Event()
        stopped.set()
        run = runner.carry(lease, stop=stopped, limits=Limits(heartbeat=5, slice=60, drain=0, patience=HASTY.patience))
        assert run.status == Status.QUEUED
        assert run.endpoint
        assert KEY not in str(vars(run)) + str(vars(run.endpoint))
        assert carried(run).status == Status.FINISHED
    assert events(endpoint) == ["sealed", "used", "used", "erased"]


def test_two_runs_that_end_in_the_same_moment_do_not_leave_the_key_to_each_other() -> None:
    def cancel(run: Run) -> None:
        together.wait(timeout=30)
        try:
            Run.objects.cancel(run.pk, seal=sealed_columns)
        finally:
            connections.close_all()

    for number in range(5):
        endpoint = endpoint_with_key(f"https://models-{number}.example/v1")
        together = threading.Barrier(2)
        threads = [threading.Thread(target=cancel, args=(queued(endpoint, make_bank(1)),)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert not has_key(endpoint)
        assert events(endpoint) == ["sealed", "erased"]
