"""A whole board as processes, as a person starts it, and what runs for it."""

import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

from tests.processes import PATIENCE_SECONDS, ROOT, running, wait_for

UP_SECONDS = 2 * PATIENCE_SECONDS  # a first start fills the board; alone it takes some ten
STOP_SECONDS = PATIENCE_SECONDS  # likewise; alone it takes four
ANSWER_SECONDS = 60  # of one page
NAMES = {"redis": "redis-server", "the worker": "celery", "the web server": "gunicorn", "the demo": "demo_endpoint"}


def environment(folder: Path, **changes: str) -> dict[str, str]:
    """Nothing of the caller's board; and no internet, for whoever asks for it by a proxy, unless a test gives one."""
    own = {
        "DEBUG": "true",
        "SECRET_KEY": "tests-only",
        "VAR_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "https_proxy": "http://127.0.0.1:9",
    }
    others = ("REDIS_URL", "DJANGO_SETTINGS_MODULE", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "LOG_LEVEL")
    return {**{name: value for name, value in os.environ.items() if name not in others}, **own, **changes}


def serve(port: int) -> list[str]:
    return [sys.executable, "manage.py", "serve", "--port", str(port)]


@contextmanager
def started(folder: Path, command: Sequence[str], **changes: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The command in a session of its own, its words in board.log; stopped at the end as by Ctrl-C.

    It hears every signal, also where these tests were started with some ignored, as by `nohup` or behind an `&`.
    """
    listening = [shutil.which("env") or "env", "--default-signal", *command]
    with (folder / "board.log").open("w") as log:
        process = subprocess.Popen(
            listening, cwd=ROOT, env=environment(folder, **changes), stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield process
    finally:
        # Twice, as a person would: Python drops an interrupt that comes while it clears up an object.
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGKILL):
            if process.poll() is None:
                os.killpg(process.pid, number)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=60)


@contextmanager
def board(folder: Path, port: int, **changes: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A board that answers."""
    with started(folder, serve(port), **changes) as process:
        wait_for(lambda: is_up(port) or process.poll() is not None, seconds=UP_SECONDS, what="the board answers")
        assert process.poll() is None, words(folder)
        wait_for(lambda: "Ctrl-C stops it" in words(folder), seconds=UP_SECONDS, what="the board greets")
        yield process


def words(folder: Path) -> str:
    return (folder / "board.log").read_text(errors="replace")  # half a sign may be written yet


def is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=ANSWER_SECONDS) as response:
            return bool(response.status == 200)
    except (OSError, HTTPException):
        return False


def text_at(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=ANSWER_SECONDS) as response:
        text: str = response.read().decode()
        return text


def text_in_time(port: int, path: str) -> str:
    """The page, or "" where it does not come in time: several runs may be at work, and the machine may do much else."""
    with suppress(OSError, HTTPException):
        return text_at(port, path)
    return ""


def processes_of(folder: Path) -> dict[int, str]:
    """What runs for that board, by id: every process of it carries the folder in its environment, but for Redis, which
    writes its title over that and names its socket there.
    """
    marked = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")  # of others too
            variables = (entry / "environ").read_bytes().split(b"\0")
            if f"VAR_DIR={folder}".encode() in variables or f"{folder}/redis.sock" in command:
                marked[int(entry.name)] = command
        except OSError:
            continue
    return marked


def main_process(folder: Path, name: str, but: int | None = None) -> int:
    """The id of that child of the board: the one of its kind that no other of its kind has started. The board says that
    it has started a child before /proc shows that child's own words, and Redis writes its title over them.
    """
    found: list[int] = []

    def seen() -> bool:
        alike = {pid for pid, words in processes_of(folder).items() if NAMES[name] in words and pid != but}
        # Not the lowest id: ids begin anew once they are used up.
        found[:] = [one.pid for one in running() if one.pid in alike and one.parent not in alike]
        return len(found) == 1

    wait_for(seen, seconds=UP_SECONDS, what=f"{name} is among the processes")
    return found[0]


def nothing_is_left(folder: Path) -> None:
    left = f"no process is left of {processes_of(folder)}"
    wait_for(lambda: not processes_of(folder), seconds=STOP_SECONDS, what=left)
    assert not (folder / "redis.sock").exists()
