"""Sentences about moods, each made of the numbers that it names. Pure."""

from collections.abc import Sequence

from evaluation.statistics.correlation import fisher_interval
from leaderboard.kinds.emotionbench.figures import HALF_OF_PEOPLE, Cell, MoodRow
from leaderboard.rounding import MINUS, counted, number

PLEASANT, UNPLEASANT = "Pleasant mood", "Unpleasant mood"
SAME_START = 2.0
"""Points by which two moods without a situation may differ and still count as alike."""
TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times", 6: "six times"}
HALF = HALF_OF_PEOPLE["alignment"]
PLAN_WORDS = {"quick": "Quick plan, 185 requests", "standard": "Standard plan, 575 requests",
              "full": "Full plan, 1,800 requests"}  # fmt: skip


def signed(value: float, digits: int = 1) -> str:
    """+22.2, −27.6, 0.0."""
    text = number(value, digits)
    return text if text.startswith(MINUS) or not float(text) else f"+{text}"


def headline(best: str, alignment: float, highest: float | None = None) -> str:
    """The finding of a ranking, from its best model; `highest` is the upper end of the widest reaching interval of its
    models, None where none is known."""
    had, people = number(alignment, 0), number(HALF, 0)
    if had == people:
        had, people = number(alignment, 1), number(HALF, 1)
    if max(alignment, highest or 0.0) < HALF:
        return f"No model’s mood moves like people’s: the best scores {had}; people, compared with each other, {people}"
    return f"{best} scores {had}; people, compared with each other, score {people}"


def mood_heading(row: MoodRow) -> str:
    """Where the model starts, and how far its pleasant mood falls beside people's."""
    pleasant = row.cells[0]
    start = pleasant.default.mean - pleasant.people.default
    if abs(start) <= SAME_START:
        begins = "It starts about as happy as people"
    else:
        begins = f"It starts {'happier' if start > 0 else 'less happy'} than people"
    return f"{begins}{' and' if abs(start) <= SAME_START or start > 0 else ', and'} {_falls(pleasant)}"


def _falls(cell: Cell) -> str:
    if cell.change >= 0:
        return "its pleasant mood does not fall, as people’s does"
    times = cell.change / cell.people.change if cell.people.change < 0 else 0.0
    if times <= 0:
        return f"falls by {number(-cell.change, 1)} points"
    if times < 0.67:
        return "falls less far"
    if times < 1.5:
        return "falls about as far"
    return f"falls {TIMES.get(round(times)) or f'{number(times, 1)} times'} as far"


def mood_sentence(row: MoodRow) -> str:
    pleasant, unpleasant = row.cells
    return f"Its pleasant mood {_beside_people(pleasant)}. Its unpleasant mood {_beside_people(unpleasant)}."


def _beside_people(cell: Cell) -> str:
    """ "drops by 10.0 points, people’s by 5.1"; with the way of people's mood where the model's goes another."""
    own, theirs = _way(cell.change), _way(cell.people.change)
    size = number(abs(cell.people.change), 1)
    people = f"people’s {theirs} by {size}" if theirs and theirs != own else f"people’s by {size}"
    return f"{own} by {number(abs(cell.change), 1)} points, {people}" if own else f"does not move, {people}"


def _way(change: float) -> str:
    """ "" for a change that is shown as 0.0."""
    if number(abs(change), 1) == "0.0":
        return ""
    return "drops" if change < 0 else "rises"


def drawn_sentence(cell: Cell, model: str) -> str:
    """A picture of one affect in words, for those who cannot see it."""
    people = cell.people
    return (
        f"People from {number(people.default, 1)} to {number(people.evoked, 1)}, {model} from "
        f"{number(cell.default.mean, 1)} to {number(cell.evoked.mean, 1)}."
    )


def scatter_heading(affect: int, r: float | None, n: int) -> str:
    """How the model's changes go with people's over n factors, as far as the 95 % interval (Fisher) of r tells."""
    name = (PLEASANT, UNPLEASANT)[affect]
    if r is None:
        return f"{name}: it changes by the same in every situation"
    found = fisher_interval(r, n)
    if found is None or found.holds(0.0):
        goes = "no clear relation with people’s"
    else:
        goes = f"it moves {'further' if r > 0 else 'less far'} where people’s moves further"
    span = f" ({number(found.low, 2)} to {number(found.high, 2)})" if found else ""
    return f"{name}: {goes}, r = {number(r, 2)}{span}"


def scatter_sentence(affect: int, cells: Sequence[Cell]) -> str:
    """In how many factors the mood moves further than people's."""
    falls = affect == 0
    further = sum(cell.beyond < 0 if falls else cell.beyond > 0 for cell in cells)
    verb = "falls" if falls else "rises"
    if further in (0, len(cells)):
        return f"In {'none' if not further else 'all'} of the {len(cells)} factors it {verb} further than people’s."
    return f"In {further} of {len(cells)} factors it {verb} further than people’s."


def misjudged_sentence(rows: Sequence[MoodRow]) -> str:
    """The factors in which the changes lie furthest from people's, both moods together."""
    worst = sorted((row for row in rows if row.level == "factor"), key=lambda row: -row.gap)[:3]
    best = min((row for row in rows if row.level == "factor"), key=lambda row: row.gap, default=None)
    if not worst or best is None:
        return ""
    named = "; ".join(f"{row.emotion}, {row.name} ({number(row.gap, 1)} points)" for row in worst)
    return (
        f"Its moods move least like people’s in {named}. They come nearest in {best.emotion}, {best.name} "
        f"({number(best.gap, 1)}). Points are the mean distance of both changes from people’s."
    )


def coverage_sentence(answered: int, asked: int) -> str:
    if answered == asked:
        return f"All {counted(asked, 'questionnaire')} were answered."
    share = number(100 * answered / asked, 1) if asked else "0"
    return f"{answered:,} of {counted(asked, 'questionnaire')} were answered, {share} %. Refusals are not random."
