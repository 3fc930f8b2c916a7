"""A ranking's item scores and pairs as Parquet, for strangers who compute all else again.

Only models with stored answers are in them. A private bank has no frame (`marks.inputs_of`), and `compute` refuses one
again. Value: `files` has the columns of `file_names.FILE_COLUMNS`.
"""

import io
import json
from collections.abc import Iterable, Mapping
from hashlib import sha256

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from evaluation.models import Access
from evaluation.published_tables import measures_of
from evaluation.statistics.arrays import Ints
from evaluation.statistics.pair_blocks import Pairs, pairs_in_blocks
from leaderboard.statistics.file_names import PAIRS, SCORES
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.outcomes import Outcome, outcome

LEAST_MODELS = 2
FACT_COLUMNS = (
    ("model", pa.string()),
    ("slug", pa.string()),
    ("origin", pa.string()),
    ("rank", pa.int32()),
    ("score", pa.float64()),
)
NAMES = pa.dictionary(pa.int32(), pa.string())
PAIR_SCHEMA = pa.schema(
    [
        ("first", NAMES),
        ("second", NAMES),
        ("difference", pa.float32()),
        ("standard_error", pa.float32()),
        ("shared_items", pa.int32()),
        ("ahead", pa.int8()),
    ]
)
FLOATS = ["difference", "standard_error"]


def compute(frame: Frame) -> Outcome:
    """The files with their sizes and hashes. Two million pairs take about a second and 20 MB."""
    is_private = frame.bank is None or frame.bank.access == Access.PRIVATE
    if is_private or not frame.has_items or len(frame.members) < LEAST_MODELS:
        return Outcome(0, {})
    tables = {SCORES: item_scores(frame), PAIRS: pairs(frame)}
    n = len(frame.members)
    shapes = {
        SCORES: (n, len(FACT_COLUMNS) + len(frame.items.numbers)),
        PAIRS: (n * (n - 1) // 2, len(PAIR_SCHEMA)),
    }
    rows = [[name, *shapes[name], len(content), sha256(content).hexdigest()] for name, content in tables.items()]
    found = outcome(n, n_items=len(frame.items.numbers), files=rows)
    return Outcome(found.n, found.value, tables)


def facts_of(frame: Frame) -> Mapping[bytes, bytes]:
    """What stands in the metadata of each file under "ranking", as JSON."""
    facts = {
        "ranking": frame.ranking,
        "benchmark": frame.rule,
        "bank_sha256": frame.bank.sha256 if frame.bank else None,
        "n_models": len(frame.members),
        "n_items": len(frame.items.numbers),
        "unit": f"{unit_of(frame.rule)}: each item on the scale of the score, which is the mean of its row",
    }
    return {b"ranking": json.dumps(facts, ensure_ascii=False).encode()}


def unit_of(rule: str) -> str:
    """What the scores are in: the unit of the measure that ranks, or its name where it has none."""
    measures = measures_of(rule)
    return (measures[0].unit or measures[0].title) if measures else "points"


def score_schema(numbers: Iterable[int]) -> pa.Schema:
    """The columns of the item scores: facts of the model, then each item by its number."""
    return pa.schema([*FACT_COLUMNS, *((f"item_{number}", pa.float64()) for number in numbers)])


def item_scores(frame: Frame) -> bytes:
    """A row a model, best first: its name, rank and score, then a column an item, named by its number."""
    members = frame.members
    facts = [
        [member.full_name for member in members],
        [member.slug for member in members],
        [member.origin for member in members],
        [member.rank for member in members],
        [member.score for member in members],
    ]
    schema = score_schema(frame.items.numbers).with_metadata(facts_of(frame))
    items = [pa.array(column, from_pandas=True) for column in frame.scores.T]
    columns = [*(pa.array(own, kind) for own, (_, kind) in zip(facts, FACT_COLUMNS, strict=True)), *items]
    file = io.BytesIO()
    pq.write_table(pa.table(columns, schema=schema), file, compression="zstd")
    return file.getvalue()


def pairs(frame: Frame) -> bytes:
    """A row for each two models, the better ranked one first, written a block of models at a time."""
    slugs = pa.array([member.slug for member in frame.members])
    ahead = signs(frame)
    file = io.BytesIO()
    schema = PAIR_SCHEMA.with_metadata(facts_of(frame))
    # Streams of single bytes compress floats by a quarter, whose last bytes look random.
    texts = [column.name for column in schema if column.name not in FLOATS]
    with pq.ParquetWriter(
        file, schema, compression="zstd", use_dictionary=texts, use_byte_stream_split=FLOATS
    ) as writer:
        for block in pairs_in_blocks(frame.scores):
            writer.write_table(pair_rows(block, slugs, ahead, schema))
    return file.getvalue()


def signs(frame: Frame) -> Ints | None:
    """Members x members: 1 where the row's model is ahead of the column's in the ranking, -1 behind it, 0 tied."""
    if frame.ahead is None:
        return None
    places = {member.model_id: at for at, member in enumerate(frame.everyone)}
    at = [places[member.model_id] for member in frame.members]
    ahead = frame.ahead[np.ix_(at, at)].astype(np.int8)
    return np.asarray(ahead - ahead.T)


def pair_rows(block: Pairs, slugs: pa.Array, ahead: Ints | None, schema: pa.Schema) -> pa.Table:
    names = [
        pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), slugs)
        for places in (block.first, block.second)
    ]
    floats = [
        pa.array(values.astype(np.float32), from_pandas=True) for values in (block.difference, block.standard_error)
    ]
    told = pa.nulls(block.first.size, pa.int8()) if ahead is None else pa.array(ahead[block.first, block.second])
    return pa.table([*names, *floats, pa.array(block.shared.astype(np.int32)), told], schema=schema)
