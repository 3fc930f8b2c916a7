"""R6, Q15: many processes that write results at once: `python -m tests.chaos.writers RUN_ID WRITES` is one of them."""

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator

import numpy as np

from tests.chaos.figures import Figure, exactly
from tests.processes import ROOT, environment

WRITERS = 8


def write(run_id: int, writes: int) -> None:
    """Prints how many milliseconds each fenced write took, and how many were refused by the database."""
    import django

    django.setup()
    from django.db import OperationalError

    from evaluation.models import Item, Run
    from evaluation.runs.recording import Lease, Outcome, store

    token = uuid.uuid4()
    Run.objects.claim(run_id, token, lease_seconds=3600, driver="worker", most_idle_claims=9)
    items = list(Item.objects.filter(bank__runs=run_id).values_list("pk", flat=True))
    pairs = [(item, repeat) for repeat in range(1, writes // len(items) + 2) for item in items][:writes]
    fields = {"state": "read", "reading": "official", "answer": [7.0, 1.0, 0.0, 3.0], "score": 10.0}
    took, refused = [], 0
    for item, repeat in pairs:
        began = time.perf_counter()
        try:
            store(Lease(run_id, token, 3600), [Outcome(item, repeat, fields, 1, "own words")], {"requests": 1})  # type: ignore[arg-type]
        except OperationalError:
            refused += 1
        took.append(1000 * (time.perf_counter() - began))
    sys.stdout.write(json.dumps({"took": took, "refused": refused}))


def many_writers(writes: int) -> Iterator[Figure]:
    """Eight processes, each with a run of its own, one row a write: far smaller batches than a worker's."""
    from django.db import connection

    from evaluation.models import ItemResult
    from tests.factories import make_bank, make_endpoint, make_run

    bank = make_bank(125)
    runs = [make_run(bank=bank, endpoint=make_endpoint(), repeats=1 + writes // 125) for _ in range(WRITERS)]
    variables = {**environment(""), "RUNS_PER_HOST": "0"}
    began = time.monotonic()
    started = [_start(run.pk, writes // WRITERS, variables) for run in runs]
    outputs = [process.communicate(timeout=500) for process in started]
    seconds = time.monotonic() - began
    assert not any(process.returncode for process in started), outputs
    results = [json.loads(output) for output, _ in outputs]
    took = np.concatenate([result["took"] for result in results])
    name = connection.vendor
    yield exactly("R6", f"{WRITERS} writer processes on {name}: rows", ItemResult.objects.count(), took.size)
    yield Figure("R6", f"{name}: writes refused, 'database is locked'", sum(r["refused"] for r in results), 0)
    yield Figure("R6", f"{name}: p99 of a write", float(np.percentile(took, 99)) / 1000, 1, "s")
    yield Figure("R6", f"{name}: writes a second, start of processes included", took.size / seconds, 1, "/s", True)


def _start(run_id: int, writes: int, variables: dict[str, str]) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "tests.chaos.writers", str(run_id), str(writes)]
    return subprocess.Popen(words, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    write(int(sys.argv[1]), int(sys.argv[2]))
