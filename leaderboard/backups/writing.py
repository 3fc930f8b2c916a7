"""Writing a backup: one consistent look at the database, while workers go on writing."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from errno import EISDIR
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.utils import timezone

from evaluation import __version__
from leaderboard.backups.form import APPS, BATCH, FORM, MANIFEST, Table, columns, labels, line
from leaderboard.backups.names import spelled_out

LEVEL = 5


def back_up(path: Path, *, with_keys: bool = False) -> list[Table]:
    """Writes the file, readable by its owner alone, and returns what it holds.

    Sealed keys stay out unless `with_keys`, and then they stay sealed: restored without the ENDPOINT_KEYS that sealed
    them they cannot be read. An endpoint whose key stayed out asks its submitter for it again.

    Raises:
        FileExistsError: there is such a file; it is not touched.
        IsADirectoryError: the path has no name of a file, such as `.`.
    """
    if not path.name:
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    partial = path.with_name(f"{path.name}.part")
    # Both are made at once, so that two backups never write into one file.
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with (
            snapshot(),
            open_private(partial) as file,
            ZipFile(file, "w", ZIP_DEFLATED, compresslevel=LEVEL) as archive,
        ):
            tables = [write_table(archive, apps.get_model(label), with_keys=with_keys) for label in labels()]
            archive.writestr(MANIFEST, json.dumps(manifest(tables, with_keys=with_keys), indent=1))
        partial.replace(path)
    except BaseException:
        for left in (partial, path):
            left.unlink(missing_ok=True)
        raise
    return tables


@contextmanager
def open_private(path: Path) -> Iterator[Any]:
    """A file for its owner alone. What was written is on the disk when it is closed: only then may it get its name."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600), "w+b") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def snapshot() -> Iterator[None]:
    """All queries inside see the database as it was at the first of them, and hold up no writer."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with connection.cursor() as cursor:
            # Django's own transaction would take SQLite's lock for writing; a plain one reads a snapshot of the WAL.
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


def write_table(archive: ZipFile, model: type[Model], *, with_keys: bool) -> Table:
    digest, count = hashlib.sha256(), -1
    with archive.open(f"{model._meta.label}.jsonl", "w", force_zip64=True) as entry:
        for text in table_lines(model, with_keys=with_keys):
            entry.write(text)
            digest.update(text)
            count += 1
    return Table(model._meta.label, count, digest.hexdigest())


def table_lines(model: type[Model], *, with_keys: bool) -> Iterator[bytes]:
    fields = columns(model)
    names = [field.attname for field in fields]
    yield line(names)
    rows = model._base_manager.order_by("pk").values_list(*names).iterator(chunk_size=BATCH)
    hide = model._meta.label == "evaluation.Endpoint" and not with_keys
    for row in spelled_out(fields, rows):
        yield line(without_key(names, row) if hide else row)


def without_key(names: list[str], row: list[Any]) -> list[Any]:
    """The endpoint as if its key had been erased now, so that a run asks for it again instead of calling without."""
    sealed, erased = names.index("sealed_key"), names.index("key_erased_at")
    if row[sealed]:
        row[sealed], row[erased] = "", timezone.now()
    return row


def manifest(tables: list[Table], *, with_keys: bool) -> Mapping[str, Any]:
    return {
        "form": FORM,
        "release": __version__,
        "made_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "with_keys": with_keys,
        "migrations": newest_migrations(),
        "tables": [asdict(table) for table in tables],
    }


def newest_migrations() -> dict[str, str]:
    """App -> its last applied migration; they are numbered, so the last by name."""
    applied = MigrationRecorder(connection).applied_migrations()
    return {app: max(name for label, name in applied if label == app) for app in APPS}
