"""Which rule ranks the models of which benchmark. Needs numpy: imported by the standings alone, never by a runner."""

from evaluation.benchmarks.base import Benchmark
from evaluation.benchmarks.emotionbench.ranking import EMOTION_RULE
from evaluation.benchmarks.empathy.ranking import JUDGED_RULE
from evaluation.benchmarks.eqbench_summary import POINTS
from evaluation.benchmarks.seceu.ranking import SECEU_RULE
from evaluation.statistics.ranking import ItemRule, MeanOfItems, times

EQ_BENCH_RULE = MeanOfItems(times(POINTS), sees_items=False)

RULES: dict[str, ItemRule] = {
    "eq-bench-v2": EQ_BENCH_RULE,
    "eq-bench-v2-code": EQ_BENCH_RULE,
    "eq-bench-v1": EQ_BENCH_RULE,
    "eq-bench-v2-de": EQ_BENCH_RULE,
    "seceu": SECEU_RULE,
    "seceu-direct": SECEU_RULE,
    "seceu-shuffled": SECEU_RULE,
    "emotionbench": EMOTION_RULE,
    "empathy-judged": JUDGED_RULE,
}


def rule_of(benchmark: Benchmark) -> ItemRule | None:
    """The benchmark's rule. One without a rule ranks as if its score were the mean of the first value of its items, on
    the scale of the two axes, where these go the same way; else None: its answers then decide nothing."""
    if benchmark.name in RULES:
        return RULES[benchmark.name]
    if not benchmark.measures or benchmark.measures[0].better != benchmark.item_measures[0].better:
        return None
    return MeanOfItems(times(points_an_item(benchmark)), pools=False)


def points_an_item(benchmark: Benchmark) -> float:
    """What a unit of an item's first value is in units of the score, if that is the mean of the items."""
    run, item = benchmark.measures[0], benchmark.item_measures[0]
    return run.high / item.high if run.high and item.high else 1.0
