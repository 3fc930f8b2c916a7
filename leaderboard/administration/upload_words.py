"""What the preview of an upload says: the run it would make, where a peer's scoring parts from ours, and fixes."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.importers.eqbench_files import FileError
from evaluation.models import Run
from leaderboard.rounding import counted, points

NAMED_ITEMS = 12

# What to do about a refusal, by words of its sentence; the first that fits counts.
FIXES = (
    (
        "which looks like",
        "Write the known name into the file; or, if it is another model, upload it again with the box ticked.",
    ),
    ("larger than", "Upload only the result files as the tool wrote them, in several uploads if they are many."),
    ("ends neither in", "Upload the files under the names that the tool gave them, or the whole folder as one zip."),
    ("broken zip", "Make the zip anew, and see that it opens on your machine."),
    ("zip without", "Put the result files into the zip: the folder that the tool wrote, with all below it."),
    ("a zip of", "Put only the folder of the run into the zip."),
    ("is encrypted", "Make the zip anew without a password."),
    ("not read here", "Make the zip anew with the usual compression (deflate)."),
    ("leads out of it", "Make the zip anew from within the folder, so that its paths begin there."),
    ("too long", "Give the folders in the zip shorter names."),
    ("a file and a folder at once", "Make the zip anew, with one of the two."),
    ("stands twice in this upload", "Put each run into a folder of its own, and upload these as one zip."),
    ("results alone", "Choose the samples_….jsonl of the run together with it, or upload the whole folder as one zip."),
    (
        "a report alone",
        "Choose the run's reviews/MODEL/eq_bench_….jsonl together with it, or the whole folder as one zip.",
    ),
    ("predictions hold", "Choose the run's reviews and its report, or upload the whole folder as one zip."),
    ("There is no results", "Choose the results_….json together with the samples, or upload the folder as one zip."),
    ("There is no report", "Choose the run's reports/MODEL/eq_bench.json together with it, or the folder as one zip."),
    ("of which one must be", "Upload one run at a time, or a zip in which each run has a folder of its own."),
    ("another benchmark", "Choose the files of the task eq_bench."),
    ("none of eq_bench", "Choose the files of the task eq_bench."),
    ("can be imported", "Choose the files of eq_bench; of the official script, v1 and v2 in English and v2 in German."),
    ("of which task", "Give the samples the name back that the tool gave them: it names the task."),
    ("have a mean of", "Choose two files that one and the same run wrote."),
    ("the reviews hold", "Choose all reviews of the run and the report that was written with them."),
    ("the reviews are of", "Choose the report and the reviews of one model."),
    ("the first line is of", "Upload the reviews of each model by themselves."),
    (" says ", "Choose the whole file, and the results that the same run wrote."),
    ("stands in", "Take the doubled line out, or upload the file again as the tool wrote it."),
    ("is not the reference", "The data set was edited. Run the tool again with the item bank as it stands."),
    ("holds any of the prompts", "Load the item bank on the server, then upload the files again."),
    ("the prompt", "The data set was edited. Run the tool again with the item bank as it stands."),
    ("broken JSON", "The file was cut or edited at that line. Upload it again as the tool wrote it."),
    ("no JSON object", "The file was cut or edited at that line. Upload it again as the tool wrote it."),
    ("no whole JSON", "The file was cut or edited at that line. Upload it again as the tool wrote it."),
    ("neither samples", "Choose samples_eq_bench_….jsonl of lm-eval, or reviews/MODEL/eq_bench_….jsonl of evalscope."),
    ("not UTF-8", "Save the file as UTF-8."),
    ("listed twice", "Two entries stand under one key. Take out the one that does not belong to this run."),
    ("not a finite number", "Leave the rating out instead: a missing rating makes its item not read."),
    ("is not a number", "A rating must be a number from 0 to 10 or left out."),
    ("is not loaded", "Load the item bank on the server, then upload the file again."),
    ("lacks item", "Look at eqbench_version and language: they name the bank that the items are sought in."),
    ("another item bank", "Look at eqbench_version and language: the answers name emotions of another bank."),
    ("missing", "Add the field that is named, or upload the whole file that the tool wrote."),
    ("run_completed", "Write the end of the run as epoch seconds or as 2024-01-29T12:00:00."),
)
ELSE_FIX = "Correct what the sentence names, and upload the file again."

# A kind of `evaluation.importers.peers.comparison` -> how a reader is told of it.
KINDS = {
    "equal": "read by both, with the same score",
    "cut to 0": "read by both, below 0 here and counted as 0 there",
    "read differently": "read by both, with different scores",
    "read here alone": "read here alone",
    "read by the peer alone": "read there alone",
    "read by neither": "read by neither",
}


def fix_of(error: FileError) -> str:
    text = str(error)
    return next((fix for words, fix in FIXES if words in text), ELSE_FIX)


def refusal(error: FileError) -> str:
    """The reason as a sentence; a name of a field or of a file keeps its small letter."""
    text = str(error)
    begins_with_a_name = bool({"_", "."} & set(text.partition(" ")[0].rstrip(".")))
    return f"{text if begins_with_a_name else text[:1].upper() + text[1:]}."


def sentence_of(run: Run, *, new_model: bool) -> str:
    """What would be imported, with our score and the file's."""
    score = "no score, since too little could be read" if run.score is None else f"{points(run.score)} points"
    claim = "" if run.published_score is None else f"; the file says {points(run.published_score)}"
    passes = f", {run.repeats} passes" if run.repeats > 1 else ""
    part = "" if run.limit is None else ", a part of the bank, which never ranks"
    whose = f"{run.model.name}{', a new model,' if new_model else ''}"
    return f"A run of {whose} on {run.bank.title}: {run.n_scored} of {run.n_items} items{passes}{part}, {score}{claim}."


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
