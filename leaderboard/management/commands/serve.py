"""`manage.py serve`: the whole board on one machine: Redis, one worker with its clock, and the web server."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.command_line import command_line
from evaluation.models import Origin, Run
from leaderboard.rounding import counted
from leaderboard.starting import first_start
from leaderboard.starting.children import Children, Process, children, warden
from leaderboard.starting.embedded_redis import NoRedis, answers, embedded_redis, server_binary
from leaderboard.starting.migrating import apply_migrations
from leaderboard.starting.official_bank import try_official_bank
from leaderboard.starting.starter import told_to_stop

DRAIN_SECONDS = 3.0
STOP_SECONDS = 4.0  # and Redis after that: all must have stopped 10 s after Ctrl-C
START_SECONDS = 60.0
POLL_SECONDS = 0.2
WORKER = "the worker"
DEAF_STATUS = 75  # of watchdog.py, which loads Celery
# Celery's own warning fills six lines; _greet says it in one.
NO_ROOT_WARNING = ("-W", "ignore::UserWarning:celery.platforms")


class Stopped(Exception):
    """Ctrl-C, SIGTERM, SIGHUP, or the end of the process that started this one."""


class Command(BaseCommand):
    help = (
        "Fills a fresh board, then starts Redis (unless REDIS_URL names one), one worker with beat, and the web server."
    )

    def add_arguments(self, parser: Any) -> None:
        port = int(os.environ.get("PORT", "8000"))
        parser.add_argument("--port", type=int, default=port, help="default: PORT or 8000")
        parser.add_argument("--concurrency", type=int, default=2, help="runs that the worker drives at once")
        parser.add_argument(
            "--with-starter", action="store_true", help="stop when the process that starts this is told to (for make)"
        )

    def handle(self, *, port: int, concurrency: int, with_starter: bool, **options: Any) -> None:
        starter = os.getppid() if with_starter else None
        _check_port(port)
        _check_single()
        _heed_signals()
        try:
            if settings.REDIS_SOCKET:
                server_binary()  # told before the board is filled, which takes a while
            settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
            apply_migrations()
            first_start.fill()
            self._run(port, concurrency, starter)
        except Stopped:
            self.stdout.write("Stopped.")
        except NoRedis as error:
            raise CommandError(str(error)) from None

    def _run(self, port: int, concurrency: int, starter: int | None) -> None:
        with ExitStack() as stack:
            board = _with_redis(stack, stack.enter_context(warden(settings.BASE_DIR)))
            board.start(WORKER, worker_command(concurrency))
            board.start("the web server", web_command(port))
            if first_start.needs_demo():
                demo = board.start("the demo endpoint", demo_command(), stdout=subprocess.PIPE)
                first_start.queue_demo(_address(demo))
            _wait_until_up(board, port)
            self._greet(port)
            self._tell(try_official_bank())
            _watch(board, starter, worker_command(concurrency))

    def _greet(self, port: int) -> None:
        self._tell(
            f"EQ Leaderboard: http://127.0.0.1:{port}/\n"
            f"Submit a model: http://127.0.0.1:{port}/submit/\n"
            f"Administration: http://127.0.0.1:{port}/admin/\n"
            f"An administrator is made on another terminal by: {command_line('createsuperuser')}\n"
            f"{reach()}{as_root()}{at_work()}Ctrl-C stops it."
        )

    def _tell(self, text: str) -> None:
        if text:
            self.stdout.write(text)
            self.stdout.flush()


def reach() -> str:
    """What endpoints may be called beside those of the public internet, as a line; empty where nothing is."""
    inner = ", ".join(settings.ENDPOINT_ALLOWED_NETWORKS)
    return f"Endpoints at {inner} may be called too (ENDPOINT_ALLOWED_NETWORKS).\n" if inner else ""


def as_root() -> str:
    return "It runs as root, which is for a try alone: a board to stay has a user of its own.\n" * (os.geteuid() == 0)


def at_work() -> str:
    """That the board still fills, as a line; empty once the demonstrations have ended."""
    n = Run.objects.open().filter(origin=Origin.DEMO).count()
    return f"{counted(n, 'demonstration')} under way: the pages of EQ Open v1 fill within a minute or two.\n" * bool(n)


def worker_command(concurrency: int) -> list[str]:
    return [
        *(sys.executable, *NO_ROOT_WARNING, "-m", "celery", "--quiet", "-A", "leaderboard.celery", "worker", "--beat"),
        *("--loglevel", "warning", "--concurrency", str(concurrency)),
        *("--schedule", settings.CELERY_BEAT_SCHEDULE_FILENAME, "--without-gossip", "--without-mingle"),
    ]


def web_command(port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "leaderboard.wsgi", "--bind", f"127.0.0.1:{port}"),
        *("--workers", "1", "--threads", "4", "--graceful-timeout", str(int(DRAIN_SECONDS)), "--log-level", "warning"),
        *("--logger-class", "leaderboard.operations.web_lines.WebLines"),
    ]


def demo_command() -> list[str]:
    words = ("demo_endpoint", "--bank", first_start.OWN_BANK, "--latency-ms", str(first_start.DEMO_LATENCY_MS))
    return [sys.executable, "manage.py", *words]


def _with_redis(stack: ExitStack, guard: Process) -> Children:
    """The board's children, who are stopped before the Redis that they use."""
    environment = {"RUN_DRAIN_SECONDS": str(DRAIN_SECONDS)}
    starting = children(settings.BASE_DIR, environment, guard, stop_seconds=STOP_SECONDS)
    if not settings.REDIS_SOCKET:
        return stack.enter_context(starting)
    redis = stack.enter_context(embedded_redis(settings.REDIS_SOCKET, settings.VAR_DIR))
    board = stack.enter_context(starting)
    board.watch("Redis", redis)
    return board


def _address(demo: Process) -> str:
    """The demo endpoint prints its address as its first line. Raises CommandError when it ends before."""
    line = demo.stdout.readline().decode().strip() if demo.stdout else ""
    if not line:
        raise CommandError("The demo endpoint did not start. See above.")
    return line


def _wait_until_up(board: Children, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _accepts(port):
        _check_all_run(board)
        if time.monotonic() > deadline:
            raise CommandError(f"The web server did not answer within {START_SECONDS:.0f} s. See above.")
        time.sleep(POLL_SECONDS)


def _accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _watch(board: Children, starter: int | None, worker: list[str]) -> None:
    """Until one ends or we are told to stop. A worker that ended because it was deaf is followed by a new one."""
    while starter is None or not told_to_stop(starter):
        if board.ended() == (WORKER, DEAF_STATUS):
            board.start(WORKER, worker)
        _check_all_run(board)
        time.sleep(POLL_SECONDS)
    raise Stopped


def _check_all_run(board: Children) -> None:
    if ended := board.ended():
        name, status = ended
        raise CommandError(f"{name} ended (status {status}), so the rest was stopped. See above.")


def _heed_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup wants it ignored
        signal.signal(signal.SIGHUP, _stop)


def _stop(*_: object) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise Stopped


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            raise CommandError(
                f"Port {port} is taken. Choose another: make run PORT={port + 1}, or "
                f"{command_line('serve', '--port', port + 1)}"
            ) from None


def _check_single() -> None:
    if settings.REDIS_SOCKET and answers(settings.REDIS_SOCKET):
        raise CommandError("A board already runs from this folder. Stop it first, or set REDIS_URL for a second one.")
