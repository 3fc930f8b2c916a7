"""The drawings as attribute values: where things lie, and that nothing leaves its axis."""

import re
from itertools import combinations

import pytest
from django.conf import settings

from evaluation.benchmarks.base import Measure
from evaluation.benchmarks.eqbench import ITEM_MEASURES, MEASURES
from leaderboard.drawings.plots import LABEL_AWAY, LABEL_GAP, LETTER_WIDTH, Scale, Spot, labels
from leaderboard.drawings.shapes import (
    Axis,
    Span,
    fader,
    ribbon,
    score_bar,
    score_marks,
    strip,
    tracks,
)
from leaderboard.kinds.eqbench import EQ_BENCH
from leaderboard.pages.shared.measures import item_measure, points_an_item, ranking_measure
from leaderboard.rounding import figure

POINTS = Axis.of(MEASURES[0])
SECONDS = Measure("seconds", "Time", "s", 1, "lower")
RATINGS = EQ_BENCH.item_parts.axis()


def test_a_score_lies_on_an_axis_with_room_below_zero() -> None:
    bar = score_bar(86.05, 83.75, 88.35, 38.89, POINTS)
    assert (bar.fill, bar.dot, bar.constant) == (Span("9.00%", "78.31%"), "87.31%", "44.39%")
    assert bar.interval == Span("85.21%", "4.19%")


def test_a_score_far_below_zero_is_held_at_the_edge() -> None:
    bar = score_bar(-78.56, -90.0, -70.0, None, POINTS)
    assert (bar.fill, bar.dot, bar.interval, bar.constant) == (
        Span("0.00%", "9.00%"),
        "0.00%",
        Span("0.00%", "0.00%"),
        "",
    )


def test_a_ribbon_lies_on_the_ranks_that_are_left_open() -> None:
    drawn = ribbon(3, 1, 6, 3, 88)
    assert (drawn.span, drawn.dot, drawn.block) == (Span("0.00%", "6.82%"), "2.84%", Span("0.00%", "3.41%"))


def test_an_item_has_a_track_for_each_label_with_ring_and_dot() -> None:
    drawn = tracks([0, 8, 5, 0], [8, 7, 6, 5], 4, RATINGS)
    assert drawn.width == 114
    assert [(track.x, track.ring, track.dot) for track in drawn.tracks] == [
        ("12", "25.0", "7.4"),
        ("42", "7.4", "9.6"),
        ("72", "14.0", "11.8"),
        ("102", "25.0", "14.0"),
    ]


def test_many_tracks_move_together_and_keep_their_height() -> None:
    drawn = tracks([], [3.0] * 20, 20, RATINGS)
    assert (drawn.width, [track.x for track in drawn.tracks[:3]]) == (138, ["12", "18", "24"])


def test_a_value_beyond_the_scale_is_held_at_its_end_and_a_missing_one_is_not_drawn() -> None:
    (track,) = tracks([], [80.0], 1, RATINGS).tracks
    assert (track.ring, track.dot) == ("", "3.0")
    assert tracks([4.0], None, 1, RATINGS).tracks[0].dot == ""
    assert fader(None, 3.0, RATINGS).low == ""
    assert (fader(8.0, 3.0, RATINGS).low, fader(8.0, 3.0, RATINGS).high) == ("30.80%", "78.80%")


def test_the_strip_has_a_bar_an_item_and_says_what_each_is() -> None:
    bars = strip([(1, "cell", 5.45), (2, "cell-none", None), (3, "cell", -30.0)], 4, ITEM_MEASURES[0], is_open=True)
    assert [(bar.kind, bar.title) for bar in bars] == [
        ("cell", "item 1: 5.45"),
        ("cell-none", "item 2: not read"),
        ("cell", "item 3: −30.00"),
        ("cell-next", "item 4: to come"),
    ]
    assert [bar.height for bar in bars] == ["44.7", "60.0", "3.0", "2.5"]
    assert strip([], 1, ITEM_MEASURES[0], is_open=False)[0].title == "item 1: no answer stored"


def test_an_axis_ends_where_the_measure_says_or_where_the_data_do() -> None:
    assert (POINTS, POINTS.marks) == (Axis(0.0, 100.0, 0.0), (0.0, 50.0, 100.0))
    assert Axis.of(SECONDS, [3.0, float("nan"), 12.0]) == Axis(3.0, 12.0, 3.0)
    assert Axis.of(SECONDS) == Axis(0.0, 1.0, 0.0)
    assert Axis.of(SECONDS, [7.0]) == Axis(7.0, 8.0, 7.0)
    assert [POINTS.held(value) for value in (-3.0, 25.0, 300.0, float("nan"))] == [0.0, 0.25, 1.0, 0.0]


def test_a_score_of_another_benchmark_is_drawn_on_its_own_axis() -> None:
    quotient = Axis.of(Measure("eq", "EQ", "points", 0, "higher", 0.0, 151.0))
    assert score_bar(141.7, None, None, None, quotient).dot == "94.40%"
    assert score_bar(107.4, None, None, None, quotient).dot == "73.72%"
    assert score_marks(quotient) == (("9%", "0"), ("54.5%", "75.5"), ("100%", "151"))


def test_a_figure_has_the_decimals_of_its_measure() -> None:
    assert [figure(86.054, MEASURES[0]), figure(86.05, SECONDS), figure(None, SECONDS)] == ["86.05", "86.0", "–"]


def test_a_rule_that_is_not_known_here_is_written_as_the_first_one() -> None:
    assert ranking_measure("figures-of-nobody") == ranking_measure("eq-bench-v1") == MEASURES[0]
    assert (item_measure("eq-bench-v2"), points_an_item("eq-bench-v2")) == (ITEM_MEASURES[0], 10.0)


READS_A_MEASURE = (
    "rankings/asked", "rankings/board", "rankings/cells", "rankings/columns", "compare/page", "compare/items",
    "compare/pairs", "runs/items", "items/profile", "models/items", "models/standing", "models/page",
    "rankings/page", "rankings/rows", "runs/context", "runs/page", "rankings/selection", "submissions/page",
)  # fmt: skip


@pytest.mark.parametrize("name", READS_A_MEASURE)
def test_the_ends_of_a_scale_are_those_of_a_measure_and_written_in_no_page(name: str) -> None:
    code = (settings.BASE_DIR / f"leaderboard/pages/{name}.py").read_text()
    assert re.findall(r"\bPOINTS\b|\bFULL_MARKS\b|\b100?\.0\b|\b10 \*", code) == []


def test_words_beside_a_dot_end_within_the_drawing_and_on_no_others_on_a_phone() -> None:
    spots = [Spot(x, y, "stress", "", "a-model-of-21-letters") for x in range(0, 100, 6) for y in (3, 30, 31)]

    drawn = labels(spots, Scale(0, 100, 8, 98), Scale(0, 100, 336, 20))

    boxes = []
    for label in drawn:
        at, wide = float(label.x.rstrip("%")), LABEL_AWAY + 21 * LETTER_WIDTH
        boxes.append((*((at - wide, at) if label.anchor == "end" else (at, at + wide)), float(label.y)))
    assert {label for label in boxes if not 0 <= label[0] < label[1] <= 100} == set()
    pairs = [(a, b) for a, b in combinations(boxes, 2) if abs(a[2] - b[2]) <= LABEL_GAP]
    assert [(a, b) for a, b in pairs if a[0] < b[1] and b[0] < a[1]] == []
    assert len(boxes) > 2
