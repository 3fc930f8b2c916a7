"""Ranks, ranges of ranks and tie groups of the rows of one ranking. No database in here.

Measured, imported and published rows compete for ranks in one order. Baselines and demo runs stand in the table
without a rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.states import Origin
from evaluation.statistics.arrays import Bools, as_floats
from evaluation.statistics.intervals import Z95, around
from evaluation.statistics.one_order import OneOrder, order_of
from evaluation.statistics.ranking import FieldScores, drawn_of_points, oriented
from evaluation.statistics.ranks import ranks_of
from leaderboard.standings.methods import Method, UsualErrors
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


def in_one_order(rows: Sequence[Row], field: FieldScores, method: Method) -> tuple[list[Row], Ahead | None]:
    """The rows with their ranks, ranges and groups, and the table that these come from.

    Args:
        rows: Those that compete.
        field: Their answers, in the order of `rows`; rows without answers have none.
        method: How this ranking ranks.

    Returns:
        Ranks by score alone, and no table, where neither answers nor any row's error are known.
    """
    shown = [with_interval(row, method.usual) for row in rows]
    errors = np.array([own_error(row, method.usual) for row in shown], dtype=np.float64)
    field = replace(field, totals=as_floats([row.score for row in shown]))
    points = method.rule.points(field) if method.rule else np.empty((len(rows), 0))
    answered = np.asarray(~np.isnan(points).all(axis=1))
    if np.isnan(errors).all() and not answered.any():
        return by_score(shown, method), None
    if method.rule and answered.any():
        drawn = method.rule.drawn(of_models(field, answered), method.better)
    else:
        drawn = drawn_of_points(points[answered])
    totals = oriented(field.totals, method.better)
    order = order_of(totals, errors, answered, drawn, n_items=points.shape[1])
    ranked = [with_order(row, order, at) for at, row in enumerate(shown)]
    best_first = np.lexsort((np.arange(len(rows)), order.ranges.rank))
    table = order.ahead[np.ix_(best_first, best_first)]
    return ranked, Ahead(tuple(rows[at].model_id for at in best_first.tolist()), table)


def of_models(field: FieldScores, chosen: Bools) -> FieldScores:
    """The field of some of the models alone."""
    return replace(
        field,
        totals=field.totals[chosen],
        values=field.values[chosen],
        counts=field.counts[chosen],
        passes=field.passes[chosen],
    )


def own_error(row: Row, usual: UsualErrors | None) -> float | None:
    """The error by which a row is compared where it has no answers, or too few other rows have.

    Without a line of this bank a run's full error stands in, which is too wide: it holds what the items do to all.
    """
    if has_own_interval(row):
        return half_of(row) / Z95
    return usual.own_error.at(row.score) if usual else row.standard_error


def has_own_interval(row: Row) -> bool:
    """Whether its source published an interval with the score."""
    return row.origin == Origin.PUBLISHED and not row.approximate and row.interval_low is not None


def half_of(row: Row) -> float:
    return ((row.interval_high or 0.0) - (row.interval_low or 0.0)) / 2


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


def by_score(rows: Sequence[Row], method: Method) -> list[Row]:
    ranks = ranks_of(oriented([row.score for row in rows], method.better)).tolist()
    return [replace(row, rank=rank) for row, rank in zip(rows, ranks, strict=True)]


def with_interval(row: Row, usual: UsualErrors | None) -> Row:
    """A published row without an interval of its own with that of the usual error at its score; its own standard error
    stays unknown."""
    if usual is None or row.origin != Origin.PUBLISHED or row.interval_low is not None:
        return row
    interval = around(row.score, usual.full_error.at(row.score))
    return replace(
        row,
        approximate=True,
        interval_low=interval.low if interval else None,
        interval_high=interval.high if interval else None,
    )
