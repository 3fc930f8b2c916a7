"""Rows Q04 and Q09 to Q16 of the public cases, as they were met elsewhere, and R13, all with real processes.

| row | part |
|---|---|
| Q04 | `killed_after_eighty` |
| Q09 | `brokers.trouble_in_mid_run` with FLUSHALL |
| Q10 | `handed_out_again`; ten messages at once: `kills.called_twice_at_once` |
| Q11 | `kills.pool_killed` |
| Q12 | `poisoned` |
| Q13 | `brokers.restarted_again_and_again` |
| Q14 | `endpoints.far_wait` |
| Q15 | `workers_and_an_administrator`; eight writers at once: `writers.many_writers` |
| Q16 | `endpoints.repeats_by_chance` |
"""

import os
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from aiohttp import web
from kombu import Connection

from evaluation.models import LanguageModel, Run
from evaluation.states import FaultKind, Status
from tests.chaos.arena import (
    Arena,
    arena,
    demo_endpoint,
    history,
    queued,
    results_of,
    status_of,
    wait_for_results,
    wait_until_finished,
)
from tests.chaos.browsing import Visitor
from tests.chaos.checker import requests_are_few, rows_are_whole, sampled
from tests.chaos.figures import Figure, exactly
from tests.chaos.kills import pool_of
from tests.factories import make_bank, scene_reply
from tests.fakes import serve
from tests.processes import Worker, free_port, wait_for

VISIBILITY_SECONDS = 10
DEADLY_ITEM, MOST_CLAIMS = 5, 3
RECEIVED = re.compile(r"evaluate_run\[([0-9a-f-]{36})\] received")
OWNERS, RUNS_EACH, GREEDY = 95, 10, 50


def killed_after_eighty(items: int = 171, after: int = 80) -> Iterator[Figure]:
    """Q04: the run goes on with what lacks: no reply that was stored is asked for again."""
    with demo_endpoint("--persona", "random", "--latency-ms", "100") as address, arena() as board:
        run = queued(address, make_bank(items), concurrency=1)
        worker = board.worker()
        with sampled(run) as samples:
            wait_for_results(run, after - 1)
            worker.kill()
            stored, asked = results_of(run), history(address).total()
            board.worker()
            last = wait_until_finished(run)
        anew = history(address).total() - asked
        yield Figure("R1", f"killed after {stored} results (Q04): the end, by itself, after", last, 90, "s")
        yield exactly("R2", f"killed after {stored} of {items} results (Q04): asked afterwards", anew, items - stored)
        yield from rows_are_whole([run], samples)


def handed_out_again(seconds: int = 40) -> Iterator[Figure]:
    """Q10: a run of four times the visibility timeout, and a broker that looks for late messages each second."""
    variables = {"BROKER_VISIBILITY_TIMEOUT_SECONDS": str(VISIBILITY_SECONDS)}
    with demo_endpoint("--persona", "random", "--latency-ms", "800") as address, arena(None, **variables) as board:
        run = queued(address, make_bank(seconds * 10 // 8), concurrency=1)
        workers = [board.worker(), board.worker(beat=False)]
        with sweeping(board), sampled(run) as samples:
            wait_until_finished(run, seconds=seconds + 60)
        received = Counter(number for one in workers for number in RECEIVED.findall(one.log.read_text()))
        again = sum(times - 1 for times in received.values())
        what = f"visibility timeout {VISIBILITY_SECONDS} s, run of {seconds} s (Q10)"
        yield Figure("R4", f"{what}: messages handed out again", again, 1, at_least=True)
        yield from rows_are_whole([run], samples)
        yield from requests_are_few(address, [run], 0, "handed out again while it runs")


@contextmanager
def sweeping(board: Arena) -> Iterator[None]:
    """Gives messages that were not acknowledged in time back to the queue each second, as a worker does each 100 s."""
    done = threading.Event()
    options = {"visibility_timeout": VISIBILITY_SECONDS}

    def sweep() -> None:
        with Connection(board.broker.url, transport_options=options) as link, link.channel() as channel:
            while not done.wait(1):
                channel.qos.restore_visible(interval=1)  # type: ignore[attr-defined]  # of the stubs' base class

    thread = threading.Thread(target=sweep, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(timeout=10)


def poisoned() -> Iterator[Figure]:
    """Q12: the pool's process dies at the fifth item each time, as by the kernel when memory is out; the worker lives
    and is given the message again."""
    workers: list[Worker] = []
    deaths: list[int] = []
    with deadly_endpoint(workers, deaths) as address, arena(RUN_MAX_IDLE_CLAIMS=str(MOST_CLAIMS)) as board:
        run = queued(address, make_bank(8), concurrency=1)
        workers.append(board.worker())
        ended = wait_for(lambda: not Run.objects.get(pk=run.pk).is_open, what="the run given up")
        run.refresh_from_db()
        named = (run.status, run.failure_kind) == (Status.FAILED, FaultKind.PLATFORM)
        yield exactly("R7", "a run that kills its process each time (Q12): failed as a platform fault", named, True)
        yield exactly("R7", "the same: results kept", results_of(run), DEADLY_ITEM - 1)
        # The first process stored four items, so its death does not count.
        yield Figure("R7", "the same: processes that it cost", len(deaths), MOST_CLAIMS + 1)
        yield Figure("R7", "the same: given up after", ended, 90, "s")


@contextmanager
def deadly_endpoint(workers: list[Worker], deaths: list[int]) -> Iterator[str]:
    """Answers every scene, and at the fifth kills the process that asks in place of an answer; notes each death."""

    async def complete(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        number = int(prompt.partition("Read scene ")[2].partition(" ")[0])
        if number == DEADLY_ITEM:
            deaths.extend(kill_pool(workers[-1]))
        message = {"role": "assistant", "content": scene_reply(number)}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    with serve(app) as address:
        yield address


def kill_pool(worker: Worker) -> Iterator[int]:
    """The processes that it killed."""
    for pid in pool_of(worker):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            yield pid


def workers_and_an_administrator(runs: int = 8, items: int = 40) -> Iterator[Figure]:
    """Q15: four workers write while an administrator saves a model's form, over and over, by the web process."""
    port = free_port()
    with demo_endpoint("--persona", "random", "--latency-ms", "50") as address, arena(RUNS_PER_OWNER="0") as board:
        bank = make_bank(items)
        made = [queued(address, bank, f"busy-{number}") for number in range(runs)]
        board.web(port)
        visitor = Visitor(port)
        visitor.log_in()
        for number in range(4):
            board.worker(beat=number == 0)
        with sampled(*made) as samples:
            wait_for_results(made[0], 0)
            saved = saved_until_finished(visitor, made)
        yield Figure("R6", "four workers and an administrator (Q15): forms saved meanwhile", saved, 5, at_least=True)
        refused = board.logs().count("locked") + board.logs().count("Traceback")
        yield Figure("R6", "the same: 'locked' or a traceback in the logs", refused, 0)
        yield from rows_are_whole(made, samples)


def saved_until_finished(visitor: Visitor, runs: list[Run], seconds: float = 120) -> int:
    """How many times the form was saved; each time what it shows afterwards must be what was sent."""
    model = LanguageModel.objects.get(pk=runs[0].model_id)
    path, saved, deadline = f"/admin/evaluation/languagemodel/{model.pk}/change/", 0, time.monotonic() + seconds
    while any(status_of(run) != Status.FINISHED for run in runs):
        assert time.monotonic() < deadline, f"after {seconds:g} s and {saved} saved forms still not all finished"
        name = f"Maker {saved}"
        visitor.save_form(path, organisation=name)
        model.refresh_from_db()
        assert model.organisation == name, "the form was not saved"
        saved += 1
    return saved


def fair_to_all() -> Iterator[Figure]:
    """R13: 1,000 queued: one owner's 50 at first, then 95 owners' ten each; one worker. Without the 50, owner k is the
    k-th to start."""
    with demo_endpoint("--persona", "random") as address, arena() as board:
        bank = make_bank(2)
        names = ["greedy"] * GREEDY + [f"owner-{n}" for n in range(OWNERS) for _ in range(RUNS_EACH)]
        for number, owner in enumerate(names):
            run = queued(address, bank, f"fair-{number}")
            Run.objects.filter(pk=run.pk).update(owner=owner)
        board.worker()
        begun = Run.objects.exclude(turn=None)
        wait_for(lambda: begun.count() > OWNERS, seconds=200, what="a turn for each owner")
        order = list(begun.order_by("turn").values_list("owner", flat=True))
        late = [order.index(f"owner-{n}") - n if f"owner-{n}" in order else len(names) for n in range(OWNERS)]
        what = f"{len(names):,} queued: runs by which one owner's {GREEDY} delay another's first, at worst"
        yield Figure("R13", what, max(late), 1)


PARTS = ("killed_after_eighty", "handed_out_again", "poisoned", "workers_and_an_administrator", "fair_to_all")
