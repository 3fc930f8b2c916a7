"""The table in its default order: by score, baselines where their score puts them, rows without a score below.

No query in here: rows in, sections out.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from evaluation.benchmarks.base import Measure
from evaluation.models import Origin
from leaderboard.pages.rankings.cells import ShownRow
from leaderboard.pages.rankings.people import People
from leaderboard.pages.rankings.rows import RankingRow
from leaderboard.pages.rankings.sorting import by_score


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under one name; without a name there is no heading row. Above them the line for people, where it is here."""

    title: str
    note: str
    rows: tuple[ShownRow, ...]
    people: People | None = None


@dataclass(frozen=True, slots=True)
class Titled:
    """A row with the name of the section that it belongs to."""

    title: str
    note: str
    row: RankingRow


NOTES = {
    "Pinned": "always on top, whatever the filters",
    "No score": "too few of the replies could be read",
}


def in_sections(rows: Sequence[RankingRow], measure: Measure) -> list[RankingRow]:
    """The rows in default order: by score, those without one below, and then those that do not compete."""
    ordered = by_score(rows, measure)
    inside = [row for row in ordered if stands_inside(row)]
    if len(inside) == len(ordered):
        return inside
    without_score = [row for row in ordered if row.score is None]
    below = [row for row in ordered if row.score is not None and not stands_inside(row)]
    return [*inside, *without_score, *below]


def titled(row: RankingRow) -> Titled:
    """The row with the name of its section: none for ranked rows and for the baselines and demonstrations among them,
    which say so beside their names."""
    title = title_of(row)
    return Titled(title, NOTES.get(title, ""), row)


def stands_inside(row: RankingRow) -> bool:
    """Ranked rows, and the baselines and demonstrations that stand among them where their score puts them."""
    return row.rank is not None or (row.score is not None and row.origin in {Origin.BASELINE, Origin.DEMO})


def title_of(row: RankingRow) -> str:
    return "No score" if row.score is None else ""


def sections(rows: Iterable[Titled], shown: Callable[[RankingRow], ShownRow]) -> tuple[Section, ...]:
    """Neighbours under one name, joined."""
    return tuple(
        Section(title, note, tuple(shown(item.row) for item in items))
        for (title, note), items in groupby(rows, key=lambda item: (item.title, item.note))
    )


def with_people(found: Sequence[Section], at: int, people: People) -> tuple[Section, ...]:
    """The sections with the line for people above their row number `at`, below them all where they have no such row."""
    done: list[Section] = []
    for section in found:
        if 0 <= at < len(section.rows):
            before, after = section.rows[:at], section.rows[at:]
            done += [replace(section, rows=before)] if before else []
            done += [replace(section, title="" if before else section.title, rows=after, people=people)]
        else:
            done.append(section)
        at -= len(section.rows)
    return (*done, Section("", "", (), people)) if at >= 0 else tuple(done)
