"""From stored rows to a run's numbers and back: the runner, the importer and the rescorer write results in one way.

Touches the database only to read the results of a run.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypedDict

from evaluation import models
from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Bank, Benchmark, Item, ItemScore, Options, Reading, Summary
from evaluation.shortening import shortened
from evaluation.states import ItemState

FIRST_PART = "first_pass"
REASON_LENGTH = FLAGS_LENGTH = 120  # the columns' widths
MIXED_PARTS = "mixed"
NORMS = "norms"  # in a bank's facts: what scoring needs that belongs to no single item


class PartFields(TypedDict):
    """One part of a reply as stored.

    `answer` has a number or None for each of the item's labels, in their order; `flags` are comma-separated.
    """

    answer: list[Any] | None
    reading: str
    reason: str
    flags: str
    score: float | None


class ResultFields(PartFields):
    """The columns of an ItemResult that come from reading its reply."""

    state: str
    more_parts: dict[str, PartFields] | None


class SummaryFields(TypedDict):
    """The columns of a Run that its results give."""

    score: float | None
    strict_score: float | None
    standard_error: float | None
    repeat_scores: list[float | None]
    counted_part: str
    n_scored: int
    n_strict: int
    parse_share: float
    strict_share: float
    scorer_version: str


def as_item(row: models.Item) -> Item:
    """The row as benchmarks know it; figures of the reference become floats."""
    reference = tuple(float(value) for value in row.reference)
    return Item(row.item_id, row.prompt, tuple(row.labels), reference, row.extra)


def options_of(benchmark: Benchmark, settings: Mapping[str, Any]) -> Options:
    """How a run with these settings asks; each switch of the benchmark is a setting of its own name."""
    switched = frozenset(switch.name for switch in benchmark.switches if settings.get(switch.name))
    return Options(settings.get("system_prompt", ""), switched)


def as_bank(row: models.ItemBank) -> Bank:
    """The stored bank as benchmarks know it, with all its items in file order."""
    return Bank(tuple(as_item(item) for item in row.items.order_by("number")), row.facts.get(NORMS))


def part_fields(answer: Answer, benchmark: Benchmark, item: Item) -> PartFields:
    """What is stored of one part. The score is None without values, and where the benchmark cannot score them."""
    return {
        "answer": None if answer.values is None else list(answer.values),
        "reading": answer.reading,
        "reason": shortened(answer.reason, REASON_LENGTH),
        "flags": ",".join(answer.flags)[:FLAGS_LENGTH],
        "score": benchmark.score(item, answer),
    }


def result_fields(reading: Reading, benchmark: Benchmark, item: Item) -> ResultFields:
    """What is stored of a reading: the first part in the row's own columns, later parts in `more_parts`.

    A reading without a first part (a revision of which only the second pass came) gets an empty one. The state is
    "read" when any part has values.
    """
    parts = {answer.part: part_fields(answer, benchmark, item) for answer in reading.answers}
    first = parts.pop(FIRST_PART, None) or part_fields(Answer(FIRST_PART, "none"), benchmark, item)
    read = first["answer"] is not None or any(part["answer"] is not None for part in parts.values())
    state = ItemState.READ if read else ItemState.UNREAD
    return {**first, "state": state.value, "more_parts": parts or None}


def item_scores(run: models.Run) -> list[ItemScore]:
    """One ItemScore a stored part, first parts and later ones, by item number and repeat. Empty without results."""
    rows = run.results.order_by("item__number", "repeat").values_list(
        "item__item_id", "repeat", "reading", "score", "more_parts"
    )
    return [score for row in rows.iterator() for score in _scores_of_row(*row)]


def _scores_of_row(
    item_id: str, repeat: int, reading: str, score: float | None, more_parts: Mapping[str, PartFields] | None
) -> Iterator[ItemScore]:
    yield ItemScore(item_id, repeat, FIRST_PART, reading, (score,))
    for part, fields in (more_parts or {}).items():
        yield ItemScore(item_id, repeat, part, fields["reading"], (fields["score"],))


def summarise_run(run: models.Run) -> Summary:
    """The run's summary by its own benchmark, from the stored results alone.

    Raises:
        KeyError: the run's benchmark is not among BENCHMARKS.
    """
    benchmark = BENCHMARKS[run.benchmark]
    return benchmark.summarise(item_scores(run), n_items=run.n_items, repeats=run.repeats)


def summary_fields(summary: Summary, scorer_version: str) -> SummaryFields:
    """The Run columns for an update. `counted_part` is "mixed" where repeats counted different parts."""
    return {
        "score": summary.score,
        "strict_score": summary.strict_score,
        "standard_error": summary.standard_error,
        "repeat_scores": list(summary.repeat_scores),
        "counted_part": _counted_part(summary.counted_parts),
        "n_scored": summary.n_scored,
        "n_strict": summary.n_strict,
        "parse_share": summary.parse_share,
        "strict_share": summary.strict_share,
        "scorer_version": scorer_version,
    }


def _counted_part(parts: tuple[str, ...]) -> str:
    distinct = sorted({part for part in parts if part})
    return distinct[0] if len(distinct) == 1 else MIXED_PARTS if distinct else ""
