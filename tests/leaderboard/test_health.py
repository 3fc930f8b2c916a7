"""/healthz and /readyz: what a monitor is told, and that it is told no secret."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.cache import cache
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from evaluation.models import Pulse, Run, Status
from evaluation.runs import pulses
from leaderboard.celery import app
from leaderboard.operations import health
from leaderboard.pages.shared.stalls import Queue
from tests.factories import make_endpoint, make_run
from tests.fakes import serve_raw, silent
from tests.processes import redis_server

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    cache.delete_many(["ready:", "ready:database", "ready:writes", "ready:broker", "ready:reaper", "ready:workers"])


@contextmanager
def broker_at(address: str) -> Iterator[None]:
    before = app.conf.broker_read_url
    app.conf.update(broker_read_url=address)
    try:
        yield
    finally:
        app.conf.update(broker_read_url=before)


def asked(client: Client, path: str) -> tuple[int, dict[str, Any]]:
    response = client.get(path)
    assert response["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    answer: dict[str, Any] = json.loads(response.content)
    return response.status_code, answer


def state(client: Client, name: str) -> tuple[int, str]:
    status, answer = asked(client, f"/readyz?check={name}")
    assert list(answer["checks"]) == [name]
    assert answer["ready"] == answer["checks"][name]["ok"] == (status == 200)
    return status, answer["checks"][name]["state"]


def ticked(seconds_ago: float) -> None:
    pulses.note(pulses.REAPER)
    Pulse.objects.update(at=timezone.now() - timedelta(seconds=seconds_ago))


def due_run(minutes: float, **fields: Any) -> Run:
    since = timezone.now() - timedelta(minutes=minutes)
    return make_run(endpoint=make_endpoint(), **{"queued_at": since, "rung_at": timezone.now(), **fields})


def test_liveness_asks_no_database(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        status, answer = asked(client, "/healthz")
    assert (status, answer["alive"]) == (200, True)


def test_all_well_is_200_with_each_check(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BROKER_SECONDS", "SOCKET_SECONDS"):  # the first question of a process loads what asks it
        monkeypatch.setattr(health, name, 60.0)
    ticked(5)
    with redis_server(tmp_path) as broker, broker_at(broker):
        status, answer = asked(client, "/readyz")
    assert (status, answer["ready"]) == (200, True), answer
    assert list(answer["checks"]) == ["database", "writes", "broker", "reaper", "workers"]
    assert answer["checks"]["broker"]["state"] == "answers, 0 messages waiting"


def test_a_broker_that_accepts_and_never_answers_is_told_before_it_gives_up(client: Client) -> None:
    with serve_raw(silent) as address, broker_at(address.replace("http", "redis")):
        # The server stays silent for as long as it is asked: without an end of its own the page never came.
        assert state(client, "broker") == (503, "does not answer")


def test_a_broker_that_refuses_since_its_memory_is_full_is_told(client: Client, tmp_path: Path) -> None:
    with redis_server(tmp_path) as broker, broker_at(broker):
        with redis.Redis(unix_socket_path=broker.removeprefix("redis+socket://")) as server:
            server.config_set("maxmemory", "1")
        assert state(client, "broker") == (503, "does not answer")


def test_a_broker_that_takes_no_more_connections_is_told(client: Client, tmp_path: Path) -> None:
    """The page failed, and the thread that watches a worker for deafness would have ended by the same error."""
    with redis_server(tmp_path) as broker, broker_at(broker):
        with redis.Redis(unix_socket_path=broker.removeprefix("redis+socket://")) as server:
            server.config_set("maxclients", "1")  # enough to be let in, and too few to ask
        assert state(client, "broker") == (503, "does not answer")


def test_a_refused_broker_is_told_without_its_address_or_password(client: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with broker_at(f"redis://:canary-password@127.0.0.1:{port}/0"):
        response = client.get("/readyz")
    assert response.status_code == 503
    text = response.content.decode()
    assert "canary" not in text
    assert str(port) not in text


@pytest.mark.parametrize(("age", "status", "words"), [(10, 200, "ticks"), (181, 503, "late")])
def test_the_reaper_may_be_silent_for_three_minutes(client: Client, age: float, status: int, words: str) -> None:
    ticked(age)
    assert state(client, "reaper") == (status, words)


def test_a_reaper_that_never_ran_is_not_ready(client: Client) -> None:
    assert state(client, "reaper")[0] == 503


def test_a_reaper_behind_working_runs_may_be_a_slice_late(client: Client) -> None:
    ticked(300)
    running = {"status": Status.RUNNING, "lease_until": timezone.now() + timedelta(seconds=40)}
    due_run(1, heartbeat_at=timezone.now(), **running)
    assert state(client, "reaper") == (200, "behind runs that are at work")


def test_workers_that_were_called_and_do_not_come_are_deaf(client: Client) -> None:
    run = due_run(4)
    status, words = state(client, "workers")
    assert (status, words) == (503, "called and none comes: restart the workers")
    cache.clear()
    Run.objects.filter(pk=run.pk).update(rung_at=None)
    assert state(client, "workers") == (503, "not called: is the clock up?")


@pytest.mark.parametrize(
    "fields",
    [
        {"queued_at": Now()},
        {"driver": "command"},
        {"status": Status.WAITING, "not_before": timezone.now() + timedelta(days=1)},
        {"status": Status.FINISHED},
    ],
)
def test_a_run_that_no_worker_needs_to_take_up_alarms_nobody(client: Client, fields: dict[str, Any]) -> None:
    due_run(30, **fields)
    assert state(client, "workers")[0] == 200


def test_one_worker_at_work_is_no_stall_and_a_dead_lease_is_one(client: Client) -> None:
    due_run(30)
    working = due_run(30, status=Status.RUNNING, lease_until=timezone.now() + timedelta(seconds=40))
    assert state(client, "workers") == (200, "1 runs at work, 1 due")
    cache.clear()
    Run.objects.filter(pk=working.pk).update(lease_until=timezone.now() - timedelta(minutes=5))
    assert state(client, "workers")[0] == 503


def test_a_fresh_heartbeat_between_two_slices_is_not_deaf() -> None:
    now, minute = timezone.now(), timedelta(minutes=1)
    queue = Queue(due=1, at_work=0, due_since=now - 9 * minute, rung_at=now, beat_at=now - minute)
    assert queue.is_stalled(now)
    assert not queue.is_deaf(now, 3 * minute)
    assert queue.is_deaf(now + 3 * minute, 3 * minute)


def test_a_name_that_is_no_check_is_ignored(client: Client) -> None:
    ticked(1)
    assert list(asked(client, "/readyz?check=reaper&check=passwords")[1]["checks"]) == ["reaper"]
