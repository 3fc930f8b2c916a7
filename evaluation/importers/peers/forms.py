"""What kind of result file a file is, by what it holds: names and folders are only how people keep them."""

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

from evaluation.importers.peers.evalscope import METRIC as EVALSCOPE_METRIC
from evaluation.importers.peers.files import ResultFile
from evaluation.importers.peers.lm_eval import METRIC as LM_EVAL_METRIC
from evaluation.importers.questionnaire_files import is_table


class Form(Enum):
    """Each kind of file that is known; the first three hold answers to EQ-Bench."""

    OFFICIAL = "official run file"
    SAMPLES = "samples of lm-eval"
    REVIEWS = "reviews of evalscope"
    RESULTS = "results of lm-eval"
    REPORT = "report of evalscope"
    PREDICTIONS = "predictions of evalscope"
    QUESTIONNAIRES = "table of questionnaires of EmotionBench"
    OTHER_BENCHMARK = "samples or reviews of another benchmark"
    UNKNOWN = "not recognised"


def form_of(file: ResultFile) -> Form:
    """The kind of a file. Tables and JSON lines are known by their first line, all others by the keys of the whole."""
    if is_table(file.content):
        return Form.QUESTIONNAIRES
    entry = first_line(file)
    form = _form_of_line(entry) or _form_of_object(entry)
    return form or _form_of_object(_parsed(file.content)) or Form.UNKNOWN


def first_line(file: ResultFile) -> Mapping[str, Any]:
    """The object in the first line; empty where that line is none."""
    return _parsed(file.content.lstrip().split(b"\n", 1)[0])


def _parsed(content: bytes) -> Mapping[str, Any]:
    """Loosely: a file that is recognised is then read strictly, and refused with its reason."""
    try:
        value = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _form_of_line(entry: Mapping[str, Any]) -> Form | None:
    if "doc_id" in entry and entry.keys() & {"resps", "filtered_resps"}:
        return Form.SAMPLES if LM_EVAL_METRIC in entry else Form.OTHER_BENCHMARK
    if "sample_score" in entry:
        return Form.REVIEWS if EVALSCOPE_METRIC in json.dumps(entry["sample_score"]) else Form.OTHER_BENCHMARK
    return Form.PREDICTIONS if "model_output" in entry else None


def _form_of_object(entry: Mapping[str, Any]) -> Form | None:
    if entry.keys() & {"raw_results", "eqbench_version"}:
        return Form.OFFICIAL
    if {"results", "n-samples"} <= entry.keys():
        return Form.RESULTS
    return Form.REPORT if {"dataset_name", "model_name", "metrics"} <= entry.keys() else None
