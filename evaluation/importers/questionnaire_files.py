"""Tables of filled-in questionnaires, as EmotionBench's authors released them: read into frozen rows. No database.

A CSV file with the columns model, condition, used_index, run and answers; `condition` is "default" or a factor, `run`
counts from 0, and `answers` has a digit a word in the order of the questionnaire, or is empty. Sums may stand beside
them and have to be right; a `reason` says why there are no answers. The orders in which the words were shown are lost.
"""

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.benchmarks.emotionbench.bank import DEFAULT, WORDS
from evaluation.benchmarks.emotionbench.reading import HIGHEST, LOWEST, REASONS
from evaluation.importers.eqbench_files import MAX_FILE_BYTES, shown
from evaluation.importers.names import NAME_LENGTH
from evaluation.importers.refusals import FileError, Refusal

COLUMNS = ("model", "condition", "used_index", "run", "answers")
SUM_COLUMNS = ("positive", "negative")
WITHOUT_ANSWERS = "not in the file"
MOST_RUNS = 1_000
"""More repeats of one situation than any plan has: such a number is a slip."""


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """One line: which item was asked in which repeat (from 1), and the answers, empty where there are none."""

    line: int
    item_id: str
    repeat: int
    answers: tuple[int, ...]
    sums: tuple[float, float] | None
    reason: str


@dataclass(frozen=True, slots=True)
class QuestionnaireRun:
    """All questionnaires of one model; `sha256` is of what they say, not of the file, which may hold other models."""

    model: str
    questionnaires: tuple[Questionnaire, ...]
    sha256: str


def is_table(content: bytes) -> bool:
    """Whether a file is such a table, by its first line."""
    first = content.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0].decode("utf-8", "replace")
    return set(COLUMNS) <= {name.strip().strip('"') for name in first.split(",")}


def models_in(content: bytes) -> list[str]:
    """The models of a table, in its order; empty where it cannot be read as far as that."""
    try:
        return list(dict.fromkeys(row.get("model") or "" for _, row in _rows(content)))
    except FileError:
        return []


def rows_of_model(content: bytes, model: str) -> bytes:
    """The same table with the rows of one model alone. Raises FileError."""
    rows = [row for _, row in _rows(content) if row.get("model") == model]
    names = list(rows[0]) if rows else list(COLUMNS)
    return written(names, rows)


def written(names: Sequence[str], rows: Iterable[Mapping[str, object]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def read_questionnaires(content: bytes, model: str) -> QuestionnaireRun:
    """The questionnaires of one model.

    Raises:
        FileError: larger than 20 MB, no such table, no row of the model, or a faulty row; the text names its line.
    """
    if len(model) > NAME_LENGTH or not model.strip() or not model.isprintable():
        raise FileError(f"model is not a printable name of at most {NAME_LENGTH} characters", Refusal.OTHER)
    found = tuple(_questionnaire(line, row) for line, row in _rows(content) if row["model"] == model)
    if not found:
        raise FileError(f"holds no row of the model {shown(model)}", Refusal.OTHER)
    lines: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for each in found:
        lines[each.item_id, each.repeat].append(each.line)
    for (item_id, repeat), twice in lines.items():
        if len(twice) > 1:
            raise FileError(
                f"line {twice[1]}: {shown(item_id)}, run {repeat - 1} stands in line {twice[0]} already",
                Refusal.DOUBLED_LINE,
            )
    said = sorted((each.item_id, each.repeat, each.answers, each.reason) for each in found)
    return QuestionnaireRun(model, found, hashlib.sha256(repr((model, said)).encode()).hexdigest())


def _rows(content: bytes) -> list[tuple[int, dict[str, str]]]:
    """Line number and cells of each row. Raises FileError."""
    if len(content) > MAX_FILE_BYTES:
        raise FileError(f"larger than {MAX_FILE_BYTES // (1024 * 1024)} MB", Refusal.TOO_LARGE)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError("is not UTF-8", Refusal.NOT_UTF8) from None
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise FileError(
                f"no table of questionnaires: {', '.join(missing)} missing among its columns", Refusal.FIELD_MISSING
            )
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise FileError(f"line {reader.line_num}: {error}", Refusal.EDITED_FILE) from None
    for line, row in rows:
        if None in row or None in row.values():  # a line that is too long or too short
            raise FileError(f"line {line} has not as many cells as the first", Refusal.EDITED_FILE)
        row["model"] = row["model"].strip()  # a name with a blank at its end is no other model
    return rows


def _questionnaire(line: int, row: Mapping[str, str]) -> Questionnaire:
    condition = row["condition"].strip()
    item_id = DEFAULT if condition == DEFAULT else f"{condition}#{_number(line, row, 'used_index')}"
    reason = (row.get("reason") or "").strip()
    if reason and reason not in REASONS:
        raise FileError(f"line {line}: reason is none of {', '.join(REASONS)}", Refusal.OTHER)
    answers = _answers(line, row["answers"].strip())
    return Questionnaire(
        line,
        item_id,
        _number(line, row, "run") + 1,
        answers,
        _sums(line, row) if answers else None,
        "" if answers else reason or WITHOUT_ANSWERS,
    )


def _number(line: int, row: Mapping[str, str], name: str) -> int:
    text = row[name].strip()
    if not (text.isascii() and text.isdecimal() and int(text[:9]) < MOST_RUNS):
        raise FileError(f"line {line}: {name} is no whole number from 0 to {MOST_RUNS - 1}", Refusal.NO_NUMBER)
    return int(text)


def _answers(line: int, text: str) -> tuple[int, ...]:
    if not text:
        return ()
    allowed = {str(number) for number in range(LOWEST, HIGHEST + 1)}
    if len(text) != WORDS or not set(text) <= allowed:
        raise FileError(
            f"line {line}: answers are no {WORDS} digits from {LOWEST} to {HIGHEST}, in the order of the questionnaire",
            Refusal.NO_NUMBER,
        )
    return tuple(map(int, text))


def _sums(line: int, row: Mapping[str, str]) -> tuple[float, float] | None:
    texts = [(row.get(name) or "").strip() for name in SUM_COLUMNS]
    if not any(texts):
        return None
    try:
        positive, negative = map(float, texts)
    except ValueError:
        raise FileError(f"line {line}: positive and negative are no two numbers", Refusal.NO_NUMBER) from None
    return positive, negative
