"""`manage.py restore FILE`: a backup into an empty database."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.management.base import BaseCommand
from leaderboard.backups import BackupError, restore
from leaderboard.pages.storing.rankings import refresh_ready
from leaderboard.pages.storing.statistics import keep_ready
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics


class Command(BaseCommand):
    help = (
        "Checks every hash in a backup, then fills an empty database from it, all or nothing, and brings it up to this "
        "release. A database without tables takes a backup of any older release."
    )

    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            tables = restore(file)
        except BackupError as error:
            raise CommandError(str(error)) from None
        refresh_standings()
        refresh_ready()
        refresh_statistics()
        keep_ready()
        self.stdout.write(f"{sum(table.rows for table in tables)} rows of {len(tables)} tables restored from {file}.")
