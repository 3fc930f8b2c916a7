"""`manage.py refresh_statistics`: compute the sections of /statistics/ whose inputs have changed."""

from typing import Any

from evaluation.management.base import BaseCommand
from leaderboard.pages.storing.rankings import refresh_ready
from leaderboard.pages.storing.statistics import keep_ready
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics


class Command(BaseCommand):
    help = "Recompute rankings and statistics from the stored results and published scores."

    def handle(self, *args: Any, **options: Any) -> None:
        refresh_standings()
        refresh_ready()
        refreshed = refresh_statistics()
        keep_ready()
        self.stdout.write(f"{refreshed.computed} sections computed, {refreshed.kept} unchanged.")
