"""Item scores of the runs that count, as matrices: models x items, each cell a mean over runs and repeats.

A score is on the item's own scale.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import ItemResult
from evaluation.statistics.arrays import Floats, Ints, as_floats, ratio

SCORE_COLUMNS = ("run_id", "item_id", "score")
PASS_COLUMNS = ("run_id", "item_id", "repeat", "score")


@dataclass(frozen=True, slots=True)
class CountedRun:
    """A run that stands behind a model's score."""

    pk: int
    model_id: int
    benchmark: str
    repeats: int


RUN_COLUMNS = tuple(CountedRun.__dataclass_fields__)


def score_matrix(runs: Sequence[CountedRun], rows: Mapping[int, int], items: Sequence[int]) -> Floats:
    """The mean score of each item in each row, NaN where nothing was scored. One query.

    Args:
        runs: Whose results count, at least one.
        rows: The row of each run by its primary key, counted from 0; the runs of one model share one.
        items: Primary keys in the order of the columns, at least one.
    """
    cells = scored_cells(runs)
    run_ids, columns = np.array(list(rows)), len(items)
    at = np.array(list(rows.values()))[places(cells[:, 0], run_ids)] * columns + places(cells[:, 1], np.array(items))
    size = (max(rows.values()) + 1) * columns
    sums = np.bincount(at, weights=cells[:, 2], minlength=size)
    return ratio(as_floats(sums), np.bincount(at, minlength=size)).reshape(-1, columns)


def places(values: Floats, among: Ints) -> Ints:
    """Where each value stands in `among`, which holds all of them."""
    order = np.argsort(among)
    return np.asarray(order[np.searchsorted(among, values, sorter=order)])


def scored_cells(runs: Iterable[CountedRun], columns: Sequence[str] = SCORE_COLUMNS) -> Floats:
    """The columns of each scored result of the runs: results x columns."""
    counted = [run.pk for run in runs]
    if not counted:
        return np.empty((0, len(columns)))
    rows = ItemResult.objects.filter(run__in=counted, score__isnull=False).order_by().values_list(*columns)
    numbers = chain.from_iterable(rows.iterator(chunk_size=20_000))
    return np.fromiter(numbers, dtype=np.float64).reshape(-1, len(columns))


def as_scored(answer: Sequence[float] | None, family: str) -> list[float] | None:
    """The answer as the score compares it with the reference: for v1 rescaled to a sum of 10, else as it stands."""
    total = answers_sum_of(family)
    if answer is None or total is None or sum(answer) <= 0:
        return None if answer is None else list(answer)
    return [total * value / sum(answer) for value in answer]


def answers_sum_of(family: str) -> float | None:
    """The sum to which answers of a bank of this family are brought before they are scored."""
    return BENCHMARKS[family].answers_sum if family in BENCHMARKS else None
