"""`manage.py purge_keys`: erases the stored keys whose time is over, as the hourly task does."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from evaluation.erasing import purge_keys


class Command(BaseCommand):
    help = (
        "Erases stored keys past their chosen date, or older than ENDPOINT_KEY_DAYS. The worker's clock does it hourly."
    )

    def handle(self, **options: Any) -> None:
        self.stdout.write(f"{purge_keys(settings.ENDPOINT_KEY_DAYS)} keys erased.")
