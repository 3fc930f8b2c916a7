"""`manage.py load_study`: the published study, from the counts that we ship."""

from typing import Any

from evaluation.management.base import BaseCommand
from leaderboard.study.published import load_published_study


class Command(BaseCommand):
    help = (
        "Stores the published study of empathetic replies (Welivita and Pu 2024) from the counts that we ship, and "
        "computes its results. Where it is there already, nothing changes."
    )

    def handle(self, *args: Any, verbosity: int, **options: Any) -> None:
        made = load_published_study()
        if not verbosity:
            return
        self.stdout.write("The published study is stored." if made else "The published study is there already.")
