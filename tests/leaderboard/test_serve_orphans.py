"""Whatever is killed, and how: nothing of a board runs on, and the next start works."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from leaderboard.starting.children import MOST_ENDS
from leaderboard.starting.embedded_redis import answers
from leaderboard.starting.starter import waits_to_end
from tests.leaderboard.serving import (
    NAMES,
    STOP_SECONDS,
    UP_SECONDS,
    board,
    is_up,
    main_process,
    nothing_is_left,
    processes_of,
    started,
    words,
)
from tests.processes import free_port, wait_for


@pytest.mark.thorough
@pytest.mark.processes
@pytest.mark.parametrize("name", NAMES)
def test_a_killed_child_is_followed_by_a_new_one_and_the_board_says_so(filled: Path, name: str) -> None:
    port = free_port()
    with board(filled, port) as process:
        killed = main_process(filled, name)
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: "so a new one was started" in words(filled), seconds=UP_SECONDS, what="a new one")
        assert main_process(filled, name, but=killed)
        wait_for(lambda: is_up(port), seconds=UP_SECONDS, what="the board answers")
        assert process.poll() is None
    assert f"{name} ended (status -9)" in words(filled).lower().replace("the demo endpoint", "the demo")
    assert "Traceback" not in words(filled)
    nothing_is_left(filled)


@pytest.mark.thorough
@pytest.mark.processes
def test_a_redis_whose_socket_was_removed_is_followed_by_one_that_can_be_reached(filled: Path) -> None:
    port, socket = free_port(), filled / "redis.sock"
    with board(filled, port) as process:
        wait_for(lambda: "Ctrl-C stops it" in words(filled), seconds=UP_SECONDS, what="the board is up")
        socket.unlink()
        wait_for(lambda: "Redis ended (status -9)" in words(filled), seconds=UP_SECONDS, what="a new Redis")
        wait_for(lambda: answers(socket), seconds=UP_SECONDS, what="it answers on its socket")
        assert process.poll() is None
    assert words(filled).count("so a new one was started") == 1
    nothing_is_left(filled)


@pytest.mark.thorough
@pytest.mark.processes
def test_a_child_that_ends_again_and_again_stops_the_board_with_a_sentence(filled: Path) -> None:
    with board(filled, free_port()) as process:
        for ends in range(1, MOST_ENDS + 1):
            os.kill(main_process(filled, "the demo"), signal.SIGKILL)
            wait_for(partial(has_said, filled, ends), seconds=UP_SECONDS, what="a new one")
        os.kill(main_process(filled, "the demo"), signal.SIGKILL)
        assert process.wait(timeout=STOP_SECONDS) == 1
    assert "the demo endpoint keeps ending (status -9), so the rest was stopped" in words(filled)
    assert "Traceback" not in words(filled)
    nothing_is_left(filled)


def has_said(folder: Path, times: int) -> bool:
    return words(folder).count("so a new one was started") == times


@pytest.mark.thorough
@pytest.mark.processes
def test_a_board_killed_at_once_takes_its_processes_along_and_the_next_start_works(filled: Path) -> None:
    port = free_port()
    with board(filled, port) as process:
        process.kill()
        process.wait()
        wait_for(lambda: not processes_of(filled), seconds=STOP_SECONDS, what="no process is left")
    with board(filled, port):
        assert is_up(port)
    nothing_is_left(filled)


@pytest.mark.thorough
@pytest.mark.processes
@pytest.mark.parametrize("shell", ["/bin/dash", "/bin/bash"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_to_make_alone_reaches_the_board(filled: Path, number: signal.Signals, shell: str) -> None:
    if not Path(shell).exists():
        pytest.skip(f"no {shell} on this machine")
    port = free_port()
    # What `make run` needs stands already, where tests run: -o keeps it from being looked at.
    with started(filled, ["make", "-o", "setup", "run", f"SHELL={shell}", f"PORT={port}"]) as make:
        wait_for(lambda: is_up(port), seconds=UP_SECONDS, what="the board answers")
        make.send_signal(number)
        make.wait(timeout=STOP_SECONDS)
        wait_for(lambda: not processes_of(filled), seconds=STOP_SECONDS, what="no process is left")
    assert words(filled).count("Traceback") == 0
    nothing_is_left(filled)


def status(blocked: int, caught: int) -> str:
    return f"Name:\tmake\nState:\tS (sleeping)\nSigBlk:\t{blocked:016x}\nSigIgn:\t{0:016x}\nSigCgt:\t{caught:016x}\n"


@pytest.mark.parametrize(
    ("blocked", "caught", "waits"),
    [
        (0, 0x4003, False),  # at work: SIGHUP, SIGINT and SIGTERM are caught
        (0x2, 0x4003, False),  # it blocks SIGINT for a moment, and still catches it
        (0x2, 0x4001, True),  # told by SIGINT: blocked, and at its default again
        (0x1, 0x4002, True),  # told by SIGHUP
        (0x4000, 0x3, False),  # told by SIGTERM, which it hands on itself
        (0, 0, False),
    ],
)
def test_a_make_that_waits_for_its_end_is_told_from_one_at_work(blocked: int, caught: int, waits: bool) -> None:
    assert waits_to_end(status(blocked, caught)) is waits


def test_a_status_without_masks_says_nothing() -> None:
    assert not waits_to_end("Name:\tmake\n")
