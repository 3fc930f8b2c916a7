"""Moves the part that counts into the columns of results, for the runs that count a revision. A run at a time, in
Python: a JSON null cannot be cast in one UPDATE on PostgreSQL, and one long transaction would lock SQLite's writers out.
It may be interrupted and started again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from django.apps.registry import Apps
from django.db import migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

FIRST, REVISED = "first_pass", "revised"
POINTS, REVISED_SHARE = 10.0, 0.95  # the rule as it was when this was written
OWN = ("answer", "reading", "reason", "flags", "score")
NEVER_CAME = {"answer": None, "reading": "none", "reason": "", "flags": "", "score": None}
COLUMNS = ("part", "other_parts", *OWN)

Row = Any
Choice = Callable[[Sequence[Row]], Mapping[int, str]]


def settle(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    move(apps, schema_editor, counted_later)


def unsettle(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    move(apps, schema_editor, lambda rows: {})


def move(apps: Apps, schema_editor: BaseDatabaseSchemaEditor, choose: Choice) -> None:
    """Puts the chosen part of each repeat into the columns, and the first one where none is chosen."""
    alias = schema_editor.connection.alias
    results = apps.get_model("evaluation", "ItemResult")._base_manager.using(alias)
    runs = apps.get_model("evaluation", "Run")._base_manager.using(alias)
    for pk in list(runs.exclude(counted_part__in=("", FIRST)).order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic(using=alias):
            rows = list(results.filter(run_id=pk).exclude(state="fault"))
            chosen = choose(rows)
            moved = [row for row in rows if row.part != chosen.get(row.repeat)]
            for row in moved:
                rearrange(row, chosen.get(row.repeat, FIRST))
            write(schema_editor, results.model, moved)


def write(schema_editor: BaseDatabaseSchemaEditor, model: Any, rows: Sequence[Row]) -> None:
    """A statement a row: `bulk_update` takes ten times as long, and stores a JSON null where nothing is."""
    quote, fields = schema_editor.quote_name, [model._meta.get_field(name) for name in COLUMNS]
    columns = ", ".join(f"{quote(field.column)} = %s" for field in fields)
    statement = f"UPDATE {quote(model._meta.db_table)} SET {columns} WHERE id = %s"  # noqa: S608 - names of our own
    connection = schema_editor.connection
    values = [
        [*(field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields), row.pk] for row in rows
    ]
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(statement, values)


def rearrange(row: Row, counted: str) -> None:
    parts = parts_of(row)
    row.part = None if counted == FIRST else counted
    for name, value in parts.get(counted, NEVER_CAME).items():
        setattr(row, name, value)
    row.other_parts = {name: fields for name, fields in parts.items() if name != counted} or None


def parts_of(row: Row) -> dict[str, dict[str, Any]]:
    own = {name: getattr(row, name) for name in OWN}
    came = row.part is None or own != NEVER_CAME
    return {**(row.other_parts or {}), **({row.part or FIRST: own} if came else {})}


def counted_later(rows: Iterable[Row]) -> dict[int, str]:
    """Repeat -> the revision, where it counts: it scores no less and has at least 95 % as many scored items."""
    points: defaultdict[int, dict[str, list[float]]] = defaultdict(lambda: {FIRST: [], REVISED: []})
    for row in rows:
        for name, fields in parts_of(row).items():
            if fields["score"] is not None:
                points[row.repeat][name].append(fields["score"])
    return {repeat: REVISED for repeat, own in points.items() if revision_counts(own[FIRST], own[REVISED])}


def revision_counts(first: Sequence[float], revised: Sequence[float]) -> bool:
    if not first or not revised:
        return bool(revised)
    return len(revised) >= REVISED_SHARE * len(first) and score(revised) >= score(first)


def score(points: Sequence[float]) -> float:
    return POINTS * (fsum(points) / len(points))


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("evaluation", "0017_the_part_that_counts"),
    ]

    operations = [
        migrations.RunPython(settle, unsettle),
    ]
