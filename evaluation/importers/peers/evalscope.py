"""evalscope: the reviews and the report of one `eq_bench` run, read into a `PeerRun`. No database.

Source: modelscope/evalscope 1.14.0 and 1.14.1, evalscope/benchmarks/eq_bench and api/evaluator/cache.py. Up to 1.14.0
an unreadable reply counts as 0 and a negative score is cut to 0; from 1.14.1 on the one is left out, the other kept.
Lines stand in the order in which replies came, and hold reply, prompt, model and score; the predictions add nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import fsum, isclose
from typing import Any

import yaml

from evaluation.benchmarks.base import JsonValue
from evaluation.importers.eqbench_files import file_name, shown
from evaluation.importers.peers.files import PeerRun, PeerSample, ResultFile, hash_of
from evaluation.importers.peers.json_values import (
    field_of,
    lines_of,
    reference_from,
    score_at,
    text_at,
    whole_number_at,
    whole_object,
)
from evaluation.importers.refusals import FileError, Refusal

PEER = "evalscope"
BENCHMARK = "eq_bench"
METRIC = "eq_bench_score"
POINTS = 100.0
"""Its scores are shares of full marks."""

ROUNDING = 0.01
"""Its report rounds a mean to four decimals; in points, with room for the last digit."""

MOST_REPEATS = 1000
CONFIG_BYTES = 1_000_000  # a configuration has a few kilobytes, and YAML is slow to read
GENERATION = ("temperature", "max_tokens")
_SCORED = "EQ-Bench Score:"
_FOLDER = re.compile(r"\d{8}_\d{6}")


@dataclass(frozen=True, slots=True)
class _Row:
    """A sample with what only whole files tell of it."""

    sample: PeerSample
    model: str
    system_prompt: str
    where: str


def read_evalscope(reviews: Sequence[ResultFile], report: ResultFile, config: ResultFile | None = None) -> PeerRun:
    """The run whose reviews (a file a subset) and report these are. `config` is its task_config.yaml, if at hand.

    Raises:
        FileError: broken, of another benchmark, of several models, a field missing, a sample missing or doubled, or the
            files are not of one run; the text names file, line and field.
    """
    rows = [row for file in reviews for row in _rows(file)]
    data = whole_object(report)
    model = _one_model(rows, data, report)
    published = _published(data, rows, report)
    setup = _setup(config)
    return PeerRun(
        peer=PEER,
        version=str(setup.get("evalscope_version") or ""),
        model=model,
        samples=tuple(row.sample for row in rows),
        n_asked=_n_asked(data, rows, report),
        published_score=published,
        settings=_settings(setup, rows),
        source=f"{file_name(reviews[0].path.parent)}/{reviews[0].name}",
        sha256=hash_of([*reviews, report]),
        finished_at=_finished_at(report),
    )


def _rows(file: ResultFile) -> list[_Row]:
    rows: list[_Row] = []
    lines: dict[int, int] = {}
    for number, entry in lines_of(file):
        where = f"{file.name}: line {number}"
        index = whole_number_at(entry, "index", where)
        if index in lines:
            raise FileError(f"{where}: index {index} stands in line {lines[index]} already", Refusal.DOUBLED_LINE)
        lines[index] = number
        rows.append(_row(entry, f"line {number} (index {index})", where))
    if not rows:
        raise FileError(f"{file.name}: holds no review", Refusal.OTHER)
    return rows


def _row(entry: Mapping[str, Any], place: str, where: str) -> _Row:
    score = field_of(entry, "sample_score.score", where)
    if not isinstance(score, dict) or score.get("main_score_name") != METRIC:
        raise FileError(
            f"{where}: main_score_name is not {METRIC}. Only reviews of {BENCHMARK} can be imported",
            Refusal.NOT_IMPORTABLE,
        )
    counted = _counted(score, where)
    sample = PeerSample(
        place=place,
        prompt=_prompt(entry, where),
        reply=text_at(score, "prediction", where),
        reference=_reference(entry, where),
        score=counted if str(score.get("explanation")).startswith(_SCORED) else None,
        counted=counted,
        repeat=_repeat(entry["sample_score"], where),
        reasoning=_text(entry, "assistant", "reasoning"),
    )
    return _Row(sample, _model(entry), _text(entry, "system"), where)


def _repeat(sample_score: Mapping[str, Any], where: str) -> int:
    """From 1; older files, which made one pass, do not number it."""
    if sample_score.get("generation_index") is None:
        return 1
    generation = whole_number_at(sample_score, "generation_index", where)
    if generation >= MOST_REPEATS:
        raise FileError(f"{where}: generation_index {generation} is not below {MOST_REPEATS}", Refusal.OTHER)
    return generation + 1


def _counted(score: Mapping[str, Any], where: str) -> float | None:
    value = field_of(score, "value", where)
    if isinstance(value, dict) and METRIC not in value:
        return None
    return POINTS * score_at(score, f"value.{METRIC}", where)


def _reference(entry: Mapping[str, Any], where: str) -> Mapping[str, float] | None:
    """None where the run was made without its samples' metadata."""
    metadata = entry["sample_score"].get("sample_metadata")
    value = metadata.get("reference_answer_fullscale") if isinstance(metadata, dict) else None
    return reference_from(value, where, "reference_answer_fullscale") if value else None


def _messages(entry: Mapping[str, Any], role: str) -> list[Mapping[str, Any]]:
    messages = entry.get("messages")
    found = messages if isinstance(messages, list) else []
    return [message for message in found if isinstance(message, dict) and message.get("role") == role]


def _prompt(entry: Mapping[str, Any], where: str) -> str:
    prompt = _text(entry, "user")
    if not prompt:
        raise FileError(f"{where}: messages hold no text of the user, so the item cannot be known", Refusal.OTHER)
    return prompt


def _text(entry: Mapping[str, Any], role: str, kind: str = "text") -> str:
    """What the last message of that role says: a text, or parts of which those of `kind` count. Empty without one."""
    messages = _messages(entry, role)
    content = messages[-1].get("content") if messages else None
    if isinstance(content, list):
        return "".join(str(part.get(kind) or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) and kind == "text" else ""


def _model(entry: Mapping[str, Any]) -> str:
    answers = _messages(entry, "assistant")
    return str(answers[-1].get("model") or "") if answers else ""


def _one_model(rows: Sequence[_Row], data: Mapping[str, Any], report: ResultFile) -> str:
    """The model that all lines and the report name; a report has only what follows the last slash of the name."""
    reported = text_at(data, "model_name", report.name)
    model = rows[0].model or reported
    for row in rows:
        if (row.model or reported) != model:
            raise FileError(
                f"{row.where}: of model {shown(row.model)}, while the first line is of {shown(model)}",
                Refusal.SEVERAL_MODELS,
            )
    if reported not in {model, model.rpartition("/")[2]}:
        raise FileError(
            f"{report.name}: of model {shown(reported)}, while the reviews are of {shown(model)}", Refusal.OTHER_MODEL
        )
    return model


def _published(data: Mapping[str, Any], rows: Sequence[_Row], report: ResultFile) -> float | None:
    """The report's score in points; None where it has none since no reply could be read.

    Raises:
        FileError: another benchmark, or another count or mean than the reviews have.
    """
    benchmark = text_at(data, "dataset_name", report.name)
    if benchmark != BENCHMARK:
        raise FileError(
            f"{report.name}: a report of {shown(benchmark)}. Only {BENCHMARK} can be imported", Refusal.NOT_IMPORTABLE
        )
    counted = [row.sample.counted for row in rows if row.sample.counted is not None]
    metric = _metric(data, report)
    n_counted = whole_number_at(metric, "num", report.name) if metric else 0
    if n_counted != len(counted):
        raise FileError(
            f"{report.name}: counts {n_counted} scored samples, the reviews hold {len(counted)}. "
            "Bring all reviews of the run, each whole",
            Refusal.REVIEWS_LACK,
        )
    return _checked_mean(POINTS * score_at(metric, "score", report.name), counted, report) if metric else None


def _metric(data: Mapping[str, Any], report: ResultFile) -> Mapping[str, Any] | None:
    metrics = field_of(data, "metrics", report.name)
    for metric in metrics if isinstance(metrics, list) else []:
        identity = metric.get("identity") if isinstance(metric, dict) else None
        named = identity.get("name") if isinstance(identity, dict) else metric.get("name")
        if str(named).endswith(METRIC):
            return dict(metric)
    return None


def _checked_mean(published: float, counted: Sequence[float], report: ResultFile) -> float:
    mean = fsum(counted) / len(counted)
    if not isclose(mean, published, abs_tol=ROUNDING):
        raise FileError(
            f"{report.name}: says {published:.2f}, the reviews have a mean of {mean:.2f}. "
            "The two are of different runs: bring the report that was written with these reviews",
            Refusal.OTHER_RUN,
        )
    return published


def _n_asked(data: Mapping[str, Any], rows: Sequence[_Row], report: ResultFile) -> int:
    """How many items were asked: all samples, answered or not, over the repeats.

    Raises:
        FileError: the report counts more answered samples than there are reviews.
    """
    repeats = max(row.sample.repeat for row in rows)
    if not isinstance(data.get("execution_summary"), dict):
        return -(-len(rows) // repeats)
    answered = whole_number_at(data, "execution_summary.succeeded", report.name)
    if answered != len(rows):
        raise FileError(
            f"{report.name}: says that {answered} samples were answered, the reviews hold {len(rows)}. "
            "Bring all reviews of the run, each whole",
            Refusal.REVIEWS_LACK,
        )
    return whole_number_at(data, "execution_summary.requested", report.name) // repeats


def _setup(config: ResultFile | None) -> Mapping[str, Any]:
    """What the configuration says; empty where it is not at hand, no YAML, or too long to be one."""
    try:
        loaded = yaml.safe_load(config.content) if config and len(config.content) <= CONFIG_BYTES else None
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _settings(setup: Mapping[str, Any], rows: Sequence[_Row]) -> dict[str, JsonValue]:
    generation = setup.get("generation_config")
    asked = generation if isinstance(generation, dict) else {}
    return {
        "engine": f"evalscope {setup.get('evalscope_version') or ''}".strip(),
        "system_prompt": rows[0].system_prompt,
        **{name: asked[name] for name in GENERATION if isinstance(asked.get(name), int | float)},
    }


def _finished_at(report: ResultFile) -> datetime | None:
    """The moment in the name of the run's folder, taken as UTC: no file of the run holds one."""
    for folder in report.path.resolve().parents:
        if _FOLDER.fullmatch(folder.name):
            return _moment(folder.name)
    return None


def _moment(name: str) -> datetime | None:
    try:
        return datetime.strptime(name, "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
