"""Files of ratings or counts of the empathetic-responding study, read whole or refused. No database in here.

A file of ratings has one line a rating: item_id, responder, rater, value, and if wanted emotion, seconds, created_at.
A file of counts has one line a cell: scope, responder, good, with n or with bad and okay, and if wanted raters, basis.
Columns come in any order. Nothing of a file with a fault is used; each fault names its line, its field and a way out.
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NoReturn

from evaluation.importers.spellings import skeleton
from evaluation.importers.tables import Row, TableError
from evaluation.signs import hides_something, spelled
from evaluation.statistics.emotion_labels import VALENCE
from evaluation.statistics.raters import raters_of
from evaluation.statistics.responders import ALL, SCOPES, Cell

MAX_BYTES = 20_000_000
MOST_RESPONDERS = 26
"""More would make tables that nobody can read, and letters that take long to find."""
MOST_FAULTS = 20  # listed in one refusal
_ENOUGH_FAULTS = 1000
"""After so many the rest of the file is not read: it is another kind of file."""

RATING_COLUMNS = ("item_id", "responder", "rater", "value")
RATING_EXTRAS = ("emotion", "seconds", "created_at")
COUNT_COLUMNS = ("scope", "responder", "good")
COUNT_EXTRAS = ("n", "bad", "okay", "raters", "basis")

LEVELS = ("bad", "okay", "good")
Coding = Literal["words", "1-3", "0-2"]
CODINGS: Mapping[Coding, tuple[str, str, str]] = {
    "words": LEVELS,
    "1-3": ("1", "2", "3"),  # the published file
    "0-2": ("0", "1", "2"),  # what the authors' rating tool writes
}
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_NAME_LENGTH = 80
_CODE_LENGTH = 100
_SECONDS = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)


class StudyFileError(ValueError):
    """A file that cannot be used. The text has one sentence or more a fault, each fault on a line of its own."""


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A whole file. `cells` is keyed by scope and by emotion; `n_raters` has what a file of counts says about raters.
    `rows` is the number of ratings or of cells.
    """

    kind: Literal["ratings", "counts"]
    rows: int
    cells: Mapping[str, Sequence[Cell]]
    n_raters: Mapping[str, int]

    @property
    def responders(self) -> list[str]:
        """In the order of the file."""
        return list(dict.fromkeys(cell.responder for cells in self.cells.values() for cell in cells))


def read_study(
    name: str,
    content: bytes,
    *,
    coding: Coding = "words",
    ratings_per_reply: int = 1,
    items_per_rater: int | None = None,
) -> StudyFile:
    """The file, of ratings or of counts as its header says.

    Args:
        name: What faults call the file.
        content: UTF-8, with or without a byte order mark; at most MAX_BYTES.
        coding: How a file of ratings writes Bad, Okay and Good.
        ratings_per_reply: How often one reply may be rated.
        items_per_rater: How many ratings each rater has to have; None where that may differ.

    Raises:
        StudyFileError: Any fault.
    """
    if len(content) > MAX_BYTES:
        raise StudyFileError(f"{name}: is larger than {MAX_BYTES // 1_000_000} MB. Fix: leave out what is no rating.")
    lines = _Lines(name, content)
    if "value" in lines.header:
        lines.check_header(RATING_COLUMNS, RATING_EXTRAS)
        return _ratings(lines, _Ratings(coding, ratings_per_reply, items_per_rater))
    if "scope" in lines.header:
        lines.check_header(COUNT_COLUMNS, COUNT_EXTRAS)
        return _counts(lines)
    return lines.refuse_header()


class _Lines:
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
        if "" in self.header:
            self._refuse("header", "has a column without a name. Fix: delete it, or the comma at the end of the lines.")
        if twice:
            self._refuse(spelled(twice[0])[:40], "is in the header twice. Fix: delete one of the columns.")
        if unknown:
            names = ", ".join(known)
            self._refuse(spelled(unknown[0])[:40], f"is no column of this table. Fix: keep only {names}.")
        if missing:
            self._refuse(missing[0], "is missing from the header. Fix: add the column.")

    def refuse_header(self) -> NoReturn:
        other = next((sign for sign in (";", "\t") if any(sign in cell for cell in self.header)), None)
        if other:
            name = "semicolons" if other == ";" else "tabs"
            self._refuse("header", f"the cells are separated by {name}. Fix: save the file with commas between cells.")
        forms = " or ".join(", ".join(columns) for columns in (RATING_COLUMNS, COUNT_COLUMNS))
        self._refuse("header", f"names neither ratings nor counts. Fix: begin the file with a line {forms}.")

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


class _Faults:
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
class _Names:
    """The responders so far, which must not look like one another."""

    lines: dict[str, int] = field(default_factory=dict)
    looks: dict[str, str] = field(default_factory=dict)  # skeleton -> name

    def checked(self, row: Row) -> str:
        name = _text(row, "responder", _NAME_LENGTH)
        if name in self.lines:
            return name
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


def _text(row: Row, column: str, length: int, *, required: bool = True) -> str:
    value = row.cells[column].strip()
    if len(value) > length:
        raise row.error(column, f"has more than {length} characters. Fix: shorten it.")
    if required and not value:
        raise row.error(column, "is empty. Fix: fill it in, or delete the line.")
    if hides_something(value):
        raise row.error(column, f'"{spelled(value)[:60]}" holds a sign that cannot be seen. Fix: delete that sign.')
    return value


@dataclass(slots=True)
class _Tally:
    """One cell while it is counted: levels, and for each rater the number of Good and of all ratings."""

    levels: list[int] = field(default_factory=lambda: [0, 0, 0])
    by_rater: dict[str, list[int]] = field(default_factory=dict)

    def add(self, level: int, rater: str) -> None:
        self.levels[level] += 1
        if rater:
            counts = self.by_rater.setdefault(rater, [0, 0])
            counts[0] += level == LEVELS.index("good")
            counts[1] += 1

    def cell(self, responder: str) -> Cell:
        bad, okay, good = self.levels
        # Sorted, so that the order of the file's lines does not show in the last digits of sums.
        counts = sorted(self.by_rater.values())
        raters = raters_of([own for own, _ in counts], [n for _, n in counts]) if counts else None
        return Cell(responder, bad + okay + good, good, bad, okay, raters)


@dataclass
class _Ratings:
    """What has been read of a file of ratings, with what each further line is checked against."""

    coding: Coding
    per_reply: int
    per_rater: int | None
    names: _Names = field(default_factory=_Names)
    rows: int = 0
    raters: dict[str, tuple[str, int]] = field(default_factory=dict)  # rater -> responder, first line
    n_of_raters: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    replies: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))  # -> lines
    seen: dict[tuple[str, str], int] = field(default_factory=dict)  # rater and item -> line
    emotions: dict[str, tuple[str, int]] = field(default_factory=dict)  # item -> emotion, first line
    named: dict[str, int] = field(default_factory=dict)  # responder -> first line with a rater
    unnamed: dict[str, int] = field(default_factory=dict)  # responder -> first line without
    tallies: dict[str, dict[str, _Tally]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, row: Row) -> None:
        """Raises TableError for the first fault of the line."""
        item, responder = _text(row, "item_id", _CODE_LENGTH), self.names.checked(row)
        rater = _text(row, "rater", _CODE_LENGTH, required=False)
        level, emotion = self._level(row), self._emotion(row, item)
        _check_extras(row)
        self._check_rater(row, responder, rater)
        self._check_reply(row, item, responder, rater)
        self.rows += 1
        for scope in (ALL, VALENCE[emotion], emotion) if emotion else (ALL,):
            self.tallies[scope].setdefault(responder, _Tally()).add(level, rater)

    def _level(self, row: Row) -> int:
        words = CODINGS[self.coding]
        value = row.cells["value"].strip().casefold()
        if value in words:
            return words.index(value)
        said = f'"{spelled(row.cells["value"].strip())[:40]}"'
        if self.coding == "words" and _WHOLE.fullmatch(value):
            raise row.error(
                "value", f"{said} is a number. Fix: say how the file counts, with --coding 1-3 or --coding 0-2."
            )
        names = ", ".join(words) if self.coding != "words" else "Bad, Okay, Good"
        raise row.error("value", f"{said} is not one of {names}. Fix: write one of these, or name another --coding.")

    def _emotion(self, row: Row, item: str) -> str:
        if "emotion" not in row.cells:
            return ""
        emotion = row.cells["emotion"].strip().casefold()
        if emotion not in VALENCE:
            said = f'"{spelled(emotion)[:40]}"'
            raise row.error("emotion", f"{said} is not one of the 32 labels. Fix: write one of {', '.join(VALENCE)}.")
        known, line = self.emotions.setdefault(item, (emotion, row.line))
        if known != emotion:
            raise row.error("emotion", f'the same item has "{known}" in line {line}. Fix: give each item one emotion.')
        return emotion

    def _check_rater(self, row: Row, responder: str, rater: str) -> None:
        """The code of a rater is never quoted: it may be one of a platform."""
        if not rater:
            self.unnamed.setdefault(responder, row.line)
            return
        self.named.setdefault(responder, row.line)
        known, line = self.raters.setdefault(rater, (responder, row.line))
        if known != responder:
            raise row.error(
                "rater",
                f'has rated "{known}" in line {line} already, and a rater rates one responder only. '
                "Fix: take out the ratings of one of the two, or give each person a code.",
            )

    def _check_reply(self, row: Row, item: str, responder: str, rater: str) -> None:
        lines = self.replies[(item, responder)]
        again = self.seen.setdefault((rater, item), row.line) if rater else row.line
        if again != row.line:
            raise row.error("item_id", f"the same rater rated this reply in line {again}. Fix: take out one line.")
        if len(lines) >= self.per_reply:
            raise row.error(
                "item_id",
                f"this reply was rated in line {lines[0]} already, and {self.per_reply} ratings a reply are allowed. "
                "Fix: take out the line, or allow more with --ratings-per-reply.",
            )
        lines.append(row.line)
        if rater:
            self.n_of_raters[rater] += 1

    def check_whole(self, name: str, faults: _Faults) -> None:
        """What can be seen only at the end."""
        for responder in self.named.keys() & self.unnamed.keys():
            faults.note(
                f"{name}, line {self.unnamed[responder]}, rater: is empty, while line {self.named[responder]} names a "
                f'rater of "{responder}". Fix: fill it in, or empty the column for this responder.'
            )
        if self.per_rater is not None:
            for rater, number in self.n_of_raters.items():
                if number != self.per_rater:
                    faults.note(
                        f"{name}, line {self.raters[rater][1]}, rater: has {number} ratings in all, not "
                        f"{self.per_rater}. Fix: complete them, or take this rater out."
                    )


def _check_extras(row: Row) -> None:
    """Times are read strictly, although no figure uses them: a wrong one shows that columns have slipped."""
    seconds = row.cells.get("seconds", "").strip()
    if seconds and not _SECONDS.fullmatch(seconds):
        raise row.error(
            "seconds", f'"{spelled(seconds)[:40]}" is no number of seconds. Fix: write it as 12 or 12.5, or nothing.'
        )
    moment = row.cells.get("created_at", "").strip()
    if moment:
        try:
            datetime.fromisoformat(moment)
        except ValueError as error:
            raise row.error(
                "created_at", f'"{spelled(moment)[:40]}" is no time. Fix: write it as 2026-11-28T09:30:00, or nothing.'
            ) from error


def _ratings(lines: _Lines, found: _Ratings) -> StudyFile:
    faults = _Faults()
    faults.all_noted(found.add, lines.rows())
    if not faults.texts:
        found.check_whole(lines.name, faults)
    faults.refuse()
    _refuse_empty(lines, found.rows, "rating")
    cells = {
        scope: [tally.cell(responder) for responder, tally in found.tallies[scope].items()]
        for scope in (*SCOPES, *VALENCE)
        if scope in found.tallies
    }
    return StudyFile("ratings", found.rows, cells, {})


def _refuse_empty(lines: _Lines, rows: int, what: str) -> None:
    if not rows:
        raise StudyFileError(f"{lines.name}, line 2: there is no {what}. Fix: add at least one line below the header.")


@dataclass
class _Counts:
    """What has been read of a file of counts."""

    names: _Names = field(default_factory=_Names)
    cells: dict[str, dict[str, Cell]] = field(default_factory=lambda: defaultdict(dict))
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    n_raters: dict[str, tuple[int, int]] = field(default_factory=dict)  # responder -> raters, first line

    def add(self, row: Row) -> None:
        """Raises TableError for the first fault of the line."""
        scope, responder = row.cells["scope"].strip().casefold(), self.names.checked(row)
        if scope not in SCOPES and scope not in VALENCE:
            raise row.error(
                "scope",
                f'"{spelled(scope)[:40]}" is no scope. Fix: write {", ".join(SCOPES)} or one of the 32 emotions.',
            )
        first = self.lines.setdefault((scope, responder), row.line)
        if first != row.line:
            raise row.error(
                "scope", f"this scope of the responder is in line {first} already. Fix: keep one of the two."
            )
        self._note_raters(row, responder)
        self.cells[scope][responder] = _counted(row, responder)

    def _note_raters(self, row: Row, responder: str) -> None:
        number = _whole_or_none(row, "raters")
        if number is None:
            return
        known, line = self.n_raters.setdefault(responder, (number, row.line))
        if known != number:
            raise row.error(
                "raters", f"is {number} here and {known} in line {line}. Fix: write one number a responder."
            )

    def check_whole(self, name: str, faults: _Faults) -> None:
        """The two valences make all prompts, for a responder that has the three."""
        for responder, whole in self.cells.get(ALL, {}).items():
            halves = [self.cells[scope].get(responder) for scope in SCOPES if scope != ALL]
            known = [half for half in halves if half is not None]
            sums = (sum(half.n for half in known), sum(half.good for half in known))
            if len(known) == len(halves) and sums != (whole.n, whole.good):
                faults.note(
                    f"{name}, line {self.lines[(ALL, responder)]}, good: {whole.good} of {whole.n} is not the sum of "
                    f"positive and negative, {sums[1]} of {sums[0]}. Fix: correct the wrong one of the three lines."
                )


def _counted(row: Row, responder: str) -> Cell:
    bad, okay, good, n = (_whole_or_none(row, column) for column in (*LEVELS, "n"))
    if good is None:
        raise row.error("good", "is empty. Fix: write how many ratings are Good.")
    if (bad is None) is not (okay is None):
        raise row.error("bad" if bad is None else "okay", "is empty. Fix: fill in both bad and okay, or neither.")
    total = n if bad is None or okay is None else bad + okay + good
    if total is None or total < 1:
        raise row.error("n", "no number of ratings. Fix: fill in n, or both bad and okay.")
    if n is not None and n != total:
        raise row.error("n", f"is {n}, while bad, okay and good add up to {total}. Fix: correct one of them.")
    if good > total:
        raise row.error("good", f"is {good} of {total} ratings. Fix: correct one of them.")
    basis = _text(row, "basis", _NAME_LENGTH, required=False) if "basis" in row.cells else ""
    return Cell(responder, total, good, bad, okay, basis=basis)


def _whole_or_none(row: Row, column: str) -> int | None:
    text = row.cells.get(column, "").strip()
    if text and not _WHOLE.fullmatch(text):
        raise row.error(column, f'"{spelled(text)[:40]}" is no whole number. Fix: write digits only, at most nine.')
    return int(text) if text else None


def _counts(lines: _Lines) -> StudyFile:
    found, faults = _Counts(), _Faults()
    rows = faults.all_noted(found.add, lines.rows())
    if not faults.texts:
        found.check_whole(lines.name, faults)
    faults.refuse()
    _refuse_empty(lines, rows, "cell")
    cells = {scope: list(found.cells[scope].values()) for scope in (*SCOPES, *VALENCE) if found.cells.get(scope)}
    return StudyFile("counts", rows, cells, {name: number for name, (number, _) in found.n_raters.items()})
