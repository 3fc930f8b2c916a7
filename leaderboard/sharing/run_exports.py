"""A run's items as files: CSV, JSON and Parquet with the same columns and whole values.

The score of a run of EQ-Bench can be made again from any of them: ten times the mean of `score` over the rows with
`counted` and a score, a repeat at a time, then the mean over the repeats. Other benchmarks have rules of their own.
"""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from math import isfinite

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from evaluation.benchmarks.base import JsonValue
from evaluation.models import Run
from evaluation.runs.summaries import strict_figures
from evaluation.signs import escaped
from leaderboard.cells import Cell, csv_text
from leaderboard.pages.rankings.rows import old_scorers
from leaderboard.pages.runs.answers import AnswerRow, answer_rows
from leaderboard.wording.other_settings import in_words

NUMBERS = pa.list_(pa.float64())
TEXTS = pa.list_(pa.string())
SCHEMA = pa.schema(
    [
        ("item", pa.string()),
        ("number", pa.int32()),
        ("repeat", pa.int16()),
        ("part", pa.string()),
        ("counted", pa.bool_()),
        ("state", pa.string()),
        ("reading", pa.string()),
        ("labels", TEXTS),
        ("answer", NUMBERS),
        ("reference", NUMBERS),
        ("score", pa.float64()),
        ("strict_score", pa.float64()),
        ("reason", pa.string()),
        ("flags", TEXTS),
        ("attempts", pa.int32()),
        ("latency_ms", pa.int64()),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
        ("values", NUMBERS),
        ("shown", pa.string()),
    ]
)
NAMES: tuple[str, ...] = tuple(SCHEMA.names)


def finite(value: JsonValue) -> JsonValue:
    """The value with null in place of each number that is not finite, which JSON cannot hold."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [finite(entry) for entry in value]
    return value


def json_text(value: JsonValue, *, indent: int | None = None) -> str:
    """Strict JSON: no NaN, no Infinity; signs that cannot be seen as escapes."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(finite(value), ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return escaped(text)


def facts_of(run: Run) -> dict[str, JsonValue]:
    """What the file says of the run itself."""
    return {
        "run": run.pk,
        "model": run.model.name,
        "bank": run.bank.slug,
        "bank_sha256": run.bank.sha256,
        "benchmark": run.benchmark,
        "scorer_version": run.scorer_version,
        "needs_rescoring": bool(old_scorers(run.scorer_version)),
        "other_settings": in_words(run.departures),
        "status": run.status,
        "repeats": run.repeats,
        "n_items": run.n_items,
        "n_scored": run.n_scored,
        "score": run.score,
        "strict_score": strict_figures(run.figures)["strict_score"],
        "figures": {key: figure.get("value") for key, figure in run.figures.items()},
        "texts_public": run.bank.shows_texts,
    }


def as_csv(run: Run) -> bytes:
    """Lists (labels, answer, reference) are JSON inside their cell; flags are joined by commas."""
    return csv_text(NAMES, map(csv_cells, answer_rows(run))).encode()


def csv_cells(row: AnswerRow) -> list[Cell]:
    return [shown_text(row) if name == "shown" else as_cell(getattr(row, name), name) for name in NAMES]


def shown_text(row: AnswerRow) -> str | None:
    """What was shown as JSON; None where the benchmark stores nothing of it."""
    return None if row.shown is None else json_text(row.shown)


def as_cell(value: JsonValue, name: str) -> Cell:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) if name == "flags" else json_text(value)
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, Cell) else None


def as_json(run: Run) -> bytes:
    items: list[JsonValue] = [asdict(row) for row in answer_rows(run)]
    return json_text({**facts_of(run), "items": items}).encode()


def as_parquet(run: Run) -> bytes:
    """The facts of the run stand in the schema's metadata under "run", as JSON."""
    schema = SCHEMA.with_metadata({"run": json_text(facts_of(run))})
    rows = [{**asdict(row), "shown": shown_text(row)} for row in answer_rows(run)]
    table = pa.Table.from_pylist(rows, schema=schema)
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


FORMATS: Mapping[str, tuple[Callable[[Run], bytes], str]] = {
    "csv": (as_csv, "text/csv; charset=utf-8"),
    "json": (as_json, "application/json"),
    "parquet": (as_parquet, "application/vnd.apache.parquet"),
}
