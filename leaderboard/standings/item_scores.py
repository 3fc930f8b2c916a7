"""Values of the items of the runs that count: one mean an item and model, over all its runs and repeats, as arrays.

A score is on the item's own scale. The database adds up the results.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from django.db.models import Count, FloatField, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from evaluation.models import ItemResult, Run, Status
from evaluation.statistics.arrays import Floats, Ints, as_floats, ratio
from leaderboard.standings.results import COUNTED, Source

CHUNK = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class ItemValues:
    """Models x items: `values` x values of an item, means over all runs and repeats, NaN where there is none; `counts`
    of results behind them. `items` are the primary keys of the columns."""

    values: Floats
    counts: Floats
    items: Ints


def item_values(
    source: Source, models: Mapping[str, Sequence[int]], counted: Collection[int], n_values: int = 1
) -> ItemValues:
    """The first values of each item for each model. One query, and one an origin.

    Args:
        source: The benchmark, its variant and the bank of the ranking.
        models: Origin -> models of which the runs of this origin count, at least one origin. No model stands twice.
        counted: The runs that count.
        n_values: How many values of an item are wanted.

    Returns:
        Rows in the order of `models`, columns in the order of the items' keys, items without any score left out. No
        column at all where no result is stored.
    """
    left_out = left_out_of(source, models, counted)
    cells = np.concatenate([cells_of(source, origin, rows, left_out, n_values) for origin, rows in models.items()])
    rows = np.fromiter(chain.from_iterable(models.values()), dtype=np.int64)
    items, columns = np.unique(cells[:, 1], return_inverse=True)
    order = np.argsort(rows)
    at = order[np.searchsorted(rows, cells[:, 0], sorter=order)] * items.size + columns
    size, shape = rows.size * items.size, (rows.size, items.size)
    counts = as_floats(np.bincount(at, weights=cells[:, 2], minlength=size))
    means = [ratio(as_floats(np.bincount(at, weights=sums, minlength=size)), counts) for sums in cells[:, 3:].T]
    values = np.stack([mean.reshape(shape) for mean in means], axis=-1)
    return ItemValues(values, counts.reshape(shape), items.astype(np.int64))


def left_out_of(source: Source, models: Mapping[str, Sequence[int]], counted: Collection[int]) -> list[int]:
    """The runs of these models and origins that might count and do not: they are few, so that naming them costs less
    than naming those that count."""
    runs = Run.objects.filter(
        COUNTED, bank=source.bank_id, benchmark=source.benchmark, variant=source.variant
    ).order_by()
    origin_of = {model_id: origin for origin, own in models.items() for model_id in own}
    known = set(counted)
    rows = runs.values_list("pk", "model_id", "origin")
    return [pk for pk, model_id, origin in rows if origin_of.get(model_id) == origin and pk not in known]


def cells_of(source: Source, origin: str, models: Sequence[int], left_out: Sequence[int], n_values: int) -> Floats:
    """Model, item, number of scored results and the sums of their first values, from the runs of an origin: cells x
    (3 + values)."""
    results = ItemResult.objects.filter(
        run__bank_id=source.bank_id,
        run__benchmark=source.benchmark,
        run__variant=source.variant,
        run__origin=origin,
        run__status=Status.FINISHED,
        run__published=True,
        run__limit__isnull=True,
        run__score__isnull=False,
    ).order_by()
    if left_out:
        results = results.exclude(run__in=left_out)
    found = summed_cells(results, n_values)
    # By a table of whole numbers: the search among sorted ones would load numpy's masked arrays.
    return found[np.isin(found[:, 0].astype(np.int64), np.array(models, np.int64), kind="table")]


def summed_cells(results: QuerySet[ItemResult], n_values: int) -> Floats:
    more = {f"value_{at}": Sum(Cast(KeyTextTransform(str(at), "values"), FloatField())) for at in range(1, n_values)}
    sums = (
        results.filter(score__isnull=False)
        .values_list("run__model_id", "item_id")
        .annotate(n=Count("score"), value_0=Sum("score"), **more)
    )
    numbers = chain.from_iterable(sums.iterator(chunk_size=CHUNK))
    return np.fromiter(numbers, dtype=np.float64).reshape(-1, 3 + n_values)
