"""Lists imported results that are stored more than once, as older releases did with the same file in other bytes."""

import json
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from evaluation.importers.sameness import doubles
from evaluation.management.base import BaseCommand
from evaluation.models import Run
from evaluation.runs.announcing import announce_here


class Command(BaseCommand):
    help = (
        "List imported runs that hold the same result as another one: same model, bank, settings, answers and time. "
        "With --remove, delete them; of each result a published run stays, and of several the oldest."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--remove", action="store_true", help="delete the doubles with their answers and replies")
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="print one JSON array, an entry a double"
        )

    def handle(self, *args: Any, remove: bool, as_json: bool, **options: Any) -> None:
        with transaction.atomic():
            found = [(double, kept) for kept, others in doubles() for double in others]
            entries = [_entry(double, kept, removed=remove) for double, kept in found]
            lines = [_line(double, kept) for double, kept in found]
            if remove:
                Run.objects.filter(pk__in=[double.pk for double, _ in found]).delete()
        if remove and found:
            announce_here()
        self.stdout.write(json.dumps(entries, indent=2) if as_json else "\n".join([*lines, _sum(len(found), remove)]))


def _entry(double: Run, kept: Run, *, removed: bool) -> dict[str, Any]:
    return {"run": double.pk, "file": double.source, "same_as": kept.pk, "model": kept.model.name, "removed": removed}


def _line(double: Run, kept: Run) -> str:
    return f"run {double.pk} ({double.source}) is the same as run {kept.pk} ({kept.source}) of {kept.model.name}"


def _sum(n: int, removed: bool) -> str:
    words = f"{n} double{'' if n == 1 else 's'}"
    if removed:
        return f"{words} removed."
    return f"{words}. Nothing was changed; --remove deletes them." if n else f"{words}."
