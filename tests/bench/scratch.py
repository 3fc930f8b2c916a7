"""A database for one run of the bench."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ITEMS = 171


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder with a fresh database, which this process and those that it starts use."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= {
            "DATABASE_URL": f"sqlite:///{folder / 'bench.sqlite3'}",
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "DEBUG": "true",
            "SECRET_KEY": "bench",
            "LOG_LEVEL": "WARNING",
        }
        prepare()
        yield folder


def prepare() -> None:
    """A scratch database with 171 items of our own."""
    import django
    from django.core.management import call_command

    django.setup()
    from tests.factories import make_bank

    call_command("migrate", verbosity=0)
    make_bank(ITEMS, slug="eq-bench-v2")
