"""What is known of published EQ-Bench v2 scores as a field, for scores of which only the figure is public.

Constants in points, from the item scores of the 86 official run files of EQ-bench/EQ-Bench at commit d28c60c, scored
by the rule of that repository's README. Source: published EQ-Bench figures, items and reliability.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublishedField:
    """The median standard error of a score, and the median gap between two models below which they are tied."""

    median_standard_error: float
    least_significant_difference: float


FIELDS: Mapping[str, PublishedField] = {"eq-bench-v2": PublishedField(2.0216, 4.5969)}
"""By ranking. A ranking that is not in here has no approximate intervals: another bank has other errors.

Source: the 86 files of results/eq-bench in github.com/EQ-bench/EQ-Bench at
d28c60c514fe6667dc5818114ed10088f91f09f3, which official_runs.csv of the shipped figures lists by name; the pass that
counts, by the scoring rule of that repository's README (with its code the two are 2.0211 and 4.5957). 2.0216 is the
median over the runs of 10 x SD (n - 1) / sqrt(n) of their item scores. 4.5969 is 1.959964 x 2.3454, the median over
the 3,655 pairs of runs of the standard error of their paired difference. The tests compare both with the files.
"""
