"""A ranking as a file, as filtered and sorted: CSV, JSON and Parquet with the same fields and whole values.

The names of the fields are stable. Scores and errors are in points, sizes in billions of parameters; null (in CSV an
empty cell) is what is not known. `rank_low` and `rank_high` bound the ranks that resampling the items leaves
open; `approximate` says that they and the interval come from the field and not from items.
"""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from math import isfinite
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from leaderboard.cells import Cell, csv_text
from leaderboard.queries.rows import REFERENCES, RankingRow
from leaderboard.queries.selection import Selection

Value = str | int | float | bool | date | None


def finite(value: float | None) -> float | None:
    """The value, or None in place of NaN and Infinity, which JSON cannot hold."""
    return value if value is not None and isfinite(value) else None


def reference_at(at: int) -> Callable[[RankingRow], Value]:
    return lambda row: finite(row.model.references[at])


FIELDS: Mapping[str, tuple[Any, Callable[[RankingRow], Value]]] = {
    "rank": (pa.int32(), lambda row: row.rank),
    "rank_low": (pa.int32(), lambda row: row.low),
    "rank_high": (pa.int32(), lambda row: row.high),
    "tie_group": (pa.int32(), lambda row: row.group),
    "tied_with": (pa.int32(), lambda row: row.tied_with),
    "rank_low_all": (pa.int32(), lambda row: row.low_all),
    "rank_high_all": (pa.int32(), lambda row: row.high_all),
    "model": (pa.string(), lambda row: row.model.full_name),
    "display_name": (pa.string(), lambda row: row.model.name),
    "slug": (pa.string(), lambda row: row.model.slug),
    "organisation": (pa.string(), lambda row: row.model.organisation or None),
    "open_weights": (pa.bool_(), lambda row: {"open": True, "closed": False}.get(row.model.weights)),
    "params_billion": (pa.float64(), lambda row: finite(row.model.size)),
    "origin": (pa.string(), lambda row: row.origin),
    "score": (pa.float64(), lambda row: finite(row.score)),
    "strict_score": (pa.float64(), lambda row: finite(row.strict_score)),
    "standard_error": (pa.float64(), lambda row: finite(row.standard_error)),
    "interval_low": (pa.float64(), lambda row: finite(row.interval_low)),
    "interval_high": (pa.float64(), lambda row: finite(row.interval_high)),
    "approximate": (pa.bool_(), lambda row: row.approximate),
    "n_items": (pa.int32(), lambda row: row.n_items),
    "n_scored": (pa.int32(), lambda row: row.n_scored),
    "runs": (pa.int32(), lambda row: row.runs_used),
    "repeats": (pa.int32(), lambda row: row.repeats),
    "cv_percent": (pa.float64(), lambda row: finite(row.cv_percent)),
    **{name: (pa.float64(), reference_at(at)) for at, name in enumerate(REFERENCES)},
    "measured_on": (pa.date32(), lambda row: row.measured_on),
    "run": (pa.int64(), lambda row: row.run_id),
    "other_settings": (pa.string(), lambda row: row.other_settings or None),
    "scorer_version": (pa.string(), lambda row: row.scorer_version or None),
}
SCHEMA = pa.schema([(name, kind) for name, (kind, _) in FIELDS.items()])


def records(rows: Iterable[RankingRow]) -> list[dict[str, Value]]:
    return [{name: read(row) for name, (_, read) in FIELDS.items()} for row in rows]


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
    }


def as_csv(selection: Selection) -> bytes:
    """UTF-8, every cell quoted, dates in ISO 8601, true and false in words."""
    lines = ([as_cell(value) for value in record.values()] for record in records(selection.rows or ()))
    return csv_text(list(FIELDS), lines).encode()


def as_cell(value: Value) -> Cell:
    return value.isoformat() if isinstance(value, date) else value


def as_json(selection: Selection) -> bytes:
    content = {**facts_of(selection), "rows": records(selection.rows or ())}
    return json.dumps(content, ensure_ascii=False, allow_nan=False, default=date.isoformat).encode()


def as_parquet(selection: Selection) -> bytes:
    """The facts of the ranking stand in the schema's metadata under "ranking", as JSON."""
    schema = SCHEMA.with_metadata({"ranking": json.dumps(facts_of(selection), ensure_ascii=False)})
    table = pa.Table.from_pylist(records(selection.rows or ()), schema=schema)
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


FORMATS: Mapping[str, tuple[Callable[[Selection], bytes], str]] = {
    "csv": (as_csv, "text/csv; charset=utf-8"),
    "json": (as_json, "application/json"),
    "parquet": (as_parquet, "application/vnd.apache.parquet"),
}
