"""The stored results of a run in brief, and which of them its page shows."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Case, QuerySet, When

from evaluation.disclosure import counted_part
from evaluation.models import ItemBank, ItemResult, ItemState, Run
from leaderboard.pages.runs.items import ItemRow, item_rows
from leaderboard.pages.shared.measures import item_measure

ENDS = 4  # items of an ended run at each end of its scores; of an open one so many twice, the newest
SAMPLES = 3  # transcripts of items that could not be read, or of an open run's newest
SAMPLED_ENDS = 2  # transcripts of an ended run at each end of its scores
COUNT_COLUMNS = (
    "state", "repeat", "answer", "reading", "reason", "flags", "score", "part", "other_parts", "latency_ms",
    "created_at", "run_id", "item__number",
)  # fmt: skip


class Answered(NamedTuple):
    """What counts need of a result; `state`, `score` and `reason` are those of the part that counts."""

    pk: int
    number: int
    repeat: int
    state: str
    score: float | None
    reason: str
    latency_ms: int | None
    created_at: datetime


def answered_results(run: Run) -> list[Answered]:
    """One entry a stored result, in order of item and repeat."""
    rows = run.results.select_related("item").only(*COUNT_COLUMNS).order_by("item__number", "repeat")
    return [answered_result(row, run.bank) for row in rows]


def answered_result(row: ItemResult, bank: ItemBank) -> Answered:
    part = counted_part(row, bank)
    read = ItemState.UNREAD if part["answer"] is None else ItemState.READ
    return Answered(
        pk=row.pk,
        number=row.item.number,
        repeat=row.repeat,
        state=ItemState.FAULT if row.state == ItemState.FAULT else read,
        score=part["score"],
        reason=part["reason"],
        latency_ms=row.latency_ms,
        created_at=row.created_at,
    )


def shown_items(run: Run, answered: Sequence[Answered]) -> tuple[ItemRow, ...]:
    """The newest results of an open run; of an ended one the worst and the best by score, the worst first."""
    if run.is_open:
        return item_rows(run, run.results.order_by("-pk")[: 2 * ENDS])
    return item_rows(run, in_order(run, worst_and_best(run, answered, ENDS)))


def worst_and_best(run: Run, answered: Sequence[Answered], each: int) -> list[int]:
    """The keys of so many results at each end of the scores, the worst first; fewer where fewer have a score."""
    measure = item_measure(run.benchmark)
    ordered = [pk for _, pk in sorted((measure.turned(one.score), one.pk) for one in answered if one.score is not None)]
    return ordered if len(ordered) <= 2 * each else [*ordered[:each], *ordered[-each:]]


def in_order(run: Run, wanted: Sequence[int]) -> QuerySet[ItemResult]:
    """The results of these keys in their order."""
    if not wanted:
        return run.results.none()
    return run.results.filter(pk__in=wanted).order_by(Case(*(When(pk=pk, then=at) for at, pk in enumerate(wanted))))


def samples_of(run: Run, answered: Sequence[Answered]) -> tuple[ItemRow, ...]:
    """Some transcripts: those that could not be read, then of an ended run the worst and the best, as `shown_items` has
    them. Of a run without any of these the newest. None where the texts are not public.
    """
    wanted = [*unread_of(answered), *([] if run.is_open else worst_and_best(run, answered, SAMPLED_ENDS))]
    return with_transcripts(run, in_order(run, wanted) if wanted else run.results.order_by("-pk")[:SAMPLES])


def unread_samples(run: Run, answered: Sequence[Answered]) -> tuple[ItemRow, ...]:
    """The first transcripts that could not be read. None where the texts are not public."""
    return with_transcripts(run, in_order(run, unread_of(answered)))


def unread_of(answered: Sequence[Answered]) -> list[int]:
    return [result.pk for result in answered if result.state == ItemState.UNREAD][:SAMPLES]


def with_transcripts(run: Run, results: QuerySet[ItemResult]) -> tuple[ItemRow, ...]:
    return item_rows(run, results, with_texts=True) if run.bank.shows_texts else ()
