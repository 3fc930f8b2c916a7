"""What is known of EQ-Bench v2 scores as a field, for models of which only the score is public.

Constants in points, from the item scores of the 86 official run files of EQ-bench/EQ-Bench at commit d28c60c, scored
by the rule of that repository's README. Source: published EQ-Bench figures, items and reliability. A change of any of
them changes ranks: raise `rows.RANK_RULE` with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """A standard error that falls with the score: intercept + slope x score, `floor` at the least. All in points."""

    intercept: float
    slope: float
    floor: float = 0.5

    def at(self, score: float) -> float:
        return max(self.floor, self.intercept + self.slope * score)


@dataclass(frozen=True, slots=True)
class PublishedField:
    """How exact a published score is.

    `full_error` is the standard error that is printed with a score. `own_error` leaves out what the items do to all
    models alike: it decides whether two models are apart. The next two are medians over the field, in points: of the
    standard error, and of the gap between two models below which the paired test ties them. `gap_bands` has the same
    gap for pairs of which both scores lie in one band: above, up to (None: no bound), and the gap; the highest first.
    """

    full_error: ErrorLine
    own_error: ErrorLine
    median_standard_error: float
    least_significant_difference: float
    gap_bands: tuple[tuple[float | None, float | None, float], ...]


N_RUNS = 86
GAP_BANDS = ((80.0, None, 2.93), (70.0, 80.0, 4.08), (60.0, 70.0, 4.66), (40.0, 60.0, 5.82), (None, 40.0, 7.47))
FIELDS: Mapping[str, PublishedField] = {
    "eq-bench-v2": PublishedField(ErrorLine(3.957, -0.0282), ErrorLine(3.677, -0.0298), 2.0216, 4.5969, GAP_BANDS)
}
"""By ranking. A ranking that is not in here has no approximate intervals: another bank has other errors.

Source: the 86 files of results/eq-bench in github.com/EQ-bench/EQ-Bench at
d28c60c514fe6667dc5818114ed10088f91f09f3, which official_runs.csv of the shipped figures lists by name; the pass that
counts, by the scoring rule of that repository's README (with its code the medians are 2.0211 and 4.5957). The lines are
least squares over the runs of the standard error, SD (n - 1) / sqrt(n) of the item scores, on the score: of the item
scores as they are (r = -0.825), and less the mean of their item over the runs (r = -0.840). 2.0216 is the median of the
former. 4.5969 is 1.959964 x 2.3454, the median over the 3,655 pairs of runs of the standard error of their paired
difference. GAP_BANDS are the same medians over the pairs within each band. The item scores of the 86 runs are shipped:
evaluation/data/published/official_item_scores.csv, read by `evaluation.importers.official_scores`. The tests compute
all of these constants from them.
"""
