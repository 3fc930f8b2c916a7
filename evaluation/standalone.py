"""The engine in a process that is no manage.py: a script, a notebook."""

import os

import django
from django.apps import apps


def set_up() -> None:
    """Loads Django with the product's settings, unless that was done. Raises ImproperlyConfigured with what is missing.

    The settings are named, not imported: the engine knows no site.
    """
    if not apps.ready:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        django.setup()
