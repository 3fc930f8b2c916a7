"""Compact letter display: responders that share a letter do not differ.

Pure: may not import Django, HTTP or a clock.
"""

from collections.abc import Collection, Sequence
from string import ascii_lowercase

Members = frozenset[int]


def compact_letters(n: int, different: Collection[tuple[int, int]]) -> tuple[tuple[str, ...], ...]:
    """The letters of n things that are numbered from 0 in their order, the best first.

    Two things share a letter exactly where their pair is not in `different`. The first thing has the letter "a";
    after "z" come "a2", "b2" and so on. A thing that differs from all others has a letter to itself.

    Raises:
        ValueError: A pair names no two of the things.

    Source: Piepho 2004, Journal of Computational and Graphical Statistics 13 (insert and absorb).
    """
    groups: set[Members] = {frozenset(range(n))} if n else set()
    for first, second in different:
        if first == second or not (0 <= first < n and 0 <= second < n):
            raise ValueError(f"({first}, {second}) is no pair of {n} things")
        groups = _absorbed({part for group in groups for part in _split(group, first, second)})
    ordered = sorted(groups, key=sorted)
    return tuple(tuple(_letter(at) for at, group in enumerate(ordered) if member in group) for member in range(n))


def _split(group: Members, first: int, second: int) -> Sequence[Members]:
    """Two things that differ cannot share a letter: the group becomes one without each."""
    return (group - {first}, group - {second}) if {first, second} <= group else (group,)


def _absorbed(groups: set[Members]) -> set[Members]:
    """Without those that lie within another: their letter would say nothing new."""
    return {group for group in groups if not any(group < other for other in groups)}


def _letter(at: int) -> str:
    round_, place = divmod(at, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(round_ + 1) if round_ else "")
