"""Growth, measured: `python -m tests.bench.scale workers` and `python -m tests.bench.scale database`.

Both start a PostgreSQL and a Redis of their own (and, for the database, a SQLite file), and leave nothing behind.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.chaos.cluster import cluster
from tests.chaos.figures import Figure
from tests.processes import ROOT, wait_for

if TYPE_CHECKING:
    from django.test import Client

LATENCY_MS = 200
CONCURRENCY = 8
GAINS = {2: 1.7, 4: 3.0}
FIELDS = {"17,000": (100, 1), "1.7 million": (2000, 5)}
ITEMS = 171
MOST_SLOWER = 1.5
BATCH = 20


def runs_per_minute(workers: int, runs: int) -> float:
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
        bank = make_bank(ITEMS)
        for number in range(runs):
            queued(address, bank, f"scale-{number}", concurrency=CONCURRENCY)
        ended = Run.objects.filter(status=Status.FINISHED)
        wait_for(lambda: ended.count() == runs, seconds=500, what="all runs finished")
        times = ended.aggregate(first=Min("started_at"), last=Max("finished_at"))
    return 60 * runs / float((times["last"] - times["first"]).total_seconds())


def worker_figures(database: str, runs: int) -> Iterator[Figure]:
    one = runs_per_minute(1, runs)
    limit = 60 / (-(-ITEMS // CONCURRENCY) * LATENCY_MS / 1000)
    name = f"{database}, {runs} runs of {ITEMS} items"
    yield Figure("grow", f"{name}: runs a minute, 1 worker (limit {limit:.1f})", one, 0.5 * limit, at_least=True)
    for workers, gain in GAINS.items():
        many = runs_per_minute(workers, runs)
        yield Figure(
            "grow", f"{name}: {many:.1f} a minute with {workers} workers", many / one, gain, "×", at_least=True
        )


def database_figures(database: str) -> Iterator[Figure]:
    """Both fields in turn, the large one measured against the small one."""
    measured = {}
    for name, (models, runs) in FIELDS.items():
        measured[name] = dict(of_field(database, models, runs))
        for what, value in measured[name].items():
            say(f"{database}, {name} results: {what:<44} {value:>12,.3f}")
    small, large = measured.values()
    for what, value in large.items():
        if what.startswith("page"):
            yield Figure("grow", f"{database}: {what}, large against small", value / small[what], MOST_SLOWER, "×")


def of_field(database: str, models: int, runs: int) -> Iterator[tuple[str, float]]:
    """A field of that size in an emptied database: how long it takes to store and rank, and what it then costs."""
    from django.core.management import call_command

    from leaderboard.standings import refresh_standings

    call_command("flush", interactive=False, verbosity=0)
    before, began = size_in_megabytes(), time.perf_counter()
    call_command("seed_scale", models=models, runs=runs, items=ITEMS, verbosity=0)
    rows, seconds = models * runs * ITEMS, time.perf_counter() - began
    yield "seeded and ranked, s", seconds
    yield "size on disk, MB", size_in_megabytes() - before
    yield "bytes on disk an item result", 1e6 * (size_in_megabytes() - before) / rows
    began = time.perf_counter()
    refresh_standings()
    yield "standings computed anew, s", time.perf_counter() - began
    yield from page_times()
    yield "results stored by one run's writer, a second", store_rate()


def page_times(times: int = 12) -> Iterator[tuple[str, float]]:
    """Milliseconds of work a page, of this process and its backend in the database, so that other work on the machine
    does not count: made anew with an empty cache, and as the next visitor gets it. The first time is not counted."""
    from django.core.cache import cache
    from django.test import Client

    from evaluation.models import Run

    newest = Run.objects.order_by("-pk").values_list("pk", flat=True)[0]
    pages = {
        "rankings": "/rankings/scale/",
        "model": "/models/scale-0001/",
        "run": f"/runs/{newest}/",
        "compare": "/compare/?m=scale-0000&m=scale-0001&m=scale-0002&m=scale-0003",
        "items": "/items/scale/",
        "item": "/items/scale/3/",
        "statistics": "/statistics/",
        "charts": "/charts/scale/",
        "API": "/api/v1/rankings/scale",
    }
    client = Client()
    for name, path in pages.items():
        if client.get(path).status_code != 200:
            say(f"     {path} answers {client.get(path).status_code}: not measured")
            continue
        for how, ready in (("made anew", cache.clear), ("kept", lambda: None)):
            yield f"page {name} {how}, ms", work_of(times, client, path, ready)


def work_of(times: int, client: "Client", path: str, ready: Callable[[], None]) -> float:
    """The mean in milliseconds. A backend tells its work in hundredths of a second: near enough over a dozen times."""
    began = work_seconds()
    for _ in range(times):
        ready()
        client.get(path)
    return 1000 * (work_seconds() - began) / times


def work_seconds() -> float:
    from django.db import connection

    ticks = 0
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (backend,) = cursor.fetchone()
        ticks = sum(map(int, Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def store_rate(repeats: int = 20) -> float:
    """Item results a second through the engine's own fenced write, in its batches of 20, replies included."""
    from evaluation.models import Item, ItemBank
    from evaluation.recording import Lease, Outcome, store
    from tests.factories import make_endpoint, make_run

    bank = ItemBank.objects.get(slug="scale")
    token = uuid.uuid4()
    run = make_run(bank=bank, endpoint=make_endpoint(), status="running", lease_token=token, repeats=repeats)
    items = Item.objects.filter(bank=bank).values_list("pk", flat=True)
    fields = {"state": "read", "reading": "official", "answer": [7.0, 1.0, 0.0, 3.0], "score": 10.0}
    outcomes = [
        Outcome(item, repeat, fields, 1, "Own words. " * 40)  # type: ignore[arg-type]
        for repeat in range(1, repeats + 1)
        for item in items
    ]
    began = time.perf_counter()
    for at in range(0, len(outcomes), BATCH):
        store(Lease(run.pk, token, 3600), outcomes[at : at + BATCH], {"requests": at})
    return len(outcomes) / (time.perf_counter() - began)


def size_in_megabytes() -> float:
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return float(cursor.fetchone()[0]) / 1e6
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    name = Path(connection.settings_dict["NAME"])
    return sum(one.stat().st_size for one in name.parent.glob(f"{name.name}*")) / 1e6


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextmanager
def database_of(kind: str) -> Iterator[str | None]:
    """The address of an empty database while the block lasts; None where it cannot be had."""
    if kind == "sqlite":
        with TemporaryDirectory(prefix="eq-scale-") as name:
            yield f"sqlite:///{Path(name) / 'scale.sqlite3'}"
        return
    with cluster() as own:
        yield own.create("scale") if own else None


def measure(what: str, kind: str, runs: int) -> int:
    with database_of(kind) as url:
        if url is None:
            say(f"{kind}: skipped, no cluster can be started here")
            return 0
        own = {"DJANGO_SETTINGS_MODULE": "leaderboard.settings", "DEBUG": "true", "SECRET_KEY": "scale"}
        own |= {"LOG_LEVEL": "ERROR", "DATABASE_URL": url}
        os.environ |= own
        import django
        from django.conf import settings
        from django.core.management import call_command

        django.setup()
        settings.DEBUG = False  # with it Django keeps every query in memory
        settings.ALLOWED_HOSTS = ["testserver"]
        settings.SECURE_SSL_REDIRECT = False
        call_command("migrate", verbosity=0)
        missed = 0
        for figure in worker_figures(kind, runs) if what == "workers" else database_figures(kind):
            say(str(figure))
            missed += not figure.holds
        return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    parser.add_argument("what", choices=("workers", "database"))
    parser.add_argument("--on", choices=("sqlite", "postgresql"), help="both without it")
    parser.add_argument("--runs", type=int, default=200, help="queued runs")
    given = parser.parse_args()
    if given.on:
        return measure(given.what, given.on, given.runs)
    words = [sys.executable, "-m", "tests.bench.scale", given.what, "--runs", str(given.runs)]
    codes = [
        subprocess.run([*words, "--on", kind], cwd=ROOT, check=False).returncode for kind in ("postgresql", "sqlite")
    ]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended on the way out
    sys.exit(main())
