"""How judged replies rank: the share of Good over the medians of a judge's ratings, prompt by prompt. Needs numpy."""

import numpy as np

from evaluation.benchmarks.empathy.judging import REPEATS
from evaluation.statistics.arrays import Floats
from evaluation.statistics.ranking import FieldScores, MeanOfItems

PER_CENT = 100.0


def points(field: FieldScores) -> Floats:
    """Models x items: 100 where the median is Good and 0 where it is not; NaN where it is not certain.

    Of three ratings that were read more than half decide. Two of three have to agree, and one is too few. Where several
    runs of a model count, the item gives the share of all ratings that were read.
    """
    good, rating, counts = field.values[..., 0], field.values[..., 1], field.counts
    agreed = np.isin(good, (0.0, 1.0)) & (rating == np.round(rating))
    certain = (counts == REPEATS) | ((counts == REPEATS - 1) & agreed)
    once = np.where(certain, np.where(good > 0.5, PER_CENT, 0.0), np.nan)
    several = (np.asarray(field.passes) > REPEATS)[:, None]
    return np.where(several, PER_CENT * good, once)


class MedianOfRatings(MeanOfItems):
    n_values = 2


JUDGED_RULE = MedianOfRatings(points, pools=False, sees_items=False)
