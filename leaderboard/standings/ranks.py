"""Ranks, ranges of ranks and tie groups of the rows of one ranking. No database in here.

Measured and imported rows compete for ranks; which ranks are left open for each is told by drawing the items anew.
Published rows compete only where nothing else is ranked, by their gaps alone. Baselines and demo runs stand in the
table without a rank.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evaluation.states import Origin
from evaluation.statistics.arrays import Floats
from evaluation.statistics.intervals import around
from evaluation.statistics.ranks import RankRanges, ranks_of, resampled_ranks, tie_groups
from leaderboard.standings.field import PublishedField
from leaderboard.standings.rows import Row

COMPETING = (Origin.MEASURED.value, Origin.IMPORTED.value)


def competing(rows: Sequence[Row]) -> list[Row]:
    """The rows that compete: measured ones, then imported ones."""
    return [row for origin in COMPETING for row in rows if row.origin == origin]


def resampled(rows: Sequence[Row], item_scores: Floats) -> list[Row]:
    """The rows with their ranks, and with ranges and groups where item scores are stored.

    Args:
        rows: Those that compete.
        item_scores: Rows x items, in the order of `rows`; NaN where missing.
    """
    if not item_scores.size or np.isnan(item_scores).all():
        return by_score(rows)
    return with_ranges(rows, resampled_ranks(item_scores, totals=[row.score for row in rows]))


def with_ranges(rows: Sequence[Row], ranges: RankRanges) -> list[Row]:
    groups = {row: number for number, group in enumerate(tie_groups(ranges), 1) for row in group.rows}
    columns = zip(rows, ranges.rank.tolist(), ranges.low.tolist(), ranges.high.tolist(), strict=True)
    return [
        replace(row, rank=rank, rank_low=low, rank_high=high, tie_group=groups[at])
        for at, (row, rank, low, high) in enumerate(columns)
    ]


def published(rows: Sequence[Row], field: PublishedField | None, *, ranked: bool) -> list[Row]:
    """Published rows, with approximate intervals where a field is known, and with ranks where they compete."""
    if field is None:
        return by_score(rows) if ranked else list(rows)
    with_intervals = [with_interval(row, field) for row in rows]
    if not ranked:
        return with_intervals
    return with_ranges(with_intervals, approximate_ranges(with_intervals, field))


def by_score(rows: Sequence[Row]) -> list[Row]:
    ranks = ranks_of([row.score for row in rows]).tolist()
    return [replace(row, rank=rank) for row, rank in zip(rows, ranks, strict=True)]


def with_interval(row: Row, field: PublishedField) -> Row:
    """The row with the interval of the field's median standard error; the row's own error stays unknown."""
    interval = around(row.score, field.median_standard_error)
    return replace(
        row,
        approximate=True,
        interval_low=interval.low if interval else None,
        interval_high=interval.high if interval else None,
    )


def approximate_ranges(rows: Sequence[Row], field: PublishedField) -> RankRanges:
    """The ranks left open when two scores are tied whose gap is below the field's least significant difference."""
    scores = np.array([row.score for row in rows])
    ordered, gap = np.sort(scores), field.least_significant_difference
    above = scores.size - np.searchsorted(ordered, scores + gap, side="left")
    below = np.searchsorted(ordered, scores - gap, side="right")
    return RankRanges(scores, ranks_of(scores), 1 + above, scores.size - below)
