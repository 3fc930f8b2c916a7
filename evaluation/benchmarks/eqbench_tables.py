"""Ratings in tables: bars, box drawing, CSV. The column is found by its header, or it is the only one. Pure; linear."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from evaluation.benchmarks.eqbench_mentions import Mention, Name
from evaluation.benchmarks.eqbench_trees import Read
from evaluation.benchmarks.eqbench_values import Rating, noted_value, whole_value
from evaluation.benchmarks.eqbench_words import SEVERAL, Subject, label_in, subject_of, which_is_rating

_BARS = str.maketrans("│┃║｜", "||||")
_RULE = re.compile(r"[\s|:+=\-─━═┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝┏┳┓┣╋┫┗┻┛╒╤╕╞╪╡╘╧╛╟╫╢╓╥╖╙╨╜╭╮╰╯]*+$")
_BARE_RULE = re.compile(r"[\s\-=─━═]*+$")
_DELIMITERS = "\t;,"
MOST_ROWS, MOST_CELLS = 400, 40
# A rating with a note in its cell: `3 (mild)`, `3/10, because`. A number that counts something has no sign behind it.
_NOTED = re.compile(r"[\s*_`]{0,8}+\d{1,3}+(?:[.,]\d{1,2}+)?(?:\s?/\s?10)?[*_`]{0,4}+\s?[(\[（,;:–—-]")
_TOON = re.compile(r"\s{0,20}+[\w.]{0,40}+\[\d{1,3}+[,|\t]?\]\{([^{}\n]{0,400}+)\}:\s{0,8}+$")
_PLACEHOLDER = re.compile(r"\s{0,8}+[<\[{(]\s{0,8}+[^\W\d]")


class Row(NamedTuple):
    """The cells of one line that begins at `at`; `drawn` tells that its bars are those of box drawing."""

    at: int
    end: int
    cells: tuple[str, ...]
    drawn: bool = False


def tables_in(text: str, names: Sequence[Name], labels: tuple[str, ...]) -> Iterator[Read]:
    """The ratings of each table of bars that names a label, though none of its columns may be one of ratings."""
    for rows, header in _tables(text):
        mentions = list(_read(rows, header, labels, "table"))
        if mentions or (header is not None and any(_columns(row, labels) for row in rows)):
            yield Read(rows[0].at, rows[-1].end, mentions)


def csv_in(text: str, names: Sequence[Name], labels: tuple[str, ...]) -> Iterator[Read]:
    """The ratings of comma-separated values: lines with a name each, or a line of names above their numbers."""
    lines = list(islice(_lines_of(text, names), MOST_ROWS))
    reads: list[Read] = []
    for delimiter in _DELIMITERS:
        for read in _csv_reads([_csv_row(at, line, delimiter) for at, line in lines], labels):
            if read.mentions and all(read.end < other.start or other.end < read.start for other in reads):
                reads.append(read)
    return iter(reads)


def _csv_reads(rows: Sequence[Row], labels: tuple[str, ...]) -> Iterator[Read]:
    """The ratings of each block of lines, with the line above it for its header."""
    columns = [_columns(row, labels) if len(row.cells) > 1 else {} for row in rows]
    flat = [number for number, named in enumerate(columns) if named.keys() == set(labels)]
    blocks = [range(start, min(start + 3, end)) for start, end in zip(flat, [*flat[1:], len(rows)], strict=False)]
    for block in blocks or _csv_blocks(rows, columns):
        above = rows[block[0] - 1] if block[0] and rows[block[0] - 1].end + 1 == rows[block[0]].at else None
        lines = [rows[number] for number in block]
        yield Read(lines[0].at, lines[-1].end, list(_read(lines, above, labels, "CSV")))


def _csv_blocks(rows: Sequence[Row], columns: Sequence[dict[str, int]]) -> Iterator[range]:
    """The blocks of lines with a name each. Another header, or a name for the second time, begins the next block."""
    seen: set[str] = set()
    start = last = -1
    for number, named in enumerate(columns):
        is_header = len(rows[number].cells) > 1 and not named and not any(map(whole_value, rows[number].cells))
        if seen and (is_header or seen & named.keys()):
            if len(seen) > 1:
                yield range(start, last + 1)
            seen = set()
        if len(named) == 1:
            start = start if seen else number
            last = number
            seen |= named.keys()
    if len(seen) > 1:
        yield range(start, last + 1)


def _lines_of(text: str, names: Sequence[Name]) -> Iterator[tuple[int, str]]:
    """The lines with names in them, the one above them and the two below."""
    last = line_of_name = -1
    for name in names:
        start = text.rfind("\n", 0, name.at) + 1
        if start == line_of_name:
            continue
        line_of_name = start
        begin = text.rfind("\n", 0, max(0, start - 1)) + 1 if start else 0
        for _ in range(4):
            end = text.find("\n", begin)
            end = len(text) if end < 0 else end
            if begin > last:
                yield begin, text[begin:end]
                last = begin
            begin = end + 1
            if begin > len(text):
                return


def _tables(text: str) -> Iterator[tuple[list[Row], Row | None]]:
    """Runs of lines with bars, each with its header: the first row, if a rule follows it or it holds no number."""
    rows: list[Row] = []
    ruled, at = False, 0
    for line in text.split("\n"):
        barred = line.translate(_BARS)
        if "|" in barred and not _RULE.match(barred) and barred.count("|") <= MOST_CELLS and len(rows) < MOST_ROWS:
            inner = barred.strip().removeprefix("|").removesuffix("|")
            rows.append(Row(at, at + len(line), tuple(cell.strip() for cell in inner.split("|")), barred != line))
        elif line.strip() and _RULE.match(barred) and not (len(rows) > 1 and _BARE_RULE.match(line)):
            if len(rows) > 2 and not any(map(whole_value, rows[-1].cells)):  # the header of a second table
                yield rows[:-1], _header(rows[:-1], ruled=ruled)
                rows = rows[-1:]
            ruled = ruled or len(rows) == 1
        elif rows:
            yield rows, _header(rows, ruled=ruled)
            rows, ruled = [], False
        at += len(line) + 1
    if rows:
        yield rows, _header(rows, ruled=ruled)


def _header(rows: Sequence[Row], *, ruled: bool) -> Row | None:
    is_header = ruled or not any(whole_value(cell) for cell in rows[0].cells)
    return rows[0] if is_header and len(rows[0].cells) > 1 else None


def _csv_row(at: int, line: str, delimiter: str) -> Row:
    """The cells of a line; of one that is too long none."""
    if delimiter not in line or len(line) > 500:
        return Row(at, at + len(line), ("",))
    written = line.rstrip("\r").replace("\0", "")
    toon = _TOON.match(written)
    written = toon[1] if toon else written
    cells = next(csv.reader([written], delimiter=delimiter, skipinitialspace=True), [""])
    return Row(at, at + len(line), tuple(cells))


def _columns(row: Row, labels: tuple[str, ...]) -> dict[str, int]:
    return {label: column for column, cell in enumerate(row.cells) if (label := label_in(cell, labels))}


def _read(rows: Sequence[Row], header: Row | None, labels: tuple[str, ...], form: str) -> Iterator[Mention]:
    first = _columns(rows[0], labels)
    if first.keys() == set(labels) and len(rows) > 1 and not any(map(whole_value, rows[0].cells)):
        yield from _across(rows, first, form)
        return
    titles = header.cells if header is not None and not (_columns(header, labels)) else ()
    rows = [row for row in rows if row is not header] if titles else rows
    if titles and all(len(row.cells) != len(titles) for row in rows):
        titles = ()  # a header that fits none of its rows names no column
    first_column = 1 if _counts(rows) else 0
    for row in rows:
        yield from _down(row, titles, labels, form, first_column)


def _counts(rows: Sequence[Row]) -> bool:
    """Whether the first column only numbers the rows, each by its place or, as Markdown allows, all by 1."""
    numbers = [rating.value if (rating := whole_value(row.cells[0])) else None for row in rows]
    counted = [[start + step * n for n in range(len(rows))] for start, step in ((0.0, 1), (1.0, 1), (1.0, 0))]
    return len(rows) > 1 and numbers in counted


def _across(rows: Sequence[Row], columns: dict[str, int], form: str) -> Iterator[Mention]:
    """The names side by side in the first row, their numbers in one of the rows below."""
    numbered: list[tuple[Row, Subject, dict[str, Rating]]] = []
    for row in rows[1:]:
        ratings = {
            label: rating
            for label, column in columns.items()
            if column < len(row.cells) and (rating := whole_value(row.cells[column]))
        }
        if len(ratings) == len(columns):
            title = next((cell for column, cell in enumerate(row.cells) if column not in columns.values()), "")
            numbered.append((row, subject_of(title), ratings))
    which = which_is_rating([subject for _, subject, _ in numbered])
    for label in columns if which is not None else ():
        rating = Rating("several rows", None) if which == SEVERAL else numbered[which or 0][2][label]
        is_draft = numbered[which or 0][1] == "draft"
        yield Mention(rows[0].at, label, rating._replace(form=rating.form or form, end=-1, draft=is_draft))


def _down(row: Row, titles: Sequence[str], labels: tuple[str, ...], form: str, first: int) -> Iterator[Mention]:
    """A name and its number in one row, or several such pairs one after the other; cells before `first` are none."""
    named = [(column, label) for column, cell in enumerate(row.cells) if (label := label_in(cell, labels))]
    if len(named) > 1 and any(map(whole_value, row.cells[: named[0][0]])):
        return  # numbers before their names
    for number, (column, label) in enumerate(named):
        end = named[number + 1][0] if number + 1 < len(named) else len(row.cells)
        begin = first if len(named) == 1 else column + 1
        at = row.at + number
        subjects = titles if len(named) == 1 else ()
        places = [place for place in range(begin, end) if place != column]
        cells = _rated(row, places, subjects, whole_value) or _rated(row, places, subjects, _noted)
        which = which_is_rating([subject for _, subject, _ in cells])
        if which is None:
            if any(_PLACEHOLDER.match(cell) for cell in row.cells[column + 1 : end]):
                yield Mention(at, label, None)
            continue
        if which == SEVERAL:
            yield Mention(at, label, Rating(", ".join(rating.written for _, _, rating in cells)[:20], None))
            continue
        place, subject, rating = cells[which]
        usual = place == column + 1 and form == "table" and not row.drawn and len(cells) == 1
        flag = rating.form or ("" if usual else form)
        yield Mention(at, label, rating._replace(form=flag, end=-1, draft=subject == "draft"))


def _rated(
    row: Row, places: Sequence[int], titles: Sequence[str], read: Callable[[str], Rating | None]
) -> list[tuple[int, Subject, Rating]]:
    """The cells that hold a rating, with what their titles say of them."""
    return [
        (place, subject_of(titles[place]) if place < len(titles) else "", rating)
        for place in places
        if (rating := read(row.cells[place]))
    ]


def _noted(cell: str) -> Rating | None:
    return noted_value(cell.lstrip(" \t*_`")) if _NOTED.match(cell) else None
