"""A key that stands nowhere else goes through everything that can happen to a run; then it is looked for."""

import base64
import logging
import subprocess
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import redis
from django.apps import apps
from django.db import connection

from evaluation.demo.server import make_app
from evaluation.keys.endpoint_keys import store_key
from evaluation.models import Endpoint, Run, Status
from evaluation.runs.manifest import sealed_columns
from tests.evaluation.test_keys_of_runs import queued
from tests.factories import make_bank, make_endpoint
from tests.fakes import serve
from tests.processes import Worker, environment, redis_server, wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.processes,
]


def forms(canary: str) -> dict[str, bytes]:
    """How the text may look wherever it leaks to, by name."""
    raw = canary.encode()
    shifted = [base64.b64encode(b"\0" * shift + raw).decode()[4:-4] for shift in range(3)]
    return {
        "plain": raw,
        "URL-encoded": quote(canary, safe="").encode(),
        "hexadecimal": raw.hex().encode(),
        "HEXADECIMAL": raw.hex().upper().encode(),
        "JSON-escaped": canary.replace("/", "\\/").encode(),
        **{f"base64, {shift} before": text.encode() for shift, text in enumerate(shifted)},
        **{f"base64url, {n} before": t.replace("+", "-").replace("/", "_").encode() for n, t in enumerate(shifted)},
        "its first half": raw[: len(raw) // 2],
        "its second half": raw[len(raw) // 2 :],
    }


def hits(places: dict[str, bytes], canary: str) -> list[str]:
    return [
        f"{form} in {place}" for place, data in places.items() for form, text in forms(canary).items() if text in data
    ]


@pytest.fixture
def canary() -> str:
    return f"sk-canary/{uuid.uuid4().hex}+{uuid.uuid4().hex}=?&%"


def test_each_form_of_a_canary_would_be_found(canary: str) -> None:
    within = f'{{"Authorization": "Bearer {canary}"}}'.encode()
    found = hits({"base64": base64.b64encode(within), "plain": within, "hex": within.hex().encode()}, canary)
    assert {hit.partition(" in ")[2] for hit in found} == {"base64", "plain", "hex"}
    assert hits({"URL": f"/elsewhere?key={quote(canary, safe='')}".encode()}, canary)
    assert hits({"cut": canary[-50:].encode()}, canary)
    assert not hits({"another": uuid.uuid4().hex.encode()}, canary)


def test_a_canary_key_is_found_nowhere_after_echo_refusal_redirect_timeout_and_kill(
    tmp_path: Path, canary: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    workers: list[Worker] = []
    with redis_server(tmp_path / "redis") as broker:
        try:
            runs = _what_can_happen(canary, tmp_path, broker, workers)
            places = {**_database(), **_redis(broker), **_files(tmp_path), "our own log": caplog.text.encode()}
        finally:
            for worker in workers:
                worker.stop()
    places |= {f"{name}, at the end": data for name, data in _files(tmp_path).items()}
    _assert_that_it_all_happened(runs, places)
    assert hits(places, canary) == []


def _what_can_happen(canary: str, folder: Path, broker: str, workers: list[Worker]) -> dict[str, Run]:
    """One run for each fault of an endpoint, carried by a worker that logs all it can; the last worker is killed."""
    bank = make_bank(3)
    changes = environment(broker, LOG_LEVEL="DEBUG")
    workers.append(Worker(folder, changes))
    runs = {}
    for fault in ("token-echo", "unauthorised", "redirect"):
        with serve(make_app(persona="random", faults=[fault])) as address:
            runs[fault] = _submitted(f"{address}/v1", canary, bank)
            wait_for(lambda run=runs[fault]: not _now(run).is_open, what=f"the end of the run with {fault}")  # type: ignore[misc]
    with serve(make_app(persona="random", faults=["hang"])) as address:
        hanging = runs["hang"] = _submitted(f"{address}/v1", canary, bank, timeout_seconds=3.0)
        wait_for(lambda: bool(_now(hanging).fault_counts), what="a request that timed out")
        workers[0].kill()
        workers.append(Worker(folder, changes))
        wait_for(lambda: hanging.key_events.filter(kind="used").count() >= 2, what="the next worker")
        Run.objects.cancel(hanging.pk, seal=sealed_columns)
    return runs


def _submitted(url: str, canary: str, bank: Any, **settings: Any) -> Run:
    endpoint = make_endpoint(base_url=url)
    store_key(endpoint, canary)
    run = queued(endpoint, bank)
    Run.objects.filter(pk=run.pk).update(settings={**run.settings, "concurrency": 1, **settings})
    return run


def _now(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def _assert_that_it_all_happened(runs: dict[str, Run], places: dict[str, bytes]) -> None:
    """Otherwise nothing could have leaked."""
    ended = {fault: _now(run) for fault, run in runs.items()}
    assert ended["token-echo"].observed["remarks"]["key removed"] >= 1
    assert [ended[fault].status for fault in ("unauthorised", "redirect", "hang")] == [
        Status.FAILED,
        Status.FAILED,
        Status.CANCELLED,
    ]
    assert "key" in ended["unauthorised"].failure_message
    assert "redirect" in ended["redirect"].failure_message
    assert ended["hang"].fault_counts
    assert set(Endpoint.objects.values_list("sealed_key", flat=True)) == {""}
    logs = b"".join(data for place, data in places.items() if "worker" in place)
    assert b" DEBUG " in logs
    assert b"is failed after a slice" in logs
    assert any(b"evaluation.tasks.evaluate_run" in data for place, data in places.items() if "appendonly" in place)
    assert b"key removed" in places["the rows"]


def _database() -> dict[str, bytes]:
    """Each row as text, and where the database is a file, the file with what stands beside it."""
    lines = [str(row) for model in apps.get_models() for row in model._base_manager.values_list()]
    places = {"the rows": "\n".join(lines).encode("utf-8", "replace")}
    if connection.vendor == "sqlite":
        name = Path(connection.settings_dict["NAME"])
        places |= {path.name: _read_elsewhere(path) for path in name.parent.glob(f"{name.name}*")}
        assert places[name.name].startswith(b"SQLite format 3")
    return places


def _read_elsewhere(path: Path) -> bytes:
    """By another process. A process that closes a file lets go of all its locks on it, those of SQLite too; the next
    process to open the database would then take itself for the only one, and empty the memory that all share."""
    return subprocess.run(["cat", "--", str(path)], stdout=subprocess.PIPE, check=False).stdout


def _redis(broker: str) -> dict[str, bytes]:
    with redis.Redis(unix_socket_path=broker.removeprefix("redis+socket://")) as client:
        # Both, since a dump may be packed.
        return {f"Redis {key!r}": repr((client.dump(key), _value(client, key))).encode() for key in client.scan_iter()}


def _value(client: redis.Redis, key: Any) -> object:
    kind = client.type(key)
    if kind == b"string":
        return client.get(key)
    if kind == b"list":
        return client.lrange(key, 0, -1)
    if kind == b"set":
        return client.smembers(key)
    if kind == b"hash":
        return client.hgetall(key)
    return client.zrange(key, 0, -1)


def _files(folder: Path) -> dict[str, bytes]:
    """Logs of the workers, the clock's schedule, Redis's append-only file."""
    return _read(folder.rglob("*"), folder)


def _read(paths: Iterable[Path], folder: Path) -> dict[str, bytes]:
    """By name below the folder; without sockets, and without what a process takes away meanwhile, such as a journal."""
    found = {}
    for path in filter(Path.is_file, paths):
        with suppress(FileNotFoundError):
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found
