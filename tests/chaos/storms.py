"""Everything at once: two workers, a clock, a web process and a nemesis that acts at seeded instants. R1 to R5, R11."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from evaluation.models import ItemResult, Run
from evaluation.states import Status
from tests.chaos.arena import (
    LEASE_SECONDS,
    Arena,
    Process,
    arena,
    demo_endpoint,
    history,
    patiently,
    queued,
    status_of,
    wait_until_finished,
)
from tests.chaos.checker import lease_is_alive, rows_are_whole, sampled
from tests.chaos.cluster import Cluster
from tests.chaos.figures import Figure
from tests.chaos.kills import START_SECONDS, pool_of
from tests.chaos.proxy import MODES, Proxy, proxy
from tests.factories import make_bank
from tests.processes import Worker, free_port, wait_for

CONCURRENCY = 4
RUNS = 4
CALM_SECONDS = 150
TIMEOUT_SECONDS = 10.0  # far beyond the latency: a request that a busy machine holds up for longer is sent again
# An item's six tries must outlast an outage of a second or two; the breaker's rest is short and never the last.
STORM = {"ENDPOINT_BACKOFF_SECONDS": "1", "RUN_BREAKER_WAITS_SECONDS": ",".join(["1"] * 40)}


@dataclass
class Nemesis:
    """Does harm by chance and notes it. `costs` counts the acts that may each cost a run its replies in flight."""

    board: Arena
    chance: random.Random
    proxy: Proxy
    runs: list[Run]
    workers: list[Worker] = field(default_factory=list)
    clock: Process | None = None
    web: Process | None = None
    port: int = 0
    done: Counter[str] = field(default_factory=Counter)

    def begin(self) -> None:
        self.workers = [self.board.worker(beat=False) for _ in range(2)]
        self.clock = self.board.beat()
        self.port = free_port()
        self.web = self.board.web(self.port)

    def acts(self) -> dict[str, Callable[[], None]]:
        """All that can be done here; PostgreSQL is restarted only where it is ours."""
        usual = {
            "worker killed": self.kill_worker,
            "worker's parent killed": self.kill_parent,
            "pool child killed": self.kill_child,
            "worker frozen": self.freeze,
            "worker stopped": self.terminate,
            "clock killed": self.kill_clock,
            "web killed": self.kill_web,
            "Redis stopped": self.stop_redis,
            "Redis restarted empty": self.empty_redis,
            "FLUSHALL": self.board.broker.flush,
            "endpoint ill": self.endpoint_ill,
            "lease jumped": self.jump_lease,
        }
        return usual | ({"PostgreSQL restarted": self.restart_database} if self.board.cluster else {})

    def storm(self, acts: int, most_seconds_between: float) -> None:
        """Every kind of harm at least once where there are so many acts, in a row by chance."""
        kinds = list(self.acts())
        self.chance.shuffle(kinds)
        for number in range(acts):
            if all(status_of(run) == Status.FINISHED for run in self.runs):
                return
            kind = kinds[number % len(kinds)]
            time.sleep(self.chance.uniform(0.1, most_seconds_between))
            self.acts()[kind]()
            self.done[kind] += 1
        self.proxy.mode = ""

    def kill_worker(self) -> None:
        self._replace(lambda worker: worker.kill())

    def kill_parent(self) -> None:
        """Its child lives on and keeps its lease; a supervisor starts another worker beside it."""

        def kill(worker: Worker) -> None:
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()

        self._replace(kill)

    def kill_child(self) -> None:
        for pid in pool_of(self.chance.choice(self.workers)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def freeze(self) -> None:
        worker = self.chance.choice(self.workers)
        os.killpg(worker.process.pid, signal.SIGSTOP)
        time.sleep(self.chance.uniform(0.5, 2) * LEASE_SECONDS)
        os.killpg(worker.process.pid, signal.SIGCONT)

    def terminate(self) -> None:
        def stop(worker: Worker) -> None:
            worker.process.terminate()
            worker.stop()

        self._replace(stop)

    def _replace(self, end: Callable[[Worker], None]) -> None:
        at = self.chance.randrange(len(self.workers))
        end(self.workers[at])
        self.workers[at] = self.board.worker(beat=False)

    def kill_clock(self) -> None:
        if self.clock:
            self.clock.kill()
        self.clock = self.board.beat()

    def kill_web(self) -> None:
        if self.web:
            self.web.kill()
        self.web = self.board.web(self.port)

    def stop_redis(self) -> None:
        self.board.broker.stop()
        time.sleep(self.chance.uniform(0.5, 3))
        self.board.broker.start()

    def empty_redis(self) -> None:
        self.board.broker.stop()
        self.board.broker.forget()
        self.board.broker.start()

    def endpoint_ill(self) -> None:
        self.proxy.mode = self.chance.choice(MODES)
        time.sleep(self.chance.uniform(0.5, 2))
        self.proxy.mode = ""

    def jump_lease(self) -> None:
        """As if the clock had jumped by a minute: every lease is over."""
        jumped = Run.objects.filter(pk__in=[run.pk for run in self.runs], status=Status.RUNNING)
        minute = timedelta(minutes=1)
        patiently(lambda: jumped.update(lease_until=F("lease_until") - minute, heartbeat_at=timezone.now() - minute))

    def restart_database(self) -> None:
        if self.board.cluster:
            self.board.cluster.control("restart", self.chance.choice(["fast", "immediate"]))


def storm(
    seed: int, acts: int, cluster: Cluster | None = None, items: int = 60, most_seconds_between: float = 2
) -> Iterator[Figure]:
    """Runs under fire, then a calm in which all must end by themselves; and the same runs without any of it."""
    with (
        demo_endpoint("--persona", "random", "--latency-ms", "300", "--fault", "null:9") as address,
        proxy(address) as before_it,
        arena(cluster, **STORM) as board,
    ):
        bank = make_bank(items)
        runs = [
            queued(before_it.address, bank, f"stormy-{n}", concurrency=CONCURRENCY, timeout_seconds=TIMEOUT_SECONDS)
            for n in range(RUNS)
        ]
        nemesis = Nemesis(board, random.Random(seed), before_it, runs)
        nemesis.begin()
        with sampled(*runs) as samples:
            wait_for(lambda: ItemResult.objects.filter(run__in=runs).exists(), what="a first result")
            nemesis.storm(acts, most_seconds_between)
            calm = wait_until_finished(*runs)
        did = ", ".join(f"{kind} {times}" for kind, times in sorted(nemesis.done.items()))
        yield Figure("R1", f"storm, seed {seed}: kinds of harm", len(nemesis.done), 3, at_least=True, note=did)
        yield Figure("R1", f"storm, seed {seed}: the end, after the last of them", calm, CALM_SECONDS, "s")
        yield from rows_are_whole(runs, samples)
        yield from few_requests(address, runs, nemesis)
        yield lease_is_alive(samples, down_seconds=START_SECONDS)
        yield from same_scores(address, runs, board)


def few_requests(address: str, runs: list[Run], nemesis: Nemesis) -> Iterator[Figure]:
    """R2. Items with an unreadable reply are asked three times by rule; the runs' own attempts say how often."""
    wanted = sum(ItemResult.objects.filter(run__in=runs).values_list("attempts", flat=True))
    again = sum(times for (model, _), times in history(address).items() if model.startswith("stormy")) - wanted
    harmless = {"web killed", "clock killed", "FLUSHALL", "Redis stopped", "Redis restarted empty", "endpoint ill"}
    # A jumped lease or a restart of the database strikes both workers' runs at once.
    double = {"lease jumped", "PostgreSQL restarted"}
    struck = sum(times * (1 + (kind in double)) for kind, times in nemesis.done.items() if kind not in harmless)
    most = struck * CONCURRENCY + nemesis.proxy.forwarded_and_spoilt
    yield Figure("R2", f"requests sent again ({struck} strikes x {CONCURRENCY}, and spoilt ones)", again, most)


def same_scores(address: str, runs: list[Run], board: Arena) -> Iterator[Figure]:
    """R11: the same items asked of the same endpoint in peace: reply by reply the same."""
    calm = queued(address, runs[0].bank, "calm", concurrency=CONCURRENCY)
    wait_until_finished(calm)
    wanted = outcomes(calm)
    differ = sum(wanted[item] != got for run in runs for item, got in outcomes(run).items())
    yield Figure("R11", f"items of {len(runs)} stormy runs that differ from the calm one's", differ, 0)
    scores = {Run.objects.get(pk=run.pk).score for run in [*runs, calm]}
    yield Figure("R11", "different scores beside the one", len(scores) - 1, 0)


def outcomes(run: Run) -> dict[str, tuple[object, ...]]:
    rows = ItemResult.objects.filter(run=run).values_list(
        "item__item_id", "state", "reading", "answer", "score", "attempts", "reply__text"
    )
    return {item: tuple(map(repr, rest)) for item, *rest in rows}
