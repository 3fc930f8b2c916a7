"""Models of EmotionBench beside each other and beside people, factor by factor."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.drawings.plots import Scale
from leaderboard.kinds.emotionbench import words
from leaderboard.kinds.emotionbench.drawings import Mark
from leaderboard.kinds.emotionbench.figures import HALF_OF_PEOPLE, MoodRow
from leaderboard.kinds.emotionbench.parts import PARTS
from leaderboard.pages.emotionbench.page import Member, members_of
from leaderboard.pages.rankings.directory import Ranking
from leaderboard.rounding import number
from leaderboard.standings.ahead import ahead_among

MOST_COMPARED = 4
MARKS = ("a", "b", "c", "d")
TRACK = (2.0, 98.0)


@dataclass(frozen=True, slots=True)
class Compared:
    mark: str
    slug: str
    name: str
    score: str
    without: str


@dataclass(frozen=True, slots=True)
class Place:
    mark: str
    at: str


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One mood of one factor: people's change and each model's on one track."""

    people: str
    places: tuple[Place, ...]
    said: str


@dataclass(frozen=True, slots=True)
class ComparedRow:
    name: str
    emotion: str
    is_first: bool
    cells: tuple[ComparedCell, ...]
    closer: str
    closer_mark: str
    gaps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartRow:
    title: str
    people: str
    people_at: str
    places: tuple[Place, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparePage:
    ranking: Ranking
    headline: str
    sentence: str
    models: tuple[Compared, ...]
    choices: tuple[tuple[str, str], ...]
    parts: tuple[PartRow, ...]
    rows: tuple[ComparedRow, ...]
    ticks: tuple[tuple[Mark, ...], ...]
    zeros: tuple[str, ...]


def compare_by_factor(ranking: Ranking, slugs: Sequence[str]) -> ComparePage:
    """Up to four models of the ranking beside people; the first two where fewer are named."""
    members = members_of(ranking)
    by_slug = {member.slug: member for member in members}
    chosen = [by_slug[slug] for slug in dict.fromkeys(slugs) if slug in by_slug][:MOST_COMPARED]
    if not chosen:
        chosen = list(members[:2])
    elif len(chosen) == 1:
        chosen += [member for member in members if member is not chosen[0]][:1]
    scales = tuple(_scale(chosen, affect) for affect in (0, 1))
    return ComparePage(
        ranking=ranking,
        headline=headline_of(chosen, tied=_are_tied(ranking, chosen)),
        sentence=_compare_sentence(chosen),
        models=tuple(
            Compared(
                mark, member.slug, member.name, number(member.standing.score, 1),
                "&".join(f"m={other.slug}" for other in chosen if other is not member),
            )
            for mark, member in zip(MARKS, chosen, strict=False)
        ),
        choices=tuple((member.slug, member.name) for member in members if member not in chosen),
        parts=tuple(_part(chosen, key, title) for key, title in PARTS),
        rows=tuple(_compared_rows(chosen, scales)),
        ticks=tuple(map(_ticks, scales)),
        zeros=tuple(f"{scale.place(0.0):.2f}%" for scale in scales),
    )  # fmt: skip


def _ticks(scale: Scale) -> tuple[Mark, ...]:
    return tuple(Mark(f"{scale.place(at):.2f}%", "", words.signed(at, 0)) for at in scale.marks)


def _first_two(chosen: Sequence[Member]) -> list[Member]:
    return sorted(chosen, key=lambda member: -member.standing.score)[:2]


def _are_tied(ranking: Ranking, chosen: Sequence[Member]) -> bool:
    """Whether the ranking puts neither of the two best ahead of the other. One query."""
    table = ahead_among(ranking.key, [member.standing.model_id for member in _first_two(chosen)])
    return table is not None and not table.any()


def headline_of(chosen: Sequence[Member], *, tied: bool = False) -> str:
    """Who is ahead in the ranking, and whether the other one is nearer to people in more factors."""
    if len(chosen) < 2:
        return "Two models with results by factor are needed"
    ahead, behind = _first_two(chosen)
    gap = ahead.standing.score - behind.standing.score
    if gap < 0.05:
        return f"{ahead.name} and {behind.name} have the same alignment"
    if tied:
        return f"{ahead.name} and {behind.name} are tied"
    found = f"{ahead.name} is ahead of {behind.name}"
    if _nearer(behind, ahead) > _nearer(ahead, behind):
        return f"{found}, which is nearer to people in more factors"
    return found


def _nearer(one: Member, other: Member) -> int:
    """In how many factors the first one's changes lie nearer to people's."""
    mine, theirs = one.factors, other.factors
    return sum(mine[key].gap < theirs[key].gap for key in mine.keys() & theirs.keys())


def _compare_sentence(chosen: Sequence[Member]) -> str:
    if len(chosen) < 2:
        return ""
    ahead, behind = _first_two(chosen)
    gap = number(ahead.standing.score - behind.standing.score, 1)
    n = len(ahead.factors.keys() & behind.factors.keys())
    return (
        f"{ahead.name} has {gap} more points of alignment than {behind.name}. Its changes are closer to people’s in "
        f"{_nearer(ahead, behind)} of {n} factors."
    )


def _scale(chosen: Sequence[Member], affect: int) -> Scale:
    values = [0.0]
    for member in chosen:
        for row in member.factors.values():
            values += [row.cells[affect].change, row.cells[affect].people.change]
    return Scale(min(values) - 1.0, max(values) + 1.0, *TRACK)


def _part(chosen: Sequence[Member], key: str, title: str) -> PartRow:
    scale = Scale(0.0, 100.0, *TRACK)
    values = [member.standing.figures.get(key) for member in chosen]
    return PartRow(
        title,
        number(HALF_OF_PEOPLE[key], 1),
        f"{scale.place(HALF_OF_PEOPLE[key]):.2f}%",
        tuple(Place(mark, f"{scale.place(v):.2f}%") for mark, v in zip(MARKS, values, strict=False) if v is not None),
        tuple(number(value, 1) for value in values),
    )


def _compared_rows(chosen: Sequence[Member], scales: tuple[Scale, ...]) -> list[ComparedRow]:
    if not chosen:
        return []
    shared = set.intersection(*(set(member.factors) for member in chosen))
    found, before = [], ""
    for key, row in chosen[0].factors.items():
        if key not in shared:
            continue
        rows = [member.factors[key] for member in chosen]
        gaps = [each.gap for each in rows]
        nearest = [at for at, gap in enumerate(gaps) if gap == min(gaps)]
        found.append(
            ComparedRow(
                name=row.name,
                emotion=row.emotion,
                is_first=row.emotion != before,
                cells=tuple(_compared_cell(chosen, rows, scales[affect], affect) for affect in (0, 1)),
                closer=" and ".join(chosen[at].name for at in nearest),
                closer_mark=MARKS[nearest[0]] if len(nearest) == 1 else "",
                gaps=tuple(number(gap, 1) for gap in gaps),
            )
        )
        before = row.emotion
    return found


def _compared_cell(chosen: Sequence[Member], rows: Sequence[MoodRow], scale: Scale, affect: int) -> ComparedCell:
    people = rows[0].cells[affect].people.change
    said = [f"people {words.signed(people)}"]
    said += [
        f"{member.name} {words.signed(row.cells[affect].change)}" for member, row in zip(chosen, rows, strict=True)
    ]
    return ComparedCell(
        f"{scale.place(people):.2f}%",
        tuple(
            Place(mark, f"{scale.place(row.cells[affect].change):.2f}%") for mark, row in zip(MARKS, rows, strict=False)
        ),
        ", ".join(said),
    )
