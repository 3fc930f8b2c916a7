"""Whether measures order models alike: pairs, their models and what pages say of them. No database."""

from typing import Any
from unittest import mock

import pytest

from leaderboard.pages.statistics import agree as statistics_agree
from leaderboard.pages.statistics.agree import extremes, ranked, verdict
from leaderboard.statistics import agree
from leaderboard.statistics.agree import Scored, pair_of
from leaderboard.statistics.marks import Facts, Figure, Inputs, Member, References

NAMES = {number: (f"model {number}", f"model-{number}") for number in range(40)}


def scored(values: list[float], start: int = 0, **fields: Any) -> Scored:
    return Scored("key", "Title", dict(enumerate(values, start)), **fields)


def pair(first: Scored, second: Scored) -> dict[str, Any]:
    return pair_of([first, second], (0, 1), NAMES)


def member(model_id: int, score: float) -> Member:
    name, slug = NAMES[model_id]
    return Member(model_id, name, slug, "", "", "published", score, None, None, 1, None, None, None, 1)


def inputs(ranking: str, scores: dict[int, float]) -> Inputs:
    return Inputs(ranking, None, ranking, tuple(member(*pair) for pair in scores.items()), {}, {}, "mark")


def references(benchmark: str, values: dict[int, float], match: str = "exact") -> References:
    figures = tuple(Figure(model, benchmark, value, "", "", match, True) for model, value in values.items())
    facts = tuple(Facts(model, *NAMES[model], "", None, None) for model in values)
    return References(figures, facts, frozenset(), "mark")


def board(rankings: dict[str, Inputs], figures: References) -> Any:
    with mock.patch("leaderboard.statistics.agree.ItemBank.objects") as banks:
        banks.values_list.return_value = []
        return agree.of_board(rankings, figures)


def test_seven_shared_models_give_no_correlation_and_eight_do() -> None:
    few = pair(scored([1, 2, 3, 4, 5, 6, 7]), scored([1, 2, 3, 4, 5, 6, 7, 8]))
    assert few == {"first": 0, "second": 1, "n": 7, "n_approx": 0}
    assert verdict(few) == "only 7 shared"
    enough = pair(scored([1, 2, 3, 4, 5, 6, 7, 9]), scored([1, 2, 3, 4, 5, 6, 8, 7]))
    assert enough["n"] == 8
    assert enough["rho"] == pytest.approx(1 - 6 * 2 / (8 * 63))
    assert enough["low"] < enough["rho"] < enough["high"]


def test_a_measure_of_which_less_is_better_is_turned_round() -> None:
    values = [1.0, 2, 3, 4, 5, 6, 7, 9]
    found = pair(scored(values), scored([-value for value in values], sign=-1))
    assert found["rho"] == 1
    assert all(each.first_rank == each.second_rank for each in ranked(found))
    assert ranked(found)[0].second_rank == 8


def test_the_picture_of_a_pair_says_which_of_its_measures_is_good_where_it_is_low() -> None:
    values = [1.0, 2, 3, 4, 5, 6, 7, 9]
    gap = Scored("gap", "Gap", dict(enumerate(values)), sign=-1)
    value = {
        "measures": [{"title": "Score", "n": 8, "lower": False}, {"title": "Gap", "n": 8, "lower": True}],
        "pairs": [pair(scored(values), gap)],
    }
    (view,) = statistics_agree.parts(value, 8)[1].pairs
    assert (view.picture.x_title, view.picture.y_title) == ("Score", "Gap, low is good")


def test_where_the_interval_includes_zero_nobody_can_say() -> None:
    found = pair(scored([1, 2, 3, 4, 5, 6, 7, 8]), scored([4, 1, 3, 2, 8, 5, 1, 6]))
    assert found["low"] < 0 < found["high"]
    assert verdict(found) == "cannot say"


def test_the_reverse_order_is_called_a_disagreement() -> None:
    found = pair(scored([float(at) for at in range(12)]), scored([-float(at) for at in range(12)]))
    assert verdict(found) == "disagree"


def test_models_that_differ_most_are_named_each_way() -> None:
    first, second = [float(at) for at in range(10)], [9.0, 1, 2, 3, 4, 5, 6, 7, 8, 0]
    most = extremes(ranked(pair(scored(first), scored(second))), 1)
    assert [(each.name, each.first_rank, each.second_rank) for each in most] == [("model 0", 10, 1), ("model 9", 1, 10)]


def test_equal_orders_name_nobody() -> None:
    values = [float(at) for at in range(9)]
    assert extremes(ranked(pair(scored(values), scored(values))), 3) == []


def test_models_joined_by_the_nearest_snapshot_are_counted() -> None:
    values = [float(at) for at in range(8)]
    assert pair(scored(values, approximate=frozenset({1, 30})), scored(values))["n_approx"] == 1


def test_the_board_compares_rankings_and_published_figures_the_fullest_first() -> None:
    table = {model: float(model) for model in range(20)}
    mmlu = {model: float(model) for model in range(10)}
    found = board({"eq-bench-3": inputs("eq-bench-3", table)}, references("mmlu", mmlu))
    assert found.n == 20
    assert [each["title"] for each in found.value["measures"]] == ["EQ-Bench 3", "MMLU"]
    assert [(each["n"], each["rho"]) for each in found.value["pairs"]] == [(10, 1.0)]


def test_one_measure_alone_says_nothing() -> None:
    assert board({"eq-bench-3": inputs("eq-bench-3", {1: 2.0})}, references("gsm8k", {})).value == {}


def test_the_page_has_every_pair_and_the_models_of_those_with_an_answer() -> None:
    table = {model: float(model) for model in range(20)}
    rankings = {"eq-bench-3": inputs("eq-bench-3", table), "seceu-table-1": inputs("seceu-table-1", {1: 5.0, 2: 6.0})}
    found = board(rankings, references("mmlu", {model: float(-model) for model in range(10)}))
    pairs, models = statistics_agree.parts(found.value, found.n)
    assert (
        pairs.title
        == "EQ-Bench 3 and MMLU: rank correlation −1.00; for 2 of 3 pairs of measures there are too few data to tell"
    )
    assert [row[:3] for row in pairs.table.rows] == [
        ("EQ-Bench 3", "MMLU", 10), ("EQ-Bench 3", "SECEU (published)", 2), ("MMLU", "SECEU (published)", 2)
    ]  # fmt: skip
    assert [cell.css for row in pairs.matrix.rows for cell in row.cells] == ["against", "few", "few"]
    assert len(models.pairs) == 1
    assert len(models.table.rows) == 10


def test_without_an_answer_the_page_still_shows_what_is_missing() -> None:
    rankings = {name: inputs(name, {1: 5.0, 2: 6.0}) for name in ("eq-bench-3", "seceu-table-1")}
    found = board(rankings, references("gsm8k", {}))
    (pairs,) = statistics_agree.parts(found.value, found.n)
    assert pairs.title == "Do the measures agree? For 1 of 1 pair of measures there are too few data to tell"


def test_the_headline_says_what_the_fullest_measure_agrees_with() -> None:
    table = {model: float(model) for model in range(20)}
    found = board({"eq-bench-3": inputs("eq-bench-3", table)}, references("mmlu", {at: float(at) for at in range(9)}))
    pairs, _ = statistics_agree.parts(found.value, found.n)
    assert pairs.title == "EQ-Bench 3 agrees with MMLU on the order of models"
