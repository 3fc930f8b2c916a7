"""The shades of a heat map: in which ninth of its column a value lies. One query for a ranking that has such columns.

Ninths of the column and not shares of its range: one very weak model would make all the others look alike.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from leaderboard.models import Standing
from leaderboard.pages.rankings.column import Column

STEPS = 9
Shades = Mapping[str, Sequence[float]]
"""Key of a column -> the values of all ranked models in it, in rising order."""


def shades_of(ranking: str, columns: Sequence[Column]) -> Shades:
    keys = [column.key for column in columns if column.cell == "heat"]
    if not keys:
        return {}
    rows = list(Standing.objects.filter(ranking=ranking, rank__isnull=False).values_list("figures", flat=True))
    return {key: sorted(row[key] for row in rows if row.get(key) is not None) for key in keys}


def step_of(value: float | None, ordered: Sequence[float]) -> int | None:
    """From 0, the lowest ninth, to 8; equal values share the lowest of theirs. None without a value."""
    if value is None or not ordered:
        return None
    return min(STEPS - 1, STEPS * bisect_left(ordered, value) // len(ordered))
