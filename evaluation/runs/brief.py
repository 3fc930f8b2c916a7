"""Transactions that hold what every worker waits for: the queue, or the row of a run whose lease may have run out."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections, transaction

FROZEN_SECONDS = 20  # far more than there is between two statements, less than a lease


@contextmanager
def brief_transaction(using: str = "default") -> Iterator[None]:
    """As `atomic`; PostgreSQL ends it, and frees its locks, once the process has been silent within it for too long.

    A worker that is frozen or cut off in the middle would else hold up the claims and the reaper of all others until
    it wakes, or for hours until the server notices that the connection is dead. SQLite has no such means: there a
    frozen process keeps the file's write lock until it is woken or killed.
    """
    with transaction.atomic(using=using):
        connection = connections[using]
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                limit = f"{FROZEN_SECONDS}s"
                cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, true)", [limit])
        yield
