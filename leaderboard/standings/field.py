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
"""By ranking. A ranking that is not in here has no approximate intervals: another bank has other errors."""
