"""The parts of a reply as a result stores them: a first answer, and where the benchmark asks for it a revision.

The columns of a result hold the part that its run's score counts; the others are in `other_parts`. While a run is open
that is the first part. `settle_parts` moves the part that counts into the columns when the run ends, so that whoever
reads results reads columns, and nobody else chooses between parts.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, cast

from django.db.models import Q

from evaluation.benchmarks.base import FIRST_PART
from evaluation.models import ItemResult, Run
from evaluation.states import ItemState

WRITE_BATCH = 200


class PartFields(TypedDict):
    """One part of a reply as stored.

    `answer` has a number or None for each of the item's labels, in their order; `flags` are comma-separated.
    """

    answer: list[Any] | None
    reading: str
    reason: str
    flags: str
    score: float | None


class ManyValues(PartFields):
    """A part of a reply whose benchmark has several measures of an item; `score` is the first of `values`."""

    values: list[Any]


class PartColumns(PartFields):
    """The columns of an ItemResult that hold its parts. `part` is None where the first part counts."""

    part: str | None
    values: list[Any] | None
    other_parts: dict[str, PartFields] | None


class ResultFields(PartColumns):
    """The columns of an ItemResult that come from reading its reply."""

    state: str


NEVER_CAME: PartFields = {"answer": None, "reading": "none", "reason": "", "flags": "", "score": None}


def columns_of(parts: Mapping[str, PartFields], counted: str) -> PartColumns:
    """The columns with the `counted` part, empty ones where it never came."""
    own = parts.get(counted, NEVER_CAME)
    return {
        "part": None if counted == FIRST_PART else counted,
        "answer": own["answer"],
        "reading": own["reading"],
        "reason": own["reason"],
        "flags": own["flags"],
        "score": own["score"],
        "values": cast("dict[str, Any]", own).get("values"),
        "other_parts": {name: fields for name, fields in parts.items() if name != counted} or None,
    }


def stored_parts(row: ItemResult) -> dict[str, PartFields]:
    """Name of a part -> what is stored of it, the first part first. A later part that never came is left out."""
    own: PartFields = {
        "answer": row.answer,
        "reading": row.reading,
        "reason": row.reason,
        "flags": row.flags,
        "score": row.score,
    }
    if "values" not in row.get_deferred_fields() and row.values:
        own = cast("PartFields", {**own, "values": row.values})
    counted, others = row.part or FIRST_PART, row.other_parts or {}
    if counted == FIRST_PART:
        return {FIRST_PART: own, **others}
    return others if own == NEVER_CAME else {**others, counted: own}


def values_in(part: PartFields) -> list[float | None]:
    """The values of a stored part, in the order of the benchmark's item measures."""
    values: list[float | None] = cast("dict[str, Any]", part).get("values") or [part["score"]]
    return values


def settle_parts(run: Run, counted_parts: Sequence[str]) -> None:
    """Moves the part that counts in each repeat into the columns of its results. Does nothing where it is there.

    A result without a reply has no parts and stays as it is, and so do the results of a repeat without any score.

    Args:
        counted_parts: Of each repeat the part that counts; "" where nothing was scored.
    """
    later = {repeat: part for repeat, part in enumerate(counted_parts, 1) if part not in {"", FIRST_PART}}
    if not later and run.counted_part in {"", FIRST_PART}:
        return  # one query less for nearly all runs
    rows = run.results.filter(Q(repeat__in=later) | Q(part__isnull=False)).exclude(state=ItemState.FAULT)
    moved = [row for row in rows if row.part != later.get(row.repeat)]
    for row in moved:
        take(row, columns_of(stored_parts(row), later.get(row.repeat, FIRST_PART)))
    save_results(moved)


def take(row: ItemResult, fields: Mapping[str, Any]) -> bool:
    """Copies the fields onto the row; whether any was different."""
    different = {name: value for name, value in fields.items() if getattr(row, name) != value}
    for name, value in different.items():
        setattr(row, name, value)
    return bool(different)


def save_results(rows: Sequence[ItemResult]) -> None:
    # A bulk update writes None as a JSON null, so the column that is empty for most benchmarks is left alone.
    columns = [name for name in ResultFields.__annotations__ if name != "values" or any(row.values for row in rows)]
    ItemResult.objects.bulk_update(rows, columns, batch_size=WRITE_BATCH)
