"""Which leads are usually ties, in words. Pure."""

from collections.abc import Sequence

from leaderboard.rounding import number

Band = tuple[float | None, float | None, float]
"""Scores above the first and up to the second (None: no bound), and the gap in points below which two are usually
tied."""


def leads(bands: Sequence[Band], unit: str = " points") -> str:
    """ "2.9 points (both scores above 80), 4.1 (70 to 80) or 7.5 (up to 40)"; "" without bands."""
    parts = [
        f"{number(gap, 1)}{f' ({within(low, high)})' if at else f'{unit} (both scores {within(low, high)})'}"
        for at, (low, high, gap) in enumerate(bands)
    ]
    return " or ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def within(low: float | None, high: float | None) -> str:
    return between(low, high).removeprefix("between ").replace(" and ", " to ")


def between(low: float | None, high: float | None) -> str:
    if low is None:
        return f"up to {number(high, 0)}" if high is not None else "at any score"
    return f"above {number(low, 0)}" if high is None else f"between {number(low, 0)} and {number(high, 0)}"
