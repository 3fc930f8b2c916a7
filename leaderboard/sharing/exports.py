"""A ranking as a file, as filtered and sorted: CSV, JSON and Parquet with the same fields and whole values.

The names of the fields are stable. Scores and errors are in the unit of the measure that ranks, sizes in billions of
parameters; null (in CSV an empty cell) is what is not known. `rank_low` and `rank_high` bound the ranks that resampling
the items leaves open; `approximate` says that they and the interval come from the field and not from items.
"""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from evaluation.published_tables import PUBLISHED
from evaluation.signs import escaped
from leaderboard.cells import Cell, csv_text
from leaderboard.pages.rankings.column import Field, FieldType, FieldValue
from leaderboard.pages.rankings.columns import fields_of
from leaderboard.pages.rankings.directory import Ranking
from leaderboard.pages.rankings.lines import lines_beside
from leaderboard.pages.rankings.selection import Selection

TYPES: Mapping[FieldType, Any] = {
    "int32": pa.int32(),
    "int64": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "bool": pa.bool_(),
    "date32": pa.date32(),
}


def schema_of(fields: Iterable[Field]) -> pa.Schema:
    return pa.schema([(field.name, TYPES[field.type]) for field in fields])


def records(selection: Selection) -> list[dict[str, FieldValue]]:
    fields = fields_of(selection.columns)
    return [{field.name: field.read(row) for field in fields} for row in selection.rows or ()]


def facts_of(selection: Selection) -> dict[str, Any]:
    """What the file says of the ranking. `n_rows` counts the rows of the file, `n_all` those before any filter;
    `scorer_versions` are those behind the rows of the file."""
    ranking = selection.ranking
    rows = selection.rows or ()
    return {
        "ranking": ranking.key,
        "title": ranking.title,
        "benchmark": ranking.benchmark,
        "scorer_versions": sorted({row.scorer_version for row in rows if row.scorer_version}),
        "bank_sha256": ranking.bank_sha256 or None,
        "n_items": ranking.n_items,
        "computed_at": selection.computed_at.isoformat() if selection.computed_at else None,
        "n_rows": len(rows),
        "n_all": selection.board.n_rows,
        **lines_of(ranking),
        **source_of(ranking.benchmark),
    }


def lines_of(ranking: Ranking) -> dict[str, Any]:
    """The lines that its scores are read by, such as people; nothing for a ranking without any."""
    found = lines_beside(ranking)
    return {"lines": [asdict(line) for line in found]} if found else {}


def source_of(benchmark: str) -> dict[str, str]:
    """Where a published table comes from; nothing for a ranking of runs."""
    table = PUBLISHED.get(benchmark)
    if table is None:
        return {}
    return {
        "source": table.source_name,
        "source_url": table.source_url,
        "licence": table.licence,
        "as_of": table.retrieved,
        "note": table.note,
    }


def as_csv(selection: Selection) -> bytes:
    """UTF-8, every cell quoted, dates in ISO 8601, true and false in words."""
    lines = ([as_cell(value) for value in record.values()] for record in records(selection))
    return csv_text([field.name for field in fields_of(selection.columns)], lines).encode()


def as_cell(value: FieldValue) -> Cell:
    return value.isoformat() if isinstance(value, date) else value


def as_json(selection: Selection) -> bytes:
    content = {**facts_of(selection), "rows": records(selection)}
    return escaped(json.dumps(content, ensure_ascii=False, allow_nan=False, default=date.isoformat)).encode()


def as_parquet(selection: Selection) -> bytes:
    """The facts of the ranking stand in the schema's metadata under "ranking", as JSON."""
    facts = {"ranking": json.dumps(facts_of(selection), ensure_ascii=False)}
    schema = schema_of(fields_of(selection.columns)).with_metadata(facts)
    table = pa.Table.from_pylist(records(selection), schema=schema)
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


FORMATS: Mapping[str, tuple[Callable[[Selection], bytes], str]] = {
    "csv": (as_csv, "text/csv; charset=utf-8"),
    "json": (as_json, "application/json"),
    "parquet": (as_parquet, "application/vnd.apache.parquet"),
}
