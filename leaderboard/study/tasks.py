"""Thin Celery tasks of the studies; what they do is in `study.expiry`, `results` and `demo`."""

import logging

from celery import shared_task

from leaderboard.study import demo, expiry, results

logger = logging.getLogger(__name__)


@shared_task(name="leaderboard.study.tasks.expire_reservations")
def expire_reservations() -> None:
    """Free the batches of raters who left."""
    if freed := expiry.expire_reservations():
        logger.info("%s reservations of raters expired", freed)


@shared_task(name="leaderboard.study.tasks.anonymise")
def anonymise() -> None:
    """Make raters unknown whose time is over."""
    if done := expiry.anonymise():
        logger.info("%s raters made unknown", done)


@shared_task(name="leaderboard.study.tasks.refresh_study_results")
def refresh_study_results(study_id: int | None = None) -> None:
    """Compute the results whose counts have changed: of that study, or of all."""
    made = sum(results.refresh_results(study) for study in results.studies(study_id))
    if made:
        logger.info("%s results of studies computed", made)


@shared_task(name="leaderboard.study.tasks.make_demo_study")
def make_demo_study(run_id: int | None = None) -> None:
    """Make the study to try things with, on a board whose demonstration has ended."""
    if demo.make_demo_study(run_id):
        logger.info("the demonstration has a study now")
