"""The reaper within each worker's main process, so that it runs though every process of the pool is within a slice.

As a task alone it waits for a free process, which at worst is a whole slice away; so long a run of a dead worker would
be called running. It also starts an embedded clock anew that was killed: the worker itself never looks after it.
"""

import logging
from typing import Any

from celery import bootsteps
from celery.beat import EmbeddedService
from django.conf import settings
from django.db import DatabaseError, connections

from evaluation.database_faults import reason
from evaluation.tasks import reap

logger = logging.getLogger(__name__)


class Reaper(bootsteps.StartStopStep):
    """A timer of the loop that also starts new processes of the pool: none is forked in the middle of a tick."""

    requires = ("celery.worker.components:Timer", "celery.worker.components:Pool")

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.timer: Any = None
        self.clock: Any = None

    def start(self, worker: Any) -> None:
        self.timer = worker.timer.call_repeatedly(settings.RUN_REAPER_SECONDS, self.tick, (worker,))

    def stop(self, worker: Any) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if self.clock is not None:
            self.clock.service.stop()  # without waiting: it is a daemon, and the broker may be away

    def tick(self, worker: Any) -> None:
        self._revive_clock(worker)
        try:
            reap()
        except DatabaseError as error:
            why = reason(error) or error
            logger.warning("the reaper could not use the database (%s); its next tick is in some seconds", why)
        finally:
            connections.close_all()  # a process that is forked from here must not inherit one

    def _revive_clock(self, worker: Any) -> None:
        """As a thread: a process forked from the running loop was seen to outlive its SIGTERM and hold up the end."""
        clock = self.clock or worker.beat
        if clock is None or clock.is_alive():
            return
        logger.error("the clock of this worker has died; it is started anew")
        self.clock = EmbeddedService(
            worker.app, thread=True, schedule_filename=worker.schedule_filename, scheduler_cls=worker.scheduler
        )
        self.clock.start()
