"""Calling a worker from a web process: once the transaction is through, and without harm where the broker is down.

The database is the truth: a call that is lost is made again by the clock.
"""

from evaluation.tasks import after_commit, evaluate_run
from leaderboard.celery import app

REFRESH = "leaderboard.tasks.refresh_standings"


def call(task: str, *args: int | str | None) -> None:
    """Sends the task, mostly for a run, or None for all. A failure to send is logged, and the page goes on."""
    after_commit(lambda: app.send_task(task, args=args, retry=False))


def call_refresh(run_id: int | None = None) -> None:
    """Calls a worker to what rests on results and facts and is not computed in a request: what pages keep ready, and
    the statistics. Where none hears it, the clock calls within five minutes."""
    call(REFRESH, run_id)


def ring(run_id: int) -> None:
    """Calls a worker to a queued run."""
    call(evaluate_run.name, run_id)
