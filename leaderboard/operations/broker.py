"""Asking the broker, with little patience: whether it answers, and how many messages wait in it."""

from collections.abc import Iterable
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

PROBE = "asked-whether-it-can-be-written"


def messages_waiting(app: Celery, queues: Iterable[str], timeout_seconds: float) -> int:
    """How many messages of these queues no worker has taken yet.

    Raises:
        OperationalError: (of kombu) the broker is out of reach, or refuses: its memory is full, it wants a password, or
            it takes no more connections.
    """
    brief = {"socket_timeout": timeout_seconds, "socket_connect_timeout": timeout_seconds, "max_retries": 0}
    with app.connection_for_read(transport_options=brief) as asked:
        try:
            channel: Any = asked.default_channel
            # A Redis whose memory is full still counts its messages, and takes no more of them.
            channel.client.set(PROBE, 1, ex=60)
            return sum(int(channel.queue_declare(queue=name).message_count) for name in queues)
        except (*asked.connection_errors, *asked.channel_errors) as error:
            raise OperationalError(str(error)) from error
