"""How SECEU ranks: the EQ is linear in the distance, so it is the mean of the EQs of the items. Needs numpy."""

import numpy as np

from evaluation.benchmarks.seceu.scoring import NULL, distance, eq
from evaluation.statistics.arrays import Floats
from evaluation.statistics.ranking import FieldScores, MeanOfItems


def points(field: FieldScores) -> Floats:
    """Models x items: the EQ of each item's mean distance. In each pass in which an item has no answer it counts as one
    answered (0, 0, 0, 0), as in the run's own score; a model without any answer has no points."""
    nulls = np.array([distance(NULL, item.reference) for item in field.items])
    counts = field.counts
    passes = np.maximum(field.passes, counts.max(axis=1, initial=0.0))[:, None]
    read = counts * np.nan_to_num(field.values[..., 0])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (read + (passes - counts) * nulls) / passes
    answered = (counts > 0).any(axis=1, keepdims=True)
    return np.where(answered, eq_of(mean), np.nan)


def eq_of(distances: Floats) -> Floats:
    """The EQ of each distance, with the constants of `scoring.eq`."""
    at_zero, a_point = eq(0.0), eq(1.0) - eq(0.0)
    return at_zero + a_point * distances


SECEU_RULE = MeanOfItems(points)
