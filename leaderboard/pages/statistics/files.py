"""The section on files for strangers, from its stored numbers."""

from collections.abc import Mapping
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.pages.statistics.parts import Claim, Part, named
from leaderboard.rounding import counted, number
from leaderboard.statistics.file_names import FILE_COLUMNS, PAIRS, SCORES

COLUMNS = (
    Column("file", "File"),
    Column("rows", "Rows", 0),
    Column("columns", "Columns", 0),
    Column("bytes", "Bytes", 0, wide_only=True),
    Column("sha256", "SHA-256", wide_only=True),
)
FORMULA = (
    "The value of an item is its mean over all passes that count, on the scale of the score; for EQ-Bench this is ten "
    "times the item’s points. Difference: mean of the paired item "
    "differences over the items that both have; standard error: their SD (n − 1) / √n."
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    return []


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value:
        return []
    rows = {row["file"]: row for row in named(value["files"], FILE_COLUMNS)}
    return [
        part(
            rows[SCORES],
            n,
            f"All scores of {counted(n, 'model')} on {counted(value['n_items'], 'item')}, in one file",
            "One row per model, best first: name, origin, rank, score, then one column per item in the unit of the "
            "score. The mean of a full row is the model’s score; an empty cell is an item without a score.",
        ),
        part(
            rows[PAIRS],
            n,
            f"All {counted(rows[PAIRS]['rows'], 'pair')} of these models",
            "One row per pair of models: slugs, difference of scores, its standard error, shared items, and who is "
            "ahead in the ranking (1: the first, −1: the second, 0: tied).",
        ),
    ]


def part(row: Mapping[str, Any], n: int, title: str, how: str) -> Part:
    return Part(
        name=row["file"],
        title=title,
        how=how,
        formula=FORMULA,
        source=(
            f"n = {counted(n, 'model')} with stored answers; models of which only a score is published are not in it. "
            f"Parquet, {number(row['bytes'] / 1e6, 2)} MB. The numbers are data, so there is no interval."
        ),
        table=Table(COLUMNS, (tuple(row[column.name] for column in COLUMNS),)),
        downloads=(row["file"],),
    )
