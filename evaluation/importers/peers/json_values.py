"""JSON and JSON lines of peers, read strictly. Refusals name file, line and field."""

import ast
import math
from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.importers.peers.files import ResultFile, check_size
from evaluation.importers.refusals import FileError, Refusal
from evaluation.importers.strict_json import JsonError, parse_strictly

LONGEST_REFERENCE = 4_000
HIGHEST_SCORE = 1_000_000.0
EMOTIONS = (1, 2, 3, 4)
_MISSING = object()


def whole_object(file: ResultFile) -> Mapping[str, Any]:
    """The JSON object that a file is.

    Raises:
        FileError: too large, broken, or another JSON value.
    """
    check_size(file)
    try:
        value = parse_strictly(file.content)
    except JsonError as error:
        raise FileError(f"{file.name}: {error}", error.refusal) from error
    if not isinstance(value, dict):
        raise FileError(f"{file.name}: the JSON is no object", Refusal.OTHER)
    return value


def lines_of(file: ResultFile) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Line number and object of each line that is not blank.

    Raises:
        FileError: too large; a line is broken, no object, or holds a number that is not finite.
    """
    check_size(file)
    for number, line in enumerate(file.content.split(b"\n"), 1):
        if line.strip():
            yield number, _object(file, number, line)


def _object(file: ResultFile, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        value = parse_strictly(line)
    except JsonError:
        complaint, refusal = _complaint(number, line)
        raise FileError(f"{file.name}: {complaint}", refusal) from None
    if not isinstance(value, dict):
        raise FileError(f"{file.name}: line {number} is no JSON object", Refusal.EDITED_FILE)
    return value


def _complaint(number: int, line: bytes) -> tuple[str, Refusal]:
    """What is wrong with a line. Read again below as many blank lines as stand above it, the parser's line is right."""
    try:
        parse_strictly(b"\n" * (number - 1) + line)
    except JsonError as error:
        cut = ". Is the file cut off? Copy it again" if error.refusal is Refusal.EDITED_FILE else ""
        return f"{error}{cut}", error.refusal
    return f"line {number} starts with a byte order mark in the middle of the file", Refusal.EDITED_FILE


def field_of(entry: Mapping[str, Any], path: str, where: str) -> Any:
    """The value at a dotted path of keys.

    Raises:
        FileError: a key is missing; the text names the path.
    """
    value: Any = entry
    for key in path.split("."):
        value = value.get(key, _MISSING) if isinstance(value, dict) else _MISSING
        if value is _MISSING:
            raise FileError(f"{where}: {path} missing", Refusal.FIELD_MISSING)
    return value


def text_at(entry: Mapping[str, Any], path: str, where: str) -> str:
    value = field_of(entry, path, where)
    if not isinstance(value, str):
        raise FileError(f"{where}: {path} is no text", Refusal.OTHER)
    return value


def whole_number_at(entry: Mapping[str, Any], path: str, where: str) -> int:
    """A whole number of at least 0."""
    value = field_of(entry, path, where)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise FileError(f"{where}: {path} is no whole number of at least 0", Refusal.OTHER)
    return value


def score_at(entry: Mapping[str, Any], path: str, where: str) -> float:
    """A finite number whose size is at most a million."""
    value = field_of(entry, path, where)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= HIGHEST_SCORE:
        raise FileError(
            f"{where}: {path} is no number between -{HIGHEST_SCORE:.0f} and {HIGHEST_SCORE:.0f}", Refusal.OTHER
        )
    return float(value)


def reference_from(value: object, where: str, name: str) -> Mapping[str, float]:
    """Emotion -> rating of a reference answer: an object, or the text of a Python dictionary, as the data set has it.

    Raises:
        FileError: it does not hold four emotions with a number each.
    """
    entry = _literal(value) if isinstance(value, str) else value
    if not isinstance(entry, dict):
        raise FileError(f"{where}: {name} is no reference answer", Refusal.OTHER)
    found = {entry.get(f"emotion{number}"): _rating(entry.get(f"emotion{number}_score")) for number in EMOTIONS}
    ratings = {emotion: rating for emotion, rating in found.items() if isinstance(emotion, str) and rating is not None}
    if len(ratings) != len(EMOTIONS):
        raise FileError(f"{where}: {name} does not hold four emotions with a number each", Refusal.OTHER)
    return ratings


def _literal(text: str) -> object:
    if len(text) > LONGEST_REFERENCE:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _rating(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        rating = float(value)
    except (ValueError, OverflowError):
        return None
    return rating if math.isfinite(rating) else None
