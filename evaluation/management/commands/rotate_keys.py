"""`manage.py rotate_keys`: every stored key of an endpoint under the first of ENDPOINT_KEYS."""

from typing import Any

from django.core.management.base import CommandError

from evaluation.endpoint_keys import rotate_keys
from evaluation.management.base import BaseCommand


class Command(BaseCommand):
    help = (
        "Seals the stored keys of endpoints anew under the first of ENDPOINT_KEYS. Put the new key first, keep the old "
        "one behind it, restart, run this, then take the old one away. May be run at any time, and twice."
    )

    def handle(self, **options: Any) -> None:
        rotation = rotate_keys()
        self.stdout.write(f"{rotation.changed} sealed anew, {rotation.current} under the newest key already.")
        if rotation.unreadable:
            raise CommandError(
                f"{rotation.unreadable} cannot be read by any of ENDPOINT_KEYS and stand as they were: put the key "
                "that sealed them behind the others, or their submitters must give them again."
            )
