"""Item scores of the runs that count: one mean an item and model, over all its runs and repeats, as a matrix.

A score is that of the part which the run's own score counts (first pass or revision), on the item's own scale. The
database adds up the first passes; the few runs that count a later part are read as `counted` reads them.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

import numpy as np
from django.db.models import Count, Q, QuerySet, Sum

from evaluation.models import ItemResult, Run, Status
from evaluation.statistics.arrays import Floats, as_floats, ratio
from leaderboard.standings.counted import RUN_COLUMNS, WITHOUT_LATER_PARTS, CountedRun, later_part_cells
from leaderboard.standings.results import COUNTED, Source

FIRST_PASSES = Q(run__counted_part__in=WITHOUT_LATER_PARTS)
CHUNK = 20_000


def item_score_matrix(source: Source, models: Mapping[str, Sequence[int]], counted: Collection[int]) -> Floats:
    """The mean score of each item for each model, NaN where nothing was scored. One query, and two
    an origin.

    Args:
        source: The benchmark and the bank of the ranking.
        models: Origin -> models of which the runs of this origin count, at least one origin. No model stands twice.
        counted: The runs that count.

    Returns:
        Models x items; rows in the order of `models`, columns in the order of the items' keys, items without any score
        left out. No column at all where no result is stored.
    """
    left_out = left_out_of(source, models, counted)
    cells = np.concatenate([cells_of(source, origin, rows, left_out) for origin, rows in models.items()])
    rows = np.fromiter(chain.from_iterable(models.values()), dtype=np.int64)
    items, columns = np.unique(cells[:, 1], return_inverse=True)
    order = np.argsort(rows)
    at = order[np.searchsorted(rows, cells[:, 0], sorter=order)] * items.size + columns
    size = rows.size * items.size
    sums = as_floats(np.bincount(at, weights=cells[:, 2], minlength=size))
    return ratio(sums, np.bincount(at, weights=cells[:, 3], minlength=size)).reshape(rows.size, items.size)


def left_out_of(source: Source, models: Mapping[str, Sequence[int]], counted: Collection[int]) -> list[int]:
    """The runs of these models and origins that might count and do not: they are few, so that naming them costs less
    than naming those that count."""
    runs = Run.objects.filter(COUNTED, bank=source.bank_id, benchmark=source.benchmark).order_by()
    origin_of = {model_id: origin for origin, own in models.items() for model_id in own}
    known = set(counted)
    rows = runs.values_list("pk", "model_id", "origin")
    return [pk for pk, model_id, origin in rows if origin_of.get(model_id) == origin and pk not in known]


def cells_of(source: Source, origin: str, models: Sequence[int], left_out: Sequence[int]) -> Floats:
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
    if left_out:
        results = results.exclude(run__in=left_out)
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
    """The same from the results of runs that count a later part, each a cell of its own. One query, two with any."""
    rows = Run.objects.filter(pk__in=results.values("run_id")).order_by().values_list(*RUN_COLUMNS)
    runs = {row[0]: CountedRun(*row) for row in rows}
    cells = later_part_cells(runs.values())
    models = [runs[int(pk)].model_id for pk in cells[:, 0]]
    return np.column_stack([models, cells[:, 1], cells[:, 3], np.ones(len(cells))])
