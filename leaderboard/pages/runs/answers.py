"""Every answer of a run as the ways out give it: a row a stored part, whole values, no text of a closed bank."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import FIRST_PART, JsonValue
from evaluation.benchmarks.eqbench_summary import STRICT_SCORE
from evaluation.disclosure import parts_of
from evaluation.models import ItemBank, ItemResult, Run
from evaluation.runs.parts import PartFields, values_in

COLUMNS = (
    "run_id", "repeat", "state", "reading", "answer", "reason", "flags", "score", "values", "shown", "part",
    "other_parts", "attempts", "latency_ms", "prompt_tokens", "completion_tokens", "item__number", "item__item_id",
    "item__labels", "item__reference",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One part of one result. `answer` and `reference` have the order of `labels`, which are None where the bank's
    texts are not public; an answer may lack a value, as those of gathered replies do. `score` is on the item's own
    scale; `counted` tells whether this part is the one that the run's score counts in its repeat. `values` are all
    values of the item, of which `score` is the first; `shown` is the order in which something was shown, as the
    benchmark stored it. Times in milliseconds.
    """

    item: str
    number: int
    repeat: int
    part: str
    counted: bool
    state: str
    reading: str
    labels: tuple[str, ...] | None
    answer: tuple[float | None, ...] | None
    reference: tuple[float, ...] | None
    score: float | None
    strict_score: float | None
    reason: str
    flags: tuple[str, ...]
    attempts: int
    latency_ms: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    values: tuple[float | None, ...]
    shown: JsonValue


def answer_rows(run: Run) -> list[AnswerRow]:
    """All rows of a run whose bank is at hand, by item number, repeat and part, the first pass first. One query."""
    results = list(run.results.select_related("item").only(*COLUMNS).order_by("item__number", "repeat"))
    # The part that counts in a repeat; none does where nothing of it was scored.
    counted = {row.repeat: row.part or FIRST_PART for row in results if row.score is not None}
    return [
        answer_row(row, name, part, run.bank, counted=name == counted.get(row.repeat))
        for row in results
        for name, part in parts_of(row, run.bank).items()
    ]


def has_strict(bank: ItemBank) -> bool:
    """Whether the benchmark of the bank tells an official reading from others."""
    found = BENCHMARKS.get(bank.benchmark)
    return found is None or any(measure.key == STRICT_SCORE for measure in found.measures)


def answer_row(row: ItemResult, name: str, part: PartFields, bank: ItemBank, *, counted: bool) -> AnswerRow:
    labels: Sequence[str] = row.item.labels
    return AnswerRow(
        item=row.item.item_id,
        number=row.item.number,
        repeat=row.repeat,
        part=name,
        counted=counted,
        state=row.state,
        reading=part["reading"],
        labels=tuple(labels) if bank.shows_texts else None,
        answer=None
        if part["answer"] is None
        else tuple(None if value is None else float(value) for value in part["answer"]),
        reference=tuple(map(float, row.item.reference)) if bank.shows_references else None,
        score=part["score"],
        strict_score=part["score"] if part["reading"] == "official" and has_strict(bank) else None,
        reason=part["reason"],
        flags=tuple(flag for flag in part["flags"].split(",") if flag),
        attempts=row.attempts,
        latency_ms=row.latency_ms,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        values=tuple(values_in(part)),
        shown=row.shown,
    )
