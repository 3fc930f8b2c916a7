"""R3 as boards are started: Redis goes and comes back while a run is at work and a slot is free."""

import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import redis
from celery import Celery
from django.conf import settings

from evaluation.models import ItemBank, Run
from evaluation.states import Origin, Status
from evaluation.tasks import evaluate_run
from leaderboard.starting import demo_judges, first_start
from leaderboard.starting.embedded_redis import answers
from tests.chaos.arena import (
    Arena,
    arena,
    demo_endpoint,
    queued,
    status_of,
    wait_for_results,
    wait_until_finished,
)
from tests.chaos.checker import requests_are_few, rows_are_whole, sampled
from tests.chaos.figures import Figure
from tests.deployment.production import procfile
from tests.factories import make_bank, make_run
from tests.processes import QUICK, free_port, wait_for

HEARD_SECONDS, TAKEN_UP_SECONDS, START_SECONDS = 10, 15, 240
AT_ONCE, LATENCY_SECONDS = 4, 1.0
LOOK_SECONDS = 0.25
LAG_SECONDS = 4  # of /readyz, whose answer is kept for a moment
# The times of a board, not the short ones of other tests.
SHIPPED = {name: str(getattr(settings, name)) for name in QUICK if name.startswith("RUN_")}


@dataclass
class Site:
    """Asks all the time: whether the site answers, and whether it calls itself ready."""

    port: int
    unanswered: int = 0
    ready: list[tuple[float, bool]] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def watch(self) -> None:
        while not self.over.wait(LOOK_SECONDS):
            self.unanswered += self.status("/healthz") != 200
            self.ready.append((time.monotonic(), self.status("/readyz") == 200))

    def status(self, path: str) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as response:
                return int(response.status)
        except urllib.error.HTTPError as answer:
            return answer.code
        except OSError:
            return 0

    @property
    def is_ready(self) -> bool:
        return bool(self.ready) and self.ready[-1][1]

    def said_ready(self, since: float, until: float) -> int:
        return sum(ready for at, ready in self.ready if since + LAG_SECONDS < at < until)


@contextmanager
def watched(port: int) -> Iterator[Site]:
    site = Site(port)
    wait_for(lambda: site.status("/readyz") == 200, seconds=START_SECONDS, what="the site is up and ready")
    thread = Thread(target=site.watch, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.over.set()
        thread.join(timeout=90)


class Start:
    """By the lines of the Procfile, and nobody starts again what ends: the worker has to come through by itself."""

    def __init__(self, board: Arena, concurrency: int) -> None:
        self.board, self.concurrency, self.port = board, concurrency, free_port()
        self.variables = {"REDIS_URL": board.broker.tcp_url, "VAR_DIR": str(board.folder / "var")}
        (board.folder / "var").mkdir()
        self.start()

    def start(self) -> None:
        for name, line in procfile().items():
            words = line.replace("${HOST:-127.0.0.1}:${PORT:-8000}", f"127.0.0.1:{self.port}").split()
            if name == "worker":
                words[words.index("--concurrency") + 1] = str(self.concurrency)
            if name != "release":
                self.board.process(name, ["-m", *words], **self.variables)

    def ended(self) -> int:
        return sum(one.process.poll() is not None for one in self.board.started)

    def stop(self) -> None:
        """In good order: what is killed leaves processes that still write into the folder."""
        for one in self.board.started:
            one.process.terminate()
        wait_for(lambda: self.ended() == len(self.board.started), what="all have stopped")

    def lose_redis(self, seconds: float) -> float:
        """Comes back once Redis answers again. Returns the moment until which it was away, on this machine's clock."""
        self.board.broker.stop()
        time.sleep(seconds)
        away_until = time.monotonic()
        self.board.broker.start()
        return away_until

    @property
    def broker(self) -> str:
        return self.variables["REDIS_URL"]

    def ring(self, run: Run) -> None:
        """As the form does."""
        with Celery(broker=self.broker, set_as_current=False) as app:
            app.send_task(evaluate_run.name, args=(run.pk,))


class ByServe(Start):
    def start(self) -> None:
        first_start.fill()
        for slug in (first_start.OWN_BANK, demo_judges.BANK):
            bank = ItemBank.objects.get(slug=slug)
            make_run(bank=bank, origin=Origin.DEMO, status=Status.FINISHED, published=False)
        assert not first_start.needs_demo(), "demonstrations would take the slots"
        words = ["manage.py", "serve", "--port", str(self.port), "--concurrency", str(self.concurrency)]
        self.board.process("serve", words, **self.variables)


class ByServeAlone(ByServe):
    """With the Redis that `serve` starts itself. It is killed, and comes again as soon as `serve` has seen it."""

    def start(self) -> None:
        self.variables["REDIS_URL"] = ""
        super().start()

    @property
    def socket(self) -> Path:
        return self.board.folder / "var/redis.sock"

    @property
    def broker(self) -> str:
        return f"redis+socket://{self.socket}"

    def lose_redis(self, seconds: float) -> float:
        killed = self._server()
        os.kill(killed, signal.SIGKILL)
        away_until = time.monotonic()  # it comes again as soon as `serve` has seen it
        wait_for(lambda: answers(self.socket) and self._server() != killed, what="a new Redis")
        return away_until

    def _server(self) -> int:
        with redis.Redis(unix_socket_path=str(self.socket)) as client:
            return int(client.info("server")["process_id"])


# How the board is started, with how many slots, and the gaps in seconds that come one after the other in the short
# proof; in the long one all do.
SHAPES: dict[str, tuple[type[Start], int, tuple[int, ...]]] = {
    "procfile-4": (Start, 4, (1, 30)),
    "procfile-2": (Start, 2, (2,)),
    "serve-2": (ByServe, 2, (2,)),
    "serve-4": (ByServe, 4, ()),
    "serve-alone": (ByServeAlone, 2, (0,)),
}
ALL_GAPS = (1, 2, 30)


def lost_and_found(name: str, long: bool = False) -> Iterator[Figure]:
    start, concurrency, gaps = SHAPES[name]
    gaps = ALL_GAPS if long and start is not ByServeAlone else gaps
    if not gaps:
        yield Figure("R3", f"{name}: Redis away", skipped="in the long proof alone")
        return
    latency = str(int(LATENCY_SECONDS * 1000))
    with demo_endpoint("--persona", "random", "--latency-ms", latency) as address, arena(None, **SHIPPED) as board:
        started = start(board, concurrency)
        try:
            with watched(started.port) as site:
                for seconds in gaps:
                    yield from one_gap(started, site, address, f"{name}, Redis away for {seconds} s", seconds)
            yield Figure("R3", f"{name}: looks at the site without an answer", site.unanswered, 0)
            yield Figure("R3", f"{name}: processes that ended and stayed away", started.ended(), 0)
            asked = list(Run.objects.filter(origin=Origin.MEASURED))
            yield from requests_are_few(address, asked, 0, f"{name}: the worker keeps the run that it has")
        finally:
            started.stop()


def one_gap(started: Start, site: Site, address: str, what: str, seconds: int) -> Iterator[Figure]:
    """A run at work when Redis goes, one that is sent when it is there again, and one after the first has ended: its
    end is one more danger, since the connection that brought it is no more."""
    bank, runs = make_bank(24), []

    def send(name: str) -> Run:
        runs.append(queued(address, bank, f"{name}-{seconds}", concurrency=AT_ONCE))
        started.ring(runs[-1])
        return runs[-1]

    first = send("first")
    with sampled(first) as samples:
        wait_for_results(first, 3)
        went = time.monotonic()
        away_until = started.lose_redis(seconds)
        came = time.monotonic()
        second = send("second")
        wait_for(lambda: status_of(second) != Status.QUEUED, what="the second run is taken up")
        taken = time.monotonic() - came
        wait_for(lambda: site.is_ready, what="the site is ready again")
        ready = time.monotonic() - came
        wait_until_finished(first, seconds=400)
        send("third")
        wait_until_finished(*runs, seconds=400)
    yield Figure("R3", f"{what}: the next run is taken up after", taken, TAKEN_UP_SECONDS, "s")
    yield Figure("R3", f"{what}: /readyz is well again after", ready, HEARD_SECONDS + LAG_SECONDS, "s")
    yield Figure("R3", f"{what}: looks at /readyz that called the board ready", site.said_ready(went, away_until), 0)
    yield from rows_are_whole(runs, samples)
