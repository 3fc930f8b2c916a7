"""Rows of a private bank's ranking: whole points and a range of ranks, and nothing from which an item could be told.

They are made so before they are stored. No page, file or feed can show more than stands in `Standing`.
"""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.statistics.ranking import oriented
from evaluation.statistics.ranks import ranks_of
from leaderboard.standings.methods import Method
from leaderboard.standings.rows import Row

FEWEST_ITEMS = 50
"""With fewer items a whole point is too much of an item's score: such rows are for staff alone, in the admin."""


def is_shown(row: Row) -> bool:
    return (row.n_items or 0) >= FEWEST_ITEMS


def shown_rows(rows: Sequence[Row], method: Method) -> list[Row]:
    """The ranked rows as they are stored. Ranks follow the whole points, so that equal ones do not tell an order."""
    whole = [in_whole_points(row, method) for row in rows]
    ranks = ranks_of(oriented([row.score for row in whole], method.better)).tolist()
    return [with_rank(row, rank) for row, rank in zip(whole, ranks, strict=True)]


def in_whole_points(row: Row, method: Method) -> Row:
    """Without its runs: a page that finds none has no answers to read."""
    return replace(
        row,
        run_id=None,
        run_ids=[],
        runs_used=0,
        repeats=0,
        n_scored=None,
        score=whole_points(row.score, method),
        figures={},
        standard_error=None,
        cv_percent=None,
        interval_low=None if row.interval_low is None else whole_points(row.interval_low, method),
        interval_high=None if row.interval_high is None else whole_points(row.interval_high, method),
        scorer_version="",
        measured_on=row.measured_on and row.measured_on.replace(day=1),
        tie_group=None,
        tied_with=None,
        rank_low_all=None,
        rank_high_all=None,
        own_error=None,
        evidence="",
    )


def whole_points(value: float, method: Method) -> float:
    """Within the ends of the score's axis, as far as it has any."""
    whole = float(round(value))
    above = whole if method.low is None else max(whole, method.low)
    return above if method.high is None else min(above, method.high)


def with_rank(row: Row, rank: int) -> Row:
    """The range holds the rank, also where rounding moved it."""
    low, high = row.rank_low or rank, row.rank_high or rank
    return replace(row, rank=rank, rank_low=min(low, rank), rank_high=max(high, rank))
