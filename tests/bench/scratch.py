"""A database for one run of the bench."""

import compileall
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.cost import ROOT

ITEMS = 171


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder with a fresh database, which this process and those that it starts use."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:  # a killed server may still write
        folder = Path(name)
        os.environ |= {
            "DATABASE_URL": f"sqlite:///{folder / 'bench.sqlite3'}",
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "DEBUG": "true",
            "SECRET_KEY": "bench",
            "LOG_LEVEL": "WARNING",
        }
        compile_all()
        prepare()
        yield folder


def compile_all() -> None:
    """Compiled modules, as there are on a machine after the first start. Some shells forbid to keep them, and then each
    command compiles 200 files anew.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for folder in ("evaluation", "leaderboard", "tests"):
        compileall.compile_dir(ROOT / folder, quiet=1)


def prepare() -> None:
    """A scratch database with 171 items of our own."""
    import django
    from django.core.management import call_command

    django.setup()
    from tests.factories import make_bank

    call_command("migrate", verbosity=0)
    make_bank(ITEMS, slug="eq-bench-v2")
