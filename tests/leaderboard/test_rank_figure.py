"""The picture that opens a ranking: lines over the ranks left open, ticks, and the word at the widest range."""

from itertools import pairwise

import pytest

from leaderboard.drawings.ranks import HEIGHT, MOST_LINES, Held, rank_figure, ticks


def line(n: int, width: int = 1) -> list[Held]:
    """n models, best first, each with so many ranks open where there is room."""
    return [Held(rank, max(1, rank - width // 2), min(n, rank + width // 2)) for rank in range(1, n + 1)]


def test_each_model_has_a_line_and_a_dot_and_the_ties_of_the_leader_a_block() -> None:
    figure = rank_figure([Held(1, 1, 2), Held(2, 1, 2), Held(3, 3, 3)], 2)
    assert figure.lines == "M0.5 0V2M1.5 0V2M2.5 2V3"
    assert figure.dots == "M0.5 0.5h0M1.5 1.5h0M2.5 2.5h0"
    assert figure.block == "M0 0H3V2H0z"
    assert (figure.n, figure.step, figure.widest) == (3, 1, 2)


def test_the_label_speaks_of_the_widest_range_and_stays_inside_the_figure() -> None:
    figure = rank_figure([*line(9), Held(10, 4, 10)], None)
    assert figure.label is not None
    assert figure.label.text == "rank 10 could be any from 4 to 10"
    assert figure.label.anchor == "end"
    assert rank_figure([Held(1, 1, 1), Held(2, 3, 10), *line(8)], None).label.anchor == "start"  # type: ignore[union-attr]


def test_a_label_without_room_above_its_range_is_left_out_since_nobody_could_read_it() -> None:
    assert rank_figure([Held(1, 1, 10), *line(9)], None).label is None


def test_without_an_open_rank_there_is_no_label() -> None:
    assert rank_figure(line(5), None).label is None


@pytest.mark.parametrize("n", [MOST_LINES, MOST_LINES + 1, 2000])
def test_a_large_field_is_thinned_to_what_the_eye_can_part(n: int) -> None:
    figure = rank_figure(line(n, 9), None)
    assert figure.lines.count("M") <= MOST_LINES
    assert figure.step == (1 if n <= MOST_LINES else -(-n // MOST_LINES))
    assert figure.n == n


@pytest.mark.parametrize(("n", "ranks"), [(1, ["1"]), (3, ["1", "2", "3"]), (88, ["1", "20", "40", "60", "88"])])
def test_ticks_are_the_ends_and_round_ranks_between(n: int, ranks: list[str]) -> None:
    assert [rank for _, rank in ticks(n)] == ranks


def test_ticks_of_a_large_field_are_few_and_do_not_touch() -> None:
    for n in range(1, 2500, 7):
        ys = [float(y) for y, _ in ticks(n)]
        assert len(ys) <= 7
        assert all(0 <= y <= HEIGHT for y in ys)
        assert all(later - earlier >= 12 for earlier, later in pairwise(ys))
