"""Django's `migrate`, which a signal stops between two migrations and never within one, and which a database of a newer
release stops before it begins: old code writes rows there that the new schema refuses, or worse, takes.
"""

from contextlib import suppress
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from leaderboard.backups.form import APPS
from leaderboard.starting.migrating import signals_held_back


class Interrupted(Exception):
    """A signal has come, and the migration under way is recorded."""


class Command(migrate.Command):
    came: list[int]

    def handle(self, *args: Any, **options: Any) -> None:
        check_not_newer(options["database"])
        with signals_held_back() as self.came, suppress(Interrupted):
            super().handle(*args, **options)

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        super().migration_progress_callback(action, migration, fake)
        if action in {"apply_success", "unapply_success"} and self.came:
            raise Interrupted


def check_not_newer(database: str) -> None:
    """Raises CommandError where a migration is applied that comes after all of this release: they are numbered."""
    loader = MigrationLoader(connections[database])
    for app in APPS:
        newest = max(name for label, name in loader.disk_migrations if label == app)
        if newer := [name for label, name in loader.applied_migrations if label == app and name > newest]:
            raise CommandError(
                f"The database is of a newer release: it has {app}.{max(newer)}, which this one does not know. Start "
                "that release, or restore a backup of this one into an empty database (docs/operations.md, Upgrade)."
            )
