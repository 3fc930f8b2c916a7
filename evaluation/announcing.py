"""Telling the rest of the product, from a command, that results have changed. No broker is needed for it."""

from django.conf import settings
from django.utils.module_loading import import_string


def announce_here(run_id: int | None = None) -> None:
    """Runs the tasks of RUN_FINISHED_TASKS in this process; they compute from the database and may run twice."""
    for name in settings.RUN_FINISHED_TASKS:
        import_string(name)(run_id)
