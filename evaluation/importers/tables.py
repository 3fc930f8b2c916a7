"""CSV tables read strictly: every refusal names file, line and field. No database in here."""

import csv
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_ISO_MONTH_LENGTH = len("2024-01")


class TableError(ValueError):
    """A table that cannot be taken; the text names file, line, field and reason."""


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A day, or the first of a month of which no day is known."""

    day: date
    month_only: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. A blank cell means that nobody knows the value, never zero."""

    file: str
    line: int
    cells: Mapping[str, str]

    def error(self, field: str, reason: str) -> TableError:
        return TableError(f"{self.file}, line {self.line}, {field}: {reason}")

    def text(self, field: str, length: int, *, required: bool = False) -> str:
        """The cell without outer blanks, at most `length` characters. Raises TableError."""
        value = self.cells[field].strip()
        if required and not value:
            raise self.error(field, "is empty")
        if len(value) > length or "\0" in value:
            raise self.error(field, f"is longer than {length} characters or holds a NUL")
        return value

    def number(self, field: str, low: float, high: float) -> float:
        """The cell as a number from low to high, in plain decimals: no NaN, Infinity or exponent. Raises TableError."""
        text = self.cells[field].strip()
        value = float(text) if _PLAIN_NUMBER.fullmatch(text) else math.nan
        if math.isnan(value):
            raise self.error(field, f'"{text[:40]}" is not a finite number')
        if not low <= value <= high:
            raise self.error(field, f"{text[:40]} is not between {low:g} and {high:g}")
        return value

    def number_or_none(self, field: str, low: float, high: float) -> float | None:
        return self.number(field, low, high) if self.cells[field].strip() else None

    def flag(self, field: str) -> bool:
        value = self.cells[field].strip()
        if value not in {"true", "false"}:
            raise self.error(field, f'"{value[:40]}" is neither true nor false')
        return value == "true"

    def flag_or_none(self, field: str) -> bool | None:
        return self.flag(field) if self.cells[field].strip() else None

    def word(self, field: str, words: Collection[str]) -> str:
        value = self.cells[field].strip()
        if value not in words:
            raise self.error(field, f'"{value[:40]}" is not one of {", ".join(sorted(words))}')
        return value

    def partial_date(self, field: str) -> PartialDate | None:
        """ISO 8601 to the day or to the month; None for a blank cell."""
        text = self.cells[field].strip()
        if not text:
            return None
        month_only = len(text) == _ISO_MONTH_LENGTH
        try:
            return PartialDate(date.fromisoformat(f"{text}-01" if month_only else text), month_only)
        except ValueError as error:
            raise self.error(field, f'"{text[:40]}" is not a date such as 2024-01-29 or 2024-01') from error


def read_table(path: Path, columns: Collection[str]) -> list[Row]:
    """The rows of a UTF-8 CSV file whose header names exactly `columns`, in any order. Empty for a bare header.

    Raises:
        TableError: no such file, not UTF-8, another header, a line with too few or too many cells.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _rows(path.name, file, columns)
    except OSError as error:
        raise TableError(f"{path.name}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{path.name}: is not a UTF-8 CSV file ({error})") from error


def _rows(name: str, file: Iterable[str], columns: Collection[str]) -> list[Row]:
    lines = csv.reader(file, strict=True)
    header = next(lines, [])
    _check_header(name, header, columns)
    return [_row(name, lines.line_num, header, cells) for cells in lines if cells]


def _row(name: str, line: int, header: list[str], cells: list[str]) -> Row:
    if len(cells) != len(header):
        raise TableError(f"{name}, line {line}: has {len(cells)} cells where the header has {len(header)}")
    return Row(name, line, dict(zip(header, cells, strict=True)))


def _check_header(name: str, header: list[str], columns: Collection[str]) -> None:
    unknown = [column for column in header if column not in columns]
    missing = [column for column in columns if column not in header]
    if unknown:
        raise TableError(f"{name}, line 1, {unknown[0] or 'header'}: is no column of this table")
    if missing:
        raise TableError(f"{name}, line 1, {missing[0]}: is missing from the header")
    if len(set(header)) != len(header):
        raise TableError(f"{name}, line 1: the header names a column twice")
