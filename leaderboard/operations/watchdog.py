"""A worker that hears no messages ends itself, and one that ends does so in bounded time: its supervisor starts anew.

After a reconnect a worker can live on and hear no message any more (celery/celery#7276, #8030, #10502). It is deaf when
messages wait in its queues, it has a free slot, and still it takes none for READY_SILENCE_SECONDS. Nor does one hear
that is ending: without us it would wait for the slices at work, which take minutes.
"""

import logging
import os
import signal
import threading
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from celery import bootsteps
from celery.worker import state
from django.conf import settings
from kombu.exceptions import OperationalError

from evaluation.runs.draining import draining
from leaderboard.operations.broker import messages_waiting

logger = logging.getLogger(__name__)
DEAF_STATUS = 75  # EX_TEMPFAIL of sysexits.h: start it again
LOOKS = 6  # within the silence that is allowed
BROKER_SECONDS = 3.0
GRACE_SECONDS = 20.0  # beyond the drain, after which a worker that does not end is killed


@dataclass(slots=True)
class Ear:
    """Judges from one look to the next whether the worker hears. Times in seconds of one monotonic clock."""

    silence_seconds: float
    taken: int = 0
    unheard_since: float | None = None

    def is_deaf(self, now: float, *, taken: int, waiting: int, free: bool) -> bool:
        """`taken` counts the tasks that the worker took up so far, `waiting` the messages that it could take."""
        heard, self.taken = taken != self.taken, taken
        if heard or not waiting or not free:
            self.unheard_since = None
            return False
        if self.unheard_since is None:
            self.unheard_since = now
        return now - self.unheard_since >= self.silence_seconds


class Watchdog(bootsteps.StartStopStep):
    """A thread of the worker's main process, beside the loop that may be the one that is deaf."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.ending = threading.Event()

    def start(self, worker: Any) -> None:
        threading.Thread(target=self.watch, args=(worker,), name="watchdog", daemon=True).start()

    def close(self, worker: Any) -> None:
        """Called first when the worker begins to end, for whatever reason: its runs are given back."""
        draining.set()
        self.ending.set()

    def watch(self, worker: Any) -> None:
        """The thread dies with the process, so what stands after the loop acts where the process does not end."""
        silence = settings.READY_SILENCE_SECONDS
        ear, queues = Ear(silence), list(worker.app.amqp.queues.consume_from)
        while not self.ending.wait(silence / LOOKS):
            free = len(state.active_requests) < worker.concurrency
            waiting = self._waiting(worker, queues) if free else 0
            if ear.is_deaf(monotonic(), taken=sum(state.total_count.values()), waiting=waiting, free=free):
                self._end(waiting)
                break
        sleep(settings.RUN_DRAIN_SECONDS + GRACE_SECONDS)
        logger.critical("this worker did not come to its end, so it is killed; its leases run out")
        os.kill(os.getpid(), signal.SIGKILL)

    def _waiting(self, worker: Any, queues: list[str]) -> int:
        """Zero where the broker does not answer: then it is not the worker that is ill."""
        try:
            return messages_waiting(worker.app, queues, BROKER_SECONDS)
        except (OperationalError, OSError):
            return 0

    def _end(self, waiting: int) -> None:
        logger.critical("this worker hears no messages though %s wait: it ends with status %s", waiting, DEAF_STATUS)
        draining.set()
        state.should_stop = DEAF_STATUS  # type: ignore[assignment]
