"""Orders drawn by a seed: the same for the same seed, and no order likelier than another."""

from collections import Counter
from itertools import permutations

from evaluation.benchmarks.chance import numbers, order


def test_a_seed_always_gives_the_same_order() -> None:
    assert order(171, 6) == order(171, 6) == (3, 1, 4, 0, 5, 2)


def test_each_order_comes_about_as_often_as_any_other() -> None:
    found = Counter(order(seed, 4) for seed in range(24_000))
    assert set(found) == set(permutations(range(4)))
    assert max(abs(count - 1000) for count in found.values()) < 150  # nearly five standard deviations


def test_an_order_of_one_or_none_is_no_choice() -> None:
    assert (order(1, 0), order(1, 1)) == ((), (0,))


def test_numbers_are_evenly_spread_and_the_same_for_a_seed() -> None:
    found = numbers("a", 10_000)
    assert found == numbers("a", 10_000) != numbers("b", 10_000)
    tenths = Counter(int(number * 10) for number in found)
    assert set(tenths) == set(range(10))
    assert max(abs(count - 1000) for count in tenths.values()) < 150  # five standard deviations
