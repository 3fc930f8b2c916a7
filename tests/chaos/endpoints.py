"""R7 and R8: every fault of an endpoint, carried by a real worker; and deadlines against servers that never end."""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta

from aiohttp import web
from django.utils import timezone

from evaluation.demo.catalogue import FAULTS
from evaluation.demo.server import make_app
from evaluation.models import ItemResult, Run
from evaluation.states import FaultKind, Status
from tests.chaos.arena import arena, queued, status_of, wait_until_finished
from tests.chaos.figures import Figure, exactly
from tests.evaluation.endpoints.servers import refused
from tests.evaluation.endpoints.test_deadline_and_size import HEAD, endless
from tests.factories import make_bank, scene_labels
from tests.fakes import Handler, serve, serve_raw, silent
from tests.processes import wait_for

FEW = ("first-429", "always-500", "hang", "cut", "html", "unauthorised", "null")
PACE = {"RUN_BREAKER_WAITS_SECONDS": "0.2,0.2", "RUN_RING_AGAIN_SECONDS": "0.2"}
DEADLINE_SECONDS = 0.5
WATCHED_SECONDS = 4  # eight ticks of the clock, and twice the visibility timeout
ENDLESS: dict[str, Handler] = {
    "drip": endless(HEAD + b"Content-Length: 100\r\n\r\n", b"x", 0.03),
    "one header without end": endless(HEAD, b"X", 0.03),
    "headers without end": endless(HEAD, b"X: y\r\n", 0.03),
    "events without end": endless(HEAD + b"Content-Type: text/event-stream\r\n\r\n", b": keep-alive\n\n", 0.03),
    "silence": silent,
}


def fault_matrix(
    faults: tuple[str, ...] = tuple(FAULTS), endless: tuple[str, ...] = tuple(ENDLESS), items: int = 12
) -> Iterator[Figure]:
    """R7: a run a fault, all at three workers; also those of section 4 that need a raw socket."""
    with arena(None, **PACE) as board, ExitStack() as servers:
        bank = make_bank(items)
        addresses = {name: servers.enter_context(serve(make_app(persona="random", faults=[name]))) for name in faults}
        addresses |= {name: servers.enter_context(serve_raw(ENDLESS[name])) for name in endless}
        runs = {
            name: queued(address, bank, name.replace(" ", "-"), timeout_seconds=DEADLINE_SECONDS, concurrency=items)
            for name, address in addresses.items()
        }
        began = time.monotonic()
        for beat in (True, False, False):
            board.worker(beat=beat)
        wait_for(lambda: all(map(lasts, runs.values())), seconds=400, what="every run in a state that lasts")
        yield Figure("R7", f"{len(runs)} faults, a run each: all settled after", time.monotonic() - began, 400, "s")
        nameless = [name for name, run in runs.items() if not is_named(Run.objects.get(pk=run.pk))]
        yield Figure("R7", f"runs that end in no named state with a sentence {nameless or ''}", len(nameless), 0)
        yield Figure("R7", "tracebacks in the workers' logs", board.logs().count("Traceback"), 0)


def lasts(run: Run) -> bool:
    """Ended, or waiting for longer than anything here takes."""
    run.refresh_from_db()
    soon = timezone.now() + timedelta(seconds=60)
    return not run.is_open or (run.not_before is not None and run.not_before > soon)


def is_named(run: Run) -> bool:
    """Finished, or failed and waiting by a named kind with a sentence, waiting until a named time."""
    if run.status == Status.FINISHED:
        return run.score is not None
    sentence = run.failure_message.endswith((".", "”", "…")) and run.failure_kind in FaultKind.values
    return sentence and run.status in {Status.FAILED, Status.WAITING}


def deadlines() -> Iterator[Figure]:
    """R8: how far beyond its deadline a request is held, at worst."""
    worst = 0.0
    for handler in ENDLESS.values():
        with serve_raw(handler) as url:
            began = time.perf_counter()
            refused(url, timeout_seconds=DEADLINE_SECONDS)
            worst = max(worst, time.perf_counter() - began - DEADLINE_SECONDS)
    yield Figure("R8", f"held beyond the deadline, worst of {len(ENDLESS)} endless replies", worst, 1, "s")


def far_wait() -> Iterator[Figure]:
    """Q14: a wait of two hours is one time in one row, however often the clock ticks and messages come again."""
    app = make_app(persona="random", faults=["retry-after:7200"])
    with serve(app) as address, arena(BROKER_VISIBILITY_TIMEOUT_SECONDS="2") as board:
        run = queued(address, make_bank(5), concurrency=1)
        board.worker()
        wait_for(lambda: status_of(run) == Status.WAITING, what="the run waits")
        first = Run.objects.get(pk=run.pk)
        time.sleep(WATCHED_SECONDS)
        later = Run.objects.get(pk=run.pk)
        yield exactly("R3", "a wait of 2 h (Q14): runs waiting", Run.objects.filter(status=Status.WAITING).count(), 1)
        ahead = (first.not_before - timezone.now()).total_seconds() if first.not_before else 0
        yield Figure("R3", "a wait of 2 h (Q14): named next try, off by", abs(ahead + WATCHED_SECONDS - 7200), 10, "s")
        moved = (first.not_before, first.requests, first.turn) != (later.not_before, later.requests, later.turn)
        yield Figure("R3", "a wait of 2 h (Q14): other tries or other times while it waits", moved, 0)


def repeats_by_chance() -> Iterator[Figure]:
    """Q16: three repeats of an endpoint that answers at random are three sets of replies, through a real worker."""
    with serve(_at_random()) as address, arena() as board:
        run = queued(address, make_bank(20), repeats=3)
        board.worker()
        wait_until_finished(run)
        texts = ItemResult.objects.filter(run=run).order_by("item__number").values_list("repeat", "reply__text")
        sets = {tuple(text for repeat, text in texts if repeat == wanted) for wanted in (1, 2, 3)}
        yield exactly("R1", "three repeats at random (Q16): different sets of replies", len(sets), 3)
        scores = Run.objects.get(pk=run.pk).repeat_scores
        yield Figure("R1", "three repeats at random (Q16): spread", max(scores) - min(scores), 0.01, at_least=True)


def _at_random() -> web.Application:
    chance = random.Random(16)

    async def complete(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        labels = next(scene_labels(n) for n in range(1, 6) if all(f"\n{label}" in prompt for label in scene_labels(n)))
        text = "\n".join(f"{label}: {chance.randint(1, 10)}" for label in labels)
        return web.json_response({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    return app
