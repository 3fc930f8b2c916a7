"""The processes of a board on one machine: started by name, watched, and stopped together in bounded time."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from leaderboard.starting.warden import ALL_DONE

Process = subprocess.Popen[bytes]


class Children:
    """Processes by the names that a sentence gives them. Each has a session of its own, so that Ctrl-C reaches it
    through us, in our order. The warden stops them where we are killed and cannot.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], warden: Process) -> None:
        self._folder = folder
        self._environment = {**os.environ, **environment}
        self._warden = warden
        self._started: dict[str, Process] = {}
        self._watched: dict[str, Process] = {}

    def start(self, name: str, command: Sequence[str], *, stdout: int | None = None) -> Process:
        process = subprocess.Popen(  # noqa: S603
            command, cwd=self._folder, env=self._environment, start_new_session=True, stdout=stdout
        )
        self._started[name] = process
        self.watch(name, process)
        return process

    def watch(self, name: str, process: Process) -> None:
        """Its end is told; one that somebody else has started is stopped by them."""
        self._watched[name] = process
        tell(self._warden, str(process.pid))

    def ended(self) -> tuple[str, int] | None:
        """Name and status of one that has ended; None while all run."""
        for name, process in self._watched.items():
            if (status := process.poll()) is not None:
                return name, status
        return None

    def stop(self, seconds: float) -> None:
        """Asks all at once, waits for them for so long, and kills what is left of each with what it had started."""
        deadline = time.monotonic() + seconds
        for process in self._started.values():
            process.terminate()
        for process in self._started.values():
            end(process, deadline - time.monotonic())


@contextmanager
def warden(folder: Path) -> Iterator[Process]:
    """Leaves in peace at the end of the block, and acts where the block never comes to its end."""
    command = [sys.executable, "-m", "leaderboard.starting.warden"]
    with subprocess.Popen(command, cwd=folder, start_new_session=True, stdin=subprocess.PIPE) as process:  # noqa: S603
        try:
            yield process
        finally:
            tell(process, ALL_DONE)


@contextmanager
def children(
    folder: Path, environment: Mapping[str, str], warden: Process, *, stop_seconds: float
) -> Iterator[Children]:
    """None is left at the end, `stop_seconds` after it at most."""
    started = Children(folder, environment, warden)
    try:
        yield started
    finally:
        started.stop(stop_seconds)


def tell(warden: Process, word: str) -> None:
    """A warden that is gone is not missed as long as we live."""
    if warden.stdin:
        with suppress(BrokenPipeError):
            warden.stdin.write(f"{word}\n".encode())
            warden.stdin.flush()


def end(process: Process, seconds: float) -> None:
    """Waits for one that was asked to stop, then kills its whole group: a killed leader leaves its own children."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=max(0.0, seconds))
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
