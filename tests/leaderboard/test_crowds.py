"""A crowded drawing holds few dots, and each of them says whom it stands for."""

import pytest

from leaderboard.drawings.crowds import MOST_DOTS, gathered
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import picture


def spots_of(n: int, label: str = "") -> list[Spot]:
    """On a line from one corner to the other, n of them."""
    return [Spot(float(at), float(at), "plain", f"model {at}", label) for at in range(n)]


def place(n: int, spot: Spot) -> tuple[float, float]:
    return 100 * spot.x / n, 330 - 300 * spot.y / n


def test_each_spot_has_a_dot_of_its_own_while_there_are_few() -> None:
    spots = spots_of(MOST_DOTS)
    assert gathered(spots, lambda spot: place(MOST_DOTS, spot)) == spots


@pytest.mark.parametrize("n", [MOST_DOTS + 1, 2_000, 20_000])
def test_however_many_there_are_few_dots_are_drawn(n: int) -> None:
    dots = gathered(spots_of(n), lambda spot: place(n, spot))
    assert MOST_DOTS / 2 <= len(dots) <= MOST_DOTS


def test_a_dot_names_its_first_and_counts_the_rest_so_that_none_is_lost() -> None:
    spots = [Spot(1.0, 1.0, "plain", f"model {at}") for at in range(MOST_DOTS + 1)]
    (dot,) = gathered(spots, lambda spot: (spot.x, spot.y))
    assert dot.title == f"model 0; and {MOST_DOTS} more"


def test_two_kinds_never_share_a_dot_and_words_keep_their_own() -> None:
    plain = [Spot(1.0, 1.0, "plain", "a model")] * MOST_DOTS
    stress = Spot(1.0, 1.0, "stress", "another")
    named = Spot(1.0, 1.0, "plain", "the first", "the first")
    dots = gathered([*plain, stress, named], lambda spot: (spot.x, spot.y))
    assert [(dot.kind, dot.label) for dot in dots] == [("plain", ""), ("stress", ""), ("plain", "the first")]


def test_the_page_says_how_many_share_a_dot() -> None:
    small, large = picture(spots_of(60), "", "", ""), picture(spots_of(2_000), "", "", "")
    assert small.note == ""
    assert large.note == (f"2,000 are drawn as {len(large.plot.points)} dots: those that lie close together share one.")
