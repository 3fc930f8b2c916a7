"""Real Redis and real worker processes for tests, on the test's own database."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db import connection

from leaderboard.starting.embedded_redis import embedded_redis

ROOT = Path(__file__).resolve().parent.parent
# Short times, so that a test sees in seconds what a board sees in minutes.
QUICK = {
    "RUN_LEASE_SECONDS": "2",
    "RUN_HEARTBEAT_SECONDS": "0.5",
    "RUN_REAPER_SECONDS": "0.5",
    "RUN_RING_AGAIN_SECONDS": "1",
    "RUN_DRAIN_SECONDS": "5",
    "ENDPOINT_BACKOFF_SECONDS": "0.05",
    "LOG_LEVEL": "INFO",
}


PATIENCE_SECONDS = 300
"""How long a process may take to do anything on a busy machine. It is what a fault costs; no test asserts it."""
EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_given: set[int] = set()


def database_url() -> str:
    """The address of the database that this test uses, for another process."""
    parts: dict[str, Any] = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{parts['NAME']}"
    user, password = quote(parts["USER"]), quote(parts["PASSWORD"])
    return f"postgres://{user}:{password}@{parts['HOST'] or 'localhost'}:{parts['PORT'] or 5432}/{parts['NAME']}"


def environment(broker: str, **changes: str) -> dict[str, str]:
    own = {"DJANGO_SETTINGS_MODULE": "leaderboard.settings", "DEBUG": "true", "SECRET_KEY": "tests-only"}
    return {**os.environ, **QUICK, **own, "DATABASE_URL": database_url(), "REDIS_URL": broker, **changes}


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """A Redis of the test's own; yields the broker address."""
    path = Path("/tmp") / f"eq-test-{os.getpid()}-{time.monotonic_ns()}.sock"  # noqa: S108
    with embedded_redis(path, folder):
        yield f"redis+socket://{path}"


class Worker:
    """A Celery worker process with its beat, as `serve` starts it."""

    def __init__(
        self, folder: Path, environment: dict[str, str], *, beat: bool = True, app: str = "leaderboard.celery"
    ) -> None:
        self.log = folder / f"worker-{time.monotonic_ns()}.log"
        schedule = str(folder / "beat-schedule")
        command = [
            *(
                sys.executable,
                "-m",
                "celery",
                "--skip-checks",
                "-A",
                app,
                "worker",
                "--concurrency",
                "1",
            ),
            *("--loglevel", "info", "--without-gossip", "--without-mingle"),
            *(("--beat", "--schedule", schedule) if beat else ()),
        ]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self) -> None:
        """kill -9 of the worker and all its children, as a power cut would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.kill()


@contextmanager
def worker(folder: Path, broker: str, *, beat: bool = True, **changes: str) -> Iterator[Worker]:
    started = Worker(folder, environment(broker, **changes), beat=beat)
    try:
        yield started
    finally:
        started.stop()


def wait_for(condition: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS, what: str) -> float:
    """Seconds until the condition held. Raises AssertionError when it did not in time."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"after {seconds} s still not: {what}")
        time.sleep(0.05)
    return time.monotonic() - began


def free_port() -> int:
    """A port of the loopback interface that stays free until its process binds it, and is given once.

    The kernel never gives one from below its own range to somebody else: to a server that asks for any port, or to the
    near end of a connection, of which other tests have many. From port 0 it gives what both may take a moment later.
    """
    first = int(EPHEMERAL.read_text().split()[0]) if EPHEMERAL.exists() else 32_768
    chance = random.SystemRandom()  # other processes draw as well, and the seed of the tests is the same for all
    while True:
        port = chance.randrange(10_000, first)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            if port not in _given:
                _given.add(port)
                return port


class Running(NamedTuple):
    """A process of this machine. `state` is a letter of proc(5), Z for one that has ended and is not yet reaped."""

    pid: int
    parent: int
    group: int
    state: str


def running() -> list[Running]:
    """All of them, read from /proc: `ps` is not on every machine."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            state, parent, group = path.read_text(errors="replace").rpartition(")")[2].split()[:3]
            found.append(Running(int(path.parent.name), int(parent), int(group), state))
    return found


def manage(*arguments: str, broker: str = "", **changes: str) -> "subprocess.CompletedProcess[str]":
    """A management command in a process of its own, on the test's database."""
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment(broker, **changes), capture_output=True, text=True, check=False, timeout=300
    )
