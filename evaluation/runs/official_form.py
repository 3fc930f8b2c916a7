"""A stored run in the form of an official EQ-Bench run file, which imports again to the same answers and score.

The form knows an answer and a reply an item, a pass and an iteration, and nothing of readings: imported again, every
answer counts as read officially. Source: EQ-bench/EQ-Bench at d28c60c, results/eq-bench.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import FIRST_PART
from evaluation.importers.eqbench_files import MAX_FILE_BYTES
from evaluation.models import ItemResult, Run
from evaluation.runs.parts import PartFields, stored_parts
from evaluation.signs import escaped
from evaluation.states import ItemState, Origin

REVISED_PART = "revised"
VERSIONS = {"eq-bench-v2": ("v2", "en"), "eq-bench-v1": ("v1", "en"), "eq-bench-v2-de": ("v2", "de")}
FAILED = "FAILED"
Ratings = dict[str, str]


class NotExportable(ValueError):
    """A run that the official form cannot hold; the text says why."""


def file_name(run: Run) -> str:
    """The name that the official page knows an imported run by, since it names the model; else one of our own."""
    if run.origin == Origin.IMPORTED and run.source.endswith(".json"):
        return PurePath(run.source).name
    return f"{run.model.slug}_run{run.pk}_eqbench_{VERSIONS[run.benchmark][0]}_results.json"


def official_file(run: Run, *, replies: bool = True) -> bytes:
    """The file of a run whose model and bank are at hand. Without `replies` their texts stay out of it.

    Raises:
        NotExportable: open, partial, of another bank or rule than the official ones, without a result, or too large.
    """
    check(run)
    content = escaped(json.dumps(_file(run, replies=replies), indent=4, ensure_ascii=False)).encode()
    if len(content) > MAX_FILE_BYTES:
        raise NotExportable(
            f"Run {run.pk} makes a file of more than {MAX_FILE_BYTES // (1024 * 1024)} MB, which no import takes. "
            "Leave its replies out: --without-replies."
        )
    return content


def check(run: Run) -> None:
    for holds, sentence in _refusals(run):
        if holds:
            raise NotExportable(f"Run {run.pk} {sentence}")


def _refusals(run: Run) -> Iterator[tuple[bool, str]]:
    yield run.is_open, f"is {run.status}: only a run that has ended has a file."
    yield run.benchmark not in VERSIONS, f"was scored by {run.benchmark}, for which the official form has no name."
    yield (
        not run.bank.shows_items or run.bank.slug != BENCHMARKS[run.benchmark].bank,
        (f"was asked the bank {run.bank.slug}: the official form is for {BENCHMARKS[run.benchmark].bank} alone."),
    )
    yield run.limit is not None, f"asked {run.n_items} items only: the official form is for whole runs."


def _file(run: Run, *, replies: bool) -> dict[str, Any]:
    version, language = VERSIONS[run.benchmark]
    model_path, lora = _model(run)
    language_field = {} if language == "en" else {"language": language}
    return {
        "benchmark_score": FAILED if run.score is None else round(run.score, 2),
        "benchmark_success": run.score is not None,
        "bitsandbytes_quant": run.settings.get("quant") or "none",
        "eqbench_version": version,
        **language_field,
        "errors": run.failure_message,
        "exclude_patterns": [],
        "include_patterns": [],
        "index_string": f"{run.pk}--{version}--{model_path}--{lora}",
        "inference_engine": run.settings.get("engine") or "openai-compatible endpoint",
        "instruction_template": run.settings.get("template") or "",
        "lora_path": lora,
        "model_path": model_path,
        "n_questions_parseable": run.n_scored,
        "n_questions_total": run.n_items,
        "ooba_params": "",
        "raw_results": _iterations(run, replies=replies),
        "run_completed": _completed(run),
        "run_id": str(run.pk),
        "total_iterations": run.repeats,
    }


def _model(run: Run) -> tuple[str, str]:
    """Model and adapter as the imported file named them, else the model's own name."""
    if run.origin == Origin.IMPORTED and run.manifest and "model_path" in run.manifest:
        return str(run.manifest["model_path"]), str(run.settings.get("lora") or "")
    return run.model.name, ""


def _completed(run: Run) -> float:
    """Epoch seconds; whole ones as a whole number, as official files have them."""
    seconds = (run.finished_at or run.created_at).timestamp()
    return int(seconds) if seconds.is_integer() else seconds


def _iterations(run: Run, *, replies: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        str(n): {"individual_scores": {}, "raw_inference": {}, "respondent_answers": {}}
        for n in range(1, run.repeats + 1)
    }
    results = run.results.select_related("item", "reply").order_by("repeat", "item__number")
    for result in results.iterator(chunk_size=500):
        _put(found[str(result.repeat)], result, replies=replies)
    empty = [number for number, entry in found.items() if not entry["respondent_answers"]]
    if empty:
        raise NotExportable(f"Run {run.pk} holds no result in repeat {empty[0]}, so there is nothing to write.")
    return found


def _put(entry: dict[str, Any], result: ItemResult, *, replies: bool) -> None:
    item_id, parts = result.item.item_id, _parts(result)
    entry["respondent_answers"][item_id] = {
        part: _ratings(fields, result.item.labels) if fields else {} for part, fields in parts.items()
    }
    if result.state != ItemState.FAULT:
        entry["raw_inference"][item_id] = result.reply.text if replies and hasattr(result, "reply") else ""
    scores = {f"{part}_score": fields["score"] if fields else None for part, fields in parts.items()}
    if any(score is not None for score in scores.values()):
        entry["individual_scores"][item_id] = scores


def _parts(result: ItemResult) -> Mapping[str, PartFields | None]:
    parts = stored_parts(result)
    return {name: parts.get(name) for name in (FIRST_PART, REVISED_PART)}


def _ratings(fields: PartFields, labels: list[str]) -> Ratings:
    """As texts, which is how official files hold them; empty where nothing was read."""
    answer = fields["answer"] or []
    return {label: _text(value) for label, value in zip(labels, answer, strict=bool(answer))}


def _text(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
