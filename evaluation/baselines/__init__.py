"""What answers without a model score on a bank, by the benchmark's own scorer: they say what a score is worth. Pure.

Some read nothing: ratings at random, one number for all labels, one number for each place. One knows how the words are
rated in other items, and reads no dialogue. And two know the answers, or were asked for them:
the reference with noise on it, and a second reader where a bank's maker kept one. Private banks have none: each would
be one more equation about their references.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from statistics import fmean
from typing import NamedTuple

from evaluation.baselines.chances import (
    BEST_FIXED,
    LEVELS,
    MOMENTS,
    Moments,
    Points,
    Values,
    even_chances,
    noise_chances,
)
from evaluation.benchmarks.base import (
    Answer,
    Bank,
    Baseline,
    Benchmark,
    Item,
    ItemScore,
    JsonValue,
    Measure,
    Summary,
    ranking_figure,
)
from evaluation.benchmarks.eqbench_summary import POINTS

NOISE_SD = 2.0  # of a normal error on each rating, in steps of the scale from 0 to 10
FIRST_PART = "first_pass"
RANDOM_NAME = "Random answers (expected)"
CONSTANT_NAME = "Always answers"
WORDS_NAME = "Words alone"
NOISE_NAME = "Reference with noise"
READER_NAME = "Second reader"
"""Names of the rows; a fixed answer has its ratings behind CONSTANT_NAME: one for all labels, or one for each place."""

RANDOM, CONSTANT, POSITION, WORDS, NOISE, READER = "random", "constant", "position", "words", "noise", "reader"
"""Kinds of baselines, under "baseline" in the settings of their runs."""
SD_OF_ONE_RUN = "sd_of_one_run"
"""In the settings of an expected score: the standard deviation of single runs around it, in points."""
STORED_DIGITS = 9


class Line(NamedTuple):
    """What a baseline marks on a scale of scores; `words` say what it knows."""

    order: int
    words: str


class BaselineLine(NamedTuple):
    """A baseline as a line in a picture of scores, in points; `words` say what it knows."""

    name: str
    score: float
    words: str


NOTHING = Line(1, "the best fixed answer")
LINES: Mapping[str, Line] = {
    WORDS_NAME: Line(2, "a rule that sees only the emotion words"),
    NOISE_NAME: Line(3, "the references with a random error added to each"),
    READER_NAME: Line(4, "an AI assistant that rated the items without seeing the references"),
}


def baselines(
    benchmark: Benchmark, bank: Bank, second_reading: Mapping[str, Values] | None = None, *, seed: str
) -> tuple[Baseline, ...]:
    """The baselines of a benchmark on this bank; none for a bank without items.

    A benchmark may have its own; those of ratings from 0 to 10 are here.

    Args: `second_reading` has the ratings of a second reader by item id, in the order of the item's labels. It makes a
    row where it has all items. `seed` is for a benchmark's own baselines, where they draw.
    """
    items = bank.items
    if not items or benchmark.name not in MOMENTS:
        return tuple(benchmark.baselines(bank, seed)) if items else ()
    level = best_level(benchmark, items)
    found = [
        random_answers(benchmark, items),
        constant(benchmark, items, level),
        best_by_position(benchmark, items),
        words_alone(benchmark, items, level),
        noisy_reference(benchmark, items),
    ]
    if second_reading and all(item.id in second_reading for item in items):
        found.append(second_reader(benchmark, items, second_reading))
    return tuple(found)


def random_answers(benchmark: Benchmark, items: Sequence[Item]) -> Baseline:
    """The expected item scores where each rating is a whole number from 0 to 10, all equally likely."""
    moments = [MOMENTS[benchmark.name](points_of(benchmark, i), i.reference, even_chances(i.reference)) for i in items]
    settings: dict[str, JsonValue] = {"baseline": RANDOM, "ratings": "0 to 10, equally likely"}
    return expected(RANDOM_NAME, settings, items, moments)


def noisy_reference(benchmark: Benchmark, items: Sequence[Item]) -> Baseline:
    """The expected item scores of the reference plus a normal error of NOISE_SD on each rating, rounded and kept within
    0 to 10."""
    moments = [
        MOMENTS[benchmark.name](points_of(benchmark, i), i.reference, noise_chances(i.reference, NOISE_SD))
        for i in items
    ]
    return expected(NOISE_NAME, {"baseline": NOISE, "sd": NOISE_SD}, items, moments)


def expected(
    name: str, settings: Mapping[str, JsonValue], items: Sequence[Item], moments: Sequence[Moments]
) -> Baseline:
    """The row of an expected score, with the scatter of single runs around it among its settings."""
    scores = tuple(
        ItemScore(item.id, 1, FIRST_PART, "official", (each.mean,)) for item, each in zip(items, moments, strict=True)
    )
    spread = POINTS * sqrt(fsum(each.variance for each in moments)) / len(moments)
    return Baseline(name, {**settings, SD_OF_ONE_RUN: round(spread, STORED_DIGITS)}, scores)


def best_level(benchmark: Benchmark, items: Sequence[Item]) -> int:
    """The number from 1 to 10 that scores best as the answer to everything; of equal ones the lowest."""
    return max(LEVELS[1:], key=lambda level: run_score(benchmark, constant(benchmark, items, level)))


def best_constant(benchmark: Benchmark, items: Sequence[Item]) -> Baseline:
    """The best of the ten answers that give every emotion one number from 1 to 10; of equal ones the lowest."""
    return constant(benchmark, items, best_level(benchmark, items))


def constant(benchmark: Benchmark, items: Sequence[Item], level: int) -> Baseline:
    answers = {item.id: (float(level),) * len(item.labels) for item in items}
    settings: dict[str, JsonValue] = {"baseline": CONSTANT, "level": level}
    return Baseline(f"{CONSTANT_NAME} {level}", settings, scored(benchmark, items, answers), answers)


def best_by_position(benchmark: Benchmark, items: Sequence[Item]) -> Baseline:
    """The best of all answers that give the first label of every item one whole number, the second another, and so on.

    Raises: ValueError where the items have different numbers of labels.
    """
    references = [item.reference for item in items]
    if len(set(map(len, references))) > 1:
        raise ValueError("items with different numbers of labels have no answer by position")
    best = BEST_FIXED[benchmark.name]([points_of(benchmark, item) for item in items], references)
    levels = [int(level) for level in best]
    answers = {item.id: best for item in items}
    name = f"{CONSTANT_NAME} {', '.join(map(str, levels))}"
    return Baseline(name, {"baseline": POSITION, "levels": levels}, scored(benchmark, items, answers), answers)


def words_alone(benchmark: Benchmark, items: Sequence[Item], level: int) -> Baseline:
    """Each word rated by its mean reference in the other items, rounded: what the words give without a dialogue.

    A word that no other item asks for is rated `level`, and so is every word of an answer that would be zeros alone.
    """
    known: defaultdict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        for label, value in zip(item.labels, item.reference, strict=True):
            known[label.casefold()][item.id].append(value)
    answers = {item.id: by_words(item, known, level) for item in items}
    lonely = sum(len(known[label.casefold()]) == 1 for item in items for label in item.labels)
    settings: dict[str, JsonValue] = {"baseline": WORDS, "else": level, "words_in_no_other_item": lonely}
    return Baseline(WORDS_NAME, settings, scored(benchmark, items, answers), answers)


def by_words(item: Item, known: Mapping[str, Mapping[str, Sequence[float]]], level: int) -> Values:
    found = []
    for label in item.labels:
        elsewhere = [value for other, values in known[label.casefold()].items() if other != item.id for value in values]
        found.append(float(round(fmean(elsewhere))) if elsewhere else float(level))
    return tuple(found) if any(found) else (float(level),) * len(found)


def second_reader(benchmark: Benchmark, items: Sequence[Item], reading: Mapping[str, Values]) -> Baseline:
    """The ratings of somebody who saw the items and not the references, scored like a model's."""
    answers = {item.id: reading[item.id] for item in items}
    return Baseline(READER_NAME, {"baseline": READER}, scored(benchmark, items, answers), answers)


def reads_nothing(name: str) -> bool:
    """Whether the baseline of that name gives every item the same answer: the line that a score must pass."""
    return name.startswith(CONSTANT_NAME)


def line_of(name: str) -> Line | None:
    """What the baseline of that name marks on a scale; None for one that is no line, as random answers."""
    return NOTHING if reads_nothing(name) else LINES.get(name)


def lines_among(baselines: Iterable[tuple[str, float]], measure: Measure) -> tuple[BaselineLine, ...]:
    """The lines among baselines, given by name and score: the best of each kind, in the order of the kinds. `measure`
    is that of the scores."""
    best: dict[Line, BaselineLine] = {}
    for name, score in sorted(baselines, key=lambda each: measure.turned(each[1])):
        line = line_of(name)
        if line is not None:
            best[line] = BaselineLine(name, score, line.words)
    return tuple(best[line] for line in sorted(best))


def scored(benchmark: Benchmark, items: Sequence[Item], answers: Mapping[str, Values]) -> tuple[ItemScore, ...]:
    return tuple(
        ItemScore(item.id, 1, FIRST_PART, "official", (points_of(benchmark, item)(answers[item.id]),)) for item in items
    )


def points_of(benchmark: Benchmark, item: Item) -> Points:
    """The benchmark's own scorer of this item."""
    return lambda values: benchmark.score(item, Answer(FIRST_PART, "official", values))[0]


def summary_of(benchmark: Benchmark, baseline: Baseline, bank: Bank | None = None) -> Summary:
    """Without a bank the items are known by their ids alone, which does where a summary needs their number only."""
    ids = dict.fromkeys(score.item_id for score in baseline.scores)
    bank = bank or Bank(tuple(Item(item_id, "", ()) for item_id in ids))
    repeats = max((score.repeat for score in baseline.scores), default=1)
    # Each item is answered as often as there are scores, whatever a variant asks of a model.
    return benchmark.summarise(baseline.scores, bank, repeats=repeats, variant="")


def run_score(benchmark: Benchmark, baseline: Baseline) -> float:
    score = ranking_figure(benchmark, summary_of(benchmark, baseline)).value
    return float("-inf") if score is None else score
