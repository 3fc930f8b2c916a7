"""The engine as processes: real Redis, real Celery workers, the demo endpoint, and kill -9."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Ask, Options
from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.importers.private_banks import load_private_files
from evaluation.models import Access, Driver, FaultKind, ItemBank, LanguageModel, Run, Status
from evaluation.runs.asking import seed_of
from evaluation.runs.opening import RunRequest, open_run
from evaluation.runs.summaries import as_bank
from leaderboard.models import Standing
from tests.chaos.kills import lease_of, pool_of
from tests.evaluation.benchmarks.emotion_files import full_size
from tests.factories import make_bank
from tests.fakes import requests_at
from tests.processes import PATIENCE_SECONDS, ROOT, Worker, environment, redis_server, wait_for, worker

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.processes,
]

# Where no worker is killed nobody's lease may lapse, however busy the machine is: each item is asked once.
UNHURRIED = "60"  # seconds of a lease
# Where workers are killed each kill has its cost in requests, and a lease that lapses by itself would add to it.
KILLED = {"RUN_LEASE_SECONDS": "5"}


@contextmanager
def demo_endpoint(*arguments: str) -> Iterator[str]:
    """`manage.py demo_endpoint` as a process of its own; yields its address."""
    command = [sys.executable, "manage.py", "demo_endpoint", "--port", "0", *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=environment(""), stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield next(word.rstrip(".") for word in line.split() if word.startswith("http://")).removesuffix("/v1")
        finally:
            process.terminate()


def asked(address: str) -> Counter[str]:
    return Counter(entry["prompt_sha256"] for entry in requests_at(address))


def queued(address: str, bank: ItemBank, **changes: Any) -> Run:
    request = {
        "model": "maker/demo",
        "base_url": f"{address}/v1",
        "api_model": "demo",
        "benchmark": BENCHMARKS["eq-bench-v2"],
        "bank": bank,
        "repeats": 1,
        "limit": None,
        "concurrency": 4,
        "max_tokens": 60,
        "timeout_seconds": 60.0,
        "driver": Driver.WORKER,
        **changes,
    }
    run, _ = open_run(RunRequest(**request))
    Run.objects.filter(pk=run.pk).update(published=True)
    return run


def status_of(run: Run) -> str:
    return str(Run.objects.values_list("status", flat=True).get(pk=run.pk))


def has_more_than(run: Run, results: int) -> bool:
    return run.results.count() > results


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    with redis_server(tmp_path / "redis") as address:
        yield address


def test_a_worker_killed_five_times_ends_the_run_with_every_item_once(tmp_path: Path, broker: str) -> None:
    """Q04, Q11: nobody sends the run to the worker: the reaper finds it, each time."""
    chance = random.Random(20261127)
    concurrency, kills = 4, 5
    with demo_endpoint("--persona", "random", "--latency-ms", "200") as address:
        run = queued(address, make_bank(171), concurrency=concurrency)
        current = Worker(tmp_path, environment(broker, **KILLED))
        known: set[tuple[int, int]] = set()
        try:
            for _ in range(kills):
                wait_for(partial(has_more_than, run, run.results.count()), what="a new result")
                time.sleep(chance.uniform(0.1, 0.8))
                assert status_of(run) == Status.RUNNING, "the run was over before the last kill"
                current.kill()
                known |= set(run.results.values_list("item_id", "repeat"))
                stored_before = dict(run.results.values_list("id", "created_at"))
                current = Worker(tmp_path, environment(broker, **KILLED))
            wait_for(lambda: status_of(run) == Status.FINISHED, what="the run finished")
        finally:
            current.stop()
        requests = asked(address)
    assert run.results.count() == 171
    assert len(known - set(run.results.values_list("item_id", "repeat"))) == 0
    assert all(run.results.get(pk=pk).created_at == moment for pk, moment in stored_before.items())
    assert len(requests) == 171
    assert sum(requests.values()) - 171 <= kills * concurrency, "at most the replies in flight are asked again"


def test_a_questionnaire_killed_five_times_keeps_the_orders_of_its_seed(tmp_path: Path, broker: str) -> None:
    """Each of the 575 results has the order that its seed gives, and nothing is asked again once it is stored."""
    chance, kills, concurrency = random.Random(20261129), 5, 8
    bank, _ = load_private_files(EMOTION_BENCH, full_size(), "weather")
    ItemBank.objects.filter(pk=bank.pk).update(slug="emotionbench", access=Access.WITHHELD)
    bank.refresh_from_db()
    faults = ("--fault", "null:30")  # such prompts are asked again, in another order
    with demo_endpoint("--persona", "feels-like-people", "--latency-ms", "250", *faults) as address:
        run = queued(
            address, bank, benchmark=EMOTION_BENCH, variant="standard", concurrency=concurrency, max_tokens=1024
        )
        current = Worker(tmp_path, environment(broker, **KILLED))
        stored: Counter[str] = Counter()
        try:
            for _ in range(kills):
                wait_for(partial(has_more_than, run, run.results.count() + 40), what="40 new results")
                time.sleep(chance.uniform(0.1, 0.8))
                assert status_of(run) == Status.RUNNING, "the run was over before the last kill"
                current.kill()
                log = asked(address)
                stored |= Counter({prompt: log[prompt] for prompt in prompts_of(run)})
                current = Worker(tmp_path, environment(broker, **KILLED))
            wait_for(lambda: status_of(run) in {Status.FINISHED, Status.FAILED}, seconds=400, what="the run ended")
        finally:
            current.stop()
        requests = asked(address)
    run.refresh_from_db()
    assert run.status == Status.FINISHED, run.failure_message
    assert run.results.count() == run.n_asks == 575
    last = prompts_of(run)
    assert len(last) == 575, "no order twice for one item"
    assert {prompt: requests[prompt] for prompt in stored} == dict(stored), "what was stored is not asked again"
    assert set(last) <= set(requests)
    assert sum(requests.values()) - len(requests) <= kills * concurrency * EMOTION_BENCH.generation.attempts
    assert run.results.filter(shown__attempt=2).exists(), "some were asked again in another order"


def prompts_of(run: Run) -> list[str]:
    """SHA-256 of the prompt of each stored result, made again from the run's seed; checks the stored orders by it."""
    bank = {item.id: item for item in as_bank(run.bank).items}
    found = []
    for row in run.results.select_related("item"):
        assert row.shown is not None
        attempt = row.shown["attempt"]
        item_id = row.item.item_id
        seed = seed_of(run.seed, item_id, row.repeat, attempt)
        prompt = EMOTION_BENCH.prompt(Ask(bank[item_id], row.repeat, attempt, seed), Options())
        assert row.shown == prompt.shown
        found.append(sha256(prompt.messages[-1].content.encode()).hexdigest())
    return found


def test_a_second_identical_task_does_nothing_and_the_board_gets_its_row(tmp_path: Path, broker: str) -> None:
    with demo_endpoint("--persona", "random", "--latency-ms", "50") as address:
        run = queued(address, make_bank(60))
        with (
            worker(tmp_path, broker, RUN_LEASE_SECONDS=UNHURRIED),
            worker(tmp_path, broker, beat=False, RUN_LEASE_SECONDS=UNHURRIED),
        ):
            for _ in range(6):
                send(broker, run.pk)
            wait_for(lambda: status_of(run) == Status.FINISHED, what="the run finished")
            send(broker, run.pk)
            wait_for(lambda: Standing.objects.filter(model__name="maker/demo").exists(), what="a standing")
        requests = asked(address)
    assert set(requests.values()) == {1}
    assert run.results.count() == 60


def send(broker: str, run_id: int) -> None:
    code = (
        "from leaderboard.celery import app; import django; django.setup();"
        f"app.send_task('evaluation.tasks.evaluate_run', args=({run_id},))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(broker), check=True)


def test_q10_a_task_delivered_again_while_it_runs_asks_nothing_twice(tmp_path: Path, broker: str) -> None:
    """The visibility timeout is far shorter than the run, so the broker hands the message out again."""
    with demo_endpoint("--persona", "random", "--latency-ms", "200") as address:
        run = queued(address, make_bank(30), concurrency=1)
        with (
            worker(tmp_path, broker, BROKER_VISIBILITY_TIMEOUT_SECONDS="2", RUN_LEASE_SECONDS=UNHURRIED),
            worker(tmp_path, broker, beat=False, BROKER_VISIBILITY_TIMEOUT_SECONDS="2", RUN_LEASE_SECONDS=UNHURRIED),
        ):
            wait_for(lambda: status_of(run) == Status.FINISHED, what="the run finished")
        requests = asked(address)
    assert set(requests.values()) == {1}
    assert run.results.count() == 30


def test_q11_a_killed_child_of_the_pool_is_made_good(tmp_path: Path, broker: str) -> None:
    with demo_endpoint("--persona", "random", "--latency-ms", "100") as address:
        run = queued(address, make_bank(100))
        with worker(tmp_path, broker) as current:
            wait_for(lambda: run.results.count() > 5, what="results")
            token = lease_of(run)
            (child,) = pool_of(current)
            os.kill(child, signal.SIGKILL)
            wait_for(lambda: lease_of(run) not in {token, None}, what="the run taken up again")
            wait_for(lambda: status_of(run) == Status.FINISHED, what="the run finished")
    assert run.results.count() == 100


def test_r12_sigterm_gives_the_run_back_within_seconds_and_another_worker_goes_on(tmp_path: Path, broker: str) -> None:
    with demo_endpoint("--persona", "random", "--latency-ms", "200") as address:
        run = queued(address, make_bank(171), concurrency=2)
        with worker(tmp_path, broker, RUN_LEASE_SECONDS=UNHURRIED) as first:
            wait_for(lambda: run.results.count() > 5, what="results")
            first.process.terminate()
            first.process.wait(timeout=PATIENCE_SECONDS)
        assert status_of(run) == Status.QUEUED, "the lease was given back, not left to run out"
        before = run.results.count()
        with worker(tmp_path, broker, RUN_LEASE_SECONDS=UNHURRIED):
            wait_for(lambda: run.results.count() > before, what="the second worker goes on")
        requests = asked(address)
    assert set(requests.values()) == {1}, "what was in flight at SIGTERM was finished and kept"


def test_q12_a_run_that_kills_each_worker_stops_as_a_platform_fault(tmp_path: Path, broker: str) -> None:
    """The lease runs out each time; a claim counter ends the loop. No reply may come before a kill: it starts anew."""
    with demo_endpoint("--persona", "random", "--latency-ms", "50000") as address:
        run = queued(address, make_bank(20))
        for claims in range(1, 4):
            with worker(tmp_path, broker, RUN_MAX_IDLE_CLAIMS="3", RUN_LEASE_SECONDS="1") as current:
                wait_for(partial(has_claims, run, claims), what="the run claimed")
                current.kill()
        with worker(tmp_path, broker, RUN_MAX_IDLE_CLAIMS="3", RUN_LEASE_SECONDS="1"):
            wait_for(lambda: status_of(run) == Status.FAILED, what="the run stopped")
    run.refresh_from_db()
    assert run.failure_kind == FaultKind.PLATFORM


def has_claims(run: Run, claims: int) -> bool:
    return Run.objects.filter(pk=run.pk, idle_claims__gte=claims).exists()


def test_q15_several_workers_and_a_writer_on_one_database_are_never_locked_out(tmp_path: Path, broker: str) -> None:
    with demo_endpoint("--persona", "random", "--latency-ms", "20") as address:
        bank = make_bank(40)
        runs = [queued(address, bank, model=f"maker/demo-{n}", concurrency=8) for n in range(8)]
        with (
            worker(tmp_path, broker, RUNS_PER_HOST="0", RUN_LEASE_SECONDS=UNHURRIED) as one,
            worker(tmp_path, broker, beat=False, RUNS_PER_HOST="0", RUN_LEASE_SECONDS=UNHURRIED) as two,
        ):
            for _ in range(200):
                model = LanguageModel.objects.get(name="maker/demo-0")
                model.organisation = f"saved {time.monotonic()}"
                model.save()
            wait_for(
                lambda: all(status_of(run) == Status.FINISHED for run in runs), seconds=180, what="all runs finished"
            )
            logs = one.log.read_text() + two.log.read_text()
    assert "locked" not in logs
    assert "Traceback" not in logs
    assert [run.results.count() for run in runs] == [40] * 8


def test_a_run_that_is_deleted_at_work_is_one_line_in_the_log_and_the_next_one_is_called(
    tmp_path: Path, broker: str
) -> None:
    """The clock would call it ten minutes later: what calls it is the slot that the deleted one leaves."""
    late = {"RUN_REAPER_SECONDS": "600", "RUNS_PER_HOST": "1", "RUN_LEASE_SECONDS": UNHURRIED}
    with demo_endpoint("--persona", "random", "--latency-ms", "200") as address:
        bank = make_bank(100)
        deleted, following = queued(address, bank), queued(address, bank, model="maker/other", limit=5)
        with worker(tmp_path, broker, beat=False, **late) as current:
            send(broker, deleted.pk)
            wait_for(lambda: deleted.results.count() > 5, what="results")
            # No result may come between the look at what hangs on the model and its deletion.
            with transaction.atomic():
                Run.objects.select_for_update().get(pk=deleted.pk)
                LanguageModel.objects.get(name="maker/demo").delete()
            wait_for(lambda: status_of(following) == Status.FINISHED, what="the next run finished")
            said = current.log.read_text()
    assert f"run {deleted.pk} was deleted while it was at work" in said
    assert "Traceback" not in said
