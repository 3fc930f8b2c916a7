"""Emotion bias: where a model's intensities are too strong or too weak, by word, by family and by intensity.

Pure: may not import Django, HTTP or a clock.

All functions take one entry for each rated emotion: its word, the answer and the reference intensity, both 0 to 10;
answers above 10 enter as they stand. Entries without an answer or reference (NaN) are skipped. The four emotions of an
item are treated as independent, which they are not quite, so the intervals are a little too narrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats
from evaluation.statistics.families import family_of
from evaluation.statistics.intervals import Interval
from evaluation.statistics.scores import score_estimate

BANDS = (("0", 0.0), ("1–3", 3.0), ("4–6", 6.0), ("7–10", 10.0))
"""Names of the bands of reference intensity, each with its highest value; a value between two belongs to the upper."""


@dataclass(frozen=True, slots=True)
class Bias:
    """Signed errors, answer less reference, of one group of `n` entries: above 0 too strong, below 0 too weak.

    `mean_absolute_error` is 0 only when every answer is right. The interval of the mean is normal, as on the pages;
    it and the standard error are None for a single entry.
    """

    name: str
    n: int
    mean_error: float
    mean_absolute_error: float
    standard_error: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """The mean answer where the reference is `reference`; equal to it for a model without bias.

    Interval and standard error as for `Bias`.
    """

    reference: float
    n: int
    mean_answer: float
    standard_error: float | None
    interval: Interval | None


def bias_by_word(words: Sequence[str], answers: ArrayLike, reference: ArrayLike) -> tuple[Bias, ...]:
    """The bias for each emotion word as spelt, the most overrated first; empty without entries.

    Most words occur once or twice: show those that are asked for at least ten times.
    """
    return _by_group(words, *_checked(words, answers, reference))


def bias_by_family(words: Sequence[str], answers: ArrayLike, reference: ArrayLike) -> tuple[Bias, ...]:
    """The bias for each family of words, the most overrated first; words of no family come as "other"."""
    return _by_group([family_of(word) for word in words], *_checked(words, answers, reference))


def bias_by_band(answers: ArrayLike, reference: ArrayLike) -> tuple[Bias, ...]:
    """The bias for each band of reference intensity, lowest first; bands without entries are left out.

    A model that answers near the middle always has a bias above 0 in the lowest band and below 0 in the highest.
    """
    given, expected = _paired(answers, reference)
    names = np.array([name for name, _ in BANDS])
    limits = [highest for _, highest in BANDS[:-1]]
    groups = np.searchsorted(limits, expected, side="left")
    return tuple(
        _bias(str(names[group]), (given - expected)[groups == group]) for group in range(len(BANDS)) if group in groups
    )


def calibration(answers: ArrayLike, reference: ArrayLike) -> tuple[CalibrationPoint, ...]:
    """The mean answer for each reference intensity that occurs, lowest first; empty without entries."""
    given, expected = _paired(answers, reference)
    return tuple(_point(float(value), given[expected == value]) for value in np.unique(expected))


def _checked(words: Sequence[str], answers: ArrayLike, reference: ArrayLike) -> tuple[Floats, Floats]:
    given, expected = as_floats(answers), as_floats(reference)
    if not given.shape == expected.shape == (len(words),):
        raise ValueError(f"expected {len(words)} answers and references, got {given.shape} and {expected.shape}")
    return given, expected


def _paired(answers: ArrayLike, reference: ArrayLike) -> tuple[Floats, Floats]:
    given, expected = as_floats(answers), as_floats(reference)
    if given.shape != expected.shape:
        raise ValueError(f"expected one reference an answer, got {given.shape} and {expected.shape}")
    both = ~(np.isnan(given) | np.isnan(expected))
    return given[both], expected[both]


def _by_group(names: Sequence[str], answers: Floats, reference: Floats) -> tuple[Bias, ...]:
    errors = answers - reference
    labels = np.array(names, dtype=object)[~np.isnan(errors)]
    errors = errors[~np.isnan(errors)]
    found = [_bias(name, errors[labels == name]) for name in sorted(set(labels.tolist()))]
    return tuple(sorted(found, key=lambda bias: (-bias.mean_error, bias.name)))


def _bias(name: str, errors: Floats) -> Bias:
    estimate = score_estimate(errors)
    return Bias(
        name=name,
        n=errors.size,
        mean_error=float(errors.mean()),
        mean_absolute_error=float(np.abs(errors).mean()),
        standard_error=estimate.standard_error if estimate else None,
        interval=estimate.interval if estimate else None,
    )


def _point(reference: float, answers: Floats) -> CalibrationPoint:
    estimate = score_estimate(answers)
    return CalibrationPoint(
        reference=reference,
        n=answers.size,
        mean_answer=float(answers.mean()),
        standard_error=estimate.standard_error if estimate else None,
        interval=estimate.interval if estimate else None,
    )
