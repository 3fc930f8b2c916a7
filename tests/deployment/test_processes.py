"""The processes of the Procfile for real: production settings, PostgreSQL, Redis over TCP, a run from end to end."""

import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.deployment.production import Service, environment, postgres, procfile, redis, run
from tests.processes import ROOT, free_port, wait_for

pytestmark = [pytest.mark.thorough, pytest.mark.processes]

THROUGH_THE_PROXY = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.7"}


class NotFollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def answer(port: int, path: str, headers: dict[str, str]) -> tuple[int, str, dict[str, str]]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.build_opener(NotFollowed).open(request, timeout=60) as response:
            return response.status, response.read().decode(), dict(response.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)


def is_up(port: int) -> bool:
    try:
        return answer(port, "/", THROUGH_THE_PROXY)[0] == 200
    except OSError:
        return False


@contextmanager
def demo_endpoint(changes: dict[str, str]) -> Iterator[str]:
    command = [sys.executable, "manage.py", "demo_endpoint", "--bank", "eq-open-v2"]
    with subprocess.Popen(command, cwd=ROOT, env=environment(**changes), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def test_web_worker_and_beat_of_the_procfile_carry_a_run_to_a_page_under_production_settings(tmp_path: Path) -> None:
    port = free_port()
    with ExitStack() as stack:
        database, broker = stack.enter_context(postgres()), stack.enter_context(redis(tmp_path))
        changes = {
            "DATABASE_URL": database,
            "REDIS_URL": broker,
            "VAR_DIR": str(tmp_path),
            "STATIC_ROOT": str(tmp_path / "static"),
            "PORT": str(port),
            "BEHIND_PROXY": "true",
            "RUN_REAPER_SECONDS": "2",
            "ENDPOINT_ALLOWED_NETWORKS": "127.0.0.0/8",
        }
        released = run("/bin/sh", "-c", procfile()["release"], **changes)
        assert released.returncode == 0, released.stderr
        assert run(sys.executable, "manage.py", "load_bank", "eq-open-v2", **changes).returncode == 0
        services = {
            name: Service(name, line, tmp_path, environment(**changes))
            for name, line in procfile().items()
            if name != "release"
        }
        try:
            wait_for(lambda: is_up(port), what="the web server answers")
            pages_and_static_files_are_served(port)
            address = stack.enter_context(demo_endpoint(changes))
            queue = f"from leaderboard.starting.first_start import queue_demo; queue_demo({address!r})"
            assert run(sys.executable, "manage.py", "shell", "-c", queue, **changes).returncode == 0
            number = finished_run(database)
            status, page, _ = answer(port, f"/runs/{number}/", THROUGH_THE_PROXY)
            assert (status, "demo" in page) == (200, True)
            wait_for(lambda: "requeue-stalled-runs" in services["beat"].words, what="the clock ticks")
            wait_for(lambda: "requeue_stalled_runs" in services["worker"].words, what="the worker heard it")
        finally:
            # The clock first, the web server last, as the target stops them in any order.
            for name in ("beat", "worker", "web"):
                services[name].stop()
    assert not any("Traceback" in service.words for service in services.values())


def pages_and_static_files_are_served(port: int) -> None:
    status, page, headers = answer(port, "/", THROUGH_THE_PROXY)
    assert status == 200
    assert "max-age=31536000" in headers["Strict-Transport-Security"]
    sheet = re.search(r'href="(/static/css/site\.[0-9a-f]+\.css)"', page)
    assert sheet, "the sheet has the hash of its content in its name"
    status, _, headers = answer(port, sheet[1], THROUGH_THE_PROXY)
    assert (status, "immutable" in headers["Cache-Control"]) == (200, True)
    status, _, headers = answer(port, "/", {})
    assert (status, headers["Location"]) == (301, f"https://127.0.0.1:{port}/")


def finished_run(database: str) -> int:
    """The number of a run that a worker has finished."""
    found: list[int] = []

    def looked() -> bool:
        with psycopg.connect(database) as connection:
            found[:] = [row[0] for row in connection.execute("select id from evaluation_run where status = 'finished'")]
        return bool(found)

    wait_for(looked, seconds=400, what="a run is finished")
    return found[0]
