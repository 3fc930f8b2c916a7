"""The part of a worker that holds the connection to the broker, so that the worker outlives a lost one.

kombu 5.7.0 on Redis breaks off the first close of a lost connection where a slot is free, forgets the address, and then
cannot give back the message of the run at work: an AttributeError, which Celery takes for the end of the worker
(docs/troubleshooting.md).
"""

import logging
from contextlib import suppress
from functools import partial
from time import monotonic, sleep
from typing import Any

from celery.worker.consumer import Consumer as CeleryConsumer

logger = logging.getLogger(__name__)
MOST_SECONDS = 4  # between two tries to reconnect; Celery's own pauses grow to 30 s
SOON_SECONDS = 10  # a connection that is lost so soon after the last one was is not made again at once


class Consumer(CeleryConsumer):
    """Celery takes it by the setting `worker_consumer`."""

    lost_at = float("-inf")

    def start(self) -> None:
        try:
            super().start()
        except Exception as error:
            logger.critical("this worker cannot go on: it gives its runs back and ends with status 1 (%r)", error)
            raise

    def on_connection_error_after_connected(self, exc: Any) -> None:
        """Closes the channel while it knows its address, so that what is at work can be acknowledged when it ends."""
        lost: Any = self.connection
        for _ in range(2):  # the first close ends what was asked of the broker, the second one closes
            with suppress(Exception):
                lost.default_channel.close()
        super().on_connection_error_after_connected(exc)
        self._pause()

    def on_connection_error_before_connected(self, exc: Any) -> None:
        super().on_connection_error_before_connected(exc)
        self._pause()

    def _pause(self) -> None:
        """For a Redis that accepts each connection and then refuses: Celery would make hundreds a minute."""
        again, self.lost_at = monotonic() - self.lost_at < SOON_SECONDS, monotonic()
        if again:
            sleep(MOST_SECONDS)

    def ensure_connected(self, conn: Any) -> Any:
        conn.ensure_connection = partial(conn.ensure_connection, interval_max=MOST_SECONDS)
        return super().ensure_connected(conn)
