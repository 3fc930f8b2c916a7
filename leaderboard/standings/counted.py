"""Item scores of the runs that count, as matrices: models x items, each cell a mean over runs and repeats.

A score is that of the part which the run's own score counts (first pass or revision), on the item's own scale.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import ItemScore
from evaluation.models import ItemResult
from evaluation.statistics.arrays import Floats, Ints, as_floats, ratio
from evaluation.summaries import FIRST_PART, MIXED_PARTS, PartFields

WITHOUT_LATER_PARTS = frozenset({"", FIRST_PART})
RELATIVE_FAMILIES = frozenset({"eq-bench-v1"})
READ_COLUMNS = ("run_id", "item_id", "repeat", "reading", "score", "more_parts")
SCORE_COLUMNS = ("run_id", "item_id", "score")
PASS_COLUMNS = ("run_id", "item_id", "repeat", "score")
SCORE_CELLS = [PASS_COLUMNS.index(name) for name in SCORE_COLUMNS]


@dataclass(frozen=True, slots=True)
class CountedRun:
    """A run that stands behind a model's score. `counted_part` is "mixed" where its repeats count different parts."""

    pk: int
    model_id: int
    benchmark: str
    n_items: int
    repeats: int
    counted_part: str

    @property
    def counts_first_part(self) -> bool:
        return self.counted_part in WITHOUT_LATER_PARTS


RUN_COLUMNS = tuple(CountedRun.__dataclass_fields__)

Read = tuple[int, int, int, str, float | None, Mapping[str, PartFields] | None]
"""A stored result, in the order of READ_COLUMNS."""


def score_matrix(runs: Sequence[CountedRun], rows: Mapping[int, int], items: Sequence[int]) -> Floats:
    """The mean score of each item in each row, NaN where nothing was scored. One query, two with counted revisions.

    Args:
        runs: Whose results count, at least one.
        rows: The row of each run by its primary key, counted from 0; the runs of one model share one.
        items: Primary keys in the order of the columns, at least one.
    """
    cells = np.concatenate([first_part_cells(runs), later_part_cells(runs)[:, SCORE_CELLS]])
    run_ids, columns = np.array(list(rows)), len(items)
    at = np.array(list(rows.values()))[places(cells[:, 0], run_ids)] * columns + places(cells[:, 1], np.array(items))
    size = (max(rows.values()) + 1) * columns
    sums = np.bincount(at, weights=cells[:, 2], minlength=size)
    return ratio(as_floats(sums), np.bincount(at, minlength=size)).reshape(-1, columns)


def places(values: Floats, among: Ints) -> Ints:
    """Where each value stands in `among`, which holds all of them."""
    order = np.argsort(among)
    return np.asarray(order[np.searchsorted(among, values, sorter=order)])


def first_part_cells(runs: Iterable[CountedRun], columns: Sequence[str] = SCORE_COLUMNS) -> Floats:
    """The columns of each scored result of the runs that count the first part: results x columns."""
    counted = [run.pk for run in runs if run.counts_first_part]
    if not counted:
        return np.empty((0, len(columns)))
    rows = ItemResult.objects.filter(run__in=counted, score__isnull=False).order_by().values_list(*columns)
    numbers = chain.from_iterable(rows.iterator(chunk_size=20_000))
    return np.fromiter(numbers, dtype=np.float64).reshape(-1, len(columns))


def later_part_cells(runs: Iterable[CountedRun]) -> Floats:
    """The PASS_COLUMNS of each scored result of the runs that count another part than the first, or different parts
    in different repeats: results x 4."""
    counted = {run.pk: run for run in runs if not run.counts_first_part}
    if not counted:
        return np.empty((0, len(PASS_COLUMNS)))
    by_run: defaultdict[int, list[Read]] = defaultdict(list)
    for row in ItemResult.objects.filter(run__in=counted).values_list(*READ_COLUMNS):
        by_run[row[0]].append(row)
    cells = [cell for pk, results in by_run.items() for cell in counted_cells(counted[pk], results)]
    return np.array(cells, dtype=np.float64).reshape(-1, len(PASS_COLUMNS))


def counted_cells(run: CountedRun, results: Sequence[Read]) -> list[tuple[int, int, int, float]]:
    parts = counted_parts(run, results)
    scored = [
        (run_id, item_id, repeat, score_of(score, more, parts.get(repeat, "")))
        for run_id, item_id, repeat, _, score, more in results
    ]
    return [(run_id, item_id, repeat, score) for run_id, item_id, repeat, score in scored if score is not None]


def score_of(score: float | None, more_parts: Mapping[str, PartFields] | None, part: str) -> float | None:
    """The score of that part of a result; None where it never came."""
    if part == FIRST_PART:
        return score
    later = (more_parts or {}).get(part)
    return later["score"] if later else None


def counted_parts(run: CountedRun, results: Iterable[Read]) -> dict[int, str]:
    """Repeat -> the part that counts in it; "" where nothing was scored. Asks the benchmark where repeats differ."""
    repeats = range(1, run.repeats + 1)
    if run.counted_part != MIXED_PARTS:
        return dict.fromkeys(repeats, run.counted_part or FIRST_PART)
    scores = [score for result in results for score in scores_of(result)]
    summary = BENCHMARKS[run.benchmark].summarise(scores, n_items=run.n_items, repeats=run.repeats)
    return dict(zip(repeats, summary.counted_parts, strict=True))


def scores_of(result: Read) -> list[ItemScore]:
    _, item_id, repeat, reading, score, more_parts = result
    first = ItemScore(str(item_id), repeat, FIRST_PART, reading, (score,))
    later = [
        ItemScore(str(item_id), repeat, part, fields["reading"], (fields["score"],))
        for part, fields in (more_parts or {}).items()
    ]
    return [first, *later]


def parts_in_repeats(runs: Iterable[CountedRun]) -> dict[int, dict[int, str]]:
    """Run -> repeat -> the part that counts. One query if a run's repeats count different parts, else none."""
    counted = {run.pk: run for run in runs}
    mixed = [run.pk for run in counted.values() if run.counted_part == MIXED_PARTS]
    by_run: defaultdict[int, list[Read]] = defaultdict(list)
    for row in ItemResult.objects.filter(run__in=mixed).values_list(*READ_COLUMNS):
        by_run[row[0]].append(row)
    return {pk: counted_parts(run, by_run[pk]) for pk, run in counted.items()}


def as_scored(answer: Sequence[float] | None, family: str) -> list[float] | None:
    """The answer as the score compares it with the reference: for v1 rescaled to a sum of 10, else as it stands."""
    if answer is None or family not in RELATIVE_FAMILIES or sum(answer) <= 0:
        return None if answer is None else list(answer)
    return [10 * value / sum(answer) for value in answer]
