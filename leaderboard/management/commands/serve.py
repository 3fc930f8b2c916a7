"""`manage.py serve`: the whole board on one machine: Redis, one worker with its clock, and the web server."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils.text import capfirst

from evaluation.board_address import announced
from evaluation.command_line import command_line
from evaluation.management.base import BaseCommand
from evaluation.models import Origin, Run
from leaderboard.rounding import counted
from leaderboard.starting import first_start
from leaderboard.starting.children import Children, Process, children, warden
from leaderboard.starting.embedded_redis import NoRedis, answers, embedded_redis, server_binary
from leaderboard.starting.listening import Address, CannotListen, accepts, check_free, checked_address, own_names
from leaderboard.starting.official_bank import try_official_bank
from leaderboard.starting.starter import told_to_stop

LOOPBACK = "127.0.0.1"
HAND_OVER = (
    "Start the board as the user who owns the folder, hand it over with chown -R, or set VAR_DIR to another one."
)
ONE_ALREADY = "A board already runs from this folder. Stop it first, or set REDIS_URL for a second one."
DRAIN_SECONDS = 3.0
STOP_SECONDS = 4.0  # and Redis after that: all must have stopped 10 s after Ctrl-C
START_SECONDS = 60.0
POLL_SECONDS = 0.2
WORKER = "the worker"
# Celery's own warning fills six lines; _greet says it in one.
NO_ROOT_WARNING = ("-W", "ignore::UserWarning:celery.platforms")
DEMO = "the demo endpoint"
_told = threading.Event()


class Stopped(Exception):
    """Ctrl-C, SIGTERM, SIGHUP, or the end of the process that started this one."""


class Command(BaseCommand):
    help = (
        "Fills a fresh board, then starts Redis (unless REDIS_URL names one), one worker with beat, and the web server."
    )

    def add_arguments(self, parser: Any) -> None:
        # Both are checked by us, so that a wrong one gets a sentence.
        parser.add_argument("--port", default=os.environ.get("PORT", "8000"), help="default: PORT or 8000")
        parser.add_argument("--host", default=LOOPBACK, help="0.0.0.0 lets other machines in; default: this one alone")
        parser.add_argument("--concurrency", type=int, default=2, help="runs that the worker drives at once")
        parser.add_argument(
            "--with-starter", action="store_true", help="stop when the process that starts this is told to (for make)"
        )

    def handle(self, *, host: str, port: str, concurrency: int, with_starter: bool, **options: Any) -> None:
        starter = os.getppid() if with_starter else None
        try:
            address = checked_address(host, port)
            check_free(address)
            _check_single()
            _heed_signals()
            _stop_if_told(starter)  # Ctrl-C may have come while Python started
            if settings.REDIS_SOCKET:
                server_binary()  # told before the board is filled, which takes a while
            _make_folder(settings.VAR_DIR)
            with _only_board():
                call_command("migrate", verbosity=0)
                first_start.fill()
                self._run(address, concurrency, starter)
        except Stopped:
            self.stdout.write("Stopped.")
        except (NoRedis, CannotListen) as error:
            raise CommandError(str(error)) from None

    def _run(self, address: Address, concurrency: int, starter: int | None) -> None:
        with ExitStack() as stack:
            guard = stack.enter_context(warden(settings.BASE_DIR))
            board = _with_redis(stack, guard, {"ALLOWED_HOSTS": ",".join(allowed_hosts(address))})
            board.start(WORKER, worker_command(concurrency))
            board.start("the web server", web_command(address))
            if first_start.needs_demo():
                first_start.queue_demo(_start_demo(board))
            _wait_until_up(board, address, starter)
            stack.enter_context(announced(address.url))
            self._greet(address)
            self._tell(try_official_bank())
            self._watch(board, starter)

    def _watch(self, board: Children, starter: int | None) -> None:
        """Until we are told to stop, or one ends all the time. Each other that ends is followed by a new one."""
        while True:
            _stop_if_told(starter)
            if ended := board.ended():
                name, status = ended
                if not board.start_again(name):
                    raise CommandError(f"{name} keeps ending (status {status}), so the rest was stopped.")
                self.stderr.write(f"{capfirst(name)} ended (status {status}), so a new one was started.")
            time.sleep(POLL_SECONDS)

    def _greet(self, address: Address) -> None:
        url = address.url
        self._tell(
            f"EQ Leaderboard: {url}/\n"
            f"Submit a model: {url}/submit/\n"
            f"Administration: {url}/admin/\n"
            f"Make an administrator in another terminal: {command_line('createsuperuser')}\n"
            f"{opened(address)}{reach()}{as_root()}{at_work(url)}Ctrl-C stops it."
        )

    def _tell(self, text: str) -> None:
        if text:
            self.stdout.write(text)
            self.stdout.flush()


def allowed_hosts(address: Address) -> list[str]:
    """The names by which a browser may ask for the board: those that are set, and the machine's own if it is open."""
    return list(dict.fromkeys([*settings.ALLOWED_HOSTS, *own_names(address)]))


def opened(address: Address) -> str:
    """What HOST opens, as lines; empty where only this machine gets in."""
    if address.is_loopback:
        return ""
    return (
        "Every machine that reaches this one can open it, submit models and have endpoints called, under development "
        "settings: use this in a network that you trust.\n"
        f"It answers to these names: {', '.join(allowed_hosts(address))}. For another one set ALLOWED_HOSTS in .env.\n"
    )


def reach() -> str:
    """What endpoints may be called beside those of the public internet, as a line; empty where nothing is."""
    inner = ", ".join(settings.ENDPOINT_ALLOWED_NETWORKS)
    return f"Endpoints at {inner} may be called too (ENDPOINT_ALLOWED_NETWORKS).\n" if inner else ""


def as_root() -> str:
    return "Running as root is fine for a quick try; use a separate user for anything permanent.\n" * (
        os.geteuid() == 0
    )


def at_work(url: str) -> str:
    """Where the demonstrations that are still running can be watched, as a line; empty once they have ended."""
    n = Run.objects.open().filter(origin=Origin.DEMO).count()
    line = (
        f"{counted(n, 'demonstration')} running; their scores appear within a minute or two at "
        f"{url}/rankings/{first_start.OWN_BANK}/?demo=1 (without ?demo=1 they are hidden).\n"
    )
    return line * bool(n)


def worker_command(concurrency: int) -> list[str]:
    return [
        *(sys.executable, *NO_ROOT_WARNING, "-m", "celery", "--quiet", "-A", "leaderboard.celery", "worker", "--beat"),
        *("--loglevel", "warning", "--concurrency", str(concurrency)),
        *("--schedule", settings.CELERY_BEAT_SCHEDULE_FILENAME, "--without-gossip", "--without-mingle"),
    ]


def web_command(address: Address) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "leaderboard.wsgi", "--bind", str(address)),
        *("--workers", "1", "--threads", "4", "--graceful-timeout", str(int(DRAIN_SECONDS)), "--log-level", "warning"),
    ]


def demo_command(port: int) -> list[str]:
    """On any port for 0; its first line says on which."""
    words = ("demo_endpoint", "--bank", first_start.OWN_BANK, "--latency-ms", str(first_start.DEMO_LATENCY_MS))
    return [sys.executable, "manage.py", *words, "--port", str(port)]


def _with_redis(stack: ExitStack, guard: Process, environment: dict[str, str]) -> Children:
    """The board's children, who are stopped before the Redis that they use."""
    own = {"RUN_DRAIN_SECONDS": str(DRAIN_SECONDS), **environment}
    starting = children(settings.BASE_DIR, own, guard, stop_seconds=STOP_SECONDS)
    if not settings.REDIS_SOCKET:
        return stack.enter_context(starting)
    redis = stack.enter_context(embedded_redis(settings.REDIS_SOCKET, settings.VAR_DIR))
    board = stack.enter_context(starting)
    board.watch("Redis", redis.process, redis.start, redis.is_lost)
    return board


def _start_demo(board: Children) -> str:
    """Its address. Where it has to be started a second time it keeps its port, so that the runs find it again."""
    address = _address(board.start(DEMO, demo_command(0), stdout=subprocess.PIPE))
    board.next_time(DEMO, demo_command(urlsplit(address).port or 0), stdout=subprocess.PIPE)
    return address


def _address(demo: Process) -> str:
    """The demo endpoint prints its address as its first line. Raises CommandError when it ends before."""
    line = demo.stdout.readline().decode().strip() if demo.stdout else ""
    if not line:
        raise CommandError("The demo endpoint did not start. See above.")
    return line


def _wait_until_up(board: Children, address: Address, starter: int | None) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not accepts(address):
        _stop_if_told(starter)
        _check_all_run(board)
        if time.monotonic() > deadline:
            raise CommandError(f"The web server did not answer within {START_SECONDS:.0f} s. See above.")
        time.sleep(POLL_SECONDS)


def _check_all_run(board: Children) -> None:
    if ended := board.ended():
        name, status = ended
        raise CommandError(f"{name} ended (status {status}), so the rest was stopped. See above.")


def _heed_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup wants it ignored
        signal.signal(signal.SIGHUP, _stop)
    sys.unraisablehook = _tell_of_the_rest


def _stop(*_: object) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _told.set()
    raise Stopped


def _stop_if_told(starter: int | None) -> None:
    """For signals that raised nothing here: Python drops what is raised while it clears up an object, and of one that
    came while Python started only `make` knows.
    """
    if _told.is_set() or (starter is not None and told_to_stop(starter)):
        raise Stopped


def _tell_of_the_rest(dropped: "sys.UnraisableHookArgs") -> None:
    if dropped.exc_type is not Stopped:
        sys.__unraisablehook__(dropped)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{folder} cannot be made: {error.strerror}. {HAND_OVER}") from None
    blocked = [path for path in (folder, *folder.glob("db.sqlite3*")) if not os.access(path, os.R_OK | os.W_OK)]
    if blocked:
        raise CommandError(f"{blocked[0]} cannot be written by this user. {HAND_OVER}")


def _check_single() -> None:
    if settings.REDIS_SOCKET and answers(settings.REDIS_SOCKET):
        raise CommandError(ONE_ALREADY)


@contextmanager
def _only_board() -> Iterator[None]:
    """Of two starts at once, while no Redis answers yet, one goes on: each would take the other's Redis away.

    The system drops the lock when this process ends, however it ends.
    """
    if not settings.REDIS_SOCKET:
        yield
        return
    with (settings.VAR_DIR / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(ONE_ALREADY) from None
        yield
