"""A process that freezes in the middle of a transaction: `python -m tests.chaos.frozen claim|write RUN_ID` is one."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import closing

from django.db import connection, transaction

from tests.chaos.figures import Figure, exactly
from tests.processes import PATIENCE_SECONDS, ROOT, Worker, environment, wait_for

HELD = "held"
MOST_SECONDS = 60


def freeze(how: str, run_id: int) -> None:
    """Stops itself with the locks of a claim, or of a write of results, in its hands."""
    import django

    django.setup()
    from evaluation.models import Run
    from evaluation.runs.recording import Lease, store

    token = uuid.uuid4()
    claim = {"lease_seconds": 2, "driver": "worker", "most_idle_claims": 20}
    if how == "write":
        Run.objects.claim(run_id, token, **claim)  # type: ignore[arg-type]
    with transaction.atomic():
        if how == "write":
            store(Lease(run_id, token, 2), [], {"requests": 1000})
        else:
            Run.objects.claim(run_id, token, **claim)  # type: ignore[arg-type]
        sys.stdout.write(f"{HELD}\n")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGSTOP)


def frozen_in_a_transaction() -> Iterator[Figure]:
    """R5: neither the queue nor its own run waits for a worker that freezes within a claim or a write."""
    what = "a worker frozen within a transaction"
    if connection.vendor != "postgresql":
        yield Figure(
            "R5", what, skipped="SQLite has one write lock, which a frozen process keeps until it wakes or dies"
        )
        return
    for how in ("claim", "write"):
        yield from frozen_within(how)


def frozen_within(how: str) -> Iterator[Figure]:
    from evaluation.models import Run
    from tests.chaos.arena import arena, demo_endpoint, queued, wait_until_finished
    from tests.factories import make_bank

    with demo_endpoint("--persona", "random") as address, arena() as board:
        bank = make_bank(5)
        runs = [queued(address, bank, name) for name in ("its-own", "other")]
        sleeper = _frozen(how, runs[0].pk)
        try:
            board.worker()
            took = wait_until_finished(*runs, seconds=MOST_SECONDS + 30)
            before = set(Run.objects.values_list("pk", "turn", "requests"))
            os.kill(sleeper.pid, signal.SIGCONT)
            sleeper.wait(timeout=PATIENCE_SECONDS)
        finally:
            sleeper.kill()
            sleeper.wait()
        yield Figure("R5", f"a worker frozen within a {how}: its run and another end after", took, MOST_SECONDS, "s")
        after = set(Run.objects.values_list("pk", "turn", "requests"))
        yield Figure("R4", f"what it wrote of the {how} when it woke", len(after - before), 0)
        yield exactly("R4", "its transaction was refused", sleeper.returncode != 0, True)


def _frozen(how: str, run_id: int) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "tests.chaos.frozen", how, str(run_id)]
    variables = {**environment(""), "RUNS_PER_HOST": "0"}
    made = subprocess.Popen(
        words, cwd=ROOT, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    line = made.stdout.readline() if made.stdout else ""
    assert line.strip() == HELD, "the process that is to freeze did not get so far"
    return made


def stop_between_writes(worker: Worker, seconds: float = PATIENCE_SECONDS) -> None:
    """SIGSTOP; on SQLite at an instant at which it does not hold the file's only write lock."""

    def stopped() -> bool:
        os.killpg(worker.process.pid, signal.SIGSTOP)
        if is_writable():
            return True
        os.killpg(worker.process.pid, signal.SIGCONT)
        return False

    wait_for(stopped, seconds=seconds, what="a worker stopped between its writes")


def is_writable() -> bool:
    """Whether a write can begin now, or within a fifth of a second."""
    if connection.vendor != "sqlite":
        return True
    with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=0.2, isolation_level=None)) as link:
        try:
            link.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            time.sleep(0.01)
            return False
        link.execute("ROLLBACK")
    return True


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    freeze(sys.argv[1], int(sys.argv[2]))
