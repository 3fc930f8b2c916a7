"""Where answers lean: too strong or too weak by word, family and band of intensity, for the field and model by model.

For the field each feeling that is asked for (a slot) is one observation: the mean answer over the models, less the
reference. So n counts feelings, not answers, and the interval holds for other feelings of the kind. Words and families
are compared at equal reference. Near copies of a model are left out of all figures of the field.

Value: `words` and `families` have the columns of GROUP_COLUMNS, `bands` those of BIAS_COLUMNS, `calibration` those of
CALIBRATION_COLUMNS, `models` those of MODEL_COLUMNS, which lists copies too. Intensities are 0 to 10.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.statistics.arrays import Bools, Floats, present_mean, ratio
from evaluation.statistics.emotions import Bias, bias_by_band, bias_by_family, bias_by_word, by_adjusted, calibration
from evaluation.statistics.families import OTHER
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.marks import Member
from leaderboard.statistics.outcomes import Outcome, ends, outcome

WORD_LEAST = 10
MOST_POINTS = 25
ABSENT, STRONG = 0.0, 7.0
BIAS_COLUMNS = ("name", "n", "mean_error", "low", "high")
GROUP_COLUMNS = ("name", "n", "mean_error", "adjusted", "low", "high", "is_clear")
"""`low` and `high` are those of `adjusted`, the error at equal reference. `is_clear` allows for all groups."""
CALIBRATION_COLUMNS = ("reference", "n", "mean_answer", "low", "high")
MODEL_COLUMNS = ("model", "slug", "n", "mean_error", "mean_absolute_error", "absent", "strong", "slope", "intercept")


def compute(frame: Frame) -> Outcome:
    if not frame.has_items or not frame.answers.size or np.isnan(frame.answers).all():
        return Outcome(0, {})
    copies = frame.near_copies
    field = frame.answers[[row for row in range(len(frame.members)) if row not in copies]]
    reference, means = frame.items.reference, present_mean(field, axis=0)
    words = frame.items.words
    families = [bias for bias in bias_by_family(words, means, reference) if bias.name != OTHER]
    points = calibration(means, reference)
    return outcome(
        int((~np.isnan(field)).any(axis=1).sum()),
        n_copies=len(copies),
        n_slots=int((~np.isnan(means)).sum()),
        word_least=WORD_LEAST,
        words=group_rows(bias_by_word(words, means, reference, least=WORD_LEAST)) if frame.shows_words else [],
        families=group_rows(families) if frame.shows_words else [],
        bands=rows_of(bias_by_band(means, reference)),
        calibration=[[point.reference, point.n, point.mean_answer, *ends(point.interval)] for point in points]
        if len(points) <= MOST_POINTS
        else [],
        overall=overall(means - reference),
        models=model_rows(frame),
    )


def rows_of(biases: Sequence[Bias]) -> list[list[object]]:
    return [[bias.name, bias.n, bias.mean_error, *ends(bias.interval)] for bias in biases]


def group_rows(biases: Sequence[Bias]) -> list[list[object]]:
    """The most overrated at equal reference first, without the groups that nothing can be compared with."""
    return [
        [bias.name, bias.n, bias.mean_error, found.mean_error, *ends(found.interval), found.is_clear]
        for bias in by_adjusted(biases)
        if (found := bias.adjusted)
    ]


def overall(errors: Floats) -> list[object]:
    found = bias_by_word(["all"] * errors.size, errors, np.zeros_like(errors))
    return rows_of(found)[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Least squares of each model's answers on the reference."""

    slope: Floats
    intercept: Floats


def model_rows(frame: Frame) -> list[list[object]]:
    """All models at once, those whose answers are nearest the reference first."""
    answers, reference = frame.answers, frame.items.reference
    errors = answers - reference
    n = (~np.isnan(errors)).sum(axis=1)
    absolute, lines = present_mean(np.abs(errors), axis=1), lines_of(answers, reference)
    columns = (
        present_mean(errors, axis=1), absolute, group_mean(errors, reference == ABSENT),
        group_mean(errors, reference >= STRONG), lines.slope, lines.intercept,
    )  # fmt: skip
    order = [int(at) for at in np.argsort(absolute, kind="stable") if n[at]]
    return [model_row(frame.members[at], int(n[at]), [float(column[at]) for column in columns]) for at in order]


def model_row(member: Member, n: int, figures: Sequence[float]) -> list[object]:
    return [member.name, member.slug, n, *figures]


def group_mean(errors: Floats, group: Bools) -> Floats:
    return present_mean(errors[:, group], axis=1)


def lines_of(answers: Floats, reference: Floats) -> _Lines:
    present = ~np.isnan(answers)
    x = np.where(present, reference, np.nan)
    mean_x, mean_y = present_mean(x, axis=1), present_mean(answers, axis=1)
    dx, dy = x - mean_x[:, None], answers - mean_y[:, None]
    slope = ratio(np.nansum(dx * dy, axis=1), np.nansum(np.square(dx), axis=1))
    return _Lines(slope, mean_y - slope * mean_x)
