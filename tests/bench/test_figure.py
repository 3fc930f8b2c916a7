"""A goal that was set in seconds on one machine, on another."""

import pytest

from tests.bench.figure import Figure


@pytest.mark.parametrize(
    ("figure", "target"),
    [
        (Figure("split", 1.0, 1.2, "s", of_work=True), 3.6),
        (Figure("a second", 9_000, 21_000, at_least=True, of_work=True), 7_000),
        (Figure("wall", 1.0, 2.2, "s", of_work=True, waiting=1.2), 4.2),
        (Figure("queries", 12, 12), 12),
        (Figure("memory", 80, 85, "MB"), 85),
    ],
    ids=lambda value: value.name if isinstance(value, Figure) else "",
)
def test_only_goals_of_work_are_larger_where_the_machine_takes_three_times_as_long(
    figure: Figure, target: float
) -> None:
    assert figure.here(3.0).target == pytest.approx(target)
    assert figure.here(1.0) == figure


def test_a_goal_that_is_larger_here_can_still_be_missed() -> None:
    assert not Figure("split", 3.7, 1.2, "s", of_work=True).here(3.0).holds
    assert Figure("split", 3.5, 1.2, "s", of_work=True).here(3.0).holds
