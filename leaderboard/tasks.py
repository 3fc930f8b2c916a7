"""Thin Celery tasks of the site. The broker only rings: what they do is in the modules they call."""

import logging

from celery import shared_task
from django.conf import settings

from leaderboard import drift, schedules, standings
from leaderboard.administration import forgetting, purging
from leaderboard.pages.storing.rankings import refresh_ready
from leaderboard.pages.storing.statistics import keep_ready
from leaderboard.statistics import refreshing as statistics
from leaderboard.submissions import emails, proving

logger = logging.getLogger(__name__)


@shared_task(name="leaderboard.tasks.refresh_standings")
def refresh_standings(run_id: int | None = None) -> None:
    """Compute the standings anew: of the ranking of the run that ended, which can move every rank in it, or all.

    Then what pages keep ready, and the statistics, which rest on them: a task of their own could run first on another
    worker, and find no change.
    """
    standings.refresh_standings(run_id)
    refresh_ready()
    statistics.refresh_statistics(run_id)
    keep_ready()


@shared_task(name="leaderboard.tasks.tell_submitters")
def tell_submitters(run_id: int | None = None) -> None:
    """Tell those who submitted it that a run ended or waits: of that run, or of all that were missed."""
    emails.tell_submitters(run_id)


@shared_task(name=proving.TASK)
def prove_domain(submission_id: int, domain: str) -> None:
    """Look for the token of that submission under that domain."""
    proving.prove(submission_id, domain)


@shared_task(name="leaderboard.tasks.refresh_statistics")
def refresh_statistics(run_id: int | None = None) -> None:
    """Compute the sections of the statistics whose inputs have changed: of the ranking of that run, or all."""
    statistics.refresh_statistics(run_id)
    keep_ready()


@shared_task(name="leaderboard.tasks.open_scheduled_runs")
def open_scheduled_runs() -> None:
    """Open the replicates whose time has come."""
    schedules.open_due()


@shared_task(name="leaderboard.tasks.note_drift")
def note_drift(run_id: int | None = None) -> None:
    """Raise a note where a repeated run departs from the earlier ones: that run, or any that was missed."""
    drift.note_drift(run_id)


@shared_task(name="leaderboard.tasks.purge_administration")
def purge_administration() -> None:
    """Logins, sessions and uploads whose time is over, and what was kept of submitters."""
    deleted = purging.purge_administration(settings.LOGIN_LOG_DAYS)
    erased, counted = forgetting.forget_contacts(settings.CONTACT_DAYS), forgetting.forget_turns()
    logger.info("%s lines of logins deleted, %s submitters and %s counted networks erased", deleted, erased, counted)
