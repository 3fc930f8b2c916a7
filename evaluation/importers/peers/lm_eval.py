"""lm-evaluation-harness: the samples and the results of one `eq_bench` run, read into a `PeerRun`. No database.

Source: EleutherAI/lm-evaluation-harness 0.4.13, lm_eval/tasks/eq_bench and lm_eval/loggers/evaluation_tracker.py. An
unreadable reply counts as 0 there ("percent_parseable" 0), and no reply is asked for again.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from math import fsum, isclose
from typing import Any

from evaluation.benchmarks.base import JsonValue
from evaluation.importers.eqbench_files import shown
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

PEER = "lm-eval"
METRIC = "eqbench"
REFERENCE = "doc.reference_answer_fullscale"
GENERATION = {"temperature": "temperature", "max_gen_toks": "max_tokens", "until": "stop"}
"""Names there -> names here."""

_SAMPLES_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<stamp>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_NAMED = 5


def read_lm_eval(samples: ResultFile, results: ResultFile) -> PeerRun:
    """The run whose samples and results these are.

    Raises:
        FileError: broken, of another task, a field missing, a sample missing or doubled, or the two files are not of
            one run; the text names file, line and field.
    """
    rows = _samples(samples)
    data = whole_object(results)
    task = _task(data, samples, results)
    _check_count([doc_id for doc_id, _ in rows], _n_asked(data, task, results), samples, results)
    published = score_at(data["results"][task], f"{METRIC},none", f"{results.name}: results.{task}")
    _check_mean([sample for _, sample in rows], published, samples, results)
    return PeerRun(
        peer=PEER,
        version=str(data.get("lm_eval_version") or ""),
        model=text_at(data, "model_name", results.name),
        samples=tuple(sample for _, sample in rows),
        n_asked=len(rows),
        published_score=published,
        settings=_settings(data, task),
        source=samples.name,
        sha256=hash_of([samples, results]),
        finished_at=_finished_at(data),
    )


def stamp_of(name: str) -> str:
    """What joins a samples file to its results file: the moment in both names. Empty for a renamed file."""
    match = _SAMPLES_NAME.fullmatch(name)
    return match["stamp"] if match else ""


def _samples(file: ResultFile) -> list[tuple[int, PeerSample]]:
    """(doc_id, sample) in the file's order."""
    rows: list[tuple[int, PeerSample]] = []
    lines: dict[int, int] = {}
    for number, entry in lines_of(file):
        where = f"{file.name}: line {number}"
        if METRIC not in entry:
            raise FileError(
                f"{where}: {METRIC} missing. Only samples of the task eq_bench can be imported", Refusal.NOT_IMPORTABLE
            )
        doc_id = whole_number_at(entry, "doc_id", where)
        if doc_id in lines:
            raise FileError(f"{where}: doc_id {doc_id} stands in line {lines[doc_id]} already", Refusal.DOUBLED_LINE)
        lines[doc_id] = number
        rows.append((doc_id, _sample(entry, f"line {number} (doc_id {doc_id})", where)))
    if not rows:
        raise FileError(f"{file.name}: holds no sample", Refusal.OTHER)
    return rows


def _sample(entry: Mapping[str, Any], place: str, where: str) -> PeerSample:
    counted = score_at(entry, METRIC, where)
    read = score_at(entry, "percent_parseable", where) > 0
    return PeerSample(
        place=place,
        prompt=text_at(entry, "doc.prompt", where),
        reply=_reply(entry, where),
        reference=reference_from(field_of(entry, REFERENCE, where), where, REFERENCE),
        score=counted if read else None,
        counted=counted,
    )


def _reply(entry: Mapping[str, Any], where: str) -> str:
    """The text that was scored: the first of those that the harness's filter left."""
    replies = field_of(entry, "filtered_resps", where)
    reply = replies[0] if isinstance(replies, list) and replies else replies
    if not isinstance(reply, str):
        raise FileError(f"{where}: filtered_resps holds no text", Refusal.OTHER)
    return reply


def _task(data: Mapping[str, Any], samples: ResultFile, results: ResultFile) -> str:
    """The task of the samples: the one of EQ-Bench in the results, or of several the one in the samples' name."""
    tasks = field_of(data, "results", results.name)
    scored = [name for name, entry in tasks.items() if isinstance(entry, dict) and f"{METRIC},none" in entry]
    if not scored:
        raise FileError(
            f"{results.name}: holds results of {_some(list(tasks))} and none of eq_bench", Refusal.OTHER_TASK
        )
    match = _SAMPLES_NAME.fullmatch(samples.name)
    named = [name for name in scored if match and match["task"] == name]
    if len(scored) > 1 and not named:
        raise FileError(
            f"{samples.name}: of which task is it? {results.name} holds {_some(scored)}", Refusal.UNNAMED_TASK
        )
    return str(named[0] if named else scored[0])


def _n_asked(data: Mapping[str, Any], task: str, results: ResultFile) -> int:
    counts = field_of(data, "n-samples", results.name)
    if not isinstance(counts, dict) or not isinstance(counts.get(task), dict):
        raise FileError(f"{results.name}: n-samples.{task} missing", Refusal.FIELD_MISSING)
    return whole_number_at(counts[task], "effective", f"{results.name}: n-samples.{task}")


def _check_count(found: Sequence[int], n_asked: int, samples: ResultFile, results: ResultFile) -> None:
    if len(found) == n_asked:
        return
    present = set(found)
    missing = islice((str(doc_id) for doc_id in range(n_asked) if doc_id not in present), _NAMED)
    named = f", among them not doc_id {', '.join(missing)}" if len(found) < n_asked else ""
    raise FileError(
        f"{samples.name}: holds {len(found)} samples{named}; {results.name} says {n_asked}. "
        "Bring the whole file and the results of the same run",
        Refusal.NOT_WHOLE,
    )


def _check_mean(rows: Sequence[PeerSample], published: float, samples: ResultFile, results: ResultFile) -> None:
    mean = fsum(row.counted or 0.0 for row in rows) / len(rows)
    if not isclose(mean, published, rel_tol=1e-9, abs_tol=1e-6):
        raise FileError(
            f"{samples.name}: its samples have a mean of {mean:.4f}, {results.name} says {published:.4f}. "
            "The two are of different runs or models: bring the results file that was written with these samples",
            Refusal.OTHER_RUN,
        )


def _settings(data: Mapping[str, Any], task: str) -> dict[str, JsonValue]:
    configs = data.get("configs")
    config = configs.get(task) if isinstance(configs, dict) else None
    generation = config.get("generation_kwargs") if isinstance(config, dict) else None
    asked = generation if isinstance(generation, dict) else {}
    return {
        "engine": f"lm-evaluation-harness {data.get('lm_eval_version') or ''}".strip(),
        "system_prompt": str(data.get("system_instruction") or ""),
        **{ours: asked[theirs] for theirs, ours in GENERATION.items() if theirs in asked},
    }


def _finished_at(data: Mapping[str, Any]) -> datetime | None:
    """The evaluation's start in epoch seconds, and the seconds that the whole process took: late by its own start."""
    try:
        return datetime.fromtimestamp(float(data["date"]) + float(data.get("total_evaluation_time_seconds", 0)), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def _some(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(shown(name) for name in names[:_NAMED]) + rest
