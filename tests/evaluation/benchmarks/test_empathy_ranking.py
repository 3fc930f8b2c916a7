"""The rank rule of judged replies sees the same medians as the run's own score, from means and counts alone."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.empathy.ranking import JUDGED_RULE
from evaluation.benchmarks.empathy.scoring import certain_median
from evaluation.benchmarks.rank_rules import rule_of
from evaluation.statistics.ranking import FieldScores


def field(ratings: list[tuple[Any, ...]], passes: int = 3) -> FieldScores:
    """One model; an item for each tuple of ratings, None for one that was not read."""
    read = [[rating for rating in each if rating is not None] for each in ratings]
    values = [
        [float(np.mean([rating == 3 for rating in each])), float(np.mean(each))] if each else [np.nan, np.nan]
        for each in read
    ]
    counts = np.array([[len(each) for each in read]], dtype=float)
    return FieldScores(np.array([50.0]), np.array([values]), counts, np.array([float(passes)]))


def test_each_item_gives_what_its_certain_median_gives() -> None:
    ratings = list(product((1, 2, 3, None), repeat=3))
    expected = [certain_median([rating for rating in each if rating is not None], 3) for each in ratings]
    found = JUDGED_RULE.points(field(ratings))[0]
    assert [None if np.isnan(point) else point for point in found] == [
        None if median is None else 100.0 * (median == 3) for median in expected
    ]


def test_several_runs_of_a_model_give_the_share_of_all_their_ratings() -> None:
    assert JUDGED_RULE.points(field([(3, 3, 3, 1, 1, 2)], passes=6))[0] == pytest.approx([50.0])


def test_the_rule_belongs_to_the_benchmark_and_replies_have_none() -> None:
    assert rule_of(BENCHMARKS["empathy-judged"]) is JUDGED_RULE
    assert rule_of(BENCHMARKS["empathy-replies"]) is None
