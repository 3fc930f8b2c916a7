"""The processes of a board on one machine: started by name, watched, started again where they end, and stopped
together in bounded time."""

import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from leaderboard.starting.warden import ALL_DONE

Process = subprocess.Popen[bytes]
MOST_ENDS = 5  # of one child, each of which is made good by a new one
ENDS_SECONDS = 600.0  # within which they are counted


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
        self._again: dict[str, Callable[[], Process]] = {}
        self._lost: dict[str, Callable[[], bool]] = {}
        self._ends: defaultdict[str, list[float]] = defaultdict(list)

    def start(self, name: str, command: Sequence[str], *, stdout: int | None = None) -> Process:
        start = self._starter(name, command, stdout)
        return self.watch(name, start(), start)

    def next_time(self, name: str, command: Sequence[str], *, stdout: int | None = None) -> None:
        """Another command for the same child, for when it has to be started again."""
        self._again[name] = self._starter(name, command, stdout)

    def _starter(self, name: str, command: Sequence[str], stdout: int | None) -> Callable[[], Process]:
        def start() -> Process:
            self._started[name] = subprocess.Popen(  # noqa: S603
                command, cwd=self._folder, env=self._environment, start_new_session=True, stdout=stdout
            )
            return self._started[name]

        return start

    def watch(
        self, name: str, process: Process, again: Callable[[], Process], lost: Callable[[], bool] | None = None
    ) -> Process:
        """Also for a process that somebody else has started, who stops it too. `again` starts it another time.

        `lost` says that it lives and is of no use any more, so that it is killed.
        """
        self._watched[name], self._again[name] = process, again
        if lost:
            self._lost[name] = lost
        tell(self._warden, str(process.pid))
        return process

    def start_again(self, name: str) -> bool:
        """False, and nothing is started, where it ends all the time. What it had started itself is killed first."""
        now = time.monotonic()
        lately = [at for at in self._ends[name] if now - at < ENDS_SECONDS]
        self._ends[name] = [*lately, now]
        if len(lately) >= MOST_ENDS:
            return False
        end(self._watched[name], 0)
        time.sleep(len(lately))  # the reason may pass: at once after the first end, later after each further one
        self.watch(name, self._again[name](), self._again[name])
        return True

    def ended(self) -> tuple[str, int] | None:
        """Name and status of one that has ended; None while all run."""
        for name, process in self._watched.items():
            if name in self._lost and self._lost[name]():
                end(process, 0)
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
