"""EmotionBench in numbers: the two sums of a questionnaire, and how near a model's moods are to people's. Pure.

The alignment is our own; the authors compare tables by eye. Source: our specification of EmotionBench, sections 2, 7.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, fsum, sqrt

from evaluation.benchmarks.correlation import pearson

AFFECTS = ("pos", "neg")
"""Positive and negative affect, in the order of every pair below."""

LOWEST, HIGHEST = 10.0, 50.0
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and SD over people, in points of the questionnaire."""

    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class Factor:
    """How people felt after the situations of a factor, and how far each had moved; a spread an affect."""

    evoked: tuple[Spread, ...]
    change: tuple[Spread, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Level, change, pattern and their mean, each from 0 to 100; mean gaps in points; the two correlations."""

    level: float
    change: float
    pattern: float
    alignment: float
    gap_level: float
    gap_change: float
    r: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """Scores of one affect: how many, their mean, and their SD (n - 1), None with fewer than two."""

    n: int
    mean: float
    sd: float | None


def affects(values: Sequence[int | float], positive: Sequence[int]) -> Pair:
    """The sums of the positive and of the negative words; `positive` has the positions of the former."""
    chosen = set(positive)
    return (
        float(fsum(value for place, value in enumerate(values) if place in chosen)),
        float(fsum(value for place, value in enumerate(values) if place not in chosen)),
    )


def sample(values: Sequence[float]) -> Sample:
    """Raises ZeroDivisionError for no scores."""
    mean = fsum(values) / len(values)
    if len(values) < 2:
        return Sample(len(values), mean, None)
    return Sample(len(values), mean, sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1)))


def overlap(z: float) -> float:
    """The share that two normal curves of one width have in common, their means z standard deviations apart."""
    return erfc(abs(z) / (2 * sqrt(2)))


def alignment(people: Mapping[str, Factor], default: Pair, evoked: Mapping[str, Pair]) -> Alignment:
    """How near a model is to people. `default` is its mean mood without a situation, `evoked` that after the situations
    of each factor. Raises KeyError where a factor of `people` is missing.
    """
    change = {name: (mood[0] - default[0], mood[1] - default[1]) for name, mood in evoked.items()}
    return alignment_of_changes(people, evoked, change)


def alignment_of_changes(
    people: Mapping[str, Factor], evoked: Mapping[str, Pair], change: Mapping[str, Pair]
) -> Alignment:
    """As `alignment`, for somebody whose change is not measured from one common default: a group of people."""
    levels, changes, level_gaps, change_gaps, r = [], [], [], [], []
    for affect in range(len(AFFECTS)):
        moved, people_moved = [], []
        for name, factor in people.items():
            level, people_change = factor.evoked[affect], factor.change[affect]
            mood = evoked[name][affect]
            moved.append(change[name][affect])
            people_moved.append(people_change.mean)
            levels.append(overlap((mood - level.mean) / level.sd))
            changes.append(overlap((moved[-1] - people_change.mean) / people_change.sd))
            level_gaps.append(abs(mood - level.mean))
            change_gaps.append(abs(moved[-1] - people_change.mean))
        r.append(pearson(moved, people_moved) or 0.0)
    level_score, change_score = 100 * _mean(levels), 100 * _mean(changes)
    pattern = 100 * _mean([max(0.0, each) for each in r])
    return Alignment(
        level=level_score,
        change=change_score,
        pattern=pattern,
        alignment=(level_score + change_score + pattern) / 3,
        gap_level=_mean(level_gaps),
        gap_change=_mean(change_gaps),
        r=tuple(r),
    )


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
