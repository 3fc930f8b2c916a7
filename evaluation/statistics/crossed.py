"""The error of a mean over answers that share items and people: both are samples.

Pure: may not import Django, HTTP or a clock.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from math import fsum, sqrt

Answered = tuple[Hashable, Hashable, float]
"""Item, person, score of this answer."""


def crossed_mean(answers: Sequence[Answered]) -> float:
    """The mean over items of the mean over people, so that an item counts once however often it was answered.

    Raises:
        ValueError: no answers.
    """
    if not answers:
        raise ValueError("no answers")
    means = list(_means(answers, 0).values())
    return fsum(means) / len(means)


def crossed_error(answers: Sequence[Answered]) -> float | None:
    """The standard error of `crossed_mean` over a new draw of items and of people, in the unit of the scores.

    The variance between items and that between people are added. Each holds the scatter of single answers as well, so
    the error is on the wide side. None with fewer than two items or two people.
    """
    parts = [_variance_of_mean(list(_means(answers, by).values())) for by in (0, 1)]
    known = [part for part in parts if part is not None]
    return sqrt(fsum(known)) if len(known) == len(parts) else None


def _means(answers: Sequence[Answered], by: int) -> dict[Hashable, float]:
    groups: defaultdict[Hashable, list[float]] = defaultdict(list)
    for answer in answers:
        groups[answer[by]].append(answer[2])
    return {key: fsum(scores) / len(scores) for key, scores in groups.items()}


def _variance_of_mean(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    centre = fsum(values) / len(values)
    return fsum((value - centre) ** 2 for value in values) / (len(values) - 1) / len(values)
