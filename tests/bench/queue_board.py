"""How long the queue board and the next claim take with 10,000 open runs: `python -m tests.bench.queue_board`."""

import json
import os
import statistics
import tempfile
import time
from pathlib import Path

MOST_MS = 200
MOST_MS_TO_CLAIM = 50
N = 10_000
OWNERS, HOSTS, ROUNDS = 400, 300, 15


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATABASE_URL": f"sqlite:///{Path(folder) / 'queue.sqlite3'}", "LOG_LEVEL": "WARNING"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        print(json.dumps(measured(), indent=2))  # noqa: T201


def measured() -> dict[str, float]:
    """Of ROUNDS answers in ms: the median and the slowest by the clock, and the median of the processor time, which
    other work on the machine does not lengthen much; the size of the page, and the limit."""
    import django  # the settings read the environment, which `main` has set by now

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    filled()
    from tests.leaderboard.staff import root

    client = root(raise_request_exception=True)
    client.get("/admin/queue/", headers={"host": "localhost"})
    times, cpu = [], []
    for _ in range(ROUNDS):
        begun, worked = time.perf_counter(), time.process_time()
        response = client.get("/admin/queue/", headers={"host": "localhost"})
        times.append(1000 * (time.perf_counter() - begun))
        cpu.append(1000 * (time.process_time() - worked))
        assert response.status_code == 200
    return {
        "median_ms": round(statistics.median(times), 1),
        "slowest_ms": round(max(times), 1),
        "median_cpu_ms": round(statistics.median(cpu), 1),
        "limit_ms": MOST_MS,
        "kilobytes": round(len(response.content) / 1024),
        "next_of_ten_thousand_ms": round(1000 * statistics.median(claims()), 1),
        "limit_of_the_next_ms": MOST_MS_TO_CLAIM,
    }


def claims() -> list[float]:
    """The seconds of some claims of the run whose turn it is, under limits for hosts and owners."""
    from uuid import uuid4

    from evaluation.models import Run
    from evaluation.runs.queueing import Shares

    taken = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        claimed = Run.objects.claim_next(uuid4(), lease_seconds=45, most_idle_claims=20, shares=Shares(1, 2))
        taken.append(time.perf_counter() - begun)
        assert claimed is not None
    return taken


def filled() -> None:
    """10,000 open runs: 100 at work with answers, 900 waiting, the rest queued; and as many ended ones."""
    from datetime import timedelta
    from uuid import uuid4

    from django.utils import timezone

    from evaluation.models import ItemResult, Run, Status
    from tests.factories import make_bank, make_endpoint, make_model

    now, bank, model = timezone.now(), make_bank(50), make_model("maker/model")
    endpoints = [make_endpoint(model=model) for _ in range(3)]
    items = list(bank.items.values_list("pk", flat=True))

    def run(number: int, status: Status, **fields: object) -> Run:
        names = {"host": f"host-{number % HOSTS}.example", "owner": f"owner-{number % OWNERS}@example.org"}
        same = {"bank": bank, "model": model, "benchmark": bank.benchmark, "origin": "measured", "n_items": 50}
        return Run(status=status, queued_at=now, turn=number + 1, **same, **names, **fields)

    ended = {"endpoint": endpoints[0], "failure_kind": "endpoint", "finished_at": now}
    held = {"started_at": now - timedelta(minutes=5), "heartbeat_at": now, "lease_until": now + timedelta(minutes=1)}
    rows = [run(n, Status.RUNNING, lease_token=uuid4(), **held) for n in range(100)]
    rows += [run(n, Status.WAITING, not_before=now + timedelta(minutes=n)) for n in range(900)]
    rows += [run(n, Status.QUEUED) for n in range(N - 1_000)]
    rows += [run(n, Status.FAILED, **ended) for n in range(N)]
    made = Run.objects.bulk_create(rows, batch_size=500)
    results = [ItemResult(run=each, item_id=pk, state="read") for each in made[:100] for pk in items]
    ItemResult.objects.bulk_create(results, batch_size=1_000)


if __name__ == "__main__":
    main()
