"""`manage.py purge_keys`: erases the stored keys whose time is over, as the hourly task does."""

from typing import Any

from django.conf import settings

from evaluation.keys.erasing import purge_keys
from evaluation.management.base import BaseCommand


class Command(BaseCommand):
    help = (
        "Erase stored keys past their chosen date, or older than ENDPOINT_KEY_DAYS. The scheduler does this every hour."
    )

    def handle(self, **options: Any) -> None:
        self.stdout.write(f"{purge_keys(settings.ENDPOINT_KEY_DAYS)} keys erased.")
