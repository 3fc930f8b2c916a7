"""Dots of a crowded drawing put together where they lie on one another, so that it stays as large for any field.

Pure. A place is an x in per cent and a y in px, as in `plots`.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import floor

from leaderboard.drawings.plots import Spot

MOST_DOTS = 250
FINEST = 0.25  # per cent of the width and, times eight, px of the height: 2 px on a page, less than a dot's radius
PX_A_PER_CENT = 8.0  # of a drawing 800 px wide
COARSER = 1.25  # from one grid to the next that is tried


def gathered(spots: Sequence[Spot], place: Callable[[Spot], tuple[float, float]]) -> list[Spot]:
    """The spots as they are, up to `MOST_DOTS`; of more, those in one cell of the finest grid that leaves so many are
    one dot, at the place of its first. Spots with words beside them stay by themselves."""
    if len(spots) <= MOST_DOTS:
        return list(spots)
    placed = [(spot, *place(spot)) for spot in spots if not spot.label]
    cell = FINEST
    while len(cells := in_cells(placed, cell)) > MOST_DOTS:
        cell *= COARSER
    return [one_of(group) for group in cells] + [spot for spot in spots if spot.label]


def in_cells(placed: Sequence[tuple[Spot, float, float]], cell: float) -> Sequence[Sequence[Spot]]:
    """The spots, each with its place, by the cells of a grid."""
    found: defaultdict[tuple[str, int, int], list[Spot]] = defaultdict(list)
    height = cell * PX_A_PER_CENT
    for spot, x, y in placed:
        found[spot.kind, floor(x / cell), floor(y / height)].append(spot)
    return list(found.values())


def one_of(group: Sequence[Spot]) -> Spot:
    """One dot for a group: it says the first title and how many more there are."""
    first, more = group[0], len(group) - 1
    return Spot(first.x, first.y, first.kind, f"{first.title}; and {more} more" if more else first.title)
