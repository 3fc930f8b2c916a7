"""`manage.py serve`: the whole board on one machine: Redis, one worker with its clock, and the web server."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from leaderboard import first_start
from leaderboard.embedded_redis import NoRedis, answers, embedded_redis

DRAIN_SECONDS = 5.0  # all must have stopped 10 s after Ctrl-C
POLL_SECONDS = 0.3


class Stopped(Exception):
    """Ctrl-C or SIGTERM."""


class Command(BaseCommand):
    help = (
        "Fills a fresh board, then starts Redis (unless REDIS_URL names one), one worker with beat, and the web server."
    )

    def add_arguments(self, parser: Any) -> None:
        port = int(os.environ.get("PORT", "8000"))
        parser.add_argument("--port", type=int, default=port, help="default: PORT or 8000")
        parser.add_argument("--concurrency", type=int, default=2, help="runs that the worker drives at once")

    def handle(self, *, port: int, concurrency: int, **options: Any) -> None:
        _check_port(port)
        _check_single()
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        call_command("migrate", verbosity=0)
        first_start.fill()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)
        try:
            self._run(port, concurrency)
        except Stopped:
            self.stdout.write("Stopped.")
        except NoRedis as error:
            raise CommandError(str(error)) from None

    def _run(self, port: int, concurrency: int) -> None:
        with ExitStack() as stack:
            children = {}
            if settings.REDIS_SOCKET:
                children["Redis"] = stack.enter_context(embedded_redis(settings.REDIS_SOCKET, settings.VAR_DIR))
            children["the worker"] = stack.enter_context(child(worker_command(concurrency)))
            children["the web server"] = stack.enter_context(child(web_command(port)))
            if first_start.needs_demo():
                children["the demo endpoint"] = stack.enter_context(child(demo_command(), stdout=subprocess.PIPE))
                first_start.queue_demo(_address(children["the demo endpoint"]))
            self._greet(port)
            stack.enter_context(child(official_bank_command()))
            _watch(children)

    def _greet(self, port: int) -> None:
        self.stdout.write(
            f"EQ Leaderboard: http://127.0.0.1:{port}/\n"
            "An administrator is made by: .venv/bin/python manage.py createsuperuser\n"
            f"{reach()}Ctrl-C stops it."
        )
        self.stdout.flush()


def reach() -> str:
    """What endpoints may be called beside those of the public internet, as a line; empty where nothing is."""
    inner = ", ".join(settings.ENDPOINT_ALLOWED_NETWORKS)
    return f"Endpoints at {inner} may be called too (ENDPOINT_ALLOWED_NETWORKS).\n" if inner else ""


def worker_command(concurrency: int) -> list[str]:
    return [
        *(
            sys.executable,
            "-m",
            "celery",
            "--quiet",
            "-A",
            "leaderboard.celery",
            "worker",
            "--beat",
            "--loglevel",
            "warning",
        ),
        *("--concurrency", str(concurrency), "--schedule", settings.CELERY_BEAT_SCHEDULE_FILENAME),
        *("--without-gossip", "--without-mingle"),
    ]


def web_command(port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "leaderboard.wsgi", "--bind", f"127.0.0.1:{port}"),
        *("--workers", "1", "--threads", "4", "--log-level", "warning"),
    ]


def demo_command() -> list[str]:
    words = ("demo_endpoint", "--bank", first_start.OWN_BANK, "--latency-ms", str(first_start.DEMO_LATENCY_MS))
    return [sys.executable, "manage.py", *words]


def official_bank_command() -> list[str]:
    """Without internet it says in one line how to load the bank from a copy."""
    return [sys.executable, "manage.py", "load_bank", first_start.BENCHMARK]


def _address(demo: "subprocess.Popen[bytes]") -> str:
    """The demo endpoint prints its address as its first line. Raises CommandError when it ends before."""
    line = demo.stdout.readline().decode().strip() if demo.stdout else ""
    if not line:
        raise CommandError("The demo endpoint did not start. See above.")
    return line


@contextmanager
def child(command: list[str], stdout: int | None = None) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of the board, in a session of its own so that Ctrl-C reaches it through us, in our order."""
    environment = {**os.environ, "RUN_DRAIN_SECONDS": str(DRAIN_SECONDS)}
    process = subprocess.Popen(  # noqa: S603
        command, cwd=settings.BASE_DIR, env=environment, start_new_session=True, stdout=stdout
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=DRAIN_SECONDS + 3)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _watch(children: dict[str, "subprocess.Popen[bytes]"]) -> None:
    while True:
        for name, process in children.items():
            if process.poll() is not None:
                raise CommandError(f"{name} ended (status {process.returncode}), so the rest was stopped. See above.")
        time.sleep(POLL_SECONDS)


def _stop(*_: object) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise Stopped


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            raise CommandError(
                f"Port {port} is taken. Choose another: make run PORT={port + 1} or manage.py serve --port {port + 1}"
            ) from None


def _check_single() -> None:
    if settings.REDIS_SOCKET and answers(settings.REDIS_SOCKET):
        raise CommandError("A board already runs from this folder. Stop it first, or set REDIS_URL for a second one.")
