"""The table in its default order: tie groups, baselines where their score puts them, rows without a rank below.

No query in here: rows in, sections out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from evaluation.models import Origin
from leaderboard.queries.cells import ShownRow
from leaderboard.queries.rows import AnyRow, RankingRow, SortedRow
from leaderboard.queries.sorting import by_score
from leaderboard.rounding import ranks


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under one name; without a name there is no heading row."""

    title: str
    note: str
    rows: tuple[ShownRow, ...]


@dataclass(frozen=True, slots=True)
class Titled:
    """A row with the name of the section that it belongs to."""

    title: str
    note: str
    row: RankingRow


APART = frozenset({"Baseline", "Demonstration"})
NOTES = {
    "Ranked": "by score; equal scores share a rank",
    "Published elsewhere": "no replies to test, so no rank",
    "Pinned": "kept on top, whatever the filters leave",
    "Published, ranked": "scores as their source prints them; no replies to test",
    "No score": "too few of the replies could be read",
    "Baseline": "a rule in place of a model",
    "Demonstration": "a scripted endpoint, not a model",
}


def in_sections(rows: Sequence[AnyRow]) -> list[AnyRow]:
    """The rows in default order: by score, those without one below, and then those that do not compete."""
    ordered = by_score(rows)
    inside = [row for row in ordered if stands_inside(row)]
    without_score = [row for row in ordered if row.score is None]
    below = [row for row in ordered if row.score is not None and not stands_inside(row)]
    return [*inside, *without_score, *below]


def titled(row: RankingRow, notes: Mapping[int, str]) -> Titled:
    """The row with its section's name; `notes` are those of the tie groups of the whole ranking."""
    if row.group is not None:
        return Titled(f"Group {row.group}", notes[row.group], row)
    title = title_of(row)
    return Titled(title, NOTES[title], row)


def stands_inside(row: SortedRow) -> bool:
    """Ranked rows, and the baselines and demonstrations that stand among them where their score puts them."""
    return row.rank is not None or (row.score is not None and row.origin in {Origin.BASELINE, Origin.DEMO})


def group_notes(rows: Sequence[RankingRow]) -> dict[int, str]:
    """Tie group -> the words beside its name."""
    groups: dict[int, list[RankingRow]] = {}
    for row in by_score(rows):
        if row.group is not None:
            groups.setdefault(row.group, []).append(row)
    return {group: group_note(held) for group, held in groups.items()}


def title_of(row: RankingRow) -> str:
    if row.score is None:
        return "No score"
    if row.origin == Origin.PUBLISHED:
        return "Published elsewhere" if row.rank is None else "Published, ranked"
    return {Origin.BASELINE.value: "Baseline", Origin.DEMO.value: "Demonstration"}.get(row.origin, "Ranked")


def group_note(rows: Sequence[RankingRow]) -> str:
    """ "ranks 4–7 · left open for the first of them", or that the group is one model."""
    first, last = rows[0].rank or 0, rows[-1].rank or 0
    if len(rows) == 1:
        return f"rank {first} · alone"
    leader = "the leader" if first == 1 else rows[0].model.name
    return f"ranks {ranks(first, last)} · {'≈ ' if rows[0].approximate else ''}left open for {leader}"


def sections(rows: Iterable[Titled], shown: Callable[[RankingRow], ShownRow]) -> tuple[Section, ...]:
    """Neighbours under one name, joined. A name that comes again, behind a baseline, says that it is continued."""
    seen: set[str] = set()
    joined = []
    for (title, note), items in groupby(rows, key=lambda item: (item.title, item.note)):
        again = title in seen and title not in APART
        joined.append(
            Section(f"{title}, continued" if again else title, note, tuple(shown(item.row) for item in items))
        )
        seen.add(title)
    return tuple(joined)
