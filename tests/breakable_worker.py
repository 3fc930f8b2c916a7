"""The board's Celery application for a worker that a test breaks from within: `celery -A tests.breakable_worker`.

Its main loop raises an error that no library knows once the file BREAK_FILE is there.
"""

import os
from pathlib import Path
from typing import Any

from celery import bootsteps

from leaderboard.celery import app

BREAK_FILE = Path(os.environ["BREAK_FILE"])


class Break(bootsteps.StartStopStep):
    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        parent.hub.on_tick.add(break_down)


def break_down() -> None:
    if BREAK_FILE.exists():
        raise RuntimeError("broken by a test")


app.steps["consumer"].add(Break)
