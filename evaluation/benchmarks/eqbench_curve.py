"""Points of one EQ-Bench answer. Pure.

Source: EQ-bench/EQ-Bench lib/scoring.py and README.md at d28c60c; Paech 2023 (arXiv 2312.06281).
"""

from collections.abc import Callable, Sequence
from math import exp

FULL_MARKS = 10.0
ADJUSTMENT = 0.7477
"""Chosen by the authors so that random answers score about zero."""
HEIGHT, SLOPE, MIDDLE = 6.5, 1.2, 4.0
"""Constants of the curve of what a difference below 5 costs."""
V1_SUM = 10.0
"""The sum of the references of v1, to which ratings are rescaled."""

Rule = Callable[[Sequence[float], Sequence[float]], float | None]


def readme_penalty(difference: float) -> float:
    """How much one rating that is off by `difference` (0 or more) costs: a curve below 5, one for one from 5 on.

    This reproduces all published scores; the pipeline's present code (`code_penalty`) does not.
    """
    if difference == 0:
        return 0.0
    return difference if difference >= 5 else _curve(difference)


def code_penalty(difference: float) -> float:
    """As `readme_penalty`, but the curve still holds at exactly 5 (4.995411)."""
    if difference == 0:
        return 0.0
    return difference if difference > 5 else _curve(difference)


def _curve(difference: float) -> float:
    return HEIGHT / (1 + exp(-SLOPE * (difference - MIDDLE)))


def full_scale_points(values: Sequence[float], reference: Sequence[float]) -> float:
    """Item points of v2 by the README rule: at most 10, negative for bad answers, clipped nowhere.

    Args: ratings and reference ratings in one order, 0 to 10 (higher ratings are scored as they stand).
    """
    return FULL_MARKS - ADJUSTMENT * sum(map(readme_penalty, _differences(values, reference)))


def full_scale_points_by_code(values: Sequence[float], reference: Sequence[float]) -> float:
    """As `full_scale_points`, by the rule of the pipeline's code, which lm-eval and evalscope inherit."""
    return FULL_MARKS - ADJUSTMENT * sum(map(code_penalty, _differences(values, reference)))


def normalised_points(values: Sequence[float], reference: Sequence[float]) -> float | None:
    """Item points of v1: ratings rescaled to sum to 10, then 10 minus all differences. None where they sum to 0.

    Args: as `full_scale_points`; the reference sums to 10.
    """
    total = sum(values)
    if total <= 0:
        return None
    return FULL_MARKS - sum(_differences([value / total * V1_SUM for value in values], reference))


def _differences(values: Sequence[float], reference: Sequence[float]) -> list[float]:
    return [abs(value - wanted) for value, wanted in zip(values, reference, strict=True)]
