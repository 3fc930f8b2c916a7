"""Numbers, dates and times as the pages write them."""

from datetime import UTC, date, datetime
from math import inf, nan

import pytest

from leaderboard import rounding
from leaderboard.charts.base import Column, text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (70.004, "70.00"),
        (61.10000000001, "61.10"),
        (-6.284, "−6.28"),
        (-0.001, "0.00"),
        (0.0, "0.00"),
        (-0.005001, "−0.01"),
        (None, "–"),
        (nan, "–"),
        (inf, "–"),
    ],
)
def test_scores_have_two_decimals_a_true_minus_and_a_dash_where_missing(value: float | None, text: str) -> None:
    assert rounding.points(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "<0.0001"), (9e-5, "<0.0001"), (0.00042, "0.0004"), (0.0357, "0.036"), (1.0, "1.000"), (None, "–")],
)
def test_a_p_is_never_written_as_zero(value: float | None, text: str) -> None:
    assert rounding.p_value(value) == text
    assert Column("p", "p", 3, of_p=True).digits == 3
    assert text_of(Column("p", "p", 3, of_p=True), value) == text


def test_shares_are_written_in_per_cent_with_one_decimal() -> None:
    assert rounding.percent(151 / 171) == "88.3 %"
    assert rounding.percent(None) == "–"


@pytest.mark.parametrize(
    ("billion", "text"), [(7.0, "7"), (0.135, "0.135"), (46.7, "46.7"), (1000.0, "1000"), (None, "–")]
)
def test_sizes_are_as_short_as_they_are_known(billion: float | None, text: str) -> None:
    assert rounding.size(billion) == text


def test_dates_and_times_are_written_in_english_and_utc() -> None:
    assert rounding.day(date(2024, 12, 2)) == "2 Dec 2024"
    assert rounding.moment(datetime(2026, 11, 27, 5, 4, tzinfo=UTC)) == "27 Nov 2026, 05:04 UTC"
    assert rounding.day(None) == rounding.moment(None) == "–"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (201, "3 min 21 s"), (7384, "2 h 3 min"), (None, "–")],
)
def test_spans_of_time_are_as_fine_as_they_are_short(seconds: float | None, text: str) -> None:
    assert rounding.duration(seconds) == text


def test_whole_numbers_have_their_thousands_apart_and_words_their_plural() -> None:
    assert rounding.count(37995) == "37,995"
    assert rounding.counted(1, "model") == "1 model"
    assert rounding.counted(1200, "reply", "replies") == "1,200 replies"
    assert (rounding.ranks(3, 7), rounding.ranks(88, 88)) == ("3–7", "88")


@pytest.mark.parametrize(
    ("text", "words"),
    [("2024-08-29", "29 Aug 2024"), ("2024-08", "Aug 2024"), ("2024", "2024"), ("", ""), ("2024-13", "2024-13"),
     ("2024-02-30", "2024-02-30"), ("a decade ", "a decade ")],
)  # fmt: skip
def test_a_date_is_written_to_the_precision_that_is_known(text: str, words: str) -> None:
    assert rounding.known_date(text) == words


def test_a_month_is_a_date_without_its_day() -> None:
    assert (rounding.month(date(2026, 11, 1)), rounding.month(None)) == ("Nov 2026", rounding.MISSING)


@pytest.mark.parametrize(
    ("value", "text"), [(1.5, "+1.50"), (-1.5, "−1.50"), (0.0, "0.00"), (0.001, "0.00"), (-0.001, "0.00"), (None, "–")]
)
def test_a_difference_has_its_sign_unless_it_rounds_to_zero(value: float | None, text: str) -> None:
    assert rounding.with_sign(value, 2) == text
