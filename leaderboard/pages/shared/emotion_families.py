"""Heat maps of emotion families: how models lean at equal reference, and who is closer to it. No query in here.

For banks alone whose words are public. A cell has its number with its sign, half of its 95 % interval and its n; colour
only repeats the sign, where the interval leaves out zero.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evaluation.statistics.arrays import Floats, as_floats, present_mean
from evaluation.statistics.emotions import Bias, bias_by_family, bias_by_word
from evaluation.statistics.families import OTHER
from evaluation.statistics.family_distance import Farther, farther_by_family
from evaluation.statistics.intervals import Interval
from leaderboard.rounding import number, with_sign

LEAST = 10
"""Ratings that a family or a word needs to be shown."""
STEPS = (0.25, 0.5)
"""Sizes of an error, on the scale of 0 to 10, from which a cell gets a stronger shade."""


class Rated(Protocol):
    """An item with its emotion words and their references in one order."""

    @property
    def pk(self) -> int: ...
    @property
    def labels(self) -> Sequence[str]: ...
    @property
    def reference(self) -> Sequence[float]: ...


@dataclass(frozen=True, slots=True)
class Cell:
    """`tone` is "high", "low" or "" where the interval includes zero, `shade` goes from 1 to 3; `is_clear`: it also
    holds when all cells are corrected for."""

    value: float
    interval: Interval | None
    n: int
    is_clear: bool

    @property
    def text(self) -> str:
        return with_sign(self.value, 2)

    @property
    def half(self) -> str:
        return f"±{number(self.interval.half_width, 2)}" if self.interval else "no interval"

    @property
    def tone(self) -> str:
        if self.interval is None or self.interval.holds(0.0):
            return ""
        return "high" if self.value > 0 else "low"

    @property
    def shade(self) -> int:
        return 1 + sum(abs(self.value) >= step for step in STEPS)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A family with a cell per model, None where a model has too few ratings."""

    name: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class FigureLine:
    """The figures of one model in one group of words; `distance` and `raw` are means over its `n` ratings."""

    group: str
    at: int
    n: int
    distance: float
    raw: float
    cell: Cell | None


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Words and references of all rated emotions, and the answers of models to them: models x ratings, NaN where
    missing."""

    words: tuple[str, ...]
    reference: Floats
    answers: Floats


def ratings_of(items: Iterable[Rated], answers: Sequence[Mapping[int, Floats]]) -> Ratings:
    """The ratings of the items that have a reference for each word. `answers`: item -> answer, one mapping a model."""
    rated = [item for item in items if len(item.reference) == len(item.labels) > 0]
    rows = [np.concatenate([answer_to(item, own) for item in rated] or [np.empty(0)]) for own in answers]
    return Ratings(
        tuple(word for item in rated for word in item.labels),
        as_floats([value for item in rated for value in item.reference]),
        np.array(rows) if rows else np.empty((0, 0)),
    )


def answer_to(item: Rated, own: Mapping[int, Floats]) -> Floats:
    found = own.get(item.pk)
    return found if found is not None and len(found) == len(item.labels) else np.full(len(item.labels), np.nan)


def mean_answers(answers: Iterable[tuple[int, int, Sequence[float] | None]]) -> dict[int, dict[int, Floats]]:
    """Model -> item -> mean over the repeats that have an answer of the same length as the first, of (model, item,
    answer)."""
    found: defaultdict[int, defaultdict[int, list[Sequence[float]]]] = defaultdict(lambda: defaultdict(list))
    for model, item, answer in answers:
        own = found[model][item]
        if answer is not None and (not own or len(own[0]) == len(answer)):
            own.append(answer)
    return {
        model: {item: present_mean(as_floats(given), axis=0) for item, given in own.items() if given}
        for model, own in found.items()
    }


def family_biases(words: Sequence[str], answers: Floats, reference: Floats) -> tuple[Bias, ...]:
    return tuple(bias for bias in bias_by_family(words, answers, reference) if bias.name != OTHER)


def leaning_cell(bias: Bias | None) -> Cell | None:
    """The error at equal reference; None for a group that is too small or cannot be compared."""
    if bias is None or bias.adjusted is None or bias.adjusted.n < LEAST:
        return None
    found = bias.adjusted
    return Cell(found.mean_error, found.interval, found.n, found.is_clear)


def leaning_rows(biases: Sequence[Sequence[Bias]]) -> tuple[HeatRow, ...]:
    """A row per family that at least one model has a cell for, the most overrated first; one sequence a model."""
    by_name = [{bias.name: leaning_cell(bias) for bias in own} for own in biases]
    names = sorted({name for own in by_name for name in own})
    rows = [HeatRow(name, tuple(own.get(name) for own in by_name)) for name in names]
    return tuple(sorted((row for row in rows if any(row.cells)), key=lambda row: (-mean_of(row), row.name)))


def mean_of(row: HeatRow) -> float:
    values = [cell.value for cell in row.cells if cell]
    return sum(values) / len(values)


def farther_rows(ratings: Ratings, first: int) -> tuple[HeatRow, ...]:
    """How much farther each other model is from the reference than the `first` one; the widest lead on top."""
    others = [at for at in range(len(ratings.answers)) if at != first]
    found = farther_by_family(
        ratings.words, ratings.answers[first], ratings.answers[others], ratings.reference, least=LEAST
    )
    cells: defaultdict[str, dict[int, Cell]] = defaultdict(dict)
    for each in found:
        cells[each.family][each.other] = farther_cell(each)
    rows = [HeatRow(name, tuple(own.get(at) for at in range(len(others)))) for name, own in cells.items()]
    return tuple(sorted(rows, key=lambda row: (-mean_of(row), row.name)))


def farther_cell(found: Farther) -> Cell:
    return Cell(found.difference.mean, found.difference.interval, found.difference.n, found.is_clear)


def figure_lines(biases: Sequence[Sequence[Bias]]) -> tuple[FigureLine, ...]:
    """The figures of all groups with enough ratings, group by group in the order of `leaning_rows`."""
    order = [row.name for row in leaning_rows(biases)]
    by_name = [{bias.name: bias for bias in own} for own in biases]
    return tuple(
        FigureLine(name, at, own[name].n, own[name].mean_absolute_error, own[name].mean_error, leaning_cell(own[name]))
        for name in order
        for at, own in enumerate(by_name)
        if name in own
    )


def word_biases(words: Sequence[str], answers: Floats, reference: Floats) -> tuple[Bias, ...]:
    return bias_by_word(words, answers, reference, least=LEAST)
