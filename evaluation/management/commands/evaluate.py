"""`manage.py evaluate`: one EQ-Bench run on one endpoint, driven in this process."""

import argparse
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from django.core.management.base import CommandError
from django.db import IntegrityError, transaction

from evaluation.benchmarks import BENCHMARKS, switch_names
from evaluation.command_line import command_line
from evaluation.management.base import BaseCommand
from evaluation.models import Driver, Run, Status
from evaluation.runs import runner
from evaluation.runs.announcing import leave_to_workers
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.opening import RunRequest, open_run, set_pace
from evaluation.runs.private_runs import CannotOpen, check_room
from evaluation.runs.progress import Progress
from evaluation.runs.recording import Lease
from evaluation.runs.report import as_json, greeting, in_words, is_held_elsewhere, left_to_ask
from evaluation.runs.summaries import items_behind
from evaluation.runs.wanted import Refused, Wanted, checked_pace, whole_run

HELD_ELSEWHERE = 4
EXIT_CODES = {
    Status.FINISHED: 0, Status.FAILED: 1, Status.CANCELLED: 1, Status.WAITING: 3, Status.RUNNING: HELD_ELSEWHERE,
    Status.QUEUED: 130,
}  # fmt: skip


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


class Command(BaseCommand):
    help = (
        "Send the items of a bank to an OpenAI-compatible endpoint and score the replies. A complete run appears "
        "in the ranking as soon as it ends, unless you give --unlisted. Ctrl-C stops cleanly; run the same "
        "command again to continue. Exit status: 0 finished, 1 failed, 3 waiting for its endpoint, 4 held by "
        "another process, 130 stopped."
    )

    new = False  # whether this call has made the run
    requires_system_checks = []  # they load the whole site, which this command does not need

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--model", help="name of the model on the board, as on Hugging Face or in the API")
        parser.add_argument(
            "--new-model",
            action="store_true",
            help="--model is a different model from the known one with a similar name",
        )
        parser.add_argument(
            "--configuration",
            default="",
            help="configuration of the model, for example Q4_K_M or thinking-off; it gets its own row",
        )
        parser.add_argument("--base-url", help="address of the endpoint, for example http://127.0.0.1:8080/v1")
        parser.add_argument("--api-model", help="the model's name at the endpoint (default: --model)")
        parser.add_argument("--benchmark", default="eq-bench-v2", choices=sorted(BENCHMARKS))
        parser.add_argument("--bank", help="slug of the item bank (default: the benchmark's own)")
        parser.add_argument(
            "--api-key-env", metavar="VAR", help="environment variable with the API key; it is never stored"
        )
        self._add_how_to_ask(parser)
        self._add_what_becomes_of_it(parser)

    def _add_how_to_ask(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--limit", type=positive, help="ask only the first N items; such a run is never ranked")
        parser.add_argument("--repeats", type=positive, default=1, help="how often to ask every item (default 1)")
        parser.add_argument("--concurrency", type=positive, help="maximum parallel requests (default 8)")
        parser.add_argument("--max-tokens", type=positive, help="maximum tokens per reply (default: the benchmark's)")
        parser.add_argument("--timeout", type=float, metavar="SECONDS", help="time-out of one request in seconds")
        for name, words in switch_names().items():
            parser.add_argument(
                f"--{name.replace('_', '-')}", action="append_const", dest="switched", const=name, help=words
            )
        parser.add_argument("--variant", help="one of the benchmark's variants (default: its first)")
        parser.add_argument("--system-prompt", default="", help="system prompt for each item; stored with the run")

    def _add_what_becomes_of_it(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--unlisted", action="store_true", help="keep the run off the board until staff publish it in the admin"
        )
        parser.add_argument(
            "--judging", action="store_true", help="let the LLM judges of this board read the replies and rate them"
        )
        parser.add_argument(
            "--run",
            type=int,
            metavar="ID",
            help="continue this run, also after it failed, with its own settings; only --api-key-env, "
            "--concurrency, --timeout, --unlisted, --now and --json may be given with it",
        )
        parser.add_argument(
            "--now",
            action=argparse.BooleanOptionalAction,
            default=True,
            help="retry a waiting run at once (default); --no-now, for schedulers, lets it wait",
        )
        parser.add_argument("--cancel", type=int, metavar="ID", help="cancel this open run and stop")
        parser.add_argument("--json", action="store_true", help="print one JSON object at the end")

    def handle(self, **options: Any) -> None:
        with _stop_on_signals() as stop:
            if options["cancel"]:
                return self._cancel(options["cancel"])
            key = _api_key(options["api_key_env"])
            run = self._run(options)
            lease = runner.claim_by_hand(run.pk, now=options["now"]) if run.is_open else None
            if lease is None:
                run.refresh_from_db()
            else:
                run = self._carried(run, lease, stop, key)
        taken = lease is not None
        words = in_words(run, key_variable=options["api_key_env"], taken=taken)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(run)))
        (self.stderr if options["json"] else self.stdout).write(words)
        raise SystemExit(HELD_ELSEWHERE if is_held_elsewhere(run, taken=taken) else EXIT_CODES[Status(run.status)])

    def _cancel(self, run_id: int) -> None:
        if not Run.objects.cancel(run_id, seal=sealed_columns):
            raise CommandError(f"Run {run_id} is not open, so there is nothing to cancel.")
        self.stdout.write(f"Run {run_id} is cancelled; its replies are kept.")

    def _run(self, options: dict[str, Any]) -> Run:
        """The run to go on with, open; or, as --run named it, one that has failed and has nothing left to ask."""
        if options["run"]:
            return _gone_on_with(options)
        try:
            run, new = open_run(_request(options))
        except CannotOpen as error:
            raise CommandError(str(error)) from None
        self.new = new
        return run

    def _carried(self, run: Run, lease: Lease, stop: threading.Event, key: str) -> Run:
        try:
            progress = Progress(total=run.n_asks, out=self.terminal, benchmark=BENCHMARKS[run.benchmark])
            progress.begin_from(run.results.order_by().values_list("item_id", "state", "score"))
            self.stderr.write(greeting(run, new=self.new, stored=progress.done))
            run = runner.carry(lease, stop=stop, api_key=key, limits=whole_run(), on_outcome=progress.note)
        except KeyboardInterrupt:  # the second Ctrl-C: what was in flight is lost, the lease is not
            Run.objects.release(lease.run_id, lease.token, idle_claims=0)
            raise
        progress.end(
            run.score, run.standard_error, items_behind(run.benchmark, run.figures, run.n_scored), over=not run.is_open
        )
        leave_to_workers(run)
        return run


def _api_key(variable: str | None) -> str:
    if variable is None:
        return ""
    if variable not in os.environ:
        raise CommandError(f"The variable {variable} is not set. Set it to the key, or leave --api-key-env out.")
    return os.environ[variable]


def _request(options: dict[str, Any]) -> RunRequest:
    missing = [f"--{name.replace('_', '-')}" for name in ("model", "base_url") if not options[name]]
    if missing:
        raise CommandError(f"Give {' and '.join(missing)}, or --run ID to continue a run.")
    names = {field.name for field in fields(Wanted)} & options.keys()
    given = {name: options[name] for name in names if options[name] is not None}
    try:
        return Wanted(timeout_seconds=options["timeout"], published=not options["unlisted"], **given).request()
    except Refused as error:
        raise _refused(error) from None


def _refused(error: Refused) -> CommandError:
    option = f"--{error.option.replace('_', '-').removesuffix('-seconds')}: " if error.option else ""
    return CommandError(f"{option}{error.sentence}")


def _gone_on_with(options: dict[str, Any]) -> Run:
    """The run that --run names, open again, at the pace that is wished now."""
    try:
        pace = checked_pace(concurrency=options["concurrency"], timeout_seconds=options["timeout"])
    except Refused as error:
        raise _refused(error) from None
    run = _open_again(options["run"])
    set_pace(run, pace)
    if options["unlisted"]:
        Run.objects.filter(pk=run.pk).set_published(public=False)
    return run


def _open_again(run_id: int) -> Run:
    run = Run.objects.select_related("bank", "model").filter(pk=run_id, driver=Driver.COMMAND).first()
    if run is None:
        raise CommandError(f"There is no run {run_id} that this command drives.")
    if run.status == Status.FAILED:
        _resume(run)
    elif not run.is_open:
        raise CommandError(f"Run {run_id} is {run.status}; there is nothing to go on with.")
    return run


def _resume(run: Run) -> None:
    """Opens a failed run, unless it would only end again as it did."""
    if run.endpoint_id is None:
        raise CommandError(f"Run {run.pk} cannot continue: its endpoint was deleted. Start a new run.")
    try:
        if left_to_ask(run):
            with transaction.atomic():
                check_room(run.bank, run.model, run.endpoint, limit=run.limit)
                Run.objects.resume(run.pk)
    except CannotOpen as error:
        raise CommandError(str(error)) from None
    except IntegrityError:
        other = Run.objects.open().get(endpoint=run.endpoint_id, bank=run.bank_id, benchmark=run.benchmark)
        raise CommandError(
            f"Run {other.pk} of the same endpoint and bank is open, and only one may be open at a time. Continue "
            f"it ({command_line('evaluate', '--run', other.pk)}), or cancel it first: "
            f"{command_line('evaluate', '--cancel', other.pk)}"
        ) from None
    run.refresh_from_db()


@contextmanager
def _stop_on_signals() -> Iterator[threading.Event]:
    """The first Ctrl-C, SIGTERM or end of the terminal asks for a good end; a second Ctrl-C breaks off at once."""
    stop = threading.Event()

    def ask(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    deaf = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN  # as behind nohup
    stopping = (signal.SIGINT, signal.SIGTERM, *(() if deaf else (signal.SIGHUP,)))
    before = {number: signal.signal(number, ask) for number in stopping}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
