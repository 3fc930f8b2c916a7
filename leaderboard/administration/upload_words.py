"""What the preview of an upload says: the run it would make, where a peer's scoring parts from ours, and fixes."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.benchmarks import BENCHMARKS
from evaluation.importers.refusals import FileError, Refusal
from evaluation.models import Run
from leaderboard.rounding import counted, figure, points

NAMED_ITEMS = 12

# What to do about a refused file.
FIXES: Mapping[Refusal, str] = {
    Refusal.LIKE_A_KNOWN_MODEL: (
        "Write the known name into the file; or, if it is another model, upload it again with the box ticked."
    ),
    Refusal.TOO_LARGE: "Upload only the result files as the tool wrote them, in several uploads if they are many.",
    Refusal.WRONG_ENDING: "Upload the files under the names that the tool gave them, or the whole folder as one zip.",
    Refusal.BROKEN_ZIP: "Make the zip anew, and see that it opens on your machine.",
    Refusal.EMPTY_ZIP: "Put the result files into the zip: the folder that the tool wrote, with all below it.",
    Refusal.CROWDED_ZIP: "Put only the folder of the run into the zip.",
    Refusal.ENCRYPTED: "Make the zip anew without a password.",
    Refusal.ODD_COMPRESSION: "Make the zip anew with the usual compression (deflate).",
    Refusal.PATH_OUTSIDE: "Make the zip anew from within the folder, so that its paths begin there.",
    Refusal.PATH_TOO_LONG: "Give the folders in the zip shorter names.",
    Refusal.FILE_AND_FOLDER: "Make the zip anew, with one of the two.",
    Refusal.TWICE_IN_UPLOAD: "Put each run into a folder of its own, and upload these as one zip.",
    Refusal.RESULTS_ALONE: (
        "Choose the samples_….jsonl of the run together with it, or upload the whole folder as one zip."
    ),
    Refusal.REPORT_ALONE: (
        "Choose the run's reviews/MODEL/eq_bench_….jsonl together with it, or the whole folder as one zip."
    ),
    Refusal.PREDICTIONS_ALONE: "Choose the run's reviews and its report, or upload the whole folder as one zip.",
    Refusal.NO_RESULTS: "Choose the results_….json together with the samples, or upload the folder as one zip.",
    Refusal.NO_REPORT: "Choose the run's reports/MODEL/eq_bench.json together with it, or the folder as one zip.",
    Refusal.SEVERAL_RUNS: "Upload one run at a time, or a zip in which each run has a folder of its own.",
    Refusal.OTHER_TASK: "Choose the files of the task eq_bench.",
    Refusal.NOT_IMPORTABLE: "Choose files of eq_bench; of the official script, v1 and v2 in English and v2 in German.",
    Refusal.UNNAMED_TASK: "Give the samples the name back that the tool gave them: it names the task.",
    Refusal.OTHER_RUN: "Choose two files that one and the same run wrote.",
    Refusal.REVIEWS_LACK: "Choose all reviews of the run and the report that was written with them.",
    Refusal.OTHER_MODEL: "Choose the report and the reviews of one model.",
    Refusal.SEVERAL_MODELS: "Upload the reviews of each model by themselves.",
    Refusal.NOT_WHOLE: "Choose the whole file, and the results that the same run wrote.",
    Refusal.DOUBLED_LINE: "Take the doubled line out, or upload the file again as the tool wrote it.",
    Refusal.EDITED_DATA: "The data set was edited. Run the tool again with the item bank as it stands.",
    Refusal.EDITED_FILE: "The file was cut or edited at that line. Upload it again as the tool wrote it.",
    Refusal.TOO_DEEP: "No result file nests so deeply or holds such a number. Upload it again as the tool wrote it.",
    Refusal.NEITHER_FORM: "Choose samples_eq_bench_….jsonl of lm-eval, or reviews/MODEL/eq_bench_….jsonl of evalscope.",
    Refusal.NOT_UTF8: "Save the file as UTF-8.",
    Refusal.DOUBLED_KEY: "Two entries stand under one key. Take out the one that does not belong to this run.",
    Refusal.NOT_FINITE: "Leave the rating out instead: a missing rating makes its item not read.",
    Refusal.NO_NUMBER: "A rating must be a number from 0 to 10 or left out.",
    Refusal.BANK_NOT_LOADED: "Load the item bank on the server, then upload the file again.",
    Refusal.LACKS_ITEM: "Look at eqbench_version and language: they name the bank that the items are sought in.",
    Refusal.OTHER_BANK: "Look at eqbench_version and language: the answers name emotions of another bank.",
    Refusal.FIELD_MISSING: "Add the field that is named, or upload the whole file that the tool wrote.",
    Refusal.BAD_DATE: "Write the end of the run as epoch seconds or as 2024-01-29T12:00:00.",
    Refusal.OTHER: "Correct what the sentence names, and upload the file again.",
}

# A kind of `evaluation.importers.peers.comparison` -> how a reader is told of it.
KINDS = {
    "equal": "read by both, with the same score",
    "cut to 0": "read by both, below 0 here and counted as 0 there",
    "read differently": "read by both, with different scores",
    "read here alone": "read here alone",
    "read by the peer alone": "read there alone",
    "read by neither": "read by neither",
}


def refusal(error: FileError) -> str:
    """The reason as a sentence; a name of a field or of a file keeps its small letter."""
    text = str(error)
    begins_with_a_name = bool({"_", "."} & set(text.partition(" ")[0].rstrip(".")))
    return f"{text if begins_with_a_name else text[:1].upper() + text[1:]}."


def sentence_of(run: Run, *, new_model: bool) -> str:
    """What would be imported, with our score and the file's."""
    score = "no score, since too little could be read" if run.score is None else score_in_words(run)
    claim = "" if run.published_score is None else f"; the file says {points(run.published_score)}"
    passes = f", {run.repeats} passes" if run.repeats > 1 else ""
    part = "" if run.limit is None else ", a part of the bank, which never ranks"
    whose = f"{run.model.name}{', a new model,' if new_model else ''}"
    return f"A run of {whose} on {run.bank.title}: {run.n_scored} of {run.n_items} items{passes}{part}, {score}{claim}."


def score_in_words(run: Run) -> str:
    """The score with its unit, or behind the name of what it measures where it has none: "alignment 74.8"."""
    measure = BENCHMARKS[run.benchmark].measures[0]
    text = figure(run.score, measure)
    return f"{text} {measure.unit}" if measure.unit else f"{measure.title.lower()} {text}"


def differences(run: Run) -> tuple[str, ...]:
    """Where a peer's scoring parts from ours, in sentences; empty for an official file."""
    peer = (run.manifest or {}).get("peer")
    if not peer:
        return ()
    return (_claim(run, peer), *_kinds(peer))


def _claim(run: Run, peer: Mapping[str, Any]) -> str:
    name = f"{peer['name']} {peer['version']}".strip()
    claim = "gives no score" if run.published_score is None else f"gives {points(run.published_score)}"
    rules = f", where {' and '.join(peer['rules'])}" if peer["rules"] else ""
    code = "no score" if peer["code_rule_score"] is None else f"{points(peer['code_rule_score'])} points"
    return f"{name} {claim}{rules}. By the rule that it scores by, eq-bench-v2-code, what is read here gives {code}."


def _kinds(peer: Mapping[str, Any]) -> list[str]:
    replies: Mapping[str, int] = peer["replies"]
    return [
        f"{counted(n, 'reply', 'replies')} {KINDS[kind]}{_items(peer.get(kind, []))}."
        for kind, n in replies.items()
        if n
    ]


def _items(ids: Sequence[str]) -> str:
    if not ids:
        return ""
    rest = f" and {len(ids) - NAMED_ITEMS} more" if len(ids) > NAMED_ITEMS else ""
    return f": item{'s' if len(ids) > 1 else ''} {', '.join(ids[:NAMED_ITEMS])}{rest}"
