"""Rules by which the models of a benchmark are told apart: in which unit, which way, and by which draws."""

import math
from dataclasses import replace

import numpy as np
import pytest

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Bank, Item, JsonValue
from evaluation.benchmarks.emotionbench.bank import people_of
from evaluation.benchmarks.emotionbench.ranking import EMOTION_RULE
from evaluation.benchmarks.emotionbench.ranking import totals as alignments
from evaluation.benchmarks.emotionbench.scoring import alignment
from evaluation.benchmarks.rank_rules import RULES, rule_of
from evaluation.benchmarks.seceu.ranking import points as eq_points
from evaluation.statistics.arrays import Floats
from evaluation.statistics.intervals import resampling_weights, widened_weights
from evaluation.statistics.one_order import one_order, order_of
from evaluation.statistics.ranking import MEAN_OF_ITEMS, ByItems, ByPairs, FieldScores, drawn_of_points, oriented
from evaluation.statistics.ranks import open_ranges, resampled_ahead
from tests.kinds.toy import TOY_CHOICES, TOY_MINUTES

NAN = float("nan")


def field_of(values: Floats, items: tuple[Item, ...] = (), norms: object = None, passes: float = 1.0) -> FieldScores:
    """Models x items, or models x items x values."""
    every = values if values.ndim == 3 else values[..., None]
    counts = (~np.isnan(every[..., 0])).astype(np.float64)
    return FieldScores(np.nanmean(every[..., 0], axis=1), every, counts, np.full(len(every), passes), items, norms)


def some(models: int, items: int, seed: int = 1) -> Floats:
    generator = np.random.default_rng(seed)
    ability, difficulty = generator.normal(0, 1, (models, 1)), generator.normal(0, 2, items)
    return 6 + ability + difficulty + generator.normal(0, 2, (models, items))


def test_groups_are_drawn_by_themselves_and_one_group_is_none() -> None:
    groups = ["a", "b", "a", "a", "b", "c"]
    weights = resampling_weights(6, 400, 3, groups)
    for members in ([0, 2, 3], [1, 4], [5]):
        assert (weights[:, members].sum(axis=1) == len(members)).all()
    assert len(np.unique(weights[:, [0, 2, 3]], axis=0)) > 5
    assert (resampling_weights(6, 50, 3, ["x"] * 6) == resampling_weights(6, 50, 3)).all()
    with pytest.raises(ValueError, match="6 things need as many groups"):
        resampling_weights(6, 50, 3, ["x"])


def test_widened_draws_scatter_as_much_as_the_things_do() -> None:
    groups = ["a"] * 5 + ["b"]
    weights = widened_weights(6, 20_000, 3, groups)
    assert np.allclose(weights[:, :5].sum(axis=1), 5)
    assert (weights[:, 5] == 1).all()
    assert set(np.unique(weights[:, :5])) == {0.0, 1.25, 2.5, 3.75, 5.0}
    values = np.array([1.0, 4.0, 2.0, 7.0, 6.0])
    drawn = weights[:, :5] @ values / 5
    assert drawn.std() == pytest.approx(values.std(ddof=1) / math.sqrt(5), rel=0.02)
    plain = resampling_weights(5, 20_000, 3) @ values / 5
    assert plain.std() == pytest.approx(values.std() / math.sqrt(5), rel=0.02)


@pytest.mark.parametrize("items", [20, 60])
def test_the_rule_of_eq_bench_draws_as_it_always_did(items: int) -> None:
    scores = some(12, items)
    drawn = RULES["eq-bench-v2"].drawn(field_of(scores), "higher")
    points = 10.0 * scores
    before = one_order(points.mean(axis=1), points, np.full(12, NAN))
    after = order_of(points.mean(axis=1), np.full(12, NAN), np.full(12, True), drawn, n_items=items)
    assert (before.ahead == after.ahead).all()
    assert (before.ahead_all == after.ahead_all).all()
    assert (before.error == after.error).all()
    if items == 60:
        assert (drawn.ahead == resampled_ahead(points)).all()


def test_lower_is_better_is_the_mirror_of_higher_is_better() -> None:
    scores = some(11, 40)
    field, mirrored = field_of(scores), field_of(-scores)
    there, here = MEAN_OF_ITEMS.ranges(field, "higher"), MEAN_OF_ITEMS.ranges(mirrored, "lower")
    assert (there.rank == here.rank).all()
    assert (there.low == here.low).all()
    assert (there.high == here.high).all()
    assert (MEAN_OF_ITEMS.ranges(field, "lower").rank == 12 - there.rank).all()
    assert oriented([1.0, 2.0], "lower").tolist() == [-1.0, -2.0]
    assert oriented([1.0, 2.0], "neither").tolist() == [1.0, 2.0]


def test_a_benchmark_without_a_rule_ranks_by_the_mean_of_its_items_in_points_of_the_run() -> None:
    rule = rule_of(TOY_CHOICES)
    assert rule is not None
    assert not rule.pools
    assert rule.points(field_of(np.array([[0.0, 1.0, NAN]]))).tolist()[0][:2] == [0.0, 100.0]
    minutes = rule_of(TOY_MINUTES)
    assert minutes is not None
    assert minutes.points(field_of(np.array([[3.0, 4.0]]))).tolist() == [[3.0, 4.0]]
    turned = replace(TOY_MINUTES, measures=(replace(TOY_MINUTES.measures[0], better="higher"),))
    assert rule_of(turned) is None


def test_every_benchmark_that_ranks_has_a_rule_of_its_own() -> None:
    missing = {name for name, benchmark in BENCHMARKS.items() if benchmark.measures and name not in RULES}
    assert missing <= {"empathy-judged"}, "a line in rank_rules.RULES"


def seceu_items(n: int) -> tuple[Item, ...]:
    labels = ("a", "b", "c", "d")
    return tuple(Item(str(at), "", labels, (1.0 + at % 3, 2.0, 3.0, 4.0 - at % 3)) for at in range(n))


def test_the_points_of_seceu_are_eqs_whose_mean_is_the_eq_of_the_run() -> None:
    items = seceu_items(12)
    distances = np.array([[[0.5 + 0.3 * at, NAN if at % 4 == 0 else 1.0 + 0.1 * at] for at in range(12)]])
    counts = (~np.isnan(distances)).sum(axis=2).astype(np.float64)
    field = FieldScores(np.zeros(1), np.nanmean(distances, axis=2)[..., None], counts, np.array([2.0]), items)
    (points,) = eq_points(field)
    filled = [
        np.mean([math.dist((0,) * 4, item.reference) if np.isnan(one) else one for one in distances[0, at]])
        for at, item in enumerate(items)
    ]
    assert points.mean() == pytest.approx(100 + 15 * (2.79 - np.mean(filled)) / 0.822)
    nothing = replace(field, values=np.full((1, 12, 1), NAN), counts=np.zeros((1, 12)))
    assert np.isnan(eq_points(nothing)).all()


FACTORS, SITUATIONS = ("Anger-0", "Anger-1", "Fear-0", "Guilt-0"), 5


def people() -> dict[str, JsonValue]:
    generator = np.random.default_rng(4)

    def entry() -> dict[str, JsonValue]:
        evoked, change = generator.normal(23, 4), generator.normal(0, 6)
        return {
            "evoked_mean": evoked, "evoked_sd": 8.0, "change_mean": change, "change_sd": 9.0, "arrow": "",
        }  # fmt: skip

    return {name: {"n": 30, "pos": entry(), "neg": entry()} for name in FACTORS}


def emotion_field(models: int, spread: float = 3.0) -> FieldScores:
    items = [Item("default", "", ())]
    items += [Item(f"{name}#{at}", "", (), group=name) for name in FACTORS for at in range(SITUATIONS)]
    values = np.random.default_rng(7).normal(25, spread, (models, len(items), 2))
    found = field_of(values, tuple(items), people())
    return replace(found, totals=alignments(found, np.ones((1, len(items))))[0])


def test_the_alignment_of_many_models_is_that_of_each() -> None:
    field = emotion_field(3)
    spread_out = people_of(Bank((), people()))
    assert list(spread_out) == list(FACTORS)
    for at, total in enumerate(field.totals):
        moods = field.values[at]
        evoked = {
            name: tuple(np.mean([moods[i] for i, item in enumerate(field.items) if item.group == name], axis=0))
            for name in FACTORS
        }
        assert total == pytest.approx(alignment(spread_out, tuple(moods[0]), evoked).alignment, abs=1e-5)


def test_questionnaires_without_an_answer_weigh_nothing_and_a_factor_without_any_leaves_no_alignment() -> None:
    field = emotion_field(2)
    counts = field.counts.copy()
    counts[0, 1:3] = 0
    counts[1, 1:6] = 0
    found = alignments(replace(field, counts=counts), np.ones((1, len(field.items))))[0]
    assert found[0] != field.totals[0]
    assert np.isnan(found[1])
    drawn = EMOTION_RULE.drawn(replace(field, counts=counts, totals=np.array([found[0], 50.0])), "higher")
    assert np.isnan(drawn.errors).tolist() == [False, True]
    assert not drawn.ahead.any()


def test_draws_of_an_alignment_scatter_around_the_alignment_that_there_is() -> None:
    """Those of a draw lie beside it, since they repeat situations."""
    field = emotion_field(6)
    weights = widened_weights(len(field.items), 1000, 171, [item.group for item in field.items])
    assert np.abs(alignments(field, weights).mean(axis=0) - field.totals).max() > 1
    drawn = EMOTION_RULE.drawn(field, "higher")
    assert drawn.means.mean(axis=0) == pytest.approx(field.totals)
    assert (drawn.errors > 0).all()
    gaps, n = field.totals[:, None] - field.totals, len(field.totals)
    for first in range(n):
        for second in range(n):
            spread = (drawn.means[:, first] - drawn.means[:, second]).std()
            assert drawn.ahead[first, second] == (gaps[first, second] > 1.959963984540054 * spread)


def test_a_rule_for_the_mean_by_items_finds_what_the_draws_of_the_mean_find() -> None:
    scores = some(12, 60)
    items = tuple(Item(str(at), "", ()) for at in range(60))

    def totals(field: FieldScores, weights: Floats) -> Floats:
        return np.asarray(weights @ field.values[..., 0].T / 60)

    found, other = ByItems(totals).drawn(field_of(scores, items), "higher").ahead, drawn_of_points(scores).ahead
    assert (found != other).mean() < 0.02


def test_pairs_that_people_judged_are_corrected_for_each_other() -> None:
    counts = np.array([[90.0, 10.0], [60.0, 40.0], [55.0, 45.0], [50.0, 50.0]])

    def p_value(first: Floats, second: Floats) -> float:
        gap = abs(first[0] - second[0])
        return 0.001 if gap >= 30 else 0.02 if gap >= 10 else 0.5

    field = FieldScores(counts[:, 0], np.empty((4, 0, 1)), counts, np.ones(4))
    ranges = ByPairs(p_value).ranges(field, "higher")
    assert ranges.rank.tolist() == [1, 2, 3, 4]
    # 0.02 times the three tests that are left does not reach 0.05.
    assert (ranges.low.tolist(), ranges.high.tolist()) == ([1, 2, 2, 2], [1, 4, 4, 4])
    assert open_ranges(ByPairs(p_value).ahead(field, "lower"), -field.totals).rank.tolist() == [4, 3, 2, 1]
