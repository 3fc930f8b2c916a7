"""A PostgreSQL of our own, which may be restarted without disturbing anybody else's."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from psycopg.sql import SQL, Identifier

from tests.processes import free_port

NO_CLUSTER = "initdb and pg_ctl are not on this machine"
USER = "eq_chaos"


def programs() -> Path | None:
    """The folder that holds both initdb and pg_ctl: the newest of Debian's, else one of the PATH."""
    on_path = map(Path, os.environ.get("PATH", "").split(os.pathsep))
    folders = (*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), *on_path)
    return next((folder for folder in folders if all((folder / name).exists() for name in ("initdb", "pg_ctl"))), None)


class Cluster:
    """A running cluster in a folder. The server refuses to run as root, so root lends it the user postgres."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.data = folder / "data"
        self.binaries = binaries
        self.folder = folder
        self.port = free_port()
        self._call("initdb", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C.UTF-8")
        self.control("start")

    def url(self, database: str) -> str:
        return f"postgres://{USER}:none@127.0.0.1:{self.port}/{database}"

    def control(self, act: str, mode: str = "fast") -> None:
        """`start`, `stop` or `restart`, the latter two `fast` (in order) or `immediate` (as a crash would)."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=200"
        stopping = () if act == "start" else ("-m", mode)
        starting = () if act == "stop" else ("-o", options, "-l", str(self.folder / "log"))
        self._call("pg_ctl", act, "-w", *stopping, *starting)

    def create(self, database: str) -> str:
        """The address of a new, empty database."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as link:
            link.execute(SQL("CREATE DATABASE {}").format(Identifier(database)))
        return self.url(database)

    def _call(self, program: str, *words: str) -> None:
        command = [str(self.binaries / program), "-D", str(self.data), *words]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL)


@contextmanager
def cluster() -> Iterator[Cluster | None]:
    """A cluster while the block lasts; None where there is no PostgreSQL to start."""
    binaries = programs()
    if binaries is None:
        yield None
        return
    with TemporaryDirectory(prefix="eq-cluster-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        started = Cluster(folder, binaries)
        try:
            yield started
        finally:
            started.control("stop", "immediate")
