"""The board's processes for a proof: broker, workers, beat, web and endpoint, each of which may be killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Driver, ItemBank, Run, Status
from evaluation.runs.opening import RunRequest, open_run
from leaderboard.starting.embedded_redis import answers, arguments, server_binary
from tests.chaos.cluster import Cluster
from tests.processes import PATIENCE_SECONDS, QUICK, ROOT, Worker, environment, free_port, wait_for

T = TypeVar("T")
LEASE_SECONDS = float(QUICK["RUN_LEASE_SECONDS"])


class Broker:
    """A Redis that can be stopped, frozen, emptied and started again under the same address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.url = f"redis+socket://{self.socket}"
        self.port = free_port()
        self.tcp_url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        words = [*arguments(server_binary(), self.socket, self.folder), "--port", str(self.port)]
        self.process = subprocess.Popen(words, start_new_session=True)
        wait_for(lambda: answers(self.socket), what="Redis answers")

    def stop(self, number: int = signal.SIGKILL) -> None:
        if self.process:
            self.process.send_signal(number)
            self.process.wait(timeout=PATIENCE_SECONDS)
            self.process = None

    def forget(self) -> None:
        """What stood in the append-only file is gone, as after a restart on a new machine."""
        shutil.rmtree(self.folder / "appendonlydir", ignore_errors=True)

    def flush(self) -> None:
        self.command("FLUSHALL")

    def command(self, *words: str) -> None:
        subprocess.run(["redis-cli", "-s", str(self.socket), *words], check=True, stdout=subprocess.DEVNULL)


class Process:
    """A process in a session of its own, with a log."""

    def __init__(self, name: str, words: list[str], folder: Path, variables: dict[str, str]) -> None:
        self.log = folder / f"{name}-{time.monotonic_ns()}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *words], cwd=ROOT, env=variables, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self) -> None:
        end_group(self.process)


def end_group(process: "subprocess.Popen[Any]") -> None:
    """kill -9 of a process and all that it started, also where it has died before them."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass
class Arena:
    """One board: its processes and where they write. Made by `arena`, which ends whatever still runs."""

    folder: Path
    broker: Broker
    cluster: Cluster | None
    variables: dict[str, str] = field(default_factory=dict)
    started: list[Worker | Process] = field(default_factory=list)

    def worker(self, *, beat: bool = True, **changes: str) -> Worker:
        made = Worker(self.folder, environment(self.broker.url, **{**self.variables, **changes}), beat=beat)
        self.started.append(made)
        return made

    def beat(self) -> Process:
        schedule = str(self.folder / f"beat-{time.monotonic_ns()}")
        words = ["-m", "celery", "-A", "leaderboard.celery", "beat", "--schedule", schedule, "--pidfile="]
        return self.process("beat", words)

    def web(self, port: int, **changes: str) -> Process:
        words = ["-m", "gunicorn", "leaderboard.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "4"]
        return self.process("web", words, **changes)

    def process(self, name: str, words: list[str], **changes: str) -> Process:
        variables = environment(self.broker.url, **{**self.variables, **changes})
        made = Process(name, words, self.folder, variables)
        self.started.append(made)
        return made

    def last_words(self, lines: int = 12) -> str:
        """The end of each log, for whoever asks why a part was given up."""
        ends = {path.name: path.read_text(errors="replace").splitlines()[-lines:] for path in self.folder.glob("*.log")}
        return "\n".join("\n     | ".join([f"     {name}", *end]) for name, end in sorted(ends.items()))

    def logs(self) -> str:
        return "".join(path.read_text(errors="replace") for path in self.folder.glob("*.log"))


@contextmanager
def arena(cluster: Cluster | None = None, **variables: str) -> Iterator[Arena]:
    """A board with a broker and no other process yet. `variables` are the environment of all that it starts."""
    with TemporaryDirectory(prefix="eq-chaos-") as name:
        folder = Path(name)
        made = Arena(folder, Broker(folder / "redis"), cluster, {"RUNS_PER_HOST": "0", **variables})
        made.broker.start()
        try:
            yield made
        except AssertionError as gave_up:
            gave_up.add_note(made.last_words())
            raise
        finally:
            for one in made.started:
                end_group(one.process)
            made.broker.stop()


@contextmanager
def demo_endpoint(*arguments: str) -> Iterator[str]:
    """`manage.py demo_endpoint` as a process of its own; yields its address without a path."""
    command = [sys.executable, "manage.py", "demo_endpoint", "--port", "0", *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=environment(""), stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield line.strip().removesuffix("/v1")
        finally:
            process.terminate()


def history(address: str) -> Counter[tuple[str, str]]:
    """How often the endpoint was asked, by the model's name there and the prompt's digest."""
    with urllib.request.urlopen(f"{address}/log") as response:  # noqa: S310
        return Counter((row["model"], row["prompt_sha256"]) for row in json.load(response)["requests"])


def queued(address: str, bank: ItemBank, name: str = "one", **changes: Any) -> Run:
    """A queued run of a model `name` that nobody calls a worker to: the reaper has to find it."""
    request = {
        "model": f"maker/{name}",
        "base_url": f"{address}/v1",
        "api_model": name,
        "benchmark": BENCHMARKS["eq-bench-v2"],
        "bank": bank,
        "repeats": 1,
        "limit": None,
        "concurrency": 4,
        "max_tokens": 60,
        "timeout_seconds": 60.0,
        "driver": Driver.WORKER,
        "published": True,
        **changes,
    }
    return open_run(RunRequest(**request))[0]


def patiently(ask: Callable[[], T], seconds: float = PATIENCE_SECONDS) -> T:
    """What the database says, asked again while it is being restarted."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except (OperationalError, InterfaceError):
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def status_of(run: Run) -> str:
    return patiently(lambda: str(Run.objects.values_list("status", flat=True).get(pk=run.pk)))


def results_of(run: Run) -> int:
    return patiently(run.results.count)


def wait_until_finished(*runs: Run, seconds: float = PATIENCE_SECONDS) -> float:
    """Seconds until all have finished. Raises AssertionError that names how they stand."""

    def finished() -> bool:
        return all(status_of(run) == Status.FINISHED for run in runs)

    try:
        return wait_for(finished, seconds=seconds, what="all runs finished")
    except AssertionError as late:
        stand = [f"{run.pk}: {status_of(run)} with {results_of(run)} results" for run in runs]
        raise AssertionError(f"{late}; {'; '.join(stand)}") from None


def wait_for_results(run: Run, more_than: int, seconds: float = PATIENCE_SECONDS) -> None:
    wait_for(lambda: results_of(run) > more_than, seconds=seconds, what=f"more than {more_than} results")
