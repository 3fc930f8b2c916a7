"""A run's numbers from the scores of its answers: counted parts, shares, the 83.33 % rule, the clustered error."""

import math
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.benchmarks.base import ItemScore, ReadingName, Summary
from evaluation.benchmarks.eqbench_summary import summarise
from tests.evaluation.benchmarks.standard import unhurried


def scored(
    points: Sequence[float | None], *, part: str = "first_pass", repeat: int = 1, reading: ReadingName = "official"
) -> list[ItemScore]:
    """One score an item, item ids "0", "1", ... in order."""
    return [
        ItemScore(str(number), repeat, part, "none" if value is None else reading, (value,))
        for number, value in enumerate(points)
    ]


def run(scores: Sequence[ItemScore], n_items: int, repeats: int = 1) -> Summary:
    return summarise(scores, n_items=n_items, repeats=repeats)


def test_a_score_is_ten_times_the_mean_of_the_items_unrounded() -> None:
    summary = run(scored([10, 5, -3.5]), 3)
    assert summary.score == pytest.approx(115 / 3, rel=1e-15)
    assert (summary.n_scored, summary.parse_share, summary.reason) == (3, 1.0, "")
    assert summary.repeat_scores == (summary.score,)
    assert summary.counted_parts == ("first_pass",)


def test_a_negative_score_is_a_score() -> None:
    assert run(scored([-2, -4]), 2).score == pytest.approx(-30)


def test_the_standard_error_is_the_sample_deviation_over_the_root_of_the_items() -> None:
    assert run(scored([2, 4, 6, 8]), 4).standard_error == pytest.approx(10 * math.sqrt(20 / 3) / 2)


def test_one_item_has_a_score_and_no_standard_error() -> None:
    summary = run(scored([7]), 1)
    assert (summary.score, summary.standard_error) == (70.0, None)


def test_equal_items_have_a_standard_error_of_zero() -> None:
    assert run(scored([7.1] * 9), 9).standard_error == 0.0


def test_repeats_are_clustered_by_item() -> None:
    once = run(scored([2, 4, 6, 8]), 4)
    thrice = run([score for repeat in (1, 2, 3) for score in scored([2, 4, 6, 8], repeat=repeat)], 4, repeats=3)
    assert thrice.standard_error == pytest.approx(once.standard_error)
    assert thrice.n_scored == 4


def test_an_item_mean_is_over_the_repeats_in_which_it_was_scored() -> None:
    scores = [*scored([0, 10], repeat=1), *scored([4, None], repeat=2)]
    summary = run(scores, 2, repeats=2)
    assert summary.parse_share == 0.75
    assert run(scores, 2, repeats=2).score is None
    full = run([*scored([0, 10] * 3, repeat=1), *scored([4, None, 0, 10, 0, 10], repeat=2)], 6, repeats=2)
    means = [2, 10, 0, 10, 0, 10]
    deviation = math.sqrt(sum((mean - 32 / 6) ** 2 for mean in means) / 5)
    assert full.standard_error == pytest.approx(10 * deviation / math.sqrt(6))


def test_the_score_is_the_mean_of_the_repeats_and_not_of_all_items() -> None:
    scores = [*scored([10] * 6, repeat=1), *scored([4] * 5 + [None], repeat=2)]
    summary = run(scores, 6, repeats=2)
    assert summary.repeat_scores == (100.0, 40.0)
    assert summary.score == 70.0


def test_a_repeat_without_a_scored_item_has_no_score_and_no_part_but_lowers_the_share() -> None:
    summary = run(scored([10] * 6), 6, repeats=2)
    assert summary.repeat_scores == (100.0, None)
    assert summary.counted_parts == ("first_pass", "")
    assert summary.parse_share == 0.5
    assert summary.score is None


@pytest.mark.parametrize(("n_items", "needed"), [(171, 143), (60, 50), (6, 5), (1, 1)])
def test_a_run_counts_from_83_33_per_cent_of_the_items_on(n_items: int, needed: int) -> None:
    enough = run(scored([5.0] * needed + [None] * (n_items - needed)), n_items)
    assert (enough.score, enough.reason) == (50.0, "")
    too_few = run(scored([5.0] * (needed - 1) + [None] * (n_items - needed + 1)), n_items)
    assert (too_few.score, too_few.standard_error, too_few.n_scored) == (None, None, needed - 1)
    assert too_few.reason == f"not enough readable items: {needed - 1} of {n_items} read, at least {needed} needed"


def test_the_rule_is_on_the_mean_over_the_repeats() -> None:
    scores = [*scored([5.0] * 60, repeat=1), *scored([5.0] * 40 + [None] * 20, repeat=2)]
    assert run(scores, 60, repeats=2).score == 50.0
    fewer = run([*scores, *scored([5.0] * 40 + [None] * 20, repeat=3)], 60, repeats=3)
    assert fewer.reason == "not enough readable items: on average 46.67 of 60 read, at least 50 needed"


def test_strict_counts_the_official_reading_alone_and_has_its_own_rule() -> None:
    mixed = [*scored([10] * 50), *[ItemScore(str(n), 1, "first_pass", "tolerant", (4,)) for n in range(50, 60)]]
    summary = run(mixed, 60)
    assert (summary.score, summary.strict_score) == (90.0, 100.0)
    assert (summary.n_scored, summary.n_strict) == (60, 50)
    assert summary.parse_share == 1.0
    assert summary.strict_share == pytest.approx(50 / 60)
    fewer = run(mixed[1:], 60)
    assert fewer.score is not None
    assert (fewer.strict_score, fewer.n_strict, fewer.reason) == (None, 49, "")


def both(first: Sequence[float | None], revised: Sequence[float | None]) -> Summary:
    scores = scored(first) + scored(revised, part="revised")
    return run(scores, len(first))


@pytest.mark.parametrize(
    ("first", "revised", "part"),
    [
        ([5] * 20, [6] * 20, "revised"),
        ([5] * 20, [5] * 20, "revised"),
        ([5] * 20, [4.9] * 20, "first_pass"),
        ([5] * 20, [6] * 19 + [None], "revised"),
        ([5] * 20, [6] * 18 + [None] * 2, "first_pass"),
        ([None] * 20, [-6] * 20, "revised"),
        ([5] * 20, [None] * 20, "first_pass"),
    ],
    ids=["better", "equal", "worse", "95 per cent", "90 per cent", "no first pass", "no revision"],
)
def test_the_revised_pass_counts_if_it_is_no_worse_and_nearly_as_complete(
    first: list[float | None], revised: list[float | None], part: str
) -> None:
    summary = both(first, revised)
    counted = [value for value in (revised if part == "revised" else first) if value is not None]
    assert summary.counted_parts == (part,)
    assert summary.score == pytest.approx(10 * sum(counted) / len(counted))
    assert summary.n_scored == len(counted)


def test_each_repeat_picks_its_own_part() -> None:
    scores = scored([5] * 6) + scored([7] * 6, part="revised")
    scores += scored([5] * 6, repeat=2) + scored([3] * 6, part="revised", repeat=2)
    summary = run(scores, 6, repeats=2)
    assert summary.counted_parts == ("revised", "first_pass")
    assert summary.score == 60.0


def test_strict_never_counts_more_items_than_are_scored() -> None:
    first = scored([5] * 20)
    revised = scored([4] * 19 + [None], part="revised")
    revised[0] = ItemScore("0", 1, "revised", "tolerant", (60.0,))
    summary = run(first + revised, 20)
    assert summary.counted_parts == ("revised",)
    assert summary.strict_score == 50.0
    assert summary.n_strict <= summary.n_scored == 19


@pytest.mark.parametrize(("n_items", "repeats"), [(0, 1), (5, 0), (0, 0), (5, 3)])
def test_a_run_without_results_has_no_numbers_and_does_not_fail(n_items: int, repeats: int) -> None:
    summary = run([], n_items, repeats)
    assert (summary.score, summary.strict_score, summary.standard_error) == (None, None, None)
    assert (summary.parse_share, summary.n_scored, summary.repeat_scores) == (0.0, 0, (None,) * repeats)
    assert summary.reason.startswith("not enough readable items: ")


_SCORES = st.lists(
    st.builds(
        ItemScore,
        item_id=st.sampled_from("abcdef"),
        repeat=st.integers(1, 3),
        part=st.sampled_from(["first_pass", "revised"]),
        reading=st.sampled_from(["official", "tolerant"]),
        values=st.tuples(st.none() | st.floats(-200, 10)),
    ),
    unique_by=lambda score: (score.item_id, score.repeat, score.part),
)


@unhurried
@given(_SCORES)
def test_every_number_is_finite_and_counts_hold_together(scores: list[ItemScore]) -> None:
    summary = run(scores, 6, repeats=3)
    numbers = [summary.score, summary.strict_score, summary.standard_error, *summary.repeat_scores]
    assert all(math.isfinite(number) for number in numbers if number is not None)
    assert 0 <= summary.n_strict <= summary.n_scored <= summary.n_items
    assert 0 <= summary.parse_share <= 1
    assert 0 <= summary.strict_share <= 1
    assert (summary.score is None) == bool(summary.reason)
    assert run(scores[::-1], 6, repeats=3) == summary


def test_the_package_loads_no_numpy_and_no_django() -> None:
    code = "import sys, evaluation.benchmarks; print({'numpy', 'django', 'celery', 'aiohttp'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
