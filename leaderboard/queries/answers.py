"""Every answer of a run as the ways out give it: a row a stored part, whole values, no text of a closed bank."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import ItemScore
from evaluation.disclosure import parts_of
from evaluation.models import ItemBank, ItemResult, Run
from evaluation.summaries import PartFields
from leaderboard.queries.items import counted_part

COLUMNS = (
    "run_id", "repeat", "state", "reading", "answer", "reason", "flags", "score", "more_parts", "attempts",
    "latency_ms", "prompt_tokens", "completion_tokens", "item__number", "item__item_id", "item__labels",
    "item__reference",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One part of one result. `answer` and `reference` have the order of `labels`, which are None where the bank's
    texts are not public. `score` is on the item's own scale; `counted` tells whether this part is the one that the
    run's score counts in its repeat. Times in milliseconds.
    """

    item: str
    number: int
    repeat: int
    part: str
    counted: bool
    state: str
    reading: str
    labels: tuple[str, ...] | None
    answer: tuple[float, ...] | None
    reference: tuple[float, ...] | None
    score: float | None
    strict_score: float | None
    reason: str
    flags: tuple[str, ...]
    attempts: int
    latency_ms: int | None
    prompt_tokens: int | None
    completion_tokens: int | None


def answer_rows(run: Run) -> list[AnswerRow]:
    """All rows of a run whose bank is at hand, by item number, repeat and part, the first pass first. One query."""
    results = list(run.results.select_related("item").only(*COLUMNS).order_by("item__number", "repeat"))
    counted = counted_parts(run, results)
    return [
        answer_row(row, name, part, run.bank, counted=name == counted.get(row.repeat))
        for row in results
        for name, part in parts_of(row, run.bank).items()
    ]


def counted_parts(run: Run, results: Iterable[ItemResult]) -> Mapping[int, str]:
    """Repeat -> the part that counts in it, by the run's own benchmark; as stored where that is not known here."""
    repeats = range(1, run.repeats + 1)
    if run.benchmark not in BENCHMARKS:
        return dict.fromkeys(repeats, counted_part(run))
    scores = [score for row in results for score in scores_of(row, run.bank)]
    summary = BENCHMARKS[run.benchmark].summarise(scores, n_items=run.n_items, repeats=run.repeats)
    return dict(zip(repeats, summary.counted_parts, strict=True))


def scores_of(row: ItemResult, bank: ItemBank) -> list[ItemScore]:
    return [
        ItemScore(row.item.item_id, row.repeat, name, part["reading"], (part["score"],))
        for name, part in parts_of(row, bank).items()
    ]


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
        answer=None if part["answer"] is None else tuple(map(float, part["answer"])),
        reference=tuple(map(float, row.item.reference)) if bank.shows_items else None,
        score=part["score"],
        strict_score=part["score"] if part["reading"] == "official" else None,
        reason=part["reason"],
        flags=tuple(flag for flag in part["flags"].split(",") if flag),
        attempts=row.attempts,
        latency_ms=row.latency_ms,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
    )


def counted_part_scores(run: Run) -> list[tuple[int, float]]:
    """Item (primary key) and score of each stored part that counts in its repeat and has a score. One query."""
    results = list(run.results.select_related("item").only(*COLUMNS).order_by("item__number", "repeat"))
    counted = counted_parts(run, results)
    parts = [(row.item_id, parts_of(row, run.bank).get(counted.get(row.repeat, ""))) for row in results]
    return [(item_id, part["score"]) for item_id, part in parts if part and part["score"] is not None]
