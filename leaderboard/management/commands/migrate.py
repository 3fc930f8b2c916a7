"""Django's `migrate`, which a signal stops between two migrations and never within one."""

from contextlib import suppress
from typing import Any

from django.core.management.commands import migrate

from leaderboard.starting.migrating import signals_held_back


class Interrupted(Exception):
    """A signal has come, and the migration under way is recorded."""


class Command(migrate.Command):
    came: list[int]

    def handle(self, *args: Any, **options: Any) -> None:
        with signals_held_back() as self.came, suppress(Interrupted):
            super().handle(*args, **options)

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        super().migration_progress_callback(action, migration, fake)
        if action in {"apply_success", "unapply_success"} and self.came:
            raise Interrupted
