"""Restoring a backup into an empty database, all or nothing, after every hash in it has been checked."""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from django.apps import apps as newest
from django.apps.registry import Apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Field, Model

from leaderboard.backups.form import APPS, BATCH, LATER_APPS, MANIFEST, READ_FORMS, Table, columns, labels, lines
from leaderboard.backups.names import Numbers, named

PIECE = 1 << 20


class BackupError(ValueError):
    """A backup that is refused, or a database that it cannot go into; the text says why."""


def restore(path: Path) -> list[Table]:
    """Fills the database and brings it up to this release. Returns what was restored.

    Raises:
        BackupError: no such file, no backup, another form, a newer schema, a wrong hash, a database that holds rows,
            or one with tables of another release than the backup's.
    """
    try:
        with ZipFile(path) as archive:
            migrations, tables = read_manifest(archive)
            for table in tables:
                check_hash(archive, table)
            apps = prepare(migrations)
            fill(archive, tables, apps)
    except OSError as error:
        raise BackupError(f"{path} cannot be read ({error.strerror}).") from None
    except (BadZipFile, zlib.error, EOFError):
        raise BackupError(f"{path} is damaged, or no backup at all.") from None
    call_command("migrate", verbosity=0)
    return tables


def read_manifest(archive: ZipFile) -> tuple[dict[str, str], list[Table]]:
    """The newest migration of each app, and the tables."""
    try:
        manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
        form = manifest["form"]
    except (KeyError, ValueError, TypeError, RecursionError):
        raise BackupError("The file is no backup of a board: it holds no manifest.") from None
    if form not in READ_FORMS:
        raise BackupError(
            f"The backup is of form {form}; this release reads forms {READ_FORMS[0]} to {READ_FORMS[-1]}."
        )
    try:
        return dict(manifest["migrations"]), [Table(**table) for table in manifest["tables"]]
    except (KeyError, ValueError, TypeError):
        raise BackupError("The backup is damaged: its manifest is not whole.") from None


def check_hash(archive: ZipFile, table: Table) -> None:
    digest = hashlib.sha256()
    for piece in pieces(archive, table):
        digest.update(piece)
    if digest.hexdigest() != table.sha256:
        raise BackupError(f"The backup is damaged: {table.name} does not have the hash that the manifest gives.")


def pieces(archive: ZipFile, table: Table) -> Iterator[bytes]:
    try:
        entry = archive.open(table.entry)
    except KeyError:
        raise BackupError(f"The backup is damaged: {table.name} is missing.") from None
    with entry:
        while piece := entry.read(PIECE):
            yield piece


def prepare(migrations: dict[str, str]) -> Apps:
    """An empty database with the tables of the backup's schema, and the models that fit them."""
    executor = MigrationExecutor(connection)
    targets = [(app, migrations.get(app, "")) for app in APPS if app in migrations or app not in LATER_APPS]
    for target in targets:
        if target not in executor.loader.graph.nodes:
            raise BackupError(
                f"The backup's schema {'.'.join(target)} is not known to this release. Restore it with the release "
                "that made it, or a newer one."
            )
    if not executor.loader.applied_migrations:
        executor.migrate([*targets, *others(executor)])
    else:
        check_same(executor, targets)
        check_empty()
    return state_apps(targets)


def others(executor: MigrationExecutor) -> list[tuple[str, str]]:
    """The newest migrations of all that is not ours."""
    return [node for node in executor.loader.graph.leaf_nodes() if node[0] not in APPS]


def check_same(executor: MigrationExecutor, targets: Sequence[tuple[str, str]]) -> None:
    """Ours are numbered, so the last one applied is the last by name."""
    applied = set(executor.loader.applied_migrations)
    last = {app: max((name for label, name in applied if label == app), default="") for app in APPS}
    if last != {**dict.fromkeys(APPS, ""), **dict(targets)}:
        raise BackupError(
            "The database has tables of another release than the backup. Restore into a database without tables: they "
            "are made as the backup needs them, then brought up to date."
        )


def check_empty() -> None:
    full = [label for label in labels() if newest.get_model(label)._base_manager.exists()]
    if full:
        raise BackupError(f"The database is not empty ({', '.join(full[:3])}), so nothing was restored.")


def state_apps(targets: Sequence[tuple[str, str]]) -> Apps:
    """The models as they were at the backup's schema."""
    loader = MigrationExecutor(connection).loader
    nodes = [*targets, *(node for node in loader.graph.leaf_nodes() if node[0] not in APPS)]
    found: Apps = loader.project_state(nodes).apps
    return found


@transaction.atomic
def fill(archive: ZipFile, tables: Sequence[Table], apps: Apps) -> None:
    models, numbers = [model_of(table, apps) for table in tables], Numbers()
    for table, model in zip(tables, models, strict=True):
        store(table, model, lines(pieces(archive, table)), numbers)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def model_of(table: Table, apps: Apps) -> type[Model]:
    try:
        return apps.get_model(table.name)
    except (LookupError, ValueError):
        raise BackupError(f"The backup holds {table.name}, which its schema does not know.") from None


def store(table: Table, model: type[Model], rows: Iterator[bytes], numbers: Numbers) -> None:
    """Writes past the ORM, which would put its own times into the rows."""
    names = json.loads(next(rows))
    by_name = {field.attname: field for field in columns(model)}
    if unknown := set(names) - by_name.keys():
        raise BackupError(f"The backup's {table.name} has columns that the schema lacks: {', '.join(sorted(unknown))}.")
    fields = [by_name[name] for name in names]
    sql, readers = insert_sql(model, fields), [reader(field, numbers) for field in fields]
    with connection.cursor() as cursor:
        while batch := [read_row(readers, json.loads(row)) for row in islice(rows, BATCH)]:
            cursor.executemany(sql, batch)


def insert_sql(model: type[Model], fields: Sequence["Field[Any, Any]"]) -> str:
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(field.column)) for field in fields)
    return f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({', '.join(['%s'] * len(fields))})"  # noqa: S608


def reader(field: "Field[Any, Any]", numbers: Numbers) -> Callable[[Any], Any]:
    """What makes a value of the backup one of the column."""
    if target := named(field):
        return partial(numbers.number, target)
    return lambda value: field.get_db_prep_save(field.to_python(value), connection)


def read_row(readers: Sequence[Callable[[Any], Any]], row: Sequence[Any]) -> list[Any]:
    return [read(value) for read, value in zip(readers, row, strict=True)]
