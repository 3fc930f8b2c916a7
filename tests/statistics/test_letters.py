"""Letters for responders that do not differ."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.letters import compact_letters


def displayed(n: int, *different: tuple[int, int]) -> list[str]:
    return ["".join(letters) for letters in compact_letters(n, different)]


def test_all_alike_share_one_letter() -> None:
    assert displayed(3) == ["a", "a", "a"]


def test_all_different_have_a_letter_each() -> None:
    assert displayed(3, (0, 1), (0, 2), (1, 2)) == ["a", "b", "c"]


def test_one_in_the_middle_holds_two_letters() -> None:
    assert displayed(3, (0, 2)) == ["a", "ab", "b"]
    assert displayed(3, (2, 0)) == ["a", "ab", "b"]


def test_the_middle_one_may_be_the_one_that_differs() -> None:
    assert displayed(3, (0, 1)) == ["a", "b", "ab"]


def test_none_and_one() -> None:
    assert displayed(0) == []
    assert displayed(1) == ["a"]


def test_after_z_letters_go_on_with_a_number() -> None:
    everyone = list(combinations(range(28), 2))
    assert displayed(28, *everyone)[25:] == ["z", "a2", "b2"]


@pytest.mark.parametrize("pair", [(0, 0), (0, 3), (-1, 1)])
def test_a_pair_of_no_two_things_is_refused(pair: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="is no pair of 3 things"):
        compact_letters(3, [pair])


PAIRS = st.integers(2, 8).flatmap(
    lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2)))))
)


@given(PAIRS)
def test_a_shared_letter_means_no_difference_and_the_other_way_round(case: tuple[int, set[tuple[int, int]]]) -> None:
    n, different = case
    letters = compact_letters(n, different)
    assert letters[0][0] == "a"
    for first, second in combinations(range(n), 2):
        assert bool(set(letters[first]) & set(letters[second])) is ((first, second) not in different)
