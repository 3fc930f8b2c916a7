"""The engine in a process that is no manage.py: a script, a notebook."""

import os

import django
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured


class NotSetUp(ImproperlyConfigured, SystemExit):
    """What is missing in the settings. As a SystemExit it ends a script with its sentence instead of a traceback."""

    def __init__(self, sentence: str) -> None:
        SystemExit.__init__(self, sentence)


def set_up() -> None:
    """Loads Django with the product's settings, unless that was done. Raises NotSetUp with what is missing.

    The settings are named, not imported: the engine knows no site.
    """
    if not apps.ready:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        try:
            django.setup()
        except ImproperlyConfigured as error:
            raise NotSetUp(str(error)) from None
