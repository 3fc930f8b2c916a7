"""`manage.py evaluate`: one EQ-Bench run on one endpoint, driven in this process."""

import argparse
import json
import os
import signal
import threading
from dataclasses import fields
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError

from evaluation import runner
from evaluation.announcing import announce_here
from evaluation.benchmarks import BENCHMARKS
from evaluation.models import Driver, ItemResult, ItemState, Run, Status
from evaluation.opening import OpenRunDiffers, RunRequest, open_run, set_pace
from evaluation.progress import Progress
from evaluation.wanted import Refused, Wanted, checked_pace, whole_run

EXIT_CODES = {
    Status.FINISHED: 0, Status.FAILED: 1, Status.CANCELLED: 1, Status.WAITING: 3, Status.RUNNING: 4, Status.QUEUED: 130,
}  # fmt: skip


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


class Command(BaseCommand):
    help = (
        "Asks an OpenAI-compatible endpoint the items of a bank and scores its replies. A whole run is listed at once: "
        "it stands in the ranking as soon as it ends, unless --unlisted is given. Ctrl-C stops in good order; the same "
        "command again goes on with the rest. Exit status: 0 finished, 1 failed, 3 waiting, 4 taken over by another "
        "process, 130 stopped."
    )

    requires_system_checks = []  # they load the whole site, which this command does not need

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--model", help="name of the model on the board, as on Hugging Face or in the API")
        parser.add_argument(
            "--new-model", action="store_true", help="--model is another model than the known one that it looks like"
        )
        parser.add_argument("--base-url", help="address of the endpoint, for example http://127.0.0.1:8080/v1")
        parser.add_argument("--api-model", help="the model's name at the endpoint (default: --model)")
        parser.add_argument("--benchmark", default="eq-bench-v2", choices=sorted(BENCHMARKS))
        parser.add_argument("--bank", help="slug of the item bank (default: the benchmark's own)")
        parser.add_argument("--api-key-env", metavar="VAR", help="variable that holds the key; it is never stored")
        parser.add_argument("--limit", type=positive, help="ask the first N items only; such a run never ranks")
        parser.add_argument("--repeats", type=positive, default=1, help="passes over the items (default 1)")
        parser.add_argument("--concurrency", type=positive, help="requests in flight at most (default 8)")
        parser.add_argument("--max-tokens", type=positive, help="limit of a reply (default: the benchmark's)")
        parser.add_argument("--timeout", type=float, metavar="SECONDS", help="deadline of one request")
        parser.add_argument("--revision", action="store_true", help="ask for a critique and revised scores as well")
        parser.add_argument("--system-prompt", default="", help="sent before each item; recorded with the run")
        parser.add_argument(
            "--unlisted", action="store_true", help="keep the run off the board until staff publish it in the admin"
        )
        parser.add_argument(
            "--run",
            type=int,
            metavar="ID",
            help="go on with this run, also after it failed; it asks what it asked, and of the other options only "
            "--api-key-env, --concurrency, --timeout, --unlisted and --json count",
        )
        parser.add_argument("--cancel", type=int, metavar="ID", help="cancel this open run and stop")
        parser.add_argument("--json", action="store_true", help="print one JSON object at the end")

    def handle(self, **options: Any) -> None:
        if options["cancel"]:
            return self._cancel(options["cancel"])
        key = _api_key(options["api_key_env"])
        run = self._run(options)
        lease = runner.claim(run.pk, Driver.COMMAND)
        if lease is None:
            raise CommandError(_not_claimable(run))
        done = ItemResult.objects.filter(run=run).count()
        progress = Progress(total=run.n_items * run.repeats, done=done, out=self.stderr)  # type: ignore[arg-type]
        stop = _stop_on_signals()
        run = runner.carry(lease, stop=stop, api_key=key, limits=whole_run(), on_outcome=progress.note)
        if not run.is_open:
            announce_here(run.pk)
        words = _in_words(run, _go_on(run, options["api_key_env"]))
        self.stdout.write(json.dumps(_as_json(run)) if options["json"] else words)
        raise SystemExit(EXIT_CODES[Status(run.status)])

    def _cancel(self, run_id: int) -> None:
        if not Run.objects.cancel(run_id):
            raise CommandError(f"Run {run_id} is not open, so there is nothing to cancel.")
        self.stdout.write(f"Run {run_id} is cancelled; its replies are kept.")

    def _run(self, options: dict[str, Any]) -> Run:
        if options["run"]:
            return _gone_on_with(options)
        try:
            run, new = open_run(_request(options))
        except OpenRunDiffers as error:
            raise CommandError(str(error)) from None
        word = "Run" if new else "Going on with run"
        listed = "listed when it ends" if _is_listed(run) else "not listed"
        self.stderr.write(f"{word} {run.pk}: {run.n_items} items × {run.repeats} of {run.benchmark}, {listed}")
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
        raise CommandError(f"Give {' and '.join(missing)}, or --run ID to go on with a run.")
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
        Run.objects.filter(pk=run.pk).update(published=False)
    return run


def _open_again(run_id: int) -> Run:
    run = Run.objects.filter(pk=run_id, driver=Driver.COMMAND).first()
    if run is None:
        raise CommandError(f"There is no run {run_id} that this command drives.")
    if run.status == Status.FAILED:
        _resume(run)
    elif not run.is_open:
        raise CommandError(f"Run {run_id} is {run.status}; there is nothing to go on with.")
    return run


def _resume(run: Run) -> None:
    try:
        resumed = Run.objects.resume(run.pk)
    except IntegrityError:
        other = Run.objects.open().get(endpoint=run.endpoint_id, bank=run.bank_id, benchmark=run.benchmark)
        raise CommandError(
            f"Run {other.pk} of the same endpoint and bank is open, and one may be at a time. Go on with that one "
            f"(manage.py evaluate --run {other.pk}), or cancel it first: manage.py evaluate --cancel {other.pk}"
        ) from None
    if not resumed:
        raise CommandError(f"Run {run.pk} cannot go on: its endpoint was deleted. Start a new run.")


def _not_claimable(run: Run) -> str:
    run.refresh_from_db()
    if run.status == Status.WAITING:
        return f"Run {run.pk} waits until {run.not_before:%H:%M:%S} UTC: {run.failure_message} Start it again then."
    return (
        f"Run {run.pk} is being worked on by another process. If that one is dead, its lease ends within "
        f"{settings.RUN_LEASE_SECONDS:.0f} s; start again then."
    )


def _stop_on_signals() -> threading.Event:
    """The first Ctrl-C or SIGTERM asks for a good end; a second Ctrl-C breaks off at once."""
    stop = threading.Event()

    def ask(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, ask)
    signal.signal(signal.SIGTERM, ask)
    return stop


def _as_json(run: Run) -> dict[str, Any]:
    return {
        "run": run.pk,
        "status": run.status,
        "score": run.score,
        "strict_score": run.strict_score,
        "standard_error": run.standard_error,
        "n_items": run.n_items,
        "n_scored": run.n_scored,
        "n_strict": run.n_strict,
        "requests": run.requests,
        "wall_seconds": round(run.wall_seconds, 3),
        "model": run.model.name,
        "benchmark": run.benchmark,
        "repeats": run.repeats,
        "partial": run.limit is not None,
        "listed": _is_listed(run),
        "results": run.results.count(),
        "faults": run.fault_counts,
        "unread_items": [
            {"item": item, "repeat": repeat, "reason": reason}
            for item, repeat, reason in run.results.exclude(state=ItemState.READ)
            .order_by("item__number", "repeat")
            .values_list("item__item_id", "repeat", "reason")
        ],
        "reason": run.failure_message or None,
        "not_before": run.not_before and run.not_before.isoformat(),
    }


def _in_words(run: Run, go_on: str) -> str:
    if run.status == Status.FINISHED:
        return _score_in_words(run)
    if run.status == Status.QUEUED:
        return f"Stopped. Nothing that is stored is asked again.\n{go_on}"
    if run.status == Status.RUNNING:
        return f"Run {run.pk} was taken over by another process, which goes on with it. This one has stopped."
    if run.status == Status.CANCELLED:
        return f"Run {run.pk} was cancelled. Its replies are kept."
    if run.status == Status.WAITING:
        return f"Run {run.pk} waits until {run.not_before:%H:%M:%S} UTC. {run.failure_message}\n{go_on}"
    return f"Run {run.pk} {run.status} ({run.failure_kind}): {run.failure_message}\n{go_on}"


def _go_on(run: Run, key_variable: str | None) -> str:
    """The command that goes on. The key is stored nowhere, so its variable is named again."""
    key = f" --api-key-env {key_variable}" if key_variable else ""
    return f"Everything is kept. Go on with\n  manage.py evaluate --run {run.pk}{key}"


def _is_listed(run: Run) -> bool:
    return run.published and run.limit is None


def _score_in_words(run: Run) -> str:
    error = f" ± {1.959964 * run.standard_error:.2f}" if run.standard_error is not None else ""
    strict = "none" if run.strict_score is None else f"{run.strict_score:.2f}"
    listed = " and listed" if run.published else " and not listed"
    ending = " (partial: never ranks)" if run.limit is not None else listed
    return (
        f"Run {run.pk} finished{ending}: score {run.score:.2f}{error} over {run.n_scored} of {run.n_items} items; "
        f"strict {strict} over {run.n_strict}. {run.requests} requests, {run.wall_seconds:.1f} s."
    )
