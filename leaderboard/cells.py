"""Cells of a CSV file that a spreadsheet opens without running them. Pure: no ORM, no request."""

import csv
import io
from collections.abc import Iterable, Sequence

from evaluation.signs import spelled_lines

Cell = str | int | float | bool | None

STARTS_A_FORMULA = frozenset("=+-@\t\r＝＋－＠")


def cell(value: Cell) -> str:
    """The cell as text. A text that a spreadsheet would take for a formula gets a quote before it, and signs that
    cannot be seen are spelled out; numbers stay numbers with all their digits, "" is what is missing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = f"'{value}" if value[:1] in STARTS_A_FORMULA else value
    return spelled_lines(text)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A header and the rows, every cell quoted, lines ending in CR LF (RFC 4180)."""
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)
    return file.getvalue()
