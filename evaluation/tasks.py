"""Celery's way in: claim, carry, ring. Messages carry run ids only and may be lost or doubled."""

import logging
from collections.abc import Iterable

from celery import current_app, shared_task
from django.conf import settings
from django.db import transaction

from evaluation import runner
from evaluation.draining import draining
from evaluation.erasing import purge_keys as erase_what_is_due
from evaluation.models import Driver, Run, Status

logger = logging.getLogger(__name__)
MOST_CALLS = 100  # runs called to in one tick: the queue in the broker stays short


@shared_task(name="evaluation.tasks.evaluate_run")
def evaluate_run(run_id: int) -> None:
    """Works on the run for one slice, if nobody else does."""
    lease = None if draining.is_set() else runner.claim(run_id, Driver.WORKER)
    if lease is None:
        return
    run = runner.carry(lease, stop=draining)
    logger.info("run %s is %s after a slice", run_id, run.status)
    if run.status == Status.QUEUED:
        ring(run_id)
    elif not run.is_open:
        announce(run_id)


@shared_task(name="evaluation.tasks.requeue_stalled_runs")
def requeue_stalled_runs() -> None:
    """The reaper: what a dead worker, a lost message or a past wait left behind is called again."""
    Run.objects.fail_stuck(settings.RUN_MAX_IDLE_CLAIMS)
    Run.objects.requeue_expired()
    for run_id in Run.objects.to_ring(again_after_seconds=settings.RUN_RING_AGAIN_SECONDS, most=MOST_CALLS):
        ring(run_id)


@shared_task(name="evaluation.tasks.purge_keys")
def purge_keys() -> None:
    """Keys that nobody needs any more, or not for so long as they have been kept."""
    erased = erase_what_is_due(settings.ENDPOINT_KEY_DAYS)
    logger.info("%s keys erased whose time was over", erased)


def ring(run_id: int) -> None:
    """Calls a worker to the run once the transaction is through. A broker out of reach is logged: the reaper rings."""
    # A lambda, not a partial: Django names the function in its log when it fails, and a partial has no name.
    transaction.on_commit(lambda: send(evaluate_run.name, run_id), robust=True)


def announce(run_id: int) -> None:
    """Tells the tasks that the setting names that a run has ended; a beat task catches what is missed here."""
    transaction.on_commit(lambda: send_all(settings.RUN_FINISHED_TASKS, run_id), robust=True)


def send_all(names: Iterable[str], run_id: int) -> None:
    for name in names:
        send(name, run_id)


def send(name: str, run_id: int) -> None:
    current_app.send_task(name, args=(run_id,), retry=False)
