"""The web server's own lines: JSON where LOG_FORMAT says so, and never with the token of a submission's page."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from leaderboard.management.commands.serve import web_command
from leaderboard.models import Submission
from leaderboard.starting.listening import Address
from tests.factories import make_endpoint, make_model
from tests.leaderboard.serving import is_up
from tests.processes import PATIENCE_SECONDS, ROOT, environment, free_port, wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.processes,
    pytest.mark.thorough,
]
KEY = "sk-canary-0123456789abcdef"
STARTED = "Booting worker"


@contextmanager
def web(folder: Path, port: int, **changes: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The web server of `serve`, with all that gunicorn can tell of itself and of requests in web.log."""
    words = [*web_command(Address("127.0.0.1", port)), "--access-logfile", "-", "--log-level", "debug"]
    with (folder / "web.log").open("w") as log:
        process = subprocess.Popen(words, cwd=ROOT, env=environment("", **changes), stdout=log, stderr=log)
    try:
        wait_for(lambda: is_up(port), what="the web server answers")
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE_SECONDS)


def visit(port: int, path: str, **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def visit_everything(port: int, token: str) -> list[int]:
    """The page of a submission, its parts and its actions, and an address that is not there, as a browser asks."""
    page = f"/submissions/{token}/"
    paths = (
        page,
        f"{page}live/",
        f"{page}runs/999/",
        f"{page}nothing-here/?key={KEY}",
        f"{page}cancel/",
        f"/?token={KEY}",
    )
    coming = {"Referer": f"http://127.0.0.1:{port}{page}", "Authorization": f"Bearer {KEY}"}
    return [visit(port, path, **coming) for path in paths]


@pytest.fixture
def token() -> str:
    model = make_model("maker/one")
    return Submission.objects.create(model=model, endpoint=make_endpoint(model=model), owner="me").token


def told(folder: Path, token: str) -> str:
    text = (folder / "web.log").read_text()
    assert token not in text
    assert "canary" not in text
    assert text.count("/submissions/[removed]/") >= 5
    return text


def test_each_line_of_the_web_server_is_an_object_without_a_token_or_a_key(tmp_path: Path, token: str) -> None:
    port = free_port()
    with web(tmp_path, port, LOG_FORMAT="json") as process:
        assert visit_everything(port, token) == [200, 200, 404, 404, 405, 200]
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: (tmp_path / "web.log").read_text().count(STARTED) == 2, what="a new worker")
        wait_for(lambda: is_up(port), what="the new worker answers")
    lines: list[dict[str, Any]] = [json.loads(line) for line in told(tmp_path, token).splitlines()]
    assert {line["logger"] for line in lines} >= {"gunicorn.error", "gunicorn.access", "django.request"}
    assert sum(STARTED in line["message"] for line in lines) == 2
    assert any("Handling signal: hup" in line["message"] for line in lines)
    asked = [line for line in lines if line["logger"] == "gunicorn.access"]
    page = next(line for line in asked if line["path"] == "/submissions/[removed]/")
    assert page["message"] == "GET /submissions/[removed]/ 200"
    assert (page["method"], page["status"], page["level"]) == ("GET", 200, "INFO")
    assert page["bytes"] > 1000
    assert page["milliseconds"] >= 0
    assert any(line["path"] == "/?token=[removed]" for line in asked)


def test_plain_lines_hide_the_token_as_well(tmp_path: Path, token: str) -> None:
    port = free_port()
    with web(tmp_path, port):
        visit_everything(port, token)
    lines = told(tmp_path, token).splitlines()
    assert any('"GET /submissions/[removed]/ HTTP/1.1" 200' in line for line in lines)
    assert any("WARNING django.request Not Found: /submissions/[removed]/nothing-here/" in line for line in lines)
    assert not any(line.startswith("{") for line in lines)
