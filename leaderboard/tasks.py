"""Thin Celery tasks of the site. The broker only rings: what they do is in the modules they call."""

from celery import shared_task

from leaderboard import emails, standings


@shared_task(name="leaderboard.tasks.refresh_standings")
def refresh_standings(run_id: int | None = None) -> None:
    """Compute the standings anew: of the ranking of the run that ended, which can move every rank in it, or all."""
    standings.refresh_standings(run_id)


@shared_task(name="leaderboard.tasks.tell_submitters")
def tell_submitters(run_id: int | None = None) -> None:
    """Tell those who submitted it that a run ended or waits: of that run, or of all that were missed."""
    emails.tell_submitters(run_id)
