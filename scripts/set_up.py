"""The first steps of `make`: a virtual environment with the packages of a lock file, and a .env for development.

It uses the standard library alone, and runs on a Python that is too old for the board, to say so.
Ctrl-C stops it with a sentence: what it starts has a session of its own, and is stopped by it.
"""

from __future__ import annotations  # an older Python must come as far as the check of its version

import base64
import os
import pwd
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from leaderboard.starting.starter import told_to_stop

OLDEST = (3, 11)
PLACE = Path(".venv")
ENV = Path(".env")
VAR = Path("var")
STOP_SECONDS = 5
POLL_SECONDS = 0.2
USAGE = "set_up.py install LOCK STAMP | set_up.py env"


class Stopped(Exception):
    """Ctrl-C, SIGTERM or SIGHUP."""


def main(words: list[str]) -> int:
    os.environ.pop("HEED_CTRL_C", None)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # The Makefile has Ctrl-C ignored while Python starts.
        if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)
    try:
        if words[:1] == ["install"] and len(words) == 3:
            install(Path(words[1]), Path(words[2]))
        elif words == ["env"]:
            check(read=[ENV], write=[VAR, *VAR.glob("db.sqlite3*")])
            make_env()
        else:
            sys.exit(USAGE)
    except Stopped:
        say("Stopped.")
        return 130
    except OSError as error:
        say(f"{error.filename or 'The files could not be written'}: {error.strerror}.")
        return 1
    return 0


def _stop(*_: object) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise Stopped


def say(text: str) -> None:
    sys.stderr.write(text + "\n")


def install(lock: Path, stamp: Path) -> None:
    """Installs the packages of a lock file into .venv, and leaves the stamp that tells make so."""
    if sys.version_info[:2] < OLDEST:
        sys.exit("Python 3.11 or newer is needed; name it with PYTHON=...")
    check(write=[PLACE])
    python = PLACE / "bin" / "python"
    if not has_pip(python):  # none yet, or one that was stopped half made
        run([sys.executable, "-m", "venv", "--clear", str(PLACE)])
    words = ["--disable-pip-version-check", "--require-hashes", "-r", str(lock)]
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    run([str(python), "-m", "pip", "install", *quiet, *words])
    stamp.touch()


def has_pip(python: Path) -> bool:
    if not python.exists():
        return False
    said = subprocess.DEVNULL
    return subprocess.call([str(python), "-m", "pip", "--version"], stdout=said, stderr=said) == 0  # noqa: S603


def run(command: list[str]) -> None:
    """Runs it to its end, or stops it with all that it has started. Its failure ends this program with its status."""
    starter = os.getppid()
    process = subprocess.Popen(command, start_new_session=True)  # noqa: S603
    try:
        while process.poll() is None:
            # Of a Ctrl-C that came while Python started, only make knows.
            if told_to_stop(starter):
                _stop()
            time.sleep(POLL_SECONDS)
    except Stopped:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        raise
    if process.returncode:
        sys.exit(process.returncode)


def check(read: Iterable[Path] = (), write: Iterable[Path] = ()) -> None:
    """Ends with a sentence where this user cannot read or write one of these, or cannot make one that is missing."""
    here = Path.cwd()
    needs = [(path, os.R_OK) for path in read] + [(path, os.R_OK | os.W_OK) for path in write]
    blocked = [lacking for lacking in (lacking_right(path, right) for path, right in needs) if lacking]
    if not blocked:
        return
    if os.statvfs(".").f_flag & os.ST_RDONLY:
        sys.exit(f"{here} is on a read-only file system. Clone the board into a folder that can be written.")
    user, owner = name_of(os.geteuid()), name_of(blocked[0].stat().st_uid)
    sys.exit(
        f"{blocked[0].resolve()} belongs to {owner}, and {user} may not use it. Work as {owner}, or hand the folder "
        f"over: sudo chown -R {user} {shlex.quote(str(here))}"
    )


def lacking_right(path: Path, right: int) -> Path | None:
    """The path, or the folder that it would be made in, where this user may not use it so."""
    if not path.exists():
        path, right = path.parent, os.W_OK
    needed = right | (os.X_OK if path.is_dir() else 0)
    return None if os.access(str(path), needed) else path


def name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def make_env() -> None:
    """Writes .env where there is none, or an empty one. It appears whole or not at all."""
    if ENV.exists() and ENV.read_bytes().strip():
        return
    say("Writing .env with development settings and new secrets.")
    draft = Path(f".env.{os.getpid()}")
    try:
        with open(os.open(str(draft), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(content())
            file.flush()
            os.fsync(file.fileno())
        os.replace(str(draft), str(ENV))
    finally:
        if draft.exists():
            draft.unlink()


def content() -> str:
    return (
        "# Development only: production sets these in its environment.\nDEBUG=true\n"
        f"SECRET_KEY={secrets.token_urlsafe(50)}\n"
        f"ENDPOINT_KEYS={base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()}\n"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
