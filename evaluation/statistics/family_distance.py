"""How much farther one model's ratings are from the reference than another's, by family of emotion words.

Pure: may not import Django, HTTP or a clock.

Both models rate the same emotions, so that the level of the reference is the same for both and needs no adjustment.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.arrays import as_floats
from evaluation.statistics.corrections import holm
from evaluation.statistics.differences import PairedDifference, paired_difference
from evaluation.statistics.families import OTHER, family_of

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Farther:
    """The mean distance of `other` from the reference less that of the first model, over the ratings of one family that
    both have: above 0 where the first is closer. `other` counts the other models from 0.

    `is_clear`: still significant when all families and other models are corrected for (Holm).
    """

    family: str
    other: int
    difference: PairedDifference
    is_clear: bool


def farther_by_family(
    words: Sequence[str], first: ArrayLike, others: ArrayLike, reference: ArrayLike, *, least: int
) -> tuple[Farther, ...]:
    """One entry for each family and other model with at least `least` shared ratings, families by name.

    Args:
        words: The emotion words, one per rating.
        first: Ratings of the model that all are compared with, NaN where missing.
        others: Other models x ratings.
        reference: The reference ratings.
        least: Shared ratings that a comparison needs, at least two.

    By Student's t over ratings, taken as independent.
    """
    expected = as_floats(reference)
    distance = np.abs(as_floats(first) - expected)
    families = np.array([family_of(word) for word in words], dtype=object)
    found: list[tuple[str, int, PairedDifference]] = []
    for family in sorted(set(families.tolist()) - {OTHER}):
        here = families == family
        for at, answers in enumerate(as_floats(others)):
            pair = paired_difference(np.abs(answers - expected)[here], distance[here], distribution="t")
            if pair is not None and pair.n >= least:
                found.append((family, at, pair))
    corrected = holm([1.0 if pair.p is None else pair.p for *_, pair in found])
    return tuple(Farther(family, at, pair, p < LEVEL) for (family, at, pair), p in zip(found, corrected, strict=True))
