"""Runs scored anew from what is stored, without a request: measured runs and those of peers from their replies, which
our own reader has read, runs of official files from the answers in the file. The old value is kept in the history.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import FIRST_PART, Answer, Ask, Benchmark, Reading, Reply, Summary, ranking_figure
from evaluation.models import ItemResult, Run
from evaluation.runs.asking import seed_of
from evaluation.runs.parts import WRITE_BATCH, ResultFields, save_results, settle_parts, stored_parts, take
from evaluation.runs.summaries import (
    as_item,
    options_of,
    result_fields,
    strict_figures,
    summarise_run,
    summary_fields,
    why_unscored,
)
from evaluation.states import FaultKind, ItemState, Origin, Status

READ_FROM_REPLIES = (Origin.MEASURED, Origin.DEMO)
PEER = "peer"  # in what was observed of an imported run: its replies came from another harness
TOOL_CALL = "tool call"


@dataclass(frozen=True, slots=True)
class Rescored:
    """What became of one run. `skipped` says why it was left alone; then both scores are the stored one.

    `replies` counts the replies that are read otherwise than before, by what changed.
    """

    run_id: int
    old_score: float | None
    new_score: float | None
    changed: bool = False
    skipped: str = ""
    replies: Mapping[str, int] = field(default_factory=dict)


@transaction.atomic
def rescore_run(run_id: int) -> Rescored:
    """Scores one run anew and writes what differs, all or nothing; a run whose numbers hold is not touched.

    Open, cancelled and interrupted runs are skipped, and runs of a benchmark that this code does not know. So is a run
    that is not there: it was deleted since the caller listed it, and the others are scored all the same.
    """
    run = Run.objects.select_for_update().filter(pk=run_id).first()
    if run is None:
        return Rescored(run_id, None, None, skipped="it was deleted meanwhile")
    reason = _reason_to_skip(run)
    if reason:
        return Rescored(run.pk, run.score, run.score, skipped=reason)
    benchmark = BENCHMARKS[run.benchmark]
    replies = _rescore_results(run, benchmark)
    summary = summarise_run(run)
    settle_parts(run, summary.counted_parts)
    run_changed = _store_summary(run, summary, benchmark)
    return Rescored(
        run.pk,
        run.score,
        ranking_figure(benchmark, summary).value,
        changed=bool(replies) or run_changed,
        replies=replies,
    )


def _reason_to_skip(run: Run) -> str:
    if run.status not in {Status.FINISHED, Status.FAILED}:
        return run.status
    if run.origin == Origin.BASELINE:
        return "a baseline: load_baselines computes it"
    if run.benchmark not in BENCHMARKS:
        return f"unknown benchmark {run.benchmark}"
    if run.status == Status.FAILED and not _is_complete(run):
        return "failed before its last item"
    return ""


def _is_complete(run: Run) -> bool:
    """Whether nothing was left to ask. An imported run is whole as it is: items its file lacks are missing for good."""
    return run.origin == Origin.IMPORTED or run.results.count() == run.n_asks


def _rescore_results(run: Run, benchmark: Benchmark) -> dict[str, int]:
    """How many results changed, by what did; they are written."""
    changed, kinds = [], Counter[str]()
    for row in _results(run):
        before = row.answer
        if take(row, _fields_anew(row, run, benchmark)):
            changed.append(row)
            kinds[_change(before, row.answer)] += 1
    save_results(changed)
    return dict(kinds)


def _change(before: object, after: object) -> str:
    if before == after:
        return "other reason, flags or score"
    if before is None:
        return "now read"
    return "no longer read" if after is None else "other ratings"


def _results(run: Run) -> Iterator[ItemResult]:
    """All results that had a reply; a fault has nothing to be read."""
    rows = run.results.exclude(state=ItemState.FAULT).select_related("item", "reply")
    return rows.iterator(chunk_size=WRITE_BATCH)


def _fields_anew(row: ItemResult, run: Run, benchmark: Benchmark) -> ResultFields:
    item, counted = as_item(row.item), row.part or FIRST_PART
    if _is_read_here(run) and hasattr(row, "reply"):
        ask = Ask(item, row.repeat, 1, seed_of(run.seed, item.id, row.repeat, 1))
        reading = benchmark.read(ask, row.shown, _reply(row), options_of(benchmark, run.settings))
        return result_fields(reading, benchmark, item, counted=counted)
    answers = tuple(_stored_answer(part, fields) for part, fields in stored_parts(row).items())
    return result_fields(Reading(answers, complete=True), benchmark, item, counted=counted)


def _is_read_here(run: Run) -> bool:
    """Whether the answers are those of our own reader. A peer's run keeps how its own scores compared when it came."""
    return run.origin in READ_FROM_REPLIES or PEER in run.observed


def _reply(row: ItemResult) -> Reply:
    """The stored reply. That it was a tool call is known only by the reason it was filed under."""
    stored = row.reply
    return Reply(stored.text, stored.reasoning, stored.finish_reason, tool_call=row.reason == TOOL_CALL)


def _stored_answer(part: str, fields: Mapping[str, Any]) -> Answer:
    return Answer(
        part=part,
        reading=fields["reading"],
        values=None if fields["answer"] is None else tuple(fields["answer"]),
        reason=fields["reason"],
        flags=tuple(flag for flag in fields["flags"].split(",") if flag),
    )


def _store_summary(run: Run, summary: Summary, benchmark: Benchmark) -> bool:
    """Whether the run's numbers changed; then they are written, and the old ones go into the history."""
    fields = summary_fields(summary, benchmark)
    if all(getattr(run, name) == value for name, value in fields.items()):
        return False
    old = _ranking_numbers(run.score, run.figures, run.scorer_version)
    history = list(run.score_history)
    if old != _ranking_numbers(fields["score"], fields["figures"], fields["scorer_version"]):
        history.append({**old, "figures": run.figures, "replaced_at": timezone.now().isoformat()})
    ending = _ending(run, why_unscored(summary, benchmark))
    Run.objects.filter(pk=run.pk, status=run.status).update(**fields, **ending, score_history=history)
    return True


def _ranking_numbers(score: float | None, figures: Mapping[str, Mapping[str, Any]], version: str) -> dict[str, Any]:
    """What a correction replaces, by the names that the history has."""
    return {"score": score, "strict_score": strict_figures(figures)["strict_score"], "scorer_version": version}


def _ending(run: Run, reason: str) -> dict[str, str]:
    """A run that lost its score is failed, one that gained one is finished, and all others stay what they are."""
    if not reason:
        return {"status": Status.FINISHED.value, "failure_kind": "", "failure_message": ""}
    if run.status == Status.FAILED:
        return {}
    kind = FaultKind.PARSE.value
    return {"status": Status.FAILED.value, "failure_kind": kind, "failure_message": reason}


def read_anew(run: Run) -> list[ItemResult]:
    """The stored results that the present scorer reads or scores otherwise, with what it makes of them. Not saved."""
    benchmark = BENCHMARKS[run.benchmark]
    return [row for row in _results(run) if take(row, _fields_anew(row, run, benchmark))]
