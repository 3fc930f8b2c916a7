"""A broker that goes, comes back empty, freezes or is not there at all: R3, R14, Q05, Q09, Q13."""

import signal
import time
from collections.abc import Callable, Iterator

from evaluation.models import Run
from evaluation.states import Status
from tests.chaos.arena import (
    Arena,
    Broker,
    arena,
    demo_endpoint,
    queued,
    results_of,
    status_of,
    wait_for_results,
    wait_until_finished,
)
from tests.chaos.browsing import Visitor
from tests.chaos.checker import requests_are_few, rows_are_whole, sampled
from tests.chaos.figures import Figure, exactly
from tests.chaos.kills import UNHURRIED
from tests.factories import make_bank
from tests.processes import free_port, wait_for

EXTRA_SECONDS = 90
LATENCY_SECONDS = 0.2


def stopped(broker: Broker, seconds: float) -> None:
    broker.stop()
    time.sleep(seconds)
    broker.start()


def emptied(broker: Broker, _: float) -> None:
    broker.stop()
    broker.forget()
    broker.start()


def flushed(broker: Broker, _: float) -> None:
    broker.flush()


def frozen(broker: Broker, seconds: float) -> None:
    if broker.process:
        broker.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        broker.process.send_signal(signal.SIGCONT)


def full(broker: Broker, seconds: float) -> None:
    """It accepts every connection and refuses what would take memory."""
    broker.command("CONFIG", "SET", "maxmemory", "1")
    time.sleep(seconds)
    broker.command("CONFIG", "SET", "maxmemory", "0")


TROUBLES: dict[str, Callable[[Broker, float], None]] = {
    "FLUSHALL": flushed,
    "restarted empty": emptied,
    "stopped": stopped,
    "frozen": frozen,
    "full": full,
}


def trouble_in_mid_run(trouble: str, seconds: float, items: int = 60) -> Iterator[Figure]:
    """R3, Q09: the run at work ends, and the one behind it, whose message is lost, is found and ends too."""
    with (
        demo_endpoint("--persona", "random", "--latency-ms", "200") as address,
        arena(RUN_LEASE_SECONDS=UNHURRIED) as board,
    ):
        bank = make_bank(items)
        runs = [queued(address, bank, name) for name in ("at-work", "waiting")]
        board.worker()
        with sampled(*runs) as samples:
            wait_for_results(runs[0], 5)
            TROUBLES[trouble](board.broker, seconds)
            calm = 2 * items / 4 * LATENCY_SECONDS
            extra = wait_until_finished(*runs) - calm
        what = f"Redis {trouble}{f' for {seconds:g} s' if seconds else ''} in mid-run: extra time after it"
        yield Figure("R3", what, max(extra, 0), EXTRA_SECONDS, "s")
        yield from rows_are_whole(runs, samples)
        yield from requests_are_few(address, runs, 0, f"Redis {trouble}")


def restarted_again_and_again(times: int = 5) -> Iterator[Figure]:
    """Q13: an idle worker hears again after the broker has come and gone, five times over."""
    with demo_endpoint("--persona", "random") as address, arena() as board:
        worker = board.worker()
        wait_for(lambda: "ready." in worker.log.read_text(), what="the worker")
        for _ in range(times):
            stopped(board.broker, 1)
            time.sleep(1)
        run = queued(address, make_bank(5))
        heard = wait_for(lambda: status_of(run) != Status.QUEUED, what="the run taken up")
        wait_until_finished(run)
    yield Figure("R3", f"an idle worker after {times} restarts of Redis takes up a run (Q13)", heard, 90, "s")


def form_without_a_broker(frozen_broker: bool) -> Iterator[Figure]:
    """R14: the form is sent while the broker is down, or accepts and never answers."""
    port = free_port()
    with demo_endpoint("--persona", "random") as address, arena() as board:
        make_bank(5, slug="scenes", title="Own scenes")
        if frozen_broker and board.broker.process:
            board.broker.process.send_signal(signal.SIGSTOP)
        else:
            board.broker.stop()
        board.web(port)
        visitor = Visitor(port)
        took, page = visitor.submit(f"{address}/v1")
        how = "frozen" if frozen_broker else "down"
        yield Figure("R14", f"broker {how}: the form is answered after", took, 15, "s")
        saved = Run.objects.filter(status=Status.QUEUED).count()
        yield exactly("R14", f"broker {how}: runs saved and queued", saved, 1)
        yield exactly("R14", f"broker {how}: a page that tells of the queue", "queue" in page.lower(), True)
        yield from _starts_by_itself(board, frozen_broker, how)


def _starts_by_itself(board: Arena, frozen_broker: bool, how: str) -> Iterator[Figure]:
    run = Run.objects.get()
    if frozen_broker and board.broker.process:
        board.broker.process.send_signal(signal.SIGCONT)
    else:
        board.broker.start()
    board.worker()
    waited = wait_until_finished(run)
    yield Figure("R14", f"broker {how}: the run starts by itself and ends, worker start included", waited, 60, "s")
    yield exactly("R14", f"broker {how}: results", results_of(run), 5)


def no_worker_at_all() -> Iterator[Figure]:
    """Q05: nobody works; the run stays queued and nobody cancels it."""
    with demo_endpoint("--persona", "random") as address, arena() as board:
        run = queued(address, make_bank(5))
        clock = board.beat()
        time.sleep(5)
        clock.kill()
        yield exactly("R3", "without a worker a run stays queued (Q05)", status_of(run) == Status.QUEUED, True)
        board.worker()
        heard = wait_until_finished(run)
        yield Figure("R3", "the first worker after that carries it, its start included", heard, EXTRA_SECONDS, "s")
