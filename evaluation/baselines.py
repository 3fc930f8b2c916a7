"""What answers without a model score on a bank, by the benchmark's own scorer: they say what a score is worth. Pure.

Three of them: answers drawn at random (the expected value, computed and not drawn), the best answer that is the same
for every item, and the reference with noise on it, which shows what a reader of the right mind but an unsteady hand
gets. Private banks have none: each would be one more equation about their references.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from evaluation.benchmarks.base import Answer, Baseline, Benchmark, Item, ItemScore, JsonValue, Summary

LEVELS = range(11)
NOISE_SD = 2.0  # of a normal error on each rating, in steps of the scale from 0 to 10
NOISE_SEED = 1
FIRST_PART = "first_pass"
RANDOM_NAME = "Random answers (expected)"
CONSTANT_NAME = "Always answers"
NOISE_NAME = "Reference with noise"
"""Names of the rows. Only the first two say what can be had without reading; the noisy reference knows the answers."""

Values = tuple[float, ...]
Points = Callable[[Values], float | None]


def baselines(benchmark: Benchmark, items: Sequence[Item], *, seed: str) -> tuple[Baseline, ...]:
    """The baselines of a benchmark on these items; none for a benchmark that does not rate from 0 to 10, or no items.

    Args: `seed` goes into the noise beside NOISE_SEED, so that each bank has its own.
    """
    if benchmark.name not in EXPECTATIONS or not items:
        return ()
    return random_answers(benchmark, items), best_constant(benchmark, items), noisy_reference(benchmark, items, seed)


def random_answers(benchmark: Benchmark, items: Sequence[Item]) -> Baseline:
    """The expected item scores where each rating is a whole number from 0 to 10, all equally likely."""
    expected = EXPECTATIONS[benchmark.name]
    scores = tuple(
        ItemScore(item.id, 1, FIRST_PART, "official", (expected(points_of(benchmark, item), item.reference),))
        for item in items
    )
    return Baseline(RANDOM_NAME, {"baseline": "random", "ratings": "0 to 10, equally likely"}, scores)


def best_constant(benchmark: Benchmark, items: Sequence[Item]) -> Baseline:
    """The best of the ten answers that give every emotion one number from 1 to 10; of equal ones the lowest."""
    return max((constant(benchmark, items, level) for level in LEVELS[1:]), key=lambda each: run_score(benchmark, each))


def is_constant(name: str) -> bool:
    """Whether the baseline of that name gives every item the same answer: the line that a score must pass."""
    return name.startswith(CONSTANT_NAME)


def constant(benchmark: Benchmark, items: Sequence[Item], level: int) -> Baseline:
    answers = {item.id: (float(level),) * len(item.labels) for item in items}
    settings: dict[str, JsonValue] = {"baseline": "constant", "level": level}
    return Baseline(f"{CONSTANT_NAME} {level}", settings, scored(benchmark, items, answers), answers)


def noisy_reference(benchmark: Benchmark, items: Sequence[Item], seed: str) -> Baseline:
    """The reference plus a normal error of NOISE_SD on each rating, rounded and kept within 0 to 10."""
    answers = {item.id: noisy(item.reference, random.Random(f"{NOISE_SEED} {seed} {item.id}")) for item in items}
    settings: dict[str, JsonValue] = {"baseline": "noise", "sd": NOISE_SD, "seed": NOISE_SEED}
    return Baseline(NOISE_NAME, settings, scored(benchmark, items, answers), answers)


def noisy(reference: Sequence[float], chance: random.Random) -> Values:
    """Drawn again while all are 0, since such an answer is not read."""
    while True:
        drawn = tuple(float(min(10, max(0, round(value + chance.gauss(0, NOISE_SD))))) for value in reference)
        if any(drawn):
            return drawn


def scored(benchmark: Benchmark, items: Sequence[Item], answers: Mapping[str, Values]) -> tuple[ItemScore, ...]:
    return tuple(
        ItemScore(item.id, 1, FIRST_PART, "official", (points_of(benchmark, item)(answers[item.id]),)) for item in items
    )


def points_of(benchmark: Benchmark, item: Item) -> Points:
    """The benchmark's own scorer of this item."""
    return lambda values: benchmark.score(item, Answer(FIRST_PART, "official", values))


def summary_of(benchmark: Benchmark, baseline: Baseline) -> Summary:
    return benchmark.summarise(baseline.scores, n_items=len(baseline.scores), repeats=1)


def run_score(benchmark: Benchmark, baseline: Baseline) -> float:
    score = summary_of(benchmark, baseline).score
    return float("-inf") if score is None else score


def expected_by_enumeration(points: Points, reference: Sequence[float]) -> float:
    """The mean over all answers that can be read, one after the other: 11 to the power of the labels, less one."""
    answers = itertools.product(map(float, LEVELS), repeat=len(reference))
    next(answers)  # all zeros, which is not read
    return fmean(score for score in map(points, answers) if score is not None)


def expected_by_label(points: Points, reference: Sequence[float]) -> float:
    """The same mean for rules that add up over the labels, from eleven scores a label.

    The expected loss of an answer is then the sum of the expected losses of its ratings, each against an answer that is
    right everywhere else.
    """
    full = certain(points(tuple(reference)))
    n_answers: int = len(LEVELS) ** len(reference)
    losses = (fmean(full - certain(points(answer)) for answer in varied(reference, at)) for at in range(len(reference)))
    zeros = certain(points((0.0,) * len(reference)))
    return (n_answers * (full - sum(losses)) - zeros) / (n_answers - 1)


def varied(reference: Sequence[float], at: int) -> Iterator[Values]:
    """The reference with each level in turn in one place."""
    return ((*reference[:at], float(level), *reference[at + 1 :]) for level in LEVELS)


def certain(score: float | None) -> float:
    if score is None:
        raise ValueError("a rule that leaves answers without a score does not add up over the labels")
    return score


EXPECTATIONS: Mapping[str, Callable[[Points, Sequence[float]], float]] = {
    "eq-bench-v2": expected_by_label,
    "eq-bench-v2-code": expected_by_label,
    "eq-bench-v2-de": expected_by_label,
    "eq-bench-v1": expected_by_enumeration,
}
"""Benchmarks whose ratings go from 0 to 10, and how their expected value is computed."""
