"""Telling the rest of the product, from a command, that results have changed. No broker is needed for it."""

import gc
from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from evaluation.models import Run, Status
from evaluation.runs import pulses

MISSED_TICKS = 4  # so many in a row, a minute by default, say that no worker has a free process


def announce_here(run_id: int | None = None) -> None:
    """Runs the tasks of RUN_FINISHED_TASKS in this process; they compute from the database and may run twice."""
    for name in settings.RUN_FINISHED_TASKS:
        import_string(name)(run_id)


def leave_to_workers(run: Run) -> None:
    """What a command does about a run that has ended: nothing, where a worker lives that will announce it.

    The run stays unannounced in the database, and the next tick of a reaper announces it. Where none ticked lately, the
    standings of its ranking are computed here, and pages show the run at once; the other tasks wait for a worker.
    """
    counts = run.status == Status.FINISHED and run.published and run.limit is None
    if counts and not reaper_ticks():
        gc.collect()  # what the run has left is taken first: the peak of the command's memory is here
        # Only named in the settings, as its tasks are. It loads numpy, which a board with workers need not wait for.
        import_string(settings.RUN_STANDINGS)(run.pk)


def reaper_ticks() -> bool:
    """Whether a worker took up a tick of the clock lately, so that it has a free process for what is sent to it."""
    beat = pulses.beats().get(pulses.REAPER)
    lately = timedelta(seconds=MISSED_TICKS * settings.RUN_REAPER_SECONDS)
    return beat is not None and abs(timezone.now() - beat.at) < lately  # far ahead is a clock that was set back
