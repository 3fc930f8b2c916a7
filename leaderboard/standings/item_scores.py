"""Item scores of the runs that count: one mean an item and model, over all its runs and repeats, as a matrix.

A score is that of the part which the run's own score counts (first pass or revision), on the item's own scale. The
database adds up the first passes; the few runs that count a later part are read result by result.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, cast

import numpy as np
from django.db.models import Count, Q, QuerySet, Sum

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import ItemScore, ReadingName
from evaluation.models import ItemResult, Status
from evaluation.statistics.arrays import Floats, as_floats, ratio
from evaluation.summaries import FIRST_PART, MIXED_PARTS, PartFields
from leaderboard.standings.results import Source

FIRST_PASSES = Q(run__counted_part__in=("", FIRST_PART))
CHUNK = 20_000
READ_COLUMNS = (
    "run__model_id", "item_id", "run_id", "repeat", "reading", "score", "more_parts",
    "run__benchmark", "run__counted_part", "run__n_items", "run__repeats",
)  # fmt: skip


class Read(NamedTuple):
    """A stored result with what its run counts, in the order of READ_COLUMNS."""

    model_id: int
    item_id: int
    run_id: int
    repeat: int
    reading: str
    score: float | None
    more_parts: Mapping[str, PartFields] | None
    benchmark: str
    counted_part: str
    n_items: int
    repeats: int


def item_score_matrix(source: Source, models: Mapping[str, Sequence[int]]) -> Floats:
    """The mean score of each item for each model, NaN where nothing was scored. Two queries an origin.

    Args:
        source: The benchmark and the bank of the ranking.
        models: Origin -> models of which the runs of this origin count, at least one origin. No model stands twice.

    Returns:
        Models x items; rows in the order of `models`, columns in the order of the items' keys, items without any score
        left out. No column at all where no result is stored.
    """
    cells = np.concatenate([cells_of(source, origin, rows) for origin, rows in models.items()])
    rows = np.fromiter(chain.from_iterable(models.values()), dtype=np.int64)
    items, columns = np.unique(cells[:, 1], return_inverse=True)
    order = np.argsort(rows)
    at = order[np.searchsorted(rows, cells[:, 0], sorter=order)] * items.size + columns
    size = rows.size * items.size
    sums = as_floats(np.bincount(at, weights=cells[:, 2], minlength=size))
    return ratio(sums, np.bincount(at, weights=cells[:, 3], minlength=size)).reshape(rows.size, items.size)


def cells_of(source: Source, origin: str, models: Sequence[int]) -> Floats:
    """Model, item, sum of scores and their number, from the runs of an origin: cells x 4; a cell may come twice."""
    results = ItemResult.objects.filter(
        run__bank_id=source.bank_id,
        run__benchmark=source.benchmark,
        run__origin=origin,
        run__status=Status.FINISHED,
        run__published=True,
        run__limit__isnull=True,
        run__score__isnull=False,
    ).order_by()
    cells = [first_pass_cells(results.filter(FIRST_PASSES)), later_cells(results.exclude(FIRST_PASSES))]
    found = np.concatenate(cells)
    return found[np.isin(found[:, 0], models)]


def first_pass_cells(results: QuerySet[ItemResult]) -> Floats:
    sums = (
        results.filter(score__isnull=False)
        .values_list("run__model_id", "item_id")
        .annotate(total=Sum("score"), n=Count("score"))
    )
    return np.fromiter(chain.from_iterable(sums.iterator(chunk_size=CHUNK)), dtype=np.float64).reshape(-1, 4)


def later_cells(results: QuerySet[ItemResult]) -> Floats:
    by_run: defaultdict[int, list[Read]] = defaultdict(list)
    for row in results.values_list(*READ_COLUMNS):
        read = Read(*row)
        by_run[read.run_id].append(read)
    cells = [cell for reads in by_run.values() for cell in counted_cells(reads)]
    return np.array(cells, dtype=np.float64).reshape(-1, 4)


def counted_cells(reads: Sequence[Read]) -> list[tuple[int, int, float, int]]:
    """The cells of one run's results, each scored by the part that counts in its repeat."""
    parts = counted_parts(reads)
    scored = [(read, score_of(read, parts.get(read.repeat, ""))) for read in reads]
    return [(read.model_id, read.item_id, score, 1) for read, score in scored if score is not None]


def score_of(read: Read, part: str) -> float | None:
    """The score of that part of a result; None where it never came."""
    if part == FIRST_PART:
        return read.score
    later = (read.more_parts or {}).get(part)
    return later["score"] if later else None


def counted_parts(reads: Sequence[Read]) -> dict[int, str]:
    """Repeat -> the part that counts in it; "" where nothing was scored. Asks the benchmark where repeats differ."""
    run = reads[0]
    repeats = range(1, run.repeats + 1)
    if run.counted_part != MIXED_PARTS:
        return dict.fromkeys(repeats, run.counted_part)
    scores = list(chain.from_iterable(map(parts_of, reads)))
    summary = BENCHMARKS[run.benchmark].summarise(scores, n_items=run.n_items, repeats=run.repeats)
    return dict(zip(repeats, summary.counted_parts, strict=True))


def parts_of(read: Read) -> Iterable[ItemScore]:
    item_id = str(read.item_id)
    yield ItemScore(item_id, read.repeat, FIRST_PART, cast("ReadingName", read.reading), read.score)
    for part, fields in (read.more_parts or {}).items():
        yield ItemScore(item_id, read.repeat, part, fields["reading"], fields["score"])
