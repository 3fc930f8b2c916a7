"""Reading a CSV file of a study strictly: lines, faults with line, field and a way out, names that can be told apart.

No database in here.
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from evaluation.importers.spellings import skeleton
from evaluation.importers.tables import Row, TableError
from evaluation.signs import hides_something, spelled

MOST_RESPONDERS = 26
"""More would make tables that nobody can read, and letters that take long to find."""
MOST_FAULTS = 20  # listed in one refusal
_ENOUGH_FAULTS = 1000
"""After so many the rest of the file is not read: it is another kind of file."""
WHOLE = re.compile(r"\d{1,9}", re.ASCII)
NAME_LENGTH = 80
CODE_LENGTH = 100


class StudyFileError(ValueError):
    """A file that cannot be used. The text has one sentence or more a fault, each fault on a line of its own."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a stored study has: the emotion of each item by its id, and its responders."""

    emotions: Mapping[str, str]
    responders: Collection[str]


class Lines:
    """The lines of a CSV file, read strictly one by one."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self._reader = csv.reader(io.StringIO(self._decoded(content), newline=""), strict=True)
        self.header = [cell.strip() for cell in self._next() or []]

    def _decoded(self, content: bytes) -> str:
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise StudyFileError(
                f"{self.name}, line {line}: is not UTF-8. Fix: save the file as CSV in the encoding UTF-8."
            ) from error

    def _next(self) -> list[str] | None:
        try:
            return next(self._reader, None)
        except csv.Error as error:
            raise StudyFileError(
                f"{self.name}, line {self._reader.line_num}: is no line of a CSV file ({error}). "
                "Fix: close each quotation mark, and double those within a cell."
            ) from error

    def check_header(self, columns: Sequence[str], extras: Sequence[str]) -> None:
        known = (*columns, *extras)
        twice = [name for name in self.header if self.header.count(name) > 1]
        unknown = [name for name in self.header if name not in known]
        missing = [name for name in columns if name not in self.header]
        if unknown or missing:
            self._refuse_separator()
        if "" in self.header:
            self._refuse("header", "has a column without a name. Fix: delete it, or the comma at the end of the lines.")
        if twice:
            self._refuse(spelled(twice[0])[:40], "is in the header twice. Fix: delete one of the columns.")
        if unknown:
            names = ", ".join(known)
            self._refuse(spelled(unknown[0])[:40], f"is no column of this table. Fix: keep only {names}.")
        if missing:
            self._refuse(missing[0], "is missing from the header. Fix: add the column.")

    def refuse_header(self, *forms_of_header: Sequence[str]) -> NoReturn:
        self._refuse_separator()
        forms = " or ".join(", ".join(columns) for columns in forms_of_header)
        self._refuse("header", f"names neither ratings nor counts. Fix: begin the file with a line {forms}.")

    def _refuse_separator(self) -> None:
        """Of a header that is not as wanted: says that it has another separator, where it has one."""
        for sign, name in ((";", "semicolons"), ("\t", "tabs")):
            if any(sign in cell for cell in self.header):
                self._refuse(
                    "header", f"the cells are separated by {name}. Fix: save the file with commas between cells."
                )

    def _refuse(self, column: str, reason: str) -> NoReturn:
        raise StudyFileError(f"{self.name}, line 1, {column}: {reason}")

    def rows(self) -> Iterator[Row]:
        while (cells := self._next()) is not None:
            if cells:
                yield self._row(cells)

    def _row(self, cells: list[str]) -> Row:
        if len(cells) != len(self.header):
            raise StudyFileError(
                f"{self.name}, line {self._reader.line_num}: has {len(cells)} cells where the header has "
                f"{len(self.header)}. Fix: put a comma between each two cells, and quotation marks around a cell that "
                "holds one."
            )
        return Row(self.name, self._reader.line_num, dict(zip(self.header, cells, strict=True)))


class Faults:
    """The faults of a file, the first MOST_FAULTS of them as text."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.number = 0

    def note(self, text: str) -> None:
        self.number += 1
        if len(self.texts) < MOST_FAULTS:
            self.texts.append(text)

    def noting(self, act: Callable[[Row], None], row: Row) -> None:
        try:
            act(row)
        except TableError as error:
            self.note(str(error))

    def refuse(self) -> None:
        """Raises StudyFileError if there was any."""
        if self.texts:
            more = self.number - len(self.texts)
            least = " or more" if self.are_enough else ""
            raise StudyFileError("\n".join([*self.texts, *([f"and {more}{least} further faults"] if more else [])]))

    @property
    def are_enough(self) -> bool:
        return self.number >= _ENOUGH_FAULTS

    def all_noted(self, act: Callable[[Row], None], rows: Iterator[Row]) -> int:
        """Acts on each row until there are enough faults. Returns how many rows were read."""
        number = 0
        for row in rows:
            number += 1
            self.noting(act, row)
            if self.are_enough:
                break
        return number


@dataclass
class Names:
    """The responders so far, which must not look like one another."""

    known: Known | None = None
    lines: dict[str, int] = field(default_factory=dict)
    looks: dict[str, str] = field(default_factory=dict)  # skeleton -> name

    def checked(self, row: Row) -> str:
        name = text_of(row, "responder", NAME_LENGTH)
        if name in self.lines:
            return name
        if self.known and name not in self.known.responders:
            there = ", ".join(self.known.responders) or "none yet"
            raise row.error(
                "responder", f'"{name}" is no responder of this study. Fix: register it, or write one of: {there}.'
            )
        look = skeleton(name)
        other = self.looks.get(look)
        if other is not None:
            line = self.lines[other]
            raise row.error(
                "responder", f'"{name}" looks like "{other}" of line {line}. Fix: spell one responder in one way.'
            )
        if len(self.lines) == MOST_RESPONDERS:
            raise row.error(
                "responder",
                f"is number {MOST_RESPONDERS + 1} of the file. Fix: split it, {MOST_RESPONDERS} are allowed.",
            )
        self.lines[name], self.looks[look] = row.line, name
        return name


def text_of(row: Row, column: str, length: int, *, required: bool = True) -> str:
    value = row.cells[column].strip()
    if len(value) > length:
        raise row.error(column, f"has more than {length} characters. Fix: shorten it.")
    if required and not value:
        raise row.error(column, "is empty. Fix: fill it in, or delete the line.")
    if hides_something(value):
        raise row.error(column, f'"{spelled(value)[:60]}" holds a sign that cannot be seen. Fix: delete that sign.')
    return value


def refuse_empty(name: str, rows: int, what: str) -> None:
    if not rows:
        raise StudyFileError(f"{name}, line 2: there is no {what}. Fix: add at least one line below the header.")
