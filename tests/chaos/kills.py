"""Workers that are killed, frozen and stopped: R1, R2, R4, R5, R12, and Q04, Q10, Q11 with them."""

import os
import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

from evaluation.models import Run
from evaluation.states import Status
from tests.chaos.arena import (
    LEASE_SECONDS,
    Arena,
    arena,
    demo_endpoint,
    end_group,
    queued,
    results_of,
    status_of,
    wait_for_results,
    wait_until_finished,
)
from tests.chaos.checker import lease_is_alive, requests_are_few, rows_are_whole, sampled, stored
from tests.chaos.figures import Figure, exactly
from tests.chaos.frozen import stop_between_writes
from tests.factories import make_bank
from tests.processes import PATIENCE_SECONDS, Worker, running, wait_for

CONCURRENCY = 4
STARTED, ANEW, TICK = "beat: Starting", "started anew", "Sending due task requeue-stalled-runs"
TAKEN, ENDED = (re.compile(rf"evaluate_run\[[^]]+\] {word}") for word in ("received", "succeeded"))
START_SECONDS = 12  # of a worker, on a machine that does much else
UNHURRIED = "20"  # seconds of a lease: none may lapse, however busy the machine is, where each item is asked once
SLOW = ("--persona", "random", "--latency-ms", "200")


def pool_of(worker: Worker) -> list[int]:
    """The processes that work on tasks."""
    return [pid for pid in children_of(worker) if not is_clock(pid)]


def children_of(worker: Worker) -> list[int]:
    return [one.pid for one in running() if one.parent == worker.process.pid]


def clock_of(worker: Worker) -> list[int]:
    return [pid for pid in children_of(worker) if is_clock(pid)]


def the_clock_of(worker: Worker) -> int:
    found: list[int] = []

    def seen() -> bool:
        found[:] = clock_of(worker)
        return len(found) == 1

    wait_for(seen, what="the clock")
    return found[0]


def is_clock(pid: int) -> bool:
    """A process of the pool talks to its parent by pipes, the clock does not."""
    links = []
    with suppress(OSError):  # it has ended
        for one in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):  # closed meanwhile: the clock opens and closes files as it ticks
                links.append(os.readlink(f"/proc/{pid}/fd/{one}"))
    return bool(links) and not any("pipe:" in link for link in links)


def killed_at_random(seed: int, kills: int, items: int = 171) -> Iterator[Figure]:
    """R1, R2: one run, and kill -9 of the worker that has it, at instants by seed: also while it starts."""
    chance = random.Random(seed)
    many = kills > 6  # then the work must last for all of them
    latency = "1000" if many else "200"
    # A lease that lapses by itself would cost requests as a kill does.
    with (
        demo_endpoint("--persona", "random", "--latency-ms", latency) as address,
        arena(RUN_LEASE_SECONDS="4") as board,
    ):
        run = queued(address, make_bank(items), concurrency=CONCURRENCY)
        current = board.worker()
        with sampled(run) as samples:
            wait_for_results(run, 0)
            done = 0
            while done < kills and status_of(run) != Status.FINISHED:
                time.sleep(chance.choice((chance.uniform(0, 0.3), chance.uniform(0, 6))))
                current.kill()
                done += 1
                current = board.worker()
            last = wait_until_finished(run)
        yield Figure(
            "R1", f"kill -9 of a run's worker, seed {seed}: kills", done, kills if many else kills // 2, at_least=True
        )
        yield from rows_are_whole([run], samples)
        yield Figure("R1", "from the last kill to the end", last, 60, "s")
        yield from requests_are_few(address, [run], done * CONCURRENCY, f"{done} kills x concurrency {CONCURRENCY}")
        yield lease_is_alive(samples, down_seconds=START_SECONDS)


def pool_killed() -> Iterator[Figure]:
    """Q11: the child that works dies, the worker lives; then the worker dies and its child lives on."""
    with demo_endpoint(*SLOW) as address, arena() as board:
        run = queued(address, make_bank(60), concurrency=CONCURRENCY)
        worker = board.worker()
        with sampled(run) as samples:
            wait_for_results(run, 5)
            token = lease_of(run)
            for pid in pool_of(worker):
                os.kill(pid, signal.SIGKILL)
            again = wait_for(lambda: lease_of(run) not in {token, None}, what="the run taken up again")
            wait_for_results(run, results_of(run) + CONCURRENCY)
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
            board.worker()
            wait_until_finished(run)
        yield Figure("R5", "pool child killed (Q11): the run is taken up again after", again, 90, "s")
        yield from rows_are_whole([run], samples)
        why = "pool child killed, then its parent alone"
        yield from requests_are_few(address, [run], 2 * CONCURRENCY, why)


def one_of_two_killed() -> Iterator[Figure]:
    """R5: how long after a kill -9 the run is found, with the reaper at another worker."""
    with demo_endpoint(*SLOW) as address, arena() as board:
        workers = two_that_are_ready(board)
        run = queued(address, make_bank(60), concurrency=CONCURRENCY)
        with sampled(run) as samples:
            wait_for_results(run, 5)
            holder = the_busy_one(workers)
            token = lease_of(run)
            holder.kill()
            found = wait_for(lambda: lease_of(run) != token, what="the stuck run found")
            wait_until_finished(run)
        yield Figure("R5", "a stuck run is found, in leases after the kill", found / LEASE_SECONDS, 2)
        yield lease_is_alive(samples)
        yield from rows_are_whole([run], samples)


def two_that_are_ready(board: Arena) -> list[Worker]:
    """Both before there is any work, since a run may be over by the time that a second one has started."""
    board.beat()
    workers = [board.worker(beat=False), board.worker(beat=False)]
    wait_for(lambda: all("ready." in one.log.read_text() for one in workers), what="both workers")
    return workers


def the_busy_one(workers: list[Worker]) -> Worker:
    """The worker that took up a task and has not ended it: it holds the only run."""

    found: list[Worker] = []

    def busy() -> bool:
        said = [(one, one.log.read_text(errors="replace")) for one in workers]
        found[:] = [one for one, words in said if len(TAKEN.findall(words)) > len(ENDED.findall(words))]
        return len(found) == 1

    wait_for(busy, what="one worker at work")
    return found[0]


def lease_of(run: Run) -> object:
    return Run.objects.values_list("lease_token", flat=True).get(pk=run.pk)


def clock_killed() -> Iterator[Figure]:
    """The clock within a worker dies: what it calls goes on, and a new one comes."""
    with demo_endpoint(*SLOW) as address, arena() as board:
        worker = board.worker()
        said = worker.log.read_text
        wait_for(lambda: STARTED in said(), what="the first clock")  # below, the word of the next one is looked for
        os.kill(the_clock_of(worker), signal.SIGKILL)
        run = queued(address, make_bank(5))
        found = wait_for(lambda: status_of(run) != Status.QUEUED, what="the run taken up")
        yield Figure("R5", "clock killed: a queued run is taken up all the same", found, 10, "s")
        revived = wait_for(lambda: ANEW in said().partition(STARTED)[2], what="a new clock")
        ticks = said().count(TICK)
        wait_for(lambda: said().count(TICK) > ticks, what="the new clock ticks")
        yield Figure("R5", "clock killed: a new one after", revived, 10, "s")
        wait_until_finished(run)
        began = time.monotonic()
        worker.process.terminate()
        worker.process.wait(timeout=PATIENCE_SECONDS)
        yield Figure("R12", "SIGTERM of a worker with a new clock: it has ended", time.monotonic() - began, 15, "s")
        with suppress(AssertionError):  # one that was told to stop may take a moment; one that is left stays
            wait_for(lambda: not alive([worker.process.pid]), seconds=20, what="the last of its processes")
        yield exactly("R5", "clocks left behind by a worker that was stopped", len(alive([worker.process.pid])), 0)


def alive(groups: list[int]) -> list[int]:
    return [one.pid for one in running() if one.group in groups and one.state != "Z"]


def found_though_all_are_busy() -> Iterator[Figure]:
    """R5: the reaper must tick also while every process of every pool is within a long slice."""
    with demo_endpoint("--persona", "random", "--latency-ms", "400") as address, arena() as board:
        workers = two_that_are_ready(board)
        bank = make_bank(50)
        runs = [queued(address, bank, name, concurrency=2) for name in ("first", "second")]
        with sampled(*runs) as samples:
            for run in runs:
                wait_for_results(run, 2)
            workers[0].kill()
            wait_until_one_ends(runs)
        yield lease_is_alive(samples)
        board.worker(beat=False)
        wait_until_finished(*runs)
        yield exactly("R1", "results of two runs, one of them orphaned", sum(map(results_of, runs)), 100)


def wait_until_one_ends(runs: list[Run]) -> None:
    wait_for(lambda: any(status_of(run) == Status.FINISHED for run in runs), what="a run finished")


def frozen_past_its_lease() -> Iterator[Figure]:
    """R4: a worker is stopped past its lease, and woken while the next holder is frozen within its own: whatever is
    written in that moment is the sleeper's."""
    # So slow that the run lasts, and a lease so long that the heir's does not end, while a busy machine comes to it.
    slow = ("--persona", "random", "--latency-ms", "500")
    with demo_endpoint(*slow) as address, arena(RUN_LEASE_SECONDS="12") as board:
        workers = two_that_are_ready(board)
        run = queued(address, make_bank(60), concurrency=CONCURRENCY)
        with sampled(run) as samples:
            wait_for_results(run, 5)
            sleeper = the_busy_one(workers)
            (heir,) = (one for one in workers if one is not sleeper)
            stop_between_writes(sleeper)
            token = lease_of(run)
            wait_for(lambda: lease_of(run) not in {token, None}, what="the heir has the run")
            wait_for_results(run, results_of(run))
            yield written_by_the_sleeper(run, sleeper, heir)
            wait_until_finished(run)
        yield from rows_are_whole([run], samples)
        yield from requests_are_few(address, [run], CONCURRENCY, "one sleeper x concurrency")


def written_by_the_sleeper(run: Run, sleeper: Worker, heir: Worker) -> Figure:
    stop_between_writes(heir)
    time.sleep(0.3)  # a write of the heir that was under way is through
    before, requests = stored([run.pk]), Run.objects.get(pk=run.pk).requests
    os.killpg(sleeper.process.pid, signal.SIGCONT)
    time.sleep(2)
    written = len(stored([run.pk]).items() - before.items())
    written += Run.objects.get(pk=run.pk).requests != requests
    os.killpg(heir.process.pid, signal.SIGCONT)
    return Figure("R4", "rows from a worker that slept past its lease", written, 0)


def called_twice_at_once() -> Iterator[Figure]:
    """R4, Q10: two workers and the same run id in many messages, which the broker also hands out again."""
    with (
        demo_endpoint("--persona", "random", "--latency-ms", "100") as address,
        arena(BROKER_VISIBILITY_TIMEOUT_SECONDS="2", RUN_LEASE_SECONDS=UNHURRIED) as board,
    ):
        run = queued(address, make_bank(60), concurrency=2)
        workers = [board.worker(), board.worker(beat=False)]
        with sampled(run) as samples:
            wait_for(lambda: all("ready." in one.log.read_text() for one in workers), what="both workers")
            for _ in range(10):
                send(board, run)
            wait_until_finished(run)
        yield from rows_are_whole([run], samples)
        yield from requests_are_few(address, [run], 0, "two workers, ten messages, handed out again")


def send(board: Arena, run: Run) -> None:
    """A message past the database, straight into the broker."""
    from kombu import Connection

    from leaderboard.celery import app

    with Connection(board.broker.url) as link, app.producer_pool.acquire(block=True) as _, link.Producer() as producer:
        app.send_task("evaluation.tasks.evaluate_run", args=(run.pk,), producer=producer)


def stopped_in_good_order() -> Iterator[Figure]:
    """R12: SIGTERM in the middle; another worker is up."""
    with demo_endpoint(*SLOW) as address, arena(RUN_LEASE_SECONDS=UNHURRIED) as board:
        workers = two_that_are_ready(board)
        run = queued(address, make_bank(80), concurrency=2)
        with sampled(run) as samples:
            wait_for_results(run, 5)
            first = the_busy_one(workers)
            began = time.monotonic()
            first.process.terminate()
            first.process.wait(timeout=PATIENCE_SECONDS)
            stopped = time.monotonic() - began
            before = results_of(run)
            wait_for_results(run, before)
            resumed = time.monotonic() - began - stopped
            wait_until_finished(run)
        yield Figure("R12", "SIGTERM in mid-run: the worker has ended", stopped, 15, "s")
        yield Figure("R12", "the next result, by another worker", resumed, 5, "s")
        yield from rows_are_whole([run], samples)
        yield from requests_are_few(address, [run], 0, "what was in flight at SIGTERM was kept")
    end_group(first.process)


OTHERS = (
    "pool_killed",
    "one_of_two_killed",
    "clock_killed",
    "found_though_all_are_busy",
    "frozen_past_its_lease",
    "called_twice_at_once",
    "stopped_in_good_order",
)
