"""The settings of a production start, and the servers that stand beside it, for tests."""

import base64
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leaderboard.starting.embedded_redis import server_binary
from tests.processes import PATIENCE_SECONDS, ROOT, free_port, wait_for

SECRETS = {
    "SECRET_KEY": "Kq3-" + "x7Wv9_bT" * 8,
    "ALLOWED_HOSTS": "127.0.0.1,board.example",
    "ENDPOINT_KEYS": base64.urlsafe_b64encode(bytes(range(32))).decode(),
}
MAIL = "smtp+tls://board:word@mail.example:587"
REQUIRED = {
    **SECRETS,
    "DATABASE_URL": f"sqlite:///{ROOT / 'var/not-there.sqlite3'}",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
}


def environment(**changes: str) -> dict[str, str]:
    """Nothing of the caller's but the path; what is empty here is not set, whatever a .env beside manage.py says."""
    path = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
    return {
        "PATH": path,
        "HOME": os.environ.get("HOME", "/"),
        "DEBUG": "false",
        "EMAIL_URL": MAIL,
        **REQUIRED,
        **changes,
    }


def run(*command: str, **changes: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=ROOT, env=environment(**changes), capture_output=True, text=True, check=False, timeout=300
    )


def _postgres_programs() -> Path:
    on_path = shutil.which("pg_isready") and shutil.which("initdb")
    found = [Path(on_path).parent] if on_path else []
    found += [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]  # where Debian has them
    if not found:
        pytest.skip("no PostgreSQL on this machine")
    return found[-1]


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL of the test's own; yields its DATABASE_URL."""
    programs, port = _postgres_programs(), free_port()
    user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="eq-postgres-"))
    if user:
        shutil.chown(folder, user)
    initdb = [str(programs / "initdb"), "--pgdata", str(folder / "data"), "--username", "eq", "--auth", "trust"]
    subprocess.run(initdb, user=user, cwd=folder, check=True, capture_output=True)
    options = ["-D", str(folder / "data"), "-p", str(port), "-h", "127.0.0.1", "-k", str(folder), "-F"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([str(programs / "postgres"), *options], user=user, cwd=folder, stdout=log, stderr=log)
    ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    try:
        wait_for(lambda: subprocess.run(ready, check=False).returncode == 0, what="PostgreSQL answers")
        yield f"postgres://eq@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(2)  # SIGINT: a fast stop, which waits for no client
        server.wait(timeout=PATIENCE_SECONDS)
        shutil.rmtree(folder)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis on a TCP port; yields its REDIS_URL."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    server = subprocess.Popen([server_binary(), *options], stdout=subprocess.DEVNULL)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE_SECONDS)


class Service:
    """A line of the Procfile, run as its manager runs it: by a shell, in a process group of its own."""

    def __init__(self, name: str, line: str, folder: Path, environment: dict[str, str]) -> None:
        self.log = folder / f"{name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {line}"],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def words(self) -> str:
        return self.log.read_text(errors="replace")  # half a sign may be written yet

    def stop(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Ends it by a SIGTERM. Raises AssertionError where it does not end by itself."""
        self.process.terminate()
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            raise AssertionError(f"{self.process.args!r} did not stop in {seconds} s") from None


def procfile() -> dict[str, str]:
    """Name -> command line."""
    lines = [line for line in (ROOT / "Procfile").read_text().splitlines() if line.strip()]
    return dict(line.split(": ", 1) for line in lines)
