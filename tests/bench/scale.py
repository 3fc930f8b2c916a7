"""Growth, measured: `python -m tests.bench.scale workers` and `python -m tests.bench.scale database`.

Both start a PostgreSQL and a Redis of their own, or a SQLite file, and leave nothing behind. Workers can be measured in
pieces: `--workers 1` first, then `--workers 4 --against RATE` with the runs a minute that one worker did.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.board_pages import set_up
from tests.bench.growth import database_figures, say
from tests.chaos.cluster import cluster
from tests.chaos.figures import Figure
from tests.processes import ROOT, wait_for

LATENCY_MS = 200
CONCURRENCY = 8
GAINS = {2: 1.7, 4: 3.0}


def runs_per_minute(workers: int, runs: int, items: int) -> float:
    """From the first claim to the last end, with workers of one process that are up before the runs are queued."""
    from django.core.management import call_command
    from django.db.models import Max, Min

    from evaluation.models import Run, Status
    from tests.chaos.arena import arena, demo_endpoint, queued
    from tests.factories import make_bank

    call_command("flush", interactive=False, verbosity=0)
    changes = {"RUN_LEASE_SECONDS": "45", "RUN_HEARTBEAT_SECONDS": "10", "RUNS_PER_OWNER": "0", "LOG_LEVEL": "INFO"}
    with (
        demo_endpoint("--persona", "random", "--latency-ms", str(LATENCY_MS)) as address,
        arena(None, **changes) as board,
    ):
        started = [board.worker(beat=number == 0) for number in range(workers)]
        wait_for(lambda: all("ready." in one.log.read_text() for one in started), seconds=60, what="the workers")
        bank = make_bank(items)
        for number in range(runs):
            queued(address, bank, f"scale-{number}", concurrency=CONCURRENCY)
        ended = Run.objects.filter(status=Status.FINISHED)
        wait_for(lambda: ended.count() == runs, seconds=900, what="all runs finished")
        times = ended.aggregate(first=Min("started_at"), last=Max("finished_at"))
    return 60 * runs / float((times["last"] - times["first"]).total_seconds())


def worker_figures(database: str, given: argparse.Namespace) -> Iterator[Figure]:
    """Runs a minute of one worker and how many times that several do, or of one of these numbers of workers alone."""
    limit = 60 / (-(-given.items // CONCURRENCY) * LATENCY_MS / 1000)
    name = f"{database}, {given.runs} runs of {given.items} items"
    one = given.against or runs_per_minute(1, given.runs, given.items)
    yield Figure("grow", f"{name}: runs a minute, 1 worker (limit {limit:.1f})", one, 0.5 * limit, at_least=True)
    for workers, gain in GAINS.items():
        if given.workers in {0, workers}:
            many = runs_per_minute(workers, given.runs, given.items)
            what = f"{name}: {many:.1f} a minute with {workers} workers"
            yield Figure("grow", what, many / one, gain, "×", at_least=True)


@contextmanager
def databases(kind: str, names: Sequence[str]) -> Iterator[list[str]]:
    """The addresses of empty databases while the block lasts; none where they cannot be had."""
    if kind == "sqlite":
        with TemporaryDirectory(prefix="eq-scale-") as folder:
            yield [f"sqlite:///{Path(folder) / f'{name}.sqlite3'}" for name in names]
        return
    with cluster() as own:
        yield [own.create(name) for name in names] if own else []


def measure(given: argparse.Namespace, kind: str) -> int:
    with databases(kind, ("small", "large")) as urls:
        if not urls:
            say(f"{kind}: skipped, no cluster can be started here")
            return 0
        os.environ["DATABASE_URL"] = urls[0]
        set_up()
        missed = 0
        for figure in workers_measured(given, kind) if given.what == "workers" else database_figures(kind, urls):
            say(str(figure))
            missed += not figure.holds
        return 1 if missed else 0


def workers_measured(given: argparse.Namespace, kind: str) -> Iterator[Figure]:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    yield from worker_figures(kind, given)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    parser.add_argument("what", choices=("workers", "database"))
    parser.add_argument("--on", choices=("sqlite", "postgresql"), help="both without it")
    parser.add_argument("--runs", type=int, default=200, help="queued runs")
    parser.add_argument("--items", type=int, default=64, help="of the bank that each run asks; 171 as in EQ-Bench")
    parser.add_argument("--workers", type=int, choices=(0, 1, *GAINS), default=0, help="so many alone; 0: each in turn")
    parser.add_argument("--against", type=float, default=0, help="runs a minute of one worker, where measured before")
    given = parser.parse_args()
    if given.on:
        return measure(given, given.on)
    words = [sys.executable, "-m", "tests.bench.scale", *sys.argv[1:]]
    codes = [
        subprocess.run([*words, "--on", kind], cwd=ROOT, check=False).returncode for kind in ("postgresql", "sqlite")
    ]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended on the way out
    sys.exit(main())
