"""A board of 17,000 and one of 1.7 million item results: what storing, ranking and saving them takes, and their pages.

`python -m tests.bench.growth MODELS RUNS` fills the empty database of DATABASE_URL and prints what that cost, as JSON.
"""

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.board_pages import Board, page_figures, set_up
from tests.bench.statistics import new_run
from tests.chaos.figures import Figure
from tests.processes import ROOT

FIELDS = {"17,000": (100, 1), "1.7 million": (2000, 5)}
ITEMS = 171
MOST_SLOWER = 1.5
FAST_MS = 5  # a kept page answers in one or two, of which a ratio would say nothing
BATCH = 20


def database_figures(database: str, urls: Sequence[str]) -> Iterator[Figure]:
    """Both fields, each in a database of its own, the large one measured against the small one."""
    for (name, (models, runs)), url in zip(FIELDS.items(), urls, strict=True):
        for what, value in measured_apart(url, models, runs).items():
            say(f"{database}, {name} results: {what:<44} {value:>12,.3f}")
    boards = Board(urls[0]), Board(urls[1])
    try:
        for what, small, large in page_figures(*boards, (FIELDS["17,000"][0], FIELDS["1.7 million"][0])):
            say(f"{database}: {what:<60} {small:>9.2f} small {large:>9.2f} large")
            ratio = large / small if large > FAST_MS else 1.0
            yield Figure("grow", f"{database}: {what}, large against small", ratio, MOST_SLOWER, "×")
    finally:
        for board in boards:
            board.close()


def measured_apart(url: str, models: int, runs: int) -> dict[str, float]:
    """What a field of that size costs, in a process of its own, which leaves it in the database."""
    words = [sys.executable, "-m", "tests.bench.growth", str(models), str(runs)]
    environment = {**os.environ, "DATABASE_URL": url}
    done = subprocess.run(words, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def of_field(models: int, runs: int) -> Iterator[tuple[str, float]]:
    """A field of that size in an empty database: how long it takes to store and rank, and what it then costs."""
    from django.core.management import call_command

    from leaderboard.pages.storing.rankings import refresh_ready
    from leaderboard.pages.storing.statistics import keep_ready
    from leaderboard.standings import refresh_standings
    from leaderboard.statistics.refreshing import refresh_statistics

    call_command("migrate", verbosity=0)
    before, began = size_in_megabytes(), time.perf_counter()
    call_command("seed_scale", models=models, runs=runs, items=ITEMS, verbosity=0)
    rows, seconds = models * runs * ITEMS, time.perf_counter() - began
    yield "seeded and ranked, s", seconds
    yield "size on disk, MB", size_in_megabytes() - before
    yield "bytes on disk an item result", 1e6 * (size_in_megabytes() - before) / rows
    refresh_statistics()
    keep_ready()
    yield "standings without a change, s", seconds_of(refresh_standings)
    run = new_run()
    yield "standings after one result, s", seconds_of(lambda: refresh_standings(run))
    yield "what pages keep ready after one result, s", seconds_of(refresh_ready)
    refresh_statistics(run)
    keep_ready()
    yield from backup_figures()
    yield "results stored by one run's writer, a second", store_rate()


def seconds_of(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def backup_figures() -> Iterator[tuple[str, float]]:
    from leaderboard.backups import back_up

    with TemporaryDirectory(prefix="eq-backup-") as name:
        file = Path(name) / "board.zip"
        yield "backup, s", seconds_of(lambda: back_up(file, with_keys=False))
        yield "size of the backup, MB", file.stat().st_size / 1e6


def store_rate(repeats: int = 20) -> float:
    """Item results a second through the engine's own fenced write, in its batches of 20, replies included."""
    from evaluation.models import Item, ItemBank
    from evaluation.runs.recording import Lease, Outcome, store
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
    rate = len(outcomes) / (time.perf_counter() - began)
    run.delete()
    return rate


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


if __name__ == "__main__":
    set_up()
    say(json.dumps(dict(of_field(int(sys.argv[1]), int(sys.argv[2])))))
