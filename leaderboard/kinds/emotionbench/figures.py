"""A run of EmotionBench beside people: by factor, by emotion and over all, as its pages show it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from evaluation.benchmarks.base import Bank
from evaluation.benchmarks.emotionbench import EMOTION_BENCH
from evaluation.benchmarks.emotionbench.bank import OVERALL, rows_of_people
from evaluation.benchmarks.emotionbench.scoring import AFFECTS, Sample
from evaluation.models import Item, ItemBank, Run
from evaluation.runs.summaries import NORMS, as_bank

FACTOR, EMOTION, ALL = "factor", "emotion", "all"
ALL_EMOTIONS = "All eight"
HALF_OF_PEOPLE = {"level": 89.2, "change": 89.2, "pattern": 62.4, "alignment": 80.3}
"""What one half of the people gets against the other half: the mean of 500 splits within factors, by our scoring."""


@dataclass(frozen=True, slots=True)
class People:
    """People's mood in one row and affect: means in points, and the arrow of the paired test ("up", "down" or "-")."""

    default: float
    evoked: float
    change: float
    arrow: str
    default_sd: float
    evoked_sd: float
    change_sd: float


@dataclass(frozen=True, slots=True)
class Cell:
    """One affect of one row. `arrow` is that of the authors' test, "" where a side has fewer than two scores."""

    default: Sample
    evoked: Sample
    arrow: str
    people: People

    @property
    def change(self) -> float:
        return self.evoked.mean - self.default.mean

    @property
    def beyond(self) -> float:
        """The model's change less people's, in points."""
        return self.change - self.people.change


@dataclass(frozen=True, slots=True)
class MoodRow:
    """A factor, an emotion or all; `few` marks a factor with under half of its questionnaires answered."""

    key: str
    name: str
    emotion: str
    level: str
    n: int
    few: bool
    cells: tuple[Cell, Cell]

    @property
    def gap(self) -> float:
        """Mean distance of both changes from people's, in points."""
        return sum(abs(cell.beyond) for cell in self.cells) / len(self.cells)


@dataclass(frozen=True, slots=True)
class PeopleRow:
    """People in one row, whatever a model does."""

    key: str
    name: str
    level: str
    n: int
    affects: tuple[People, ...]


def moods_of(run: Run) -> tuple[MoodRow, ...]:
    """The rows of a run's table: over all first, then each emotion followed by its factors. Empty without a table, and
    for a private bank, of which nothing is told by factor."""
    bank = run.bank
    if not isinstance(run.detail, Mapping) or not bank.shows_items:
        return ()
    people = {row.key: row for row in people_rows(bank)}
    table: Any = import_module("evaluation.benchmarks.emotionbench.table")  # loads scipy, which no other page needs
    default = table.samples_of_default(run.detail)
    found = {row.name: row for row in table.rows(run.detail)}
    return tuple(_row(people[key], found[key], default) for key in ordered(people) if key in found)


def _row(people: PeopleRow, row: Any, default: tuple[Sample, ...]) -> MoodRow:
    first, second = (
        Cell(before, after, test.arrow if test else "", felt)
        for before, after, test, felt in zip(default, row.evoked, row.tests, people.affects, strict=True)
    )
    emotion = people.key.partition("-")[0].partition(":")[0]
    return MoodRow(people.key, people.name, emotion, people.level, row.evoked[0].n, row.few, (first, second))


def people_rows(bank: ItemBank) -> tuple[PeopleRow, ...]:
    """All rows of people of a bank, in the order of the page; none for a bank that was loaded without them."""
    return _people_rows(bank.pk, bank.sha256)


@lru_cache(maxsize=16)
def _people_rows(bank_id: int, _sha256: str) -> tuple[PeopleRow, ...]:
    """A bank never changes: read once."""
    norms = ItemBank.objects.values_list("facts", flat=True).get(pk=bank_id).get(NORMS)
    if not isinstance(norms, Mapping):
        return ()
    names = factor_names(bank_id)
    found = rows_of_people(Bank((), norms))
    return tuple(_people_row(key, found[key], names) for key in ordered(found))


def _people_row(key: str, entry: Mapping[str, Any], names: Mapping[str, str]) -> PeopleRow:
    emotion = key.partition(":")[0]
    level = ALL if key == OVERALL else EMOTION if ":" in key else FACTOR
    name = {ALL: ALL_EMOTIONS, EMOTION: emotion}.get(level) or names.get(key, key)
    affects = tuple(
        People(
            each["default_mean"], each["evoked_mean"], each["change_mean"], each["arrow"],
            each["default_sd"], each["evoked_sd"], each["change_sd"],
        )
        for each in map(entry.__getitem__, AFFECTS)
    )  # fmt: skip
    return PeopleRow(key, name, level, entry["n"], affects)


def factor_names(bank_id: int) -> dict[str, str]:
    """Factor -> its name, from the bank's items. The texts of situations stay where they are."""
    rows = Item.objects.filter(bank_id=bank_id).exclude(group="").order_by("number")
    return dict(rows.values_list("group", "extra__factor"))


def ordered(keys: Iterable[str]) -> list[str]:
    """Over all first, then each emotion with its factors behind it."""
    emotions = list(dict.fromkeys(key.partition("-")[0] for key in keys if ":" not in key))
    place = {emotion: at for at, emotion in enumerate(emotions)}

    def order(key: str) -> tuple[int, int]:
        if key == OVERALL:
            return -1, 0
        emotion, is_emotion = key.partition(":")[0], ":" in key
        return place.get(emotion if is_emotion else key.partition("-")[0], len(place)), 0 if is_emotion else 1

    return sorted(keys, key=order)  # stable: factors stay in the order of the bank


@dataclass(frozen=True, slots=True)
class Rule:
    """What an answer without a mood gets, or one half of the people: a line to read an alignment by."""

    name: str
    level: float
    change: float
    pattern: float
    alignment: float
    is_people: bool = False


def rules_of(bank: ItemBank) -> tuple[Rule, ...]:
    """One half of the people, then the five rules, the best first."""
    level, change, pattern, total = HALF_OF_PEOPLE.values()
    half = Rule("One half of the people, against the other half", level, change, pattern, total, is_people=True)
    return (half, *_rules(bank.pk, bank.sha256)) if bank.shows_items else ()


@lru_cache(maxsize=16)
def _rules(bank_id: int, _sha256: str) -> tuple[Rule, ...]:
    bank = as_bank(ItemBank.objects.get(pk=bank_id))
    found = []
    for baseline in EMOTION_BENCH.baselines(bank, "") if bank.norms else ():
        figures = EMOTION_BENCH.summarise(baseline.scores, bank, repeats=1, variant="").figures
        level, change, pattern, total = (figures[key].value or 0.0 for key in HALF_OF_PEOPLE)
        found.append(Rule(baseline.name, level, change, pattern, total))
    return tuple(sorted(found, key=lambda rule: -rule.alignment))
