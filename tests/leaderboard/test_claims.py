"""Sentences of pages that may say no more than the figures that they are made of. No database."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evaluation.statistics.emotions import bias_by_band
from evaluation.statistics.items import ItemFigures
from evaluation.statistics.responders import study_statistics
from evaluation.statistics.score_interval import half_of
from evaluation.statistics.study_figures import Cell, Scope
from leaderboard.kinds.emotionbench import words
from leaderboard.pages.items.bank_figures import BankFigures, BankItem, is_clearly_negative
from leaderboard.pages.items.bank_items import ItemLine, below_title
from leaderboard.pages.items.bank_items import headline as items_headline_of
from leaderboard.pages.items.profile import finding as item_finding
from leaderboard.pages.models.profile import Profile, ProfileRow, Track
from leaderboard.pages.statistics import banks as statistics_banks
from leaderboard.pages.statistics import repeatability as statistics_repeatability
from leaderboard.pages.statistics import scores as statistics_scores
from leaderboard.pages.statistics import scoring as statistics_scoring
from leaderboard.pages.statistics import structure as statistics_structure
from leaderboard.rounding import number
from leaderboard.statistics import repeatability, scores, scoring, sensitivity
from leaderboard.statistics.agreement import agreement
from leaderboard.statistics.scoring import RULE_COLUMNS
from leaderboard.statistics.structure import GROUP_COLUMNS, STEP_COLUMNS
from leaderboard.study.wording import finding
from leaderboard.wording.model_findings import bands_headline, items_headline
from tests.leaderboard.statistics_frames import frame

EXACT = agreement(np.array([[60.0, 62.0], [40.0, 42.0]]))
BELOW_ZERO = agreement(np.array([[-60.0, -62.0], [-40.0, -42.0], [5.0, 4.0]]))


def repeats(rule: str = "eq-bench-v2") -> Any:
    """Two models with two passes each: the mean of the second one lies below 0, so that it has no CV."""
    given = replace(frame([[61.0, 41.0], [50.0, 40.0]], repeats=[EXACT, BELOW_ZERO]), rule=rule)
    found = repeatability.compute(given)
    return found, {part.name: part for part in statistics_repeatability.parts(found.value, found.n)}["spread"]


def test_the_mean_cv_counts_the_models_and_the_passes_that_it_is_made_of() -> None:
    found, spread = repeats()
    (claim,) = statistics_repeatability.claims(found.value, found.n)
    assert claim.n == "1 model, 2 passes"
    assert "Mean CV 2.8 % over 1 model." in spread.how
    assert spread.source.startswith("n\u00a0=\u00a02 models with two passes or more, of 2 in the ranking.")


@pytest.mark.parametrize(("rule", "is_compared"), [("eq-bench-v2", True), ("empathy-judged", False)])
def test_the_spread_of_another_benchmark_is_not_set_beside_the_paper_of_eq_bench(rule: str, is_compared: bool) -> None:
    found, spread = repeats(rule)
    (claim,) = statistics_repeatability.claims(found.value, found.n)
    assert ("The paper gives" in claim.text) is is_compared
    assert ("2312.06281" in spread.how) is is_compared


def test_a_scale_whose_zero_means_nothing_has_no_coefficient_of_variation() -> None:
    found, spread = repeats("seceu")
    assert found.value["cv"] is None
    assert statistics_repeatability.claims(found.value, found.n) == []
    at = [column.name for column in spread.table.columns].index("cv_percent")
    assert {row[at] for row in spread.table.rows} == {None}
    assert "No CV: this score has no natural zero." in spread.how


def rule_row(rule: str, rho: float) -> dict[str, Any]:
    values = dict.fromkeys(RULE_COLUMNS, 0)
    return {**values, "rule": rule, "rho": rho, "rho_low": rho - 0.1, "rho_high": rho + 0.1, "n": 40}


def test_a_rule_that_orders_models_at_random_is_drawn_with_the_others() -> None:
    found = statistics_scoring.rho_forest([rule_row("curve", 0.9), rule_row("chance", 0.0)])
    assert found is not None
    assert [(row.name, row.value) for row in found.rows] == [("curve", "0.900"), ("chance", "0.000")]


def equal_but_for_rounding() -> Any:
    """Two models with the same item scores in another order: their sums differ in the last digit alone."""
    own = [0.1, 0.2, 0.3, 0.7, 0.6, 0.9]
    return frame([own, own[::-1], [value - 0.05 for value in own]])


def test_models_that_are_equal_but_for_rounding_share_their_rank_without_an_item() -> None:
    given = equal_but_for_rounding()
    assert given.scores[0].sum() != given.scores[1].sum(), "else the test shows nothing"
    found: Any = sensitivity.left_out(given)
    assert [row[3] for row in found["models"]].count(1) == 2


def test_first_place_changes_where_one_of_two_leaders_falls_back() -> None:
    found: Any = sensitivity.left_out(frame([[90.0, 50.0, 70.0], [50.0, 90.0, 70.0], [10.0, 10.0, 10.0]]))
    assert found["keeps_first"] == 1
    assert sorted(row[0] for row in found["items"] if row[-1]) == [1, 2]


def test_a_choice_that_moves_scores_by_rounding_alone_moves_no_rank() -> None:
    members = equal_but_for_rounding().members
    found: Any = sensitivity.choice(members, np.array([0.3, 0.1 + 0.2, 0.1]), np.array([0.1 + 0.2, 0.3, 0.1]))
    assert (found["moved"], found["rho"]) == (0, 1.0)


def test_the_rules_are_compared_without_rounding_errors() -> None:
    answers = np.array([[3.0, 4, 5, 6] * 3, [4.0, 3, 6, 5] * 3, [1.0, 1, 1, 1] * 3, [9.0, 0, 9, 0] * 3])
    given = frame(
        np.random.default_rng(2).uniform(0, 100, (4, 3)),
        answers=answers,
        words=[("a", "b", "c", "d")] * 3,
        reference=np.tile([3.0, 3, 6, 6], 3),
    )
    found: Any = scoring.compute(given).value
    stretched = next(row for row in found["rules"] if row[0] == "multiplier 1")
    assert (stretched[RULE_COLUMNS.index("moved")], stretched[RULE_COLUMNS.index("rho")]) == (0, 1.0)


def test_what_other_constants_do_is_said_of_those_that_were_tried() -> None:
    rows = [[*rule_row("midpoint 3", 0.9).values()]]
    rows[0][RULE_COLUMNS.index("constant")] = "midpoint"
    value: Any = {"rules": rows, "n_items": 171, "n_left_out": 0}
    part = statistics_scoring.constants_part(value, 40)
    assert part.title == "Changing constants of the rule moves no model by more than 0 ranks"


@pytest.mark.parametrize(
    ("better", "worse", "n", "text"),
    [
        (100, 60, 171, "Above the median of all models on most items"),
        (60, 100, 171, "Below the median of all models on most items"),
        (30, 20, 171, "Above the median of all models more often than below it"),
        (20, 30, 171, "Below the median of all models more often than above it"),
        (20, 20, 171, "Above the median of all models as often as below it"),
    ],
)
def test_most_items_are_more_than_half_of_them(better: int, worse: int, n: int, text: str) -> None:
    assert items_headline(better, worse, n, 60) == text


def test_a_model_alone_is_not_compared_with_itself() -> None:
    assert items_headline(0, 0, 171, 1) == "No other model has answered these items yet"
    assert items_headline(3, 2, 5, 1) == "Above the median of all models on most items", "a baseline beside one model"


def test_bands_are_told_in_figures_since_any_wrong_answer_errs_inwards_at_the_ends() -> None:
    reference = np.array([0.0] * 10 + [8.0] * 10)
    assert bands_headline(bias_by_band(np.full(20, 3.0), reference)) == (
        "Mean error +3.00 where the reference is 0, −5.00 where it is 7–10"
    )
    assert bands_headline(bias_by_band(np.full(5, 5.0), np.full(5, 5.0))) == "Mean error by the reference"


def negative_item(at: int, item_total: float | None) -> ItemFigures:
    return ItemFigures(at, 5, 4.0 + at, 1.0, item_total)


def test_an_item_disagrees_where_its_interval_lies_below_zero_and_not_by_chance() -> None:
    assert is_clearly_negative(negative_item(0, -0.9), 12)
    assert not is_clearly_negative(negative_item(0, -0.1), 12)
    assert not is_clearly_negative(negative_item(0, -0.9), 3), "three models have no interval"
    assert not is_clearly_negative(negative_item(0, None), 12)
    figures = tuple(negative_item(at, r) for at, r in enumerate((-0.9, -0.1, 0.4)))
    field = BankFigures(12, 12, figures)
    lines = [ItemLine(BankItem(at, str(at), at + 1), "", own) for at, own in enumerate(figures)]
    assert items_headline_of(lines, field) == "3 items, 1 of which correlates below zero with the others"
    assert below_title(lines, field) == "2 items with negative discrimination (1 of them not significant)"
    assert below_title(lines[1:2], field) == "1 item with negative discrimination (not significant)"
    assert below_title(lines[:1], field) == "1 item with negative discrimination"
    assert below_title(lines[2:], field) == "No item has negative discrimination"
    assert items_headline_of(lines[1:], field) == "2 items, answered by 12 models"
    told = [item_finding(line.item, line.figures, field, lower=False) for line in lines]
    assert told == [
        "Item 1 disagrees with the other items", "Item 2 is harder than 1 of the other 2", "Item 3 is the easiest of 3",
    ]  # fmt: skip


def scope_of(**given: tuple[int, int]) -> Scope:
    """Responders with their Good ratings of all ratings."""
    cells = [Cell(name, n, good) for name, (good, n) in given.items()]
    return study_statistics({"all": cells}, reference="human", draws=1).scopes[0]


def told(**given: tuple[int, int]) -> str:
    return finding(scope_of(**given), {name: name for name in given}, frozenset())


def test_the_finding_of_a_study_is_not_lost_behind_a_model_with_few_ratings() -> None:
    assert told(human=(1000, 2000), few=(27, 40), many=(1300, 2000)) == (
        "many’s replies are rated “Good” more often than people’s: 65 against 50 %"
    )


def test_no_model_is_behind_people_where_one_of_few_ratings_is_tied() -> None:
    assert told(human=(1600, 2000), many=(1500, 2000), few=(28, 40)) == (
        "No model’s replies are clearly called Good more often than people’s: many has 75 against 80 %"
    )
    assert told(human=(1600, 2000), many=(1500, 2000), more=(1400, 2000)) == (
        "No model’s replies are called Good as often as people’s: many has 75 against 80 %"
    )


def measure(title: str, share: float, low: float, high: float, *, hollow: bool = False) -> ProfileRow:
    track = Track("", "", "", "", "", "")
    return ProfileRow(title, "", "", "", "", 100, "", hollow, share, track, share_low=low, share_high=high)


def test_a_measure_is_the_highest_only_where_the_possible_ranks_part() -> None:
    a, b = measure("A", 0.9, 0.8, 1.0), measure("B", 0.5, 0.3, 0.7)
    assert Profile((a, b)).title == "Ranks highest on A, lowest on B"
    assert Profile((a, replace(b, share_high=0.85))).title == "Its ranks do not clearly differ by measure"
    assert Profile((a, replace(b, share=0.87))).title == "About the same place on every measure"


def scale_of(best: tuple[float, float, float], worst: tuple[float, float, float]) -> dict[str, Any]:
    rows = []
    for at, (error, low, high) in enumerate((worst, best)):
        own = {"from": 40.0 + 20 * at, "to": 60.0 + 20 * at, "n": 8, "error": error, "low": low, "high": high}
        rows.append([{**own, "information": 1.0, "gap": 1.0}[name] for name in GROUP_COLUMNS])
    step = {"from": 59.0, "to": 61.0, "gap": 20.0, "n_items": 171, "n_rising": 94, "rising": 0.55, "low": 0.5,
            "high": 0.6}  # fmt: skip
    return {"factors": None, "scale": {"n": 16, "groups": rows, "steps": [[step[name] for name in STEP_COLUMNS]]}}


def test_scores_are_known_best_somewhere_only_where_the_intervals_part() -> None:
    def title(*ends: tuple[float, float, float]) -> str:
        parts = {part.name: part for part in statistics_structure.parts(scale_of(*ends), 16)}
        return parts["information"].title

    assert title((1.0, 0.8, 1.2), (2.0, 1.7, 2.3)) == (
        "Scores of 60 to 80 have the smallest error, 1.0 points; those of 40 to 60 the largest, 2.0"
    )
    assert title((1.0, 0.8, 1.2), (1.2, 1.0, 1.4)) == (
        "Errors of scores are 1.0 to 1.2 points; where they are smallest is not clear from these models"
    )


def test_an_item_whose_mean_rises_is_not_said_to_tell_models_apart() -> None:
    parts = {part.name: part for part in statistics_structure.parts(scale_of((1.0, 0.8, 1.2), (2.0, 1.7, 2.3)), 16)}
    part = parts["discrimination"]
    assert (
        part.title
        == "Of two neighbouring groups of models the better one has the higher mean on 55 % of the items near 60 points"
    )
    assert "Chance alone would give a little over half of the items" in part.how


def test_the_interval_of_a_typical_score_is_that_of_the_rows() -> None:
    found: Any = scores.compute(frame(np.random.default_rng(3).normal(60, 10, (4, 10))))
    claim = statistics_scores.claims(found.value, found.n)[1]
    median = found.value["errors"]["median"]
    assert claim.figure == f"±{number(half_of(median, 10), 1)} points"
    assert claim.figure != f"±{number(1.96 * median, 1)} points"


@pytest.mark.parametrize(("n_items", "how"), [(10, "the paired t test"), (30, "1,000 bootstrap draws")])
def test_the_rule_behind_the_ranges_is_that_of_so_many_items(n_items: int, how: str) -> None:
    found = scores.compute(frame(np.random.default_rng(3).normal(60, 10, (4, n_items))))
    ties = statistics_scores.parts(found.value, found.n)[0]
    (told_of_ranges,) = [sentence for sentence in ties.more if "several ranks among" in sentence]
    assert how in told_of_ranges


def test_two_banks_are_not_called_tied_for_want_of_data() -> None:
    pair = {"first": "a", "second": "b", "low": -40.0, "high": 44.0, "difference": 2.0, "n": 2, "unit": "points"}
    assert statistics_banks.title_of(pair) == "No difference between b and a is found on average"
    (claim,) = statistics_banks.claims({"languages": [pair]}, 2)
    assert claim.text == "points is b less a on average, same models: zero is possible too."


def test_no_model_is_below_people_where_an_interval_reaches_them() -> None:
    assert words.headline("best", 74.8, 78.0).startswith("No model’s mood moves like people’s")
    assert words.headline("best", 74.8, 81.0) == "best scores 75; people, compared with each other, score 80"


@pytest.mark.parametrize(
    ("r", "n", "heading"),
    [
        (0.35, 36, "it moves further where people’s moves further, r = 0.35 (0.02 to 0.61)"),
        (0.3, 36, "no clear relation with people’s, r = 0.30 (−0.03 to 0.57)"),
        (-0.5, 36, "it moves less far where people’s moves further, r = −0.50 (−0.71 to −0.21)"),
        (0.8, 3, "no clear relation with people’s, r = 0.80"),
    ],
)
def test_a_heading_over_a_scatter_says_what_its_interval_leaves(r: float, n: int, heading: str) -> None:
    assert words.scatter_heading(0, r, n) == f"Pleasant mood: {heading}"
