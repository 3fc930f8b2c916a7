"""From stored rows to a run's numbers and back: the runner, the importer and the rescorer write results in one way.

Touches the database only to read the results of a run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, TypedDict, cast

from evaluation import models
from evaluation.benchmarks import BENCHMARKS, base
from evaluation.benchmarks.base import (
    Answer,
    Bank,
    Benchmark,
    Figure,
    Item,
    ItemScore,
    JsonValue,
    Options,
    Reading,
    Summary,
    ranking_figure,
)
from evaluation.benchmarks.eqbench_summary import STRICT_SCORE, STRICT_SHARE
from evaluation.shortening import shortened
from evaluation.states import ItemState

FIRST_PART = base.FIRST_PART
REASON_LENGTH = FLAGS_LENGTH = 120  # the columns' widths
MIXED_PARTS = "mixed"
NORMS = "norms"  # the one of a bank's facts that comes from its files and not from its makers' words


class PartFields(TypedDict):
    """One part of a reply as stored.

    `answer` has a number or None for each of the item's labels, in their order; `flags` are comma-separated.
    """

    answer: list[Any] | None
    reading: str
    reason: str
    flags: str
    score: float | None


class ManyValues(PartFields):
    """A later part of a reply whose benchmark has several measures of an item; `score` is the first of `values`."""

    values: list[Any]


class ResultFields(PartFields):
    """The columns of an ItemResult that come from reading its reply."""

    state: str
    values: list[Any] | None
    more_parts: dict[str, PartFields] | None


class SummaryFields(TypedDict):
    """The columns of a Run that its results give."""

    figures: dict[str, dict[str, Any]]
    detail: JsonValue
    score: float | None
    strict_score: float | None
    standard_error: float | None
    repeat_scores: list[float | None]
    counted_part: str
    n_scored: int
    n_strict: int
    parse_share: float
    strict_share: float | None
    scorer_version: str


def as_item(row: models.Item) -> Item:
    """The row as benchmarks know it; figures of the reference become floats."""
    reference = tuple(float(value) for value in row.reference)
    return Item(row.item_id, row.prompt, tuple(row.labels), reference, row.extra, row.group)


def options_of(benchmark: Benchmark, settings: Mapping[str, Any]) -> Options:
    """How a run with these settings asks; each switch of the benchmark is a setting of its own name."""
    switched = frozenset(switch.name for switch in benchmark.switches if settings.get(switch.name))
    return Options(settings.get("system_prompt", ""), switched)


def as_bank(row: models.ItemBank) -> Bank:
    """The stored bank as benchmarks know it, with all its items in file order."""
    return Bank(tuple(as_item(item) for item in row.items.order_by("number")), row.facts.get(NORMS))


def part_fields(answer: Answer, benchmark: Benchmark, item: Item) -> PartFields:
    """What is stored of one part. The score is None without values, and where the benchmark cannot score them.

    Several measures of an item are stored as `values` beside the score, which is the first of them.
    """
    values = benchmark.score(item, answer)
    fields: PartFields = {
        "answer": None if answer.values is None else list(answer.values),
        "reading": answer.reading,
        "reason": shortened(answer.reason, REASON_LENGTH),
        "flags": ",".join(answer.flags)[:FLAGS_LENGTH],
        "score": values[0],
    }
    if len(values) == 1:
        return fields
    many: ManyValues = {**fields, "values": list(values)}
    return many


def result_fields(reading: Reading, benchmark: Benchmark, item: Item) -> ResultFields:
    """What is stored of a reading: the first part in the row's own columns, later parts in `more_parts`.

    A reading without a first part (a revision of which only the second pass came) gets an empty one. The state is
    "read" when any part has values.
    """
    parts = {answer.part: part_fields(answer, benchmark, item) for answer in reading.answers}
    first = parts.pop(FIRST_PART, None) or part_fields(Answer(FIRST_PART, "none"), benchmark, item)
    values = values_in(first) if len(benchmark.item_measures) > 1 else None
    read = first["answer"] is not None or any(part["answer"] is not None for part in parts.values())
    state = ItemState.READ if read else ItemState.UNREAD
    return {
        "answer": first["answer"],
        "reading": first["reading"],
        "reason": first["reason"],
        "flags": first["flags"],
        "score": first["score"],
        "values": values,
        "state": state.value,
        "more_parts": parts or None,
    }


def values_in(part: PartFields) -> list[float | None]:
    """The values of a stored part, in the order of the benchmark's item measures."""
    values: list[float | None] = cast("dict[str, Any]", part).get("values") or [part["score"]]
    return values


def item_scores(run: models.Run) -> list[ItemScore]:
    """One ItemScore a stored part, first parts and later ones, by item number and repeat. Empty without results."""
    rows = run.results.order_by("item__number", "repeat").values_list(
        "item__item_id", "repeat", "reading", "score", "values", "more_parts"
    )
    return [score for row in rows.iterator() for score in _scores_of_row(*row)]


def _scores_of_row(
    item_id: str,
    repeat: int,
    reading: str,
    score: float | None,
    values: list[float | None] | None,
    more_parts: Mapping[str, PartFields] | None,
) -> Iterator[ItemScore]:
    yield ItemScore(item_id, repeat, FIRST_PART, reading, tuple(values or [score]))
    for part, fields in (more_parts or {}).items():
        yield ItemScore(item_id, repeat, part, fields["reading"], tuple(values_in(fields)))


def summarise_run(run: models.Run) -> Summary:
    """The run's summary by its own benchmark, from the stored results and the bank.

    Raises:
        KeyError: the run's benchmark is not among BENCHMARKS.
    """
    benchmark = BENCHMARKS[run.benchmark]
    return benchmark.summarise(item_scores(run), asked_bank(run), repeats=run.repeats, variant=run.variant)


def asked_bank(run: models.Run) -> Bank:
    """The items that the run asks, with the norms of its bank. One query, or two."""
    rows = models.Item.objects.filter(bank=run.bank_id).order_by("number")[: run.n_items]
    return Bank(tuple(map(as_item, rows)), run.bank.facts.get(NORMS))


def summary_fields(summary: Summary, benchmark: Benchmark) -> SummaryFields:
    """The Run columns for an update. `counted_part` is "mixed" where repeats counted different parts."""
    ranking, none = ranking_figure(benchmark, summary), Figure(None)
    strict = summary.figures.get(STRICT_SCORE, none)
    return {
        "figures": {key: asdict(figure) for key, figure in summary.figures.items()},
        "detail": summary.detail,
        "score": ranking.value,
        "strict_score": strict.value,
        "standard_error": ranking.error,
        "repeat_scores": list(summary.repeat_scores),
        "counted_part": _counted_part(summary.counted_parts),
        "n_scored": summary.n_scored,
        "n_strict": strict.n or 0,
        "parse_share": summary.coverage,
        "strict_share": summary.figures.get(STRICT_SHARE, none).value,
        "scorer_version": benchmark.scorer_version,
    }


def why_unscored(summary: Summary, benchmark: Benchmark) -> str:
    """Why the run has failed for want of a score; "" where it has one, or its benchmark ranks nothing."""
    if summary.reason or not benchmark.measures or ranking_figure(benchmark, summary).value is not None:
        return summary.reason
    return "the benchmark gave no score"


def _counted_part(parts: tuple[str, ...]) -> str:
    distinct = sorted({part for part in parts if part})
    return distinct[0] if len(distinct) == 1 else MIXED_PARTS if distinct else ""
