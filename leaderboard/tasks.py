"""Thin Celery tasks of the site. The broker only rings: what they do is in the modules they call."""

from celery import shared_task

from leaderboard import standings


@shared_task(name="leaderboard.tasks.refresh_standings")
def refresh_standings(run_id: int | None = None) -> None:
    """Compute all standings anew. `run_id` says whose end rang the bell; one run can move every rank, so all move."""
    standings.refresh_standings()
