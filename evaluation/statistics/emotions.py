"""Emotion bias: where a model's intensities are too strong or too weak, by word, by family and by intensity.

Pure: may not import Django, HTTP or a clock.

All functions take one entry for each rated emotion: its word, the answer and the reference intensity, both 0 to 10;
answers above 10 enter as they stand. Entries without an answer or reference (NaN) are skipped. The four emotions of an
item are treated as independent, which they are not quite, so the intervals are a little too narrow.

Any answer that is wrong in any way overrates words with low references and underrates words with high ones: an answer
can only err inwards at the ends of the scale. So words and families are compared at equal reference: the adjusted error
is the error less the mean error of all entries with the same reference.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import Floats, as_floats, rounding_of
from evaluation.statistics.families import family_of
from evaluation.statistics.intervals import Interval, around
from evaluation.statistics.scores import score_estimate
from evaluation.statistics.students_t import t_critical

LEVEL = 0.95

BANDS = (("0", 0.0), ("1–3", 3.0), ("4–6", 6.0), ("7–10", 10.0))
"""Names of the bands of reference intensity, each with its highest value; a value between two belongs to the upper."""


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Errors of one group less the mean error of all entries with the same reference.

    `n` leaves out entries whose reference occurs once, for want of a comparison. The interval is that of Student's t;
    None for a single entry. `is_clear`: the interval still leaves 0 out when its 5 % are shared by all groups that
    were compared (Bonferroni), so that the largest of many groups may be named.
    """

    n: int
    mean_error: float
    interval: Interval | None
    is_clear: bool


@dataclass(frozen=True, slots=True)
class Bias:
    """Signed errors, answer less reference, of one group of `n` entries: above 0 too strong, below 0 too weak.

    `mean_absolute_error` is 0 only when every answer is right. The interval of the mean is that of Student's t; it and
    the standard error are None for a single entry. `adjusted` compares at equal reference; None for bands, which are
    groups of references, and where no entry has another of its reference.
    """

    name: str
    n: int
    mean_error: float
    mean_absolute_error: float
    standard_error: float | None
    interval: Interval | None
    adjusted: Adjusted | None = None


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


def bias_by_word(words: Sequence[str], answers: ArrayLike, reference: ArrayLike, *, least: int = 1) -> tuple[Bias, ...]:
    """The bias for each emotion word as spelt, the most overrated first; empty without entries.

    Words with fewer than `least` entries are left out, and do not count as compared. Their entries still say how far
    answers err at their reference.
    """
    return _by_group(words, *_checked(words, answers, reference), least=least)


def bias_by_family(
    words: Sequence[str], answers: ArrayLike, reference: ArrayLike, *, least: int = 1
) -> tuple[Bias, ...]:
    """The bias for each family of words, in the order of `bias_by_word`; words of no family come as "other"."""
    return _by_group([family_of(word) for word in words], *_checked(words, answers, reference), least=least)


def by_adjusted(biases: Iterable[Bias]) -> list[Bias]:
    """The most overrated at equal reference first; those that nothing can be compared with are left out."""
    found = [(bias.adjusted.mean_error, bias) for bias in biases if bias.adjusted]
    return [bias for _, bias in sorted(found, key=lambda pair: (-pair[0], pair[1].name))]


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


def at_equal_reference(answers: ArrayLike, reference: ArrayLike) -> Floats:
    """Each error less the mean error of the entries with the same reference, taken to the nearest whole intensity.

    NaN for a missing entry, and where no other entry has its reference.
    """
    given, expected = as_floats(answers), as_floats(reference)
    errors = given - expected
    levels, residuals = np.rint(expected), np.full(errors.shape, np.nan)
    for level in np.unique(levels[~np.isnan(errors)]):
        here = (levels == level) & ~np.isnan(errors)
        if here.sum() > 1:
            residuals[here] = errors[here] - errors[here].mean()
    # Equal answers at one reference leave rounding errors, which have no spread and would look certain.
    residuals[np.abs(residuals) <= rounding_of(np.concatenate([given, expected]))] = 0.0
    return residuals


def _by_group(names: Sequence[str], answers: Floats, reference: Floats, *, least: int) -> tuple[Bias, ...]:
    errors = answers - reference
    present = ~np.isnan(errors)
    errors, residuals = errors[present], at_equal_reference(answers, reference)[present]
    labels, at = np.unique(np.array(names, dtype=np.str_)[present], return_inverse=True)
    groups = np.flatnonzero(np.bincount(at, minlength=labels.size) >= least).tolist()
    found = [
        replace(_bias(str(labels[group]), errors[at == group]), adjusted=_adjusted(residuals[at == group], len(groups)))
        for group in groups
    ]
    return tuple(sorted(found, key=lambda bias: (-bias.mean_error, bias.name)))


def _adjusted(residuals: Floats, n_groups: int) -> Adjusted | None:
    estimate = score_estimate(residuals)
    if estimate is None:
        return None
    n, mean, error = estimate.n_items, estimate.mean, estimate.standard_error
    if error is None:
        return Adjusted(n, mean, None, is_clear=False)
    of_all = t_critical(n - 1, 1 - (1 - LEVEL) / n_groups) * error
    return Adjusted(n, mean, around(mean, error, t_critical(n - 1)), is_clear=abs(mean) > of_all)


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
