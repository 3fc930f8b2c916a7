"""From stored rows to a run's numbers and back: the runner, the importer and the rescorer write results in one way.

Touches the database only to read the results of a run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, TypedDict

from evaluation import models
from evaluation.benchmarks import BENCHMARKS, base
from evaluation.benchmarks.base import (
    Answer,
    Bank,
    Benchmark,
    Item,
    ItemScore,
    JsonValue,
    Options,
    Reading,
    Summary,
    ranking_figure,
)
from evaluation.benchmarks.eqbench_summary import STRICT_SCORE, STRICT_SHARE
from evaluation.runs.parts import ManyValues, PartFields, ResultFields, columns_of, values_in
from evaluation.shortening import shortened
from evaluation.states import ItemState
from evaluation.statistics.normal import Interval
from evaluation.statistics.score_interval import score_interval, share_interval

FIRST_PART = base.FIRST_PART
REASON_LENGTH = FLAGS_LENGTH = 120  # the columns' widths
MIXED_PARTS = "mixed"
PER_CENT = "%"
NORMS = "norms"  # the one of a bank's facts that comes from its files and not from its makers' words


class SummaryFields(TypedDict):
    """The columns of a Run that its results give."""

    figures: dict[str, dict[str, Any]]
    detail: JsonValue
    score: float | None
    standard_error: float | None
    repeat_scores: list[float | None]
    counted_part: str
    n_scored: int
    parse_share: float
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


def result_fields(reading: Reading, benchmark: Benchmark, item: Item, *, counted: str = FIRST_PART) -> ResultFields:
    """What is stored of a reading: the part that counts in the row's own columns, the others in `other_parts`.

    A reading without a first part (a revision of which only the second pass came) gets an empty one. The state is
    "read" when any part has values.
    """
    read = {answer.part: part_fields(answer, benchmark, item) for answer in reading.answers}
    first = read.pop(FIRST_PART, None) or part_fields(Answer(FIRST_PART, "none"), benchmark, item)
    parts = {FIRST_PART: first, **read}
    is_read = any(part["answer"] is not None for part in parts.values())
    return {**columns_of(parts, counted), "state": (ItemState.READ if is_read else ItemState.UNREAD).value}


def item_scores(run: models.Run) -> list[ItemScore]:
    """One ItemScore a stored part, by item number and repeat. Empty without results."""
    rows = run.results.order_by("item__number", "repeat").values_list(
        "item__item_id", "repeat", "part", "reading", "score", "values", "other_parts"
    )
    return [score for row in rows.iterator() for score in _scores_of_row(*row)]


def _scores_of_row(
    item_id: str,
    repeat: int,
    part: str | None,
    reading: str,
    score: float | None,
    values: list[float | None] | None,
    other_parts: Mapping[str, PartFields] | None,
) -> Iterator[ItemScore]:
    yield ItemScore(item_id, repeat, part or FIRST_PART, reading, tuple(values or [score]))
    for name, fields in (other_parts or {}).items():
        yield ItemScore(item_id, repeat, name, fields["reading"], tuple(values_in(fields)))


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


def interval_of_run(run: models.Run) -> Interval | None:
    n = items_behind(run.benchmark, run.figures, run.n_scored)
    return interval_of(run.benchmark, run.score, run.standard_error, n)


def half_of_run(run: models.Run) -> float | None:
    interval = interval_of_run(run)
    return interval.half_width if interval else None


def interval_of(benchmark: str, score: float | None, error: float | None, n: int | None) -> Interval | None:
    """The 95 % interval of a score from n items: Wilson's where it is a share, else Student's."""
    measures = BENCHMARKS[benchmark].measures if benchmark in BENCHMARKS else ()
    if measures and measures[0].unit == PER_CENT:
        return share_interval(score, error)
    return score_interval(score, error, n)


def items_behind(benchmark: str, figures: Mapping[str, Mapping[str, Any]], n_scored: int) -> int:
    """How many items the score and its error are made of, as the interval needs it. More than `n_scored` where a rule
    counts items without an answer, too."""
    measures = BENCHMARKS[benchmark].measures if benchmark in BENCHMARKS else ()
    n = figures.get(measures[0].key, {}).get("n") if measures else None
    return n_scored if n is None else int(n)


def summary_fields(summary: Summary, benchmark: Benchmark) -> SummaryFields:
    """The Run columns for an update. `counted_part` is "mixed" where repeats counted different parts."""
    ranking = ranking_figure(benchmark, summary)
    return {
        "figures": {key: asdict(figure) for key, figure in summary.figures.items()},
        "detail": summary.detail,
        "score": ranking.value,
        "standard_error": ranking.error,
        "repeat_scores": list(summary.repeat_scores),
        "counted_part": _counted_part(summary.counted_parts),
        "n_scored": summary.n_scored,
        "parse_share": summary.coverage,
        "scorer_version": benchmark.scorer_version,
    }


class StrictFigures(TypedDict):
    """The figures of the official reading alone, by the names that files, manifests and the API give them."""

    strict_score: float | None
    n_strict: int
    strict_share: float | None


def strict_figures(figures: Mapping[str, Mapping[str, Any]]) -> StrictFigures:
    """From the figures of a run; None and 0 where its benchmark has no official reading."""
    strict, share = figures.get(STRICT_SCORE, {}), figures.get(STRICT_SHARE, {})
    return {"strict_score": strict.get("value"), "n_strict": strict.get("n") or 0, "strict_share": share.get("value")}


def why_unscored(summary: Summary, benchmark: Benchmark) -> str:
    """Why the run has failed for want of a score; "" where it has one, or its benchmark ranks nothing."""
    if summary.reason or not benchmark.measures or ranking_figure(benchmark, summary).value is not None:
        return summary.reason
    return "the benchmark gave no score"


def _counted_part(parts: tuple[str, ...]) -> str:
    distinct = sorted({part for part in parts if part})
    return distinct[0] if len(distinct) == 1 else MIXED_PARTS if distinct else ""
