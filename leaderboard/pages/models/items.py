"""One run of a model item by item: its profile beside the field, and where its answers are too strong or too weak."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.disclosure import counted_part
from evaluation.models import Item, ItemBank, Run
from evaluation.statistics.arrays import Floats, present_mean
from evaluation.statistics.emotions import (
    Adjusted,
    Bias,
    CalibrationPoint,
    bias_by_band,
    bias_by_family,
    by_adjusted,
    calibration,
)
from evaluation.statistics.families import OTHER
from leaderboard.drawings import model as model_drawings
from leaderboard.drawings.model import Calibration, Pill, Scatter, error_axis, pill, scatter
from leaderboard.drawings.shapes import Axis
from leaderboard.kinds import kind_of
from leaderboard.pages.models.field import Field
from leaderboard.pages.shared.emotion_families import HeatRow, leaning_rows, word_biases
from leaderboard.pages.shared.measures import is_lower_better
from leaderboard.standings.counted import as_scored
from leaderboard.wording.model_findings import (
    bands_headline,
    calibration_sentence,
    families_headline,
    items_headline,
    items_sentence,
)

EXTREMES = 5
NAMED = 3  # items a side that the scatter names
MOST_POINTS = 21  # distinct references of a scale; more are no scale, but means of a population
ANSWER_COLUMNS = (
    "run_id",
    "item_id",
    "repeat",
    "answer",
    "reading",
    "reason",
    "flags",
    "score",
    "part",
    "other_parts",
    "latency_ms",
)


@dataclass(frozen=True, slots=True)
class ItemFacts:
    pk: int
    item_id: str
    labels: Sequence[str]
    reference: Sequence[float]


@dataclass(frozen=True, slots=True)
class Means:
    """Item -> mean over the repeats of what counts: the score, and the answer in the order of the labels.

    `results` are the keys of the results, by item and repeat; `latencies` the milliseconds that each reply took, of
    those that say it.
    """

    scores: Mapping[int, float]
    answers: Mapping[int, Floats]
    results: tuple[int, ...]
    latencies: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemLine:
    item_id: str
    score: float
    median: float

    @property
    def difference(self) -> float:
        return self.score - self.median


@dataclass(frozen=True, slots=True)
class Profile:
    """Item scores beside the field's medians, on the items' own scale. `lines` are in the bank's order; `lower`: the
    lower a score, the better."""

    run: Run
    bank: str
    headline: str
    sentence: str
    n_runs: int
    lines: tuple[ItemLine, ...]
    hardest: tuple[ItemLine, ...]
    easiest: tuple[ItemLine, ...]
    scatter: Scatter
    lower: bool = False


@dataclass(frozen=True, slots=True)
class BiasRow:
    """Mean of answer less reference over `n` answers, -10 to 10; `half` is half of its 95 % interval.

    `adjusted` and `adjusted_half` are those at equal reference, None where that is not computed. `pill` draws these
    in a table of groups `at_equal_reference`, else the mean error.
    """

    name: str
    n: int
    mean: float
    half: float | None
    adjusted: float | None
    adjusted_half: float | None
    pill: Pill | None


@dataclass(frozen=True, slots=True)
class BiasTable:
    headline: str
    rows: tuple[BiasRow, ...]
    reach: float
    at_equal_reference: bool = False


@dataclass(frozen=True, slots=True)
class Leaning:
    """Bias over all rated intensities of a run. `families` and `words` are None where the emotion words are not public;
    `cells` are the heat map of the families with enough ratings, one cell a row."""

    run: Run
    n: int
    families: BiasTable | None
    cells: tuple[HeatRow, ...]
    words: BiasTable | None
    bands: BiasTable
    calibration: Calibration | None
    points: tuple[CalibrationPoint, ...]
    sentence: str


def items_of(bank: ItemBank) -> list[ItemFacts]:
    """The items in the bank's order. One query."""
    rows = Item.objects.filter(bank=bank).order_by("number").values_list("pk", "item_id", "labels", "reference")
    return [ItemFacts(*row) for row in rows]


def means_of(run: Run, items: Sequence[ItemFacts]) -> Means:
    """What counts of each item of a run. One query."""
    order = {item.pk: at for at, item in enumerate(items)}
    scores: defaultdict[int, list[float]] = defaultdict(list)
    answers: defaultdict[int, list[Sequence[float]]] = defaultdict(list)
    rows = sorted(run.results.only(*ANSWER_COLUMNS), key=lambda row: (order[row.item_id], row.repeat))
    for row in rows:
        part = counted_part(row, run.bank)
        if part["score"] is not None:
            scores[row.item_id].append(part["score"])
        if part["answer"] is not None:
            answers[row.item_id].append(as_scored(part["answer"], run.bank.benchmark) or [])
    return Means(
        {item: sum(values) / len(values) for item, values in scores.items()},
        {item: present_mean(np.array(values, dtype=np.float64), axis=0) for item, values in answers.items()},
        tuple(row.pk for row in rows),
        tuple(row.latency_ms for row in rows if row.latency_ms is not None),
    )


def profile_of(run: Run, items: Sequence[ItemFacts], means: Means, field: Field) -> Profile | None:
    """None where no item has both a score and a median."""
    lines = tuple(
        ItemLine(item.item_id, means.scores[item.pk], field.medians[item.pk])
        for item in items
        if item.pk in means.scores and item.pk in field.medians
    )
    if not lines:
        return None
    by_score = sorted(lines, key=lambda line: (line.score, line.difference))
    apart = sorted(lines, key=lambda line: line.difference)
    named = [line.item_id for line in (*apart[:NAMED], *apart[-NAMED:]) if line.difference]
    above, below = sum(line.difference > 0 for line in lines), sum(line.difference < 0 for line in lines)
    lower = is_lower_better(run.benchmark)
    hardest, easiest = (
        by_score[:EXTREMES],
        sorted(by_score[-EXTREMES:], key=lambda line: (-line.score, -line.difference)),
    )
    if lower:
        hardest, easiest = easiest, hardest
    return Profile(
        run=run,
        bank=run.bank.slug,
        headline=items_headline(above, below, len(lines), field.n_runs),
        sentence=items_sentence(above, below, len(lines)),
        n_runs=field.n_runs,
        lines=lines,
        hardest=tuple(hardest),
        easiest=tuple(easiest),
        lower=lower,
        scatter=scatter([(line.item_id, line.median, line.score) for line in lines], named),
    )


def leaning_of(run: Run, items: Sequence[ItemFacts], means: Means) -> Leaning | None:
    """None where no item has both an answer and a reference, as in questionnaires without a right answer, and where
    answers are no ratings from 0 to 10, which the bands are made for."""
    kind = kind_of(run.benchmark)
    if "emotions" not in kind.sections:
        return None
    rated = [item for item in items if item.pk in means.answers and len(item.reference) == len(item.labels) > 0]
    fitting = [item for item in rated if len(means.answers[item.pk]) == len(item.labels)]
    if not fitting:
        return None
    words = [label for item in fitting for label in item.labels]
    answers = np.concatenate([means.answers[item.pk] for item in fitting])
    reference = np.concatenate([np.array(item.reference, dtype=np.float64) for item in fitting])
    points = calibration(answers, reference)
    points = points if len(points) <= MOST_POINTS else ()
    bands = bias_by_band(answers, reference)
    families = bias_by_family(words, answers, reference) if run.bank.shows_texts else None
    by_word = word_biases(words, answers, reference) if run.bank.shows_texts else ()
    return Leaning(
        run=run,
        n=len(words),
        families=group_table(families, families_headline(families)) if families is not None else None,
        cells=leaning_rows([[bias for bias in families or () if bias.name != OTHER]]),
        words=group_table(by_word, "") if by_word else None,
        bands=bias_table(bands, bands_headline(bands)),
        calibration=calibration_drawing(points, kind.item_parts.axis()) if points else None,
        points=points,
        sentence=calibration_sentence([(point.reference, point.mean_answer) for point in points]),
    )


def bias_table(groups: Sequence[Bias], headline: str) -> BiasTable:
    bounds = [bound for bias in groups for bound in (bias.mean_error, *(ends_of(bias) or ()))]
    reach = error_axis(bounds)
    return BiasTable(headline, tuple(bias_row(bias, reach) for bias in groups), reach)


def bias_row(bias: Bias, reach: float) -> BiasRow:
    return BiasRow(
        bias.name, bias.n, bias.mean_error, half_of(bias), None, None, pill(bias.mean_error, ends_of(bias), reach)
    )


def group_table(groups: Sequence[Bias], headline: str) -> BiasTable:
    """Groups compared at equal reference, with the raw error beside."""
    found = [bias.adjusted for bias in groups if bias.adjusted]
    reach = error_axis([bound for adjusted in found for bound in (adjusted.mean_error, *(ends_of(adjusted) or ()))])
    ordered = [*by_adjusted(groups), *(bias for bias in groups if not bias.adjusted)]
    return BiasTable(headline, tuple(group_row(bias, reach) for bias in ordered), reach, at_equal_reference=True)


def group_row(bias: Bias, reach: float) -> BiasRow:
    found = bias.adjusted
    if found is None:
        return BiasRow(bias.name, bias.n, bias.mean_error, half_of(bias), None, None, None)
    drawn = pill(found.mean_error, ends_of(found), reach)
    return BiasRow(bias.name, bias.n, bias.mean_error, half_of(bias), found.mean_error, half_of(found), drawn)


def ends_of(found: Bias | Adjusted) -> tuple[float, float] | None:
    return (found.interval.low, found.interval.high) if found.interval else None


def half_of(found: Bias | Adjusted) -> float | None:
    return found.interval.half_width if found.interval else None


def calibration_drawing(points: Sequence[CalibrationPoint], axis: Axis) -> Calibration:
    return model_drawings.calibration(
        [
            (point.reference, point.mean_answer, point.interval.half_width if point.interval else None)
            for point in points
        ],
        axis,
    )
