"""Intervals of 95 %: normal and percentile, and the weights of a bootstrap over items.

Pure: may not import Django, HTTP or a clock. One level only, because every page shows 95 %.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, Ints, as_floats
from evaluation.statistics.normal import Z95, Interval, around

__all__ = ["Z95", "Interval", "around", "percentile_interval", "resampling_weights", "widened_weights"]

CHUNK = 250
"""Draws that are counted at a time."""


def percentile_interval(draws: ArrayLike) -> Interval | None:
    """The 2.5th to 97.5th percentile of bootstrap draws, with linear interpolation.

    Draws that are NaN (the statistic was not defined there) are left out; None when nothing is left.
    """
    values = as_floats(draws)
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(low), float(high))


def resampling_weights(n: int, draws: int, seed: int, groups: Sequence[Hashable] | None = None) -> Floats:
    """How often each of n things is in each resample: draws x n whole numbers, each row with the sum n.

    What is drawn are the indices `default_rng(seed).integers(0, n, (draws, n))`, as for the published figures. Where
    `groups` names the group of each thing, each group is drawn by itself, in the order in which they first appear: its
    things have its size as their sum in each row. One group of all is the same as none.
    """
    generator = np.random.default_rng(seed)
    weights = np.empty((draws, n))
    for members in members_of(n, groups):
        weights[:, members] = _times_drawn(generator, members.size, members.size, draws)
    return weights


def widened_weights(n: int, draws: int, seed: int, groups: Sequence[Hashable]) -> Floats:
    """The same for statistics that a spread of draws is taken of: of m things of a group m - 1 are drawn, and each
    counts m / (m - 1), so that the draws scatter as much as the things do and not by sqrt((m - 1) / m) too little.
    A thing that is alone in its group always counts 1. Source: Rao and Wu 1988, JASA 83.
    """
    generator = np.random.default_rng(seed)
    weights = np.ones((draws, n))
    for members in members_of(n, groups):
        m = members.size
        if m > 1:
            weights[:, members] = _times_drawn(generator, m, m - 1, draws) * (m / (m - 1))
    return weights


def members_of(n: int, groups: Sequence[Hashable] | None) -> list[Ints]:
    """The places of each group's members, the groups in the order in which they first appear; all in one without any.

    Raises ValueError where there is not one group for each of the n things.
    """
    names = [None] * n if groups is None else list(groups)
    if len(names) != n:
        raise ValueError(f"{n} things need as many groups, not {len(names)}")
    places: dict[Hashable, list[int]] = {}
    for at, name in enumerate(names):
        places.setdefault(name, []).append(at)
    return [np.array(members, dtype=np.int64) for members in places.values()] or [np.arange(0)]


def _times_drawn(generator: np.random.Generator, n: int, size: int, draws: int) -> Floats:
    """How often each of n things is among `size` draws with replacement: draws x n."""
    times = np.empty((draws, n))
    for start in range(0, draws, CHUNK):
        # The same stream of numbers as in one go, in a quarter of the memory.
        drawn = generator.integers(0, n, (min(CHUNK, draws - start), size))
        cells = drawn + n * np.arange(len(drawn))[:, None]
        times[start : start + len(drawn)] = np.bincount(cells.ravel(), minlength=len(drawn) * n).reshape(-1, n)
    return times
