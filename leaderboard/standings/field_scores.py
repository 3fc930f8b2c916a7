"""What a rule ranks, read from the database: the answers of the rows of one ranking."""

from collections.abc import Sequence

import numpy as np

from evaluation.benchmarks.base import Item
from evaluation.models import Item as StoredItem
from evaluation.models import ItemBank
from evaluation.runs.summaries import NORMS
from evaluation.statistics.arrays import Ints, as_floats
from evaluation.statistics.ranking import FieldScores, ItemRule
from leaderboard.standings.item_scores import ItemValues, item_values
from leaderboard.standings.ranks import WITH_ANSWERS
from leaderboard.standings.results import Source
from leaderboard.standings.rows import Row

ITEM_COLUMNS = ("pk", "item_id", "reference", "group")


def field_of(rows: Sequence[Row], source: Source | None, rule: ItemRule | None) -> FieldScores:
    """The answers of these rows, which come grouped by origin, published ones last: those have none.

    Columns are the items that anybody has a score of, in the order of their keys. One query, two more where the rule
    sees the items, and two an origin.
    """
    found = answers_of(rows, source, rule)
    without = len(rows) - len(found.values)
    items, norms = items_of(source, found.items) if rule and rule.sees_items else ((), None)
    return FieldScores(
        totals=as_floats([row.score for row in rows]),
        values=np.concatenate([found.values, np.full((without, *found.values.shape[1:]), np.nan)]),
        counts=np.concatenate([found.counts, np.zeros((without, found.counts.shape[1]))]),
        passes=as_floats([row.repeats for row in rows]),
        items=items,
        norms=norms,
    )


def answers_of(rows: Sequence[Row], source: Source | None, rule: ItemRule | None) -> ItemValues:
    """The values of the rows that have answers, which stand first."""
    models = {origin: [row.model_id for row in rows if row.origin == origin] for origin in WITH_ANSWERS}
    runs = [pk for row in rows for pk in row.run_ids]
    if source is None or rule is None or not runs:
        return ItemValues(np.empty((0, 0, 1)), np.empty((0, 0)), np.empty(0, dtype=np.int64))
    return item_values(source, models, runs, rule.n_values)


def items_of(source: Source | None, keys: Ints) -> tuple[tuple[Item, ...], object]:
    """The items of these primary keys, of which a rule sees neither texts nor labels, and the norms of their bank."""
    if source is None or not keys.size:
        return (), None
    rows = StoredItem.objects.filter(bank_id=source.bank_id).values_list(*ITEM_COLUMNS)
    stored = {pk: Item(item_id, "", (), tuple(map(float, own)), group=group) for pk, item_id, own, group in rows}
    facts = ItemBank.objects.values_list("facts", flat=True).get(pk=source.bank_id)
    return tuple(stored[pk] for pk in keys.tolist()), facts.get(NORMS)
