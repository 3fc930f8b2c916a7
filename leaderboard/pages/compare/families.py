"""Why one model of a comparison is ahead: its ratings by emotion family beside those of the others. One query, two
where runs count a later part of their replies.

Only for banks whose words are public, of a kind that rates emotions from 0 to 10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from evaluation.benchmarks.base import Measure
from evaluation.models import ItemBank
from leaderboard.kinds import kind_of
from leaderboard.pages.compare.items import ComparedItem
from leaderboard.pages.compare.pairs import Side, is_better
from leaderboard.pages.shared.emotion_families import (
    FigureLine,
    HeatRow,
    Ratings,
    family_biases,
    farther_rows,
    figure_lines,
    leaning_rows,
    mean_answers,
    ratings_of,
    word_biases,
)
from leaderboard.standings.counted import CountedRun, as_scored
from leaderboard.statistics.rows import answers_of


@dataclass(frozen=True, slots=True)
class ClearLead:
    """The families in which a model is clearly farther from the reference than the first, or closer."""

    families: str
    side: Side
    is_closer: bool


@dataclass(frozen=True, slots=True)
class EmotionFamilies:
    """`first` is the model that `others` are compared with in `farther`; the cells of `leaning` have the order of
    `sides`. `figures` are the numbers of all families and words, model by model."""

    sides: tuple[Side, ...]
    first: Side
    others: tuple[Side, ...]
    farther: tuple[HeatRow, ...]
    leaning: tuple[HeatRow, ...]
    figures: tuple[tuple[str, Side, FigureLine], ...]

    @property
    def clear(self) -> tuple[ClearLead, ...]:
        found: dict[tuple[int, bool], list[str]] = {}
        for at in range(len(self.others)):
            for row in self.farther:
                if (cell := row.cells[at]) and cell.is_clear:
                    found.setdefault((at, cell.value < 0), []).append(row.name)
        return tuple(
            ClearLead(", ".join(names), self.others[at], is_closer) for (at, is_closer), names in found.items()
        )

    @property
    def n_compared(self) -> int:
        return sum(cell is not None for row in self.farther for cell in row.cells)


def emotion_families(
    bank: ItemBank, items: Sequence[ComparedItem], sides: Sequence[Side], newest: Sequence[CountedRun], measure: Measure
) -> EmotionFamilies | None:
    """By the newest run of each model; `sides` and `newest` in one order. None where the words are not public, or too
    few of them belong to a family."""
    if not bank.shows_texts or "emotions" not in kind_of(bank.benchmark).sections:
        return None
    ratings = ratings_of_runs(bank, items, newest)
    families = [family_biases(ratings.words, own, ratings.reference) for own in ratings.answers]
    leaning = leaning_rows(families)
    if not leaning:
        return None
    first = reduce(lambda best, at: at if is_better(sides[at], sides[best], measure) else best, range(len(sides)))
    words = [word_biases(ratings.words, own, ratings.reference) for own in ratings.answers]
    return EmotionFamilies(
        sides=tuple(sides),
        first=sides[first],
        others=tuple(side for at, side in enumerate(sides) if at != first),
        farther=farther_rows(ratings, first),
        leaning=leaning,
        figures=tuple(
            (kind, sides[line.at], line)
            for kind, biases in (("family", families), ("word", words))
            for line in figure_lines(biases)
        ),
    )


def ratings_of_runs(bank: ItemBank, items: Sequence[ComparedItem], newest: Sequence[CountedRun]) -> Ratings:
    """What the runs answered, as the score compares it, mean over their repeats."""
    given = mean_answers(
        (model, item, as_scored(answer, bank.benchmark))
        for model, item, answer in answers_of({run.model_id: run for run in newest})
    )
    return ratings_of(items, [given.get(run.model_id, {}) for run in newest])
