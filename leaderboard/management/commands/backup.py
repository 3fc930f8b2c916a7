"""`manage.py backup FILE`: the whole board in one file, while it goes on."""

import hashlib
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import connection

from evaluation.management.base import BaseCommand
from leaderboard.backups import back_up


class Command(BaseCommand):
    help = (
        "Writes all models, banks, runs, results, replies, submissions and accounts into one file that restores into "
        "SQLite and PostgreSQL. It holds contacts and password hashes: protect it like the database."
    )

    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--with-keys", action="store_true", help="stored keys of endpoints too, sealed as they are")

    def handle(self, *, file: Path, with_keys: bool, **options: Any) -> None:
        try:
            tables = back_up(file, with_keys=with_keys)
        except FileExistsError:
            raise CommandError(f"{file} already exists and was not changed.") from None
        except OSError as error:
            raise CommandError(f"{file} cannot be written ({error.strerror}).") from None
        rows = sum(table.rows for table in tables)
        with file.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
        self.stdout.write(f"{file}: {rows} rows of {len(tables)} tables, sha256 {digest}")
        self.stdout.write(f"Saved from {database_in_words()}.")


def database_in_words() -> str:
    """Which database the command has seen, without user and password."""
    named = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"the SQLite file {named['NAME']}"
    return f"{connection.display_name}, database {named['NAME']} at {named['HOST'] or 'this machine'}"
