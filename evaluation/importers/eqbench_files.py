"""Official EQ-Bench run files (results/eq-bench of the official repository), read into frozen rows. No database.

A file is one JSON object with one entry an iteration in `raw_results`, each with `respondent_answers` (item -> pass ->
emotion -> rating) and `raw_inference` (item -> reply). `individual_scores` is stale in the official files and ignored.
"""

import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.importers.refusals import FileError, Refusal
from evaluation.importers.strict_json import JsonError, line_of_not_finite_text, parse_strictly

MAX_FILE_BYTES = 20 * 1024 * 1024
HIGHEST_RATING = 1_000_000.0  # far above what any official file holds (100), far below what could overflow a sum
LONGEST_NAME = 200
REQUIRED = ("eqbench_version", "model_path", "benchmark_score", "run_completed", "raw_results")
BENCHMARK_OF_VERSION = {
    ("v2", "en"): "eq-bench-v2",
    ("v1", "en"): "eq-bench-v1",
    ("v2", "de"): "eq-bench-v2-de",
    ("v2_de", "en"): "eq-bench-v2-de",
}
PARTS = ("first_pass", "revised")
Ratings = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """What a file holds of one item: ratings a part (only parts that were read or asked for) and the raw reply."""

    item_id: str
    parts: Mapping[str, Ratings]
    reply: str


@dataclass(frozen=True, slots=True)
class OfficialRun:
    """One file. `iterations` has the records of each pass over the bank, in the file's order."""

    benchmark: str
    model_path: str
    lora_path: str
    engine: str
    template: str
    quant: str
    revision: bool
    published_score: float | None
    completed_at: datetime
    sha256: str
    iterations: tuple[tuple[ItemRecord, ...], ...]


def read_official_run(content: bytes) -> OfficialRun:
    """The run in a file's bytes.

    Raises:
        FileError: larger than 20 MB, broken, a field missing or of a wrong kind, an unknown version, a doubled key,
            a rating that is no number from 0 to a million; the text names the items, or the line.
    """
    if len(content) > MAX_FILE_BYTES:
        raise FileError(f"larger than {MAX_FILE_BYTES // (1024 * 1024)} MB", Refusal.TOO_LARGE)
    try:
        data = parse_strictly(content)
    except JsonError as error:
        raise FileError(str(error), error.refusal) from error
    _check_fields(data)
    iterations = tuple(_records(number, entry, content) for number, entry in _iterations(data))
    return OfficialRun(
        benchmark=_benchmark(data),
        model_path=_text(data, "model_path", required=True),
        lora_path=_text(data, "lora_path"),
        engine=_text(data, "inference_engine"),
        template=_text(data, "instruction_template"),
        quant=_text(data, "bitsandbytes_quant"),
        revision=any("revised" in record.parts for records in iterations for record in records),
        published_score=_published_score(data),
        completed_at=_completed_at(data["run_completed"]),
        sha256=hashlib.sha256(content).hexdigest(),
        iterations=iterations,
    )


def _check_fields(data: Any) -> None:
    if not isinstance(data, dict):
        raise FileError("not an official EQ-Bench run file: the JSON is no object", Refusal.OTHER)
    missing = [name for name in REQUIRED if name not in data]
    if missing:
        raise FileError(f"not a complete EQ-Bench run file: {', '.join(missing)} missing", Refusal.FIELD_MISSING)


def _benchmark(data: Mapping[str, Any]) -> str:
    version, language = data["eqbench_version"], data.get("language") or "en"
    benchmark = BENCHMARK_OF_VERSION.get((str(version), str(language)))
    if benchmark is None:
        raise FileError(
            f"eqbench_version {shown(str(version))} ({shown(str(language))}) is not one that can be imported",
            Refusal.NOT_IMPORTABLE,
        )
    return benchmark


def _text(data: Mapping[str, Any], name: str, *, required: bool = False) -> str:
    value = data.get(name) or ""
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not (value.isprintable() and (value or not required)):
        raise FileError(f"{name} is not a printable text of at most {LONGEST_NAME} characters", Refusal.OTHER)
    return value.strip()


def _published_score(data: Mapping[str, Any]) -> float | None:
    """The score that the file claims; None where the official run failed and wrote no number."""
    value = data["benchmark_score"]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if abs(value) > HIGHEST_RATING:
        raise FileError("benchmark_score is out of range", Refusal.OTHER)
    return float(value)


def _completed_at(value: Any) -> datetime:
    """Epoch seconds, as number or text, or an ISO date and time; UTC where no zone is given."""
    try:
        if isinstance(value, str) and not value.strip().isdigit():
            moment = datetime.fromisoformat(value.strip())
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return datetime.fromtimestamp(float(value), UTC)
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise FileError("run_completed is neither epoch seconds nor a date and time", Refusal.BAD_DATE) from error


def _iterations(data: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    raw = data["raw_results"]
    if not isinstance(raw, dict) or not raw:
        raise FileError("raw_results holds no iteration", Refusal.OTHER)
    for number, entry in raw.items():
        for name in ("respondent_answers", "raw_inference"):
            if not isinstance(entry, dict) or not isinstance(entry.get(name), dict):
                raise FileError(f"iteration {shown(number)}: {name} missing", Refusal.FIELD_MISSING)
    return list(raw.items())


def _records(iteration: str, entry: Mapping[str, Any], content: bytes) -> tuple[ItemRecord, ...]:
    answers, replies = entry["respondent_answers"], entry["raw_inference"]
    if not answers:
        raise FileError(f"iteration {shown(iteration)}: respondent_answers is empty", Refusal.OTHER)
    ids = [*answers, *(item_id for item_id in replies if item_id not in answers)]
    return tuple(_record(item_id, answers.get(item_id, {}), replies.get(item_id, ""), content) for item_id in ids)


def _record(item_id: str, answers: Any, reply: Any, content: bytes) -> ItemRecord:
    if not isinstance(answers, dict) or any(not isinstance(answers.get(part) or {}, dict) for part in PARTS):
        raise FileError(f"item {shown(item_id)}: respondent_answers is no object of passes", Refusal.OTHER)
    if not isinstance(reply, str):
        raise FileError(f"item {shown(item_id)}: raw_inference is no text", Refusal.OTHER)
    parts = {part: _ratings(item_id, answers.get(part) or {}, content) for part in PARTS}
    if not parts["revised"]:
        del parts["revised"]
    return ItemRecord(item_id, parts, reply)


def _ratings(item_id: str, ratings: Mapping[str, Any], content: bytes) -> Ratings:
    return {name: _rating(item_id, value, content) for name, value in ratings.items()}


def _rating(item_id: str, value: Any, content: bytes) -> float:
    """A number, or a text that is one: the official files hold both."""
    rating = _number(value)
    if rating is None:
        raise FileError(f"item {shown(item_id)}: a rating is not a number", Refusal.NO_NUMBER)
    if not math.isfinite(rating):
        line = line_of_not_finite_text(content)
        raise FileError(
            f"item {shown(item_id)}{f', line {line}' if line else ''}: a rating is not a finite number",
            Refusal.NOT_FINITE,
        )
    if not 0 <= rating <= HIGHEST_RATING:
        raise FileError(f"item {shown(item_id)}: a rating is not between 0 and {HIGHEST_RATING:.0f}", Refusal.OTHER)
    return rating


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except ValueError:
        return None


def shown(key: str) -> str:
    """An item id or iteration from a file, short and printable on any terminal."""
    return key[:40].encode("ascii", "backslashreplace").decode("ascii")


def file_name(path: Path) -> str:
    """The file's name as text that a database takes: bytes in it that are no UTF-8 as "\\xff"."""
    return os.fsencode(path.name).decode("utf-8", "backslashreplace")
