"""A second database beside the test's own, of the same kind, empty; and commands of the product on it."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection
from psycopg import connect

from tests.processes import database_url, manage


@contextmanager
def scratch_database(folder: Path) -> Iterator[str]:
    """The DATABASE_URL of a database without tables: a file, or where the tests run on PostgreSQL one on its server."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{folder / f'{uuid.uuid4().hex}.sqlite3'}"
        return
    name, server = f"scratch_{uuid.uuid4().hex}", database_url()
    with connect(server.replace("postgres://", "postgresql://"), autocommit=True) as control:
        control.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            control.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def manage_elsewhere(database: str, *arguments: str, **changes: str) -> str:
    """What the command printed. Raises AssertionError with what it complained of."""
    done = manage(*arguments, DATABASE_URL=database, **changes)
    assert done.returncode == 0, done.stderr
    return done.stdout
