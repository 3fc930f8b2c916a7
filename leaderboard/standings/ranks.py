"""Ranks, ranges of ranks and tie groups of the rows of one ranking. No database in here.

Measured, imported and published rows compete for ranks in one order. Baselines and demo runs stand in the table
without a rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.states import Origin
from evaluation.statistics.arrays import Bools, Floats
from evaluation.statistics.intervals import around
from evaluation.statistics.one_order import OneOrder, one_order
from evaluation.statistics.ranks import ranks_of
from leaderboard.standings.field import PublishedField
from leaderboard.standings.rows import Row

WITH_ANSWERS = (Origin.MEASURED.value, Origin.IMPORTED.value)
"""Origins of rows that come from runs, so that item scores may be stored."""
COMPETING = (*WITH_ANSWERS, Origin.PUBLISHED.value)


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """Which model is ahead of which: `models` are the rows and columns of the square `table`, best first."""

    models: tuple[int, ...]
    table: Bools


def competing(rows: Sequence[Row]) -> list[Row]:
    """The rows that compete, grouped by origin in the order of COMPETING."""
    return [row for origin in COMPETING for row in rows if row.origin == origin]


def in_one_order(
    rows: Sequence[Row], item_points: Floats, field: PublishedField | None
) -> tuple[list[Row], Ahead | None]:
    """The rows with their ranks, ranges and groups, and the table that these come from.

    Args:
        rows: Those that compete.
        item_points: Rows x items in the order of `rows`, in points; NaN where missing, a row of NaN without answers.
        field: What is known of published scores of this ranking.

    Returns:
        Ranks by score alone, and no table, where neither answers nor any row's error are known.
    """
    shown = [with_interval(row, field) for row in rows]
    errors = np.array([own_error(row, field) for row in shown], dtype=np.float64)
    if np.isnan(errors).all() and np.isnan(item_points).all():
        return by_score(shown), None
    order = one_order([row.score for row in shown], item_points, errors)
    ranked = [with_order(row, order, at) for at, row in enumerate(shown)]
    best_first = np.lexsort((np.arange(len(rows)), order.ranges.rank))
    table = order.ahead[np.ix_(best_first, best_first)]
    return ranked, Ahead(tuple(rows[at].model_id for at in best_first.tolist()), table)


def own_error(row: Row, field: PublishedField | None) -> float | None:
    """The error by which a row is compared where it has no answers, or too few other rows have.

    Without a line of this bank a run's full error stands in, which is too wide: it holds what the items do to all.
    """
    return field.own_error.at(row.score) if field else row.standard_error


def with_order(row: Row, order: OneOrder, at: int) -> Row:
    error = float(order.error[at])
    return replace(
        row,
        rank=int(order.ranges.rank[at]),
        rank_low=int(order.ranges.low[at]),
        rank_high=int(order.ranges.high[at]),
        rank_low_all=int(order.ranges_all.low[at]),
        rank_high_all=int(order.ranges_all.high[at]),
        tied_with=int(order.tied_with[at]),
        tie_group=int(order.group[at]),
        own_error=None if np.isnan(error) else error,
    )


def by_score(rows: Sequence[Row]) -> list[Row]:
    ranks = ranks_of([row.score for row in rows]).tolist()
    return [replace(row, rank=rank) for row, rank in zip(rows, ranks, strict=True)]


def with_interval(row: Row, field: PublishedField | None) -> Row:
    """A published row with the interval of the field's error at its score; its own standard error stays unknown."""
    if field is None or row.origin != Origin.PUBLISHED:
        return row
    interval = around(row.score, field.full_error.at(row.score))
    return replace(
        row,
        approximate=True,
        interval_low=interval.low if interval else None,
        interval_high=interval.high if interval else None,
    )
