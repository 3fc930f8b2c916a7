"""Pages of EmotionBench alone: all models by factor, models beside each other by factor, and the people."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.models import ItemBank, Run
from leaderboard.cells import Cell, csv_text
from leaderboard.kinds.emotionbench import words
from leaderboard.kinds.emotionbench.drawings import Arrow, Mark, Strip, arrow, strip, strip_heads
from leaderboard.kinds.emotionbench.figures import (
    ALL,
    EMOTION,
    FACTOR,
    MoodRow,
    PeopleRow,
    moods_of,
    people_rows,
)
from leaderboard.kinds.emotionbench.paper import ARROWS
from leaderboard.models import Standing
from leaderboard.pages.rankings.directory import Ranking, described, loaded_banks
from leaderboard.rounding import count, counted, number


@dataclass(frozen=True, slots=True)
class Member:
    """A model of the ranking with its newest run's moods, best first."""

    slug: str
    name: str
    origin: str
    standing: Standing
    rows: tuple[MoodRow, ...]

    @property
    def factors(self) -> dict[str, MoodRow]:
        return {row.key: row for row in self.rows if row.level == FACTOR}


def emotion_ranking(key: str) -> Ranking | None:
    """The ranking of that key, if it is one of EmotionBench on a bank that may be shown by item."""
    ranking = described(key, loaded_banks())
    if ranking.benchmark != EMOTION_BENCH.name or ranking.bank_id is None:
        return None
    return ranking if ItemBank.objects.get(pk=ranking.bank_id).shows_items else None


def members_of(ranking: Ranking, slugs: Sequence[str] | None = None) -> tuple[Member, ...]:
    """The ranked models that have a run with a table, in the order of the ranking; of these slugs where they are given.
    Two queries."""
    standings = Standing.objects.filter(ranking=ranking.key, rank__isnull=False, run__isnull=False)
    if slugs is not None:
        standings = standings.filter(model__slug__in=slugs)
    rows = list(standings.select_related("model", "run__bank").order_by("rank", "model__name"))
    found = (Member(row.model.slug, str(row.model), row.origin, row, moods_of(run_of(row))) for row in rows)
    return tuple(member for member in found if member.rows)


def run_of(standing: Standing) -> Run:
    if standing.run is None:
        raise ValueError("a published row has no run")
    return standing.run


# All models by factor


@dataclass(frozen=True, slots=True)
class HeatRow:
    slug: str
    name: str
    origin: str
    strip: Strip
    mean: str


@dataclass(frozen=True, slots=True)
class Heat:
    """One mood: a row a model, a cell a factor; the change less people's change, in points."""

    title: str
    note: str
    finding: str
    sentence: str
    rows: tuple[HeatRow, ...]


@dataclass(frozen=True, slots=True)
class HeatPage:
    ranking: Ranking
    headline: str
    heads: tuple[Mark, ...]
    moods: tuple[Heat, ...]
    names: tuple[str, ...]
    table: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def heat_page(ranking: Ranking) -> HeatPage:
    members = members_of(ranking)
    factors = [row for row in people_of_ranking(ranking) if row.level == FACTOR]
    emotions = [row.key.partition("-")[0] for row in factors]
    moods = tuple(_heat(members, factors, emotions, affect) for affect in (1, 0))
    return HeatPage(
        ranking=ranking,
        headline=_heat_headline(members, factors),
        heads=strip_heads(emotions) if emotions else (),
        moods=moods,
        names=tuple(member.name for member in members),
        table=tuple(
            (f"{emotion}: {row.name}", tuple(_pair(member, row.key) for member in members))
            for row, emotion in zip(factors, emotions, strict=True)
        ),
    )


def people_of_ranking(ranking: Ranking) -> tuple[PeopleRow, ...]:
    bank = ItemBank.objects.filter(pk=ranking.bank_id or 0).first()
    return people_rows(bank) if bank else ()


def _pair(member: Member, factor: str) -> tuple[str, str]:
    row = member.factors.get(factor)
    if row is None:
        return "–", "–"
    first, second = (words.signed(cell.beyond, 0) for cell in row.cells)
    return first, second


def _heat(members: Sequence[Member], factors: Sequence[PeopleRow], emotions: Sequence[str], affect: int) -> Heat:
    starts = [at == 0 or emotions[at - 1] != emotion for at, emotion in enumerate(emotions)]
    rows, means = [], []
    for member in members:
        found = member.factors
        values = [found[row.key].cells[affect].beyond if row.key in found else None for row in factors]
        known = [value for value in values if value is not None]
        mean = sum(known) / len(known) if known else 0.0
        means.append(mean)
        rows.append(HeatRow(member.slug, member.name, member.origin, strip(values, starts), words.signed(mean)))
    return Heat(
        title=(words.PLEASANT, words.UNPLEASANT)[affect],
        note=(
            "Positive affect, which should fall. Below zero: it falls further than people’s.",
            "Negative affect, which should rise. Above zero: it rises further than people’s.",
        )[affect],
        finding=_finding(means, affect),
        sentence=_widest(members, factors, affect),
        rows=tuple(rows),
    )


def _heat_headline(members: Sequence[Member], factors: Sequence[PeopleRow]) -> str:
    """Whether most models react more than people to bad news, both moods together."""
    if not members:
        return "No model has results by factor yet"
    more = sum(_reaction(member, factors) > 0 for member in members)
    if len(members) == 1:
        return f"The only model reacts {'more' if more else 'less'} strongly than people to bad news"
    if 2 * more == len(members):
        return "Half of the models react more strongly than people to bad news"
    if 2 * more > len(members):
        return f"{_some(more, members)} more strongly than people to bad news"
    return f"{_some(len(members) - more, members)} less strongly than people to bad news"


def _some(n: int, members: Sequence[Member]) -> str:
    return f"{n} of {counted(len(members), 'model')} {'reacts' if n == 1 else 'react'}"


def _reaction(member: Member, factors: Sequence[PeopleRow]) -> float:
    """Over the factors, as the maps below count it."""
    cells = [member.factors[row.key].cells for row in factors if row.key in member.factors]
    return sum(unpleasant.beyond - pleasant.beyond for pleasant, unpleasant in cells)


def _finding(means: Sequence[float], affect: int) -> str:
    further = sum(mean < 0 if affect == 0 else mean > 0 for mean in means)
    verb = "falls" if affect == 0 else "rises"
    return f"In {further} of {counted(len(means), 'model')} it {verb} further than people’s" if means else ""


def _widest(members: Sequence[Member], factors: Sequence[PeopleRow], affect: int) -> str:
    """The factor in which models lie furthest from people on average."""
    if not members:
        return ""

    def distance(row: PeopleRow) -> float:
        cells = [member.factors[row.key].cells[affect] for member in members if row.key in member.factors]
        return sum(abs(cell.beyond) for cell in cells) / len(cells) if cells else 0.0

    widest, nearest = max(factors, key=distance), min(factors, key=distance)
    named = [
        f"{row.key.partition('-')[0]}, {row.name} ({number(distance(row), 1)} points)" for row in (widest, nearest)
    ]
    return f"Models lie furthest from people in {named[0]}, and nearest in {named[1]}."


# People


@dataclass(frozen=True, slots=True)
class PeopleCell:
    default: str
    evoked: str
    change: str
    drawn: Arrow
    said: str


@dataclass(frozen=True, slots=True)
class PeopleShown:
    name: str
    level: str
    n: str
    cells: tuple[PeopleCell, ...]


@dataclass(frozen=True, slots=True)
class PeoplePage:
    bank: ItemBank
    n: str
    sentence: str
    moods: tuple[PeopleShown, ...]
    table: tuple[PeopleShown, ...]


def people_page(slug: str) -> PeoplePage | None:
    """How people felt, from the bank's own figures; None without such a bank, or where it was loaded without them."""
    bank = ItemBank.objects.filter(slug=slug, benchmark=EMOTION_BENCH.bank).first()
    rows = people_rows(bank) if bank and bank.shows_items else ()
    if bank is None or not rows:
        return None
    table = tuple(map(_people_shown, rows))
    pleasant, unpleasant = rows[0].affects
    sentence = (
        f"After a situation their pleasant mood was {number(-pleasant.change, 1)} points lower than before and their "
        f"unpleasant mood {number(unpleasant.change, 1)} points higher, on a scale of 40 points."
    )
    moods = tuple(row for row in table if row.level in (ALL, EMOTION))
    return PeoplePage(bank, count(rows[0].n), sentence, moods, table)


PEOPLE_COLUMNS = (
    "row", "name", "level", "n", "default_p", "default_p_sd", "evoked_p", "evoked_p_sd", "change_p", "arrow_p",
    "default_n", "default_n_sd", "evoked_n", "evoked_n_sd", "change_n", "arrow_n",
)  # fmt: skip


def people_csv(slug: str) -> str | None:
    """People by factor, by emotion and over all, in points from 10 to 50; None where `people_page` is."""
    bank = ItemBank.objects.filter(slug=slug, benchmark=EMOTION_BENCH.bank).first()
    rows = people_rows(bank) if bank and bank.shows_items else ()
    return csv_text(PEOPLE_COLUMNS, map(_people_cells, rows)) if rows else None


def _people_cells(row: PeopleRow) -> list[Cell]:
    moods = (
        (each.default, each.default_sd, each.evoked, each.evoked_sd, each.change, each.arrow) for each in row.affects
    )
    return [row.key, row.name, row.level, row.n, *(value for mood in moods for value in mood)]


def _people_shown(row: PeopleRow) -> PeopleShown:
    return PeopleShown(
        row.name,
        row.level,
        count(row.n),
        tuple(
            PeopleCell(
                f"{number(each.default, 1)} ± {number(each.default_sd, 1)}",
                f"{number(each.evoked, 1)} ± {number(each.evoked_sd, 1)}",
                f"{ARROWS[each.arrow]} {words.signed(each.change)}",
                arrow(each.default, each.evoked),
                f"From {number(each.default, 1)} to {number(each.evoked, 1)}.",
            )
            for each in row.affects
        ),
    )
