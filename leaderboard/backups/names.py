"""Rows that each database numbers for itself, kinds of rows and permissions: a backup refers to them by name."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Field, Model

# Model -> the columns that name a row of it everywhere.
KIND, PERMISSION = "contenttypes.ContentType", "auth.Permission"
NAMES = {
    KIND: ("app_label", "model"),
    PERMISSION: ("content_type__app_label", "content_type__model", "codename", "name"),
}


def named(field: "Field[Any, Any]") -> type[Model] | None:
    """The model that the column refers to by name, or None."""
    target = field.related_model
    return target if isinstance(target, type) and target._meta.label in NAMES else None


def spelled_out(fields: Sequence["Field[Any, Any]"], rows: Iterator[Sequence[Any]]) -> Iterator[list[Any]]:
    """The rows with a list of names in place of each number of that kind."""
    known = {at: names_by_number(target) for at, field in enumerate(fields) if (target := named(field))}
    if not known:
        yield from map(list, rows)
    for row in rows:
        yield [known[at].get(value) if at in known else value for at, value in enumerate(row)]


def names_by_number(model: type[Model]) -> dict[int, list[str]]:
    return {pk: names for pk, *names in model._base_manager.values_list("pk", *NAMES[model._meta.label])}


class Numbers:
    """The numbers that this database has given to names; what it does not have yet is made."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], int] = {}

    def number(self, model: type[Model], names: Sequence[str] | None) -> int | None:
        """None for None. `model` may be that of an older schema."""
        if names is None:
            return None
        key = (model._meta.label, *names)
        if key not in self._known:
            self._known[key] = self._made(model, names)
        return self._known[key]

    def _made(self, model: type[Model], names: Sequence[str]) -> int:
        if model._meta.label == KIND:
            app_label, name = names
            return int(model._base_manager.get_or_create(app_label=app_label, model=name)[0].pk)
        app_label, name, codename, title = names
        kinds = model._meta.get_field("content_type").related_model
        kind = self.number(kinds, (app_label, name))  # type: ignore[arg-type]
        found = model._base_manager.get_or_create(content_type_id=kind, codename=codename, defaults={"name": title})
        return int(found[0].pk)
