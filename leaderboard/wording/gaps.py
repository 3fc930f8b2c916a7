"""Which leads are usually ties, in words. Pure."""

from collections.abc import Sequence

from leaderboard.rounding import number

Band = tuple[float | None, float | None, float]
"""Scores above the first and up to the second (None: no bound), and the gap in points below which two are usually
tied."""


def leads(bands: Sequence[Band], unit: str = " points") -> str:
    """ "2.9 points with both scores above 80, 4.1 between 70 and 80 and 7.5 up to 40"; "" without bands."""
    parts = [
        f"{number(gap, 1)}{'' if at else f'{unit} with both scores'} {between(low, high)}"
        for at, (low, high, gap) in enumerate(bands)
    ]
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def between(low: float | None, high: float | None) -> str:
    if low is None:
        return f"up to {number(high, 0)}" if high is not None else "at any score"
    return f"above {number(low, 0)}" if high is None else f"between {number(low, 0)} and {number(high, 0)}"
