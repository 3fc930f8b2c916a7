"""`manage.py rotate_keys`: every stored key of an endpoint under the first of ENDPOINT_KEYS."""

from typing import Any

from django.core.management.base import CommandError

from evaluation.keys.endpoint_keys import rotate_keys
from evaluation.management.base import BaseCommand


class Command(BaseCommand):
    help = (
        "Re-encrypt stored endpoint keys with the first of ENDPOINT_KEYS. Put the new key first, keep the old one "
        "after it, restart, run this, then remove the old one. Safe to run at any time, and twice."
    )

    def handle(self, **options: Any) -> None:
        rotation = rotate_keys()
        self.stdout.write(f"{rotation.changed} re-encrypted, {rotation.current} under the newest key already.")
        if rotation.unreadable:
            raise CommandError(
                f"{rotation.unreadable} cannot be decrypted by any of ENDPOINT_KEYS and were not changed: add the "
                f"key that encrypted them after the others, or their submitters must enter them again."
            )
