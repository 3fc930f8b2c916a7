"""The warden: what it is told, and what it does at the end of its input."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from leaderboard.starting.warden import left_behind, stop
from tests.processes import ROOT, wait_for

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def head(stack: ExitStack, code: str) -> "subprocess.Popen[bytes]":
    """A process at the head of a session of its own, up and running; gone at the end of the test."""
    process = stack.enter_context(
        subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stdout=subprocess.PIPE)
    )
    stack.callback(process.kill)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    return process


def test_it_is_told_ids_and_none_is_left_behind_once_all_is_done() -> None:
    assert left_behind(["12\n", "13\n"]) == [12, 13]
    assert left_behind(["12\n", "13\n", "done\n"]) == []
    assert left_behind([]) == []


def test_one_that_stops_when_asked_is_asked(stack: ExitStack) -> None:
    process = head(stack, "import time; print('up', flush=True); time.sleep(600)")
    stop([process.pid], patience_seconds=0.2)
    assert process.wait(timeout=120) == -signal.SIGTERM


def test_one_that_does_not_stop_is_killed_in_the_end(stack: ExitStack) -> None:
    process = head(stack, STUBBORN)
    stop([process.pid, 2**22 + 1], patience_seconds=0.2)  # the second is no process: ids end below it
    assert process.wait(timeout=120) == -signal.SIGKILL


@pytest.mark.parametrize(("last", "lives"), [(b"", False), (b"done\n", True)])
def test_at_the_end_of_its_input_it_acts_unless_all_is_done(stack: ExitStack, last: bytes, lives: bool) -> None:
    process = head(stack, "import time; print('up', flush=True); time.sleep(600)")
    warden = stack.enter_context(
        subprocess.Popen([sys.executable, "-m", "leaderboard.starting.warden"], cwd=ROOT, stdin=subprocess.PIPE)
    )
    assert warden.stdin
    warden.stdin.write(b"%d\n" % process.pid + last)
    warden.stdin.close()
    if lives:
        assert warden.wait(timeout=120) == 0
        assert process.poll() is None
    else:
        wait_for(lambda: process.poll() is not None, what="it was stopped")
        assert warden.wait(timeout=120) == 0
