"""Migrations of a start that a person may stop: a signal waits for the migration under way, not for all of them.

Django may commit a migration before it notes that it has: a process that ends between the two leaves a database that no
later start can migrate.
"""

import signal
from contextlib import suppress
from typing import Any

from django.core.management import call_command
from django.core.management.commands import migrate

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):
    """A signal has come, and the migration under way is noted."""


class Migrate(migrate.Command):
    """`migrate` that ends after a migration when a signal has come. `came` holds those that have."""

    def __init__(self, came: list[int]) -> None:
        super().__init__()
        self.came = came

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        super().migration_progress_callback(action, migration, fake)
        if action == "apply_success" and self.came:
            raise Interrupted


def apply_migrations() -> None:
    """What the handlers of signals do, they do between two migrations, or after the last one."""
    came: list[int] = []
    heeded = [number for number in STOPPING if signal.getsignal(number) != signal.SIG_IGN]
    handlers = {number: signal.signal(number, lambda number, _: came.append(number)) for number in heeded}
    try:
        with suppress(Interrupted):
            call_command(Migrate(came), verbosity=0)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])
