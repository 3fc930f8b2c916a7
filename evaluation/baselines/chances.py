"""Expected scores of answers that are drawn at random, and how far one draw lies from them: exact, no draws. Pure.

An answer gives each label a whole number from 0 to 10, each label by itself. Its `chances` say how likely each number
is: one row a label, eleven numbers a row. Answers of zeros alone are not read, so they are left out.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import erf, fsum, prod, sqrt
from typing import NamedTuple

LEVELS = range(11)
Values = tuple[float, ...]
Points = Callable[[Values], float | None]
Chances = Sequence[Sequence[float]]


class Moments(NamedTuple):
    """Of an item's points: the expected value, and the variance of a single draw."""

    mean: float
    variance: float


def even_chances(reference: Sequence[float]) -> Chances:
    """All eleven numbers are equally likely."""
    return [[1 / len(LEVELS)] * len(LEVELS) for _ in reference]


def noise_chances(reference: Sequence[float], sd: float) -> Chances:
    """The reference plus a normal error of this standard deviation, rounded and kept within 0 to 10."""
    return [_noise_around(value, sd) for value in reference]


def _noise_around(value: float, sd: float) -> list[float]:
    below = [0.0, *((1 + erf((level + 0.5 - value) / (sd * sqrt(2)))) / 2 for level in LEVELS[:-1]), 1.0]
    return [high - low for low, high in itertools.pairwise(below)]


def moments_by_label(points: Points, reference: Sequence[float], chances: Chances) -> Moments:
    """For rules that add up over the labels, from eleven scores a label.

    The labels are drawn independently, so their expected losses and the variances of the losses add up; what the
    answer of zeros adds to both is then taken out.
    """
    full = certain(points(tuple(reference)))
    mean, variance = full, 0.0
    for at, own in enumerate(chances):
        losses = [full - certain(points(answer)) for answer in varied(reference, at)]
        expected = fsum(chance * loss for chance, loss in zip(own, losses, strict=True))
        mean -= expected
        variance += fsum(chance * (loss - expected) ** 2 for chance, loss in zip(own, losses, strict=True))
    zeros, unread = certain(points((0.0,) * len(reference))), prod(own[0] for own in chances)
    read_mean = (mean - unread * zeros) / (1 - unread)
    read_square = (variance + mean**2 - unread * zeros**2) / (1 - unread)
    return Moments(read_mean, read_square - read_mean**2)


def moments_by_enumeration(points: Points, reference: Sequence[float], chances: Chances) -> Moments:
    """For any rule, from all answers that can be read, one after the other: 11 to the power of the labels, less one."""
    weights = itertools.islice(map(prod, itertools.product(*chances)), 1, None)
    drawn = [
        (weight, score)
        for weight, score in zip(weights, map(points, answers(len(reference))), strict=True)
        if score is not None
    ]
    total = fsum(weight for weight, _ in drawn)
    mean = fsum(weight * score for weight, score in drawn) / total
    return Moments(mean, fsum(weight * (score - mean) ** 2 for weight, score in drawn) / total)


def answers(n_labels: int) -> Iterator[Values]:
    """All answers of whole numbers but that of zeros, in the order of `itertools.product`."""
    return itertools.islice(itertools.product(map(float, LEVELS), repeat=n_labels), 1, None)


def varied(reference: Sequence[float], at: int) -> Iterator[Values]:
    """The reference with each level in turn in one place."""
    return ((*reference[:at], float(level), *reference[at + 1 :]) for level in LEVELS)


def best_by_label(points: Sequence[Points], references: Sequence[Sequence[float]]) -> Values:
    """The one answer to all items with the highest total, for rules that add up over the labels: the best number of
    each place by itself, of equal ones the lowest. Zeros are not read; where they would be best, the next best is one
    step away from them in one place."""
    totals = [
        [fsum(certain(score(answer)) for score, answer in row) for row in _by_level(points, references, at)]
        for at in range(len(references[0]))
    ]
    best = [max(LEVELS, key=own.__getitem__) for own in totals]
    if not any(best):
        lost = [(own[0] - max(own[1:]), at) for at, own in enumerate(totals)]
        at = min(lost)[1]
        best[at] = max(LEVELS[1:], key=totals[at].__getitem__)
    return tuple(map(float, best))


def _by_level(
    points: Sequence[Points], references: Sequence[Sequence[float]], at: int
) -> Iterator[list[tuple[Points, Values]]]:
    """For each level all items' scorers, each with its reference varied to this level in one place."""
    rows = [list(varied(reference, at)) for reference in references]
    return (list(zip(points, answers_of, strict=True)) for answers_of in zip(*rows, strict=True))


def best_by_enumeration(points: Sequence[Points], references: Sequence[Sequence[float]]) -> Values:
    """The same for any rule, from all answers that can be read. An answer without a score on some item is none."""

    def total(answer: Values) -> float:
        scores = [score(answer) for score in points]
        return fsum(certain(score) for score in scores) if None not in scores else float("-inf")

    return max(answers(len(references[0])), key=total)


def certain(score: float | None) -> float:
    if score is None:
        raise ValueError("a rule that leaves answers without a score does not add up over the labels")
    return score


MOMENTS: Mapping[str, Callable[[Points, Sequence[float], Chances], Moments]] = {
    "eq-bench-v2": moments_by_label,
    "eq-bench-v2-code": moments_by_label,
    "eq-bench-v2-de": moments_by_label,
    "eq-bench-v1": moments_by_enumeration,
}
"""Benchmarks whose ratings go from 0 to 10, and how the expected points of an item are computed."""
BEST_FIXED: Mapping[str, Callable[[Sequence[Points], Sequence[Sequence[float]]], Values]] = {
    name: best_by_label if moments is moments_by_label else best_by_enumeration for name, moments in MOMENTS.items()
}
