"""Runs scored anew from what is stored, without a request: measured runs and those of peers from their replies, which
our own reader has read, runs of official files from the answers in the file. The old value is kept in the history.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Benchmark, Reading, Reply, Summary
from evaluation.models import ItemResult, Run
from evaluation.states import FaultKind, ItemState, Origin, Status
from evaluation.summaries import (
    FIRST_PART,
    ResultFields,
    as_item,
    options_of,
    result_fields,
    summarise_run,
    summary_fields,
)

READ_FROM_REPLIES = (Origin.MEASURED, Origin.DEMO)
PEER = "peer"  # in what was observed of an imported run: its replies came from another harness
TOOL_CALL = "tool call"
_RESULT_FIELDS = tuple(ResultFields.__annotations__)
_WRITE_BATCH = 200


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

    Open, cancelled and interrupted runs are skipped, and runs of a benchmark that this code does not know.

    Raises:
        Run.DoesNotExist: there is no such run.
    """
    run = Run.objects.select_for_update().get(pk=run_id)
    reason = _reason_to_skip(run)
    if reason:
        return Rescored(run.pk, run.score, run.score, skipped=reason)
    benchmark = BENCHMARKS[run.benchmark]
    replies = _rescore_results(run, benchmark)
    summary = summarise_run(run)
    run_changed = _store_summary(run, summary, benchmark.scorer_version)
    return Rescored(run.pk, run.score, summary.score, changed=bool(replies) or run_changed, replies=replies)


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
    return run.origin == Origin.IMPORTED or run.results.count() == run.n_items * run.repeats


def _rescore_results(run: Run, benchmark: Benchmark) -> dict[str, int]:
    """How many results changed, by what did; they are written."""
    changed, kinds = [], Counter[str]()
    for row in _results(run):
        before = row.answer
        if _take(row, _fields_anew(row, run, benchmark)):
            changed.append(row)
            kinds[_change(before, row.answer)] += 1
    ItemResult.objects.bulk_update(changed, _RESULT_FIELDS, batch_size=_WRITE_BATCH)
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
    return rows.iterator(chunk_size=_WRITE_BATCH)


def _fields_anew(row: ItemResult, run: Run, benchmark: Benchmark) -> ResultFields:
    item = as_item(row.item)
    if _is_read_here(run) and hasattr(row, "reply"):
        return result_fields(benchmark.read(item, _reply(row), options_of(benchmark, run.settings)), benchmark, item)
    return result_fields(Reading(tuple(_stored_answers(row)), complete=True), benchmark, item)


def _is_read_here(run: Run) -> bool:
    """Whether the answers are those of our own reader. A peer's run keeps how its own scores compared when it came."""
    return run.origin in READ_FROM_REPLIES or PEER in run.observed


def _reply(row: ItemResult) -> Reply:
    """The stored reply. That it was a tool call is known only by the reason it was filed under."""
    stored = row.reply
    return Reply(stored.text, stored.reasoning, stored.finish_reason, tool_call=row.reason == TOOL_CALL)


def _stored_answers(row: ItemResult) -> Iterator[Answer]:
    first = {name: getattr(row, name) for name in ("answer", "reading", "reason", "flags")}
    for part, fields in {FIRST_PART: first, **(row.more_parts or {})}.items():
        yield _stored_answer(part, fields)


def _stored_answer(part: str, fields: Mapping[str, Any]) -> Answer:
    return Answer(
        part=part,
        reading=fields["reading"],
        values=None if fields["answer"] is None else tuple(fields["answer"]),
        reason=fields["reason"],
        flags=tuple(flag for flag in fields["flags"].split(",") if flag),
    )


def _take(row: ItemResult, fields: ResultFields) -> bool:
    """Copies the fields onto the row; whether any was different."""
    different = {name: value for name, value in fields.items() if getattr(row, name) != value}
    for name, value in different.items():
        setattr(row, name, value)
    return bool(different)


def _store_summary(run: Run, summary: Summary, scorer_version: str) -> bool:
    """Whether the run's numbers changed; then they are written, and the old ones go into the history."""
    fields = summary_fields(summary, scorer_version)
    if all(getattr(run, name) == value for name, value in fields.items()):
        return False
    ranking = ("score", "strict_score", "scorer_version")
    history = list(run.score_history)
    if any(getattr(run, name) != fields[name] for name in ranking):  # type: ignore[literal-required]
        history.append({name: getattr(run, name) for name in ranking} | {"replaced_at": timezone.now().isoformat()})
    Run.objects.filter(pk=run.pk, status=run.status).update(**fields, **_ending(run, summary), score_history=history)
    return True


def _ending(run: Run, summary: Summary) -> dict[str, str]:
    """A run that lost its score is failed, one that gained one is finished, and all others stay what they are."""
    if summary.score is not None:
        return {"status": Status.FINISHED.value, "failure_kind": "", "failure_message": ""}
    if run.status == Status.FAILED:
        return {}
    kind = FaultKind.PARSE.value
    return {"status": Status.FAILED.value, "failure_kind": kind, "failure_message": summary.reason}


def read_anew(run: Run) -> list[ItemResult]:
    """The stored results that the present scorer reads or scores otherwise, with what it makes of them. Not saved."""
    benchmark = BENCHMARKS[run.benchmark]
    return [row for row in _results(run) if _take(row, _fields_anew(row, run, benchmark))]


def save_results(rows: Sequence[ItemResult]) -> None:
    ItemResult.objects.bulk_update(rows, _RESULT_FIELDS, batch_size=_WRITE_BATCH)
