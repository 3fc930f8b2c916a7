"""Celery's way in: claim, carry, ring. Messages carry run ids only and may be lost or doubled."""

import logging
from collections.abc import Callable
from datetime import datetime

from celery import current_app, shared_task
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from evaluation.keys.erasing import purge_keys as erase_what_is_due
from evaluation.models import Driver, Run
from evaluation.runs import pulses, runner
from evaluation.runs.draining import draining
from evaluation.runs.judging import open_judge_runs as open_what_is_missing
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.recording import Lease
from evaluation.runs.retention import purge_replies as erase_old_replies

logger = logging.getLogger(__name__)
MOST_CALLS = 20  # workers called in one tick: the queue in the broker stays short


@shared_task(name="evaluation.tasks.evaluate_run")
def evaluate_run(run_id: int) -> None:
    """Works for one slice on the run whose turn it is, which need not be the one that rang."""
    lease = None if draining.is_set() else runner.claim_next()
    if lease is None:
        return
    try:
        _carry(lease, run_id)
    finally:
        ring_next()  # whatever became of this run, there is a place for another


def _carry(lease: Lease, rang: int) -> None:
    try:
        run = runner.carry(lease, stop=draining)
    except Run.DoesNotExist:
        logger.warning("run %s was deleted while it was at work", lease.run_id, extra={"run_id": lease.run_id})
        return
    logger.info("run %s is %s after a slice; run %s rang", run.pk, run.status, rang, extra={"run_id": run.pk})
    if run.unannounced_since:
        announce(run.pk, run.unannounced_since)


@shared_task(name="evaluation.tasks.requeue_stalled_runs")
def requeue_stalled_runs() -> None:
    """A tick of the clock that a worker took up. Workers reap by themselves too, for when none has a free process."""
    pulses.note(pulses.REAPER)
    reap()


def reap() -> None:
    """The reaper: what a dead worker, a lost message or a past wait left behind is called again."""
    Run.objects.fail_stuck(settings.RUN_MAX_IDLE_CLAIMS, seal=sealed_columns)
    pulses.note(pulses.LEASE_EXPIRED, Run.objects.requeue_expired())
    seconds, shares = settings.RUN_RING_AGAIN_SECONDS, runner.shares_from_settings()
    # A broker that accepts and never answers holds each call up for seconds, so the first that fails ends the tick.
    try:
        for run_id in Run.objects.to_ring(again_after_seconds=seconds, most=MOST_CALLS, shares=shares):
            send(evaluate_run.name, run_id)
        for run_id, since in Run.objects.unannounced(MOST_CALLS):
            _announce(run_id, since)
    except OperationalError as error:
        logger.warning("the broker cannot be reached, so no worker is called in this tick: %s", error)


@shared_task(name="evaluation.tasks.purge_keys")
def purge_keys() -> None:
    """Keys that nobody needs any more, or not for so long as they have been kept."""
    erased = erase_what_is_due(settings.ENDPOINT_KEY_DAYS)
    logger.info("%s keys erased whose time was over", erased)


@shared_task(name="evaluation.tasks.purge_replies")
def purge_replies() -> None:
    """Reply texts of runs that are not listed, where the setting says that they are not kept for ever."""
    erased = erase_old_replies(settings.REPLY_DAYS)
    logger.info("%s replies erased whose time was over", erased)


@shared_task(name="evaluation.tasks.open_judge_runs")
def open_judge_runs(run_id: int | None = None) -> None:
    """The runs of judges on the replies of that run, or of all runs that were missed; a worker is called to each."""
    for opened in open_what_is_missing(run_id):
        logger.info("run %s of a judge is open", opened, extra={"run_id": opened})
        ring(opened)


def ring(run_id: int) -> None:
    """Calls a worker to the run once the transaction is through. A broker out of reach is logged: the reaper rings."""
    after_commit(lambda: send(evaluate_run.name, run_id))


def ring_next() -> None:
    """Calls a worker to the run whose turn it is, now that a slot, a host and an owner have one place more."""
    run_id = Run.objects.startable(runner.shares_from_settings()).filter(driver=Driver.WORKER).next_in_turn()
    if run_id is not None:
        ring(run_id)


def announce(run_id: int, since: datetime) -> None:
    """Calls the tasks that the setting names, once the transaction is through: a run has ended, at `since`.

    What fails here is logged, and the next tick of the reaper calls them. They may run twice for one run.
    """
    after_commit(lambda: _announce(run_id, since))


def _announce(run_id: int, since: datetime) -> None:
    """The note comes last: a process that is killed before it has the run announced once more, never not at all."""
    for name in settings.RUN_FINISHED_TASKS:
        send(name, run_id)
    Run.objects.announced(run_id, since)


def after_commit(call: Callable[[], object]) -> None:
    """Makes a call through the broker once the transaction is through. What fails is logged and harms nobody."""
    # A lambda, not a partial: Django names the function in its log when it fails, and a partial has no name.
    transaction.on_commit(lambda: _try(call), robust=True)


def _try(call: Callable[[], object]) -> None:
    """One line for a broker that is away: Django's own fills a hundred, which says no more."""
    try:
        call()
    except OperationalError as error:
        logger.warning("the broker cannot be reached, so no worker is called now; the clock calls later: %s", error)


def send(name: str, run_id: int) -> None:
    current_app.send_task(name, args=(run_id,), retry=False)
