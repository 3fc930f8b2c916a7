"""The sections over the 60 official run files: the numbers of the specification, sections 3, 7, 8 and 9."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leaderboard.pages.statistics import items as statistics_items
from leaderboard.pages.statistics.scores import ranges_part
from leaderboard.statistics import emotions, items, scores, sensitivity
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.scores import MODEL_COLUMNS, RANGE_COLUMNS
from tests.leaderboard.statistics_frames import frame
from tests.statistics.official import official_runs


@pytest.fixture(scope="module")
def official(shared_data: Path) -> Frame:
    runs = official_runs(shared_data)
    return frame(
        runs.points,
        names=[name.removesuffix("_eqbench_v2_results.json") for name in runs.files],
        answers=runs.ratings.reshape(60, -1),
        words=runs.labels,
        reference=runs.reference.ravel(),
    )


def test_ranges_for_all_comparisons_at_once_hold_those_of_each_two_and_are_wider(official: Frame) -> None:
    value: dict[str, Any] = scores.compute(official).value
    rows = [dict(zip(RANGE_COLUMNS, row, strict=True)) for row in value["ranges"]]
    assert len(rows) == 60
    assert all(
        row["rank_low_all"] <= row["rank_low"] <= row["rank"] <= row["rank_high"] <= row["rank_high_all"]
        for row in rows
    )
    wider = [row["rank_high_all"] - row["rank_low_all"] - row["rank_high"] + row["rank_low"] for row in rows]
    assert np.mean(wider) > 5, "60 models are 1,770 comparisons"
    part = ranges_part(value)
    assert part is not None
    each, at_once = part.views
    assert "at the 5 % level, without correction: some of 1,770 comparisons" in each.caption
    assert "All 1,770 comparisons of 60 models at once, at a joint level of 5 %" in at_once.caption
    assert at_once.figure.widest > each.figure.widest


@pytest.fixture(scope="module")
def of_items(official: Frame) -> dict[str, Any]:
    return items.compute(official).value


def test_ties_gap_and_errors_are_those_of_the_specification(official: Frame) -> None:
    found: dict[str, Any] = scores.compute(official).value
    assert (found["neighbours_tied"], found["neighbours"]) == (57, 59)
    assert (found["pairs_tied"], found["pairs"], found["pairs_tied_unpaired"]) == (442, 1770, 566)
    assert round(found["gap"], 4) == 4.5867
    assert {key: round(value, 4) for key, value in found["errors"].items() if key != "n"} == {
        "mean": 2.0586, "median": 2.0162, "low": 1.0969, "high": 3.5685,
    }  # fmt: skip


def test_the_first_is_tied_with_two_and_the_two_separated_neighbours_are_those_named(official: Frame) -> None:
    found: dict[str, Any] = scores.compute(official).value
    rows = [dict(zip(MODEL_COLUMNS, row, strict=True)) for row in found["models"]]
    assert (rows[0]["model"], found["tied_with_first"]) == ("gpt-4-0314", 2)
    assert [row["model"] for row in rows if row["tied_with_next"] is False] == [
        "TheBloke__Llama-2-13B-chat-AWQ", "TheBloke__koala-7B-HF",
    ]  # fmt: skip


def test_the_ranges_are_those_of_the_standings_at_any_size_and_hold_their_rank(official: Frame) -> None:
    found: dict[str, Any] = scores.compute(official).value
    rows = [dict(zip(MODEL_COLUMNS, row, strict=True)) for row in found["models"]]
    assert [(row["rank_low"], row["rank_high"]) for row in rows] == [(each.low, each.high) for each in official.members]
    assert all(row["rank_low"] <= at <= row["rank_high"] for at, row in enumerate(rows, 1))
    widths = [row["rank_high"] - row["rank_low"] + 1 for row in rows]
    assert found["widths"]["mean"] == pytest.approx(np.mean(widths))


def test_reliability_is_that_of_the_43_complete_runs(of_items: dict[str, Any]) -> None:
    found = of_items["reliability"]
    assert (found["n_runs"], found["n_items"]) == (43, 171)
    shown = [found["alpha"], found["odd_even"], found["odd_even_spearman_brown"], found["halves"]["mean_r"]]
    assert [round(value, 4) for value in shown] == [0.9836, 0.9777, 0.9887, 0.9703]
    assert found["alpha_low"] < 0.9836 < found["alpha_high"]


def test_items_48_and_137_are_flagged_and_the_mean_discrimination_is_as_stated(of_items: dict[str, Any]) -> None:
    rows = [dict(zip(items.ITEM_COLUMNS, row, strict=True)) for row in of_items["items"]]
    assert [row["item"] for row in rows if row["negative"]] == [48, 137]
    assert round(float(np.mean([row["discrimination"] for row in rows])), 4) == 0.5289
    assert all(row["low"] < row["discrimination"] < row["high"] for row in rows)


def test_the_alias_of_one_snapshot_counts_once_where_copies_would_mislead(of_items: dict[str, Any]) -> None:
    assert of_items["n_distinct"] == 59


def test_the_short_form_keeps_its_stated_error(of_items: dict[str, Any], official: Frame) -> None:
    form = of_items["short"]
    assert form["error"] <= form["largest_error"] == 2.0
    assert form["errors"][len(form["items"]) - 2] > 2.0
    complete = official.scores[~np.isnan(official.scores).any(axis=1)]
    columns = [number - 1 for number in form["items"]]
    predicted = form["intercept"] + form["slope"] * complete[:, columns].mean(axis=1)
    assert float(np.sqrt(np.square(predicted - complete.mean(axis=1)).mean())) < 2.0


def alpha_by_hand(scores: Any) -> float:
    k = scores.shape[1]
    return float(k / (k - 1) * (1 - scores.var(axis=0, ddof=1).sum() / scores.sum(axis=1).var(ddof=1)))


def test_alpha_over_the_field_hides_that_the_items_agree_less_where_scores_are_close(
    of_items: dict[str, Any], official: Frame
) -> None:
    rows = [dict(zip(items.ALPHA_COLUMNS, row, strict=True)) for row in of_items["alphas"]]
    shown = {(row["share"], row["from_score"], row["below_score"]): (row["n"], round(row["alpha"], 3)) for row in rows}
    complete = official.scores[~np.isnan(official.scores).any(axis=1)]
    means = complete.mean(axis=1)
    ranks = (-means).argsort().argsort()
    parts = {
        (1.0, None, None): means > 0, (0.5, None, None): ranks < 22, (0.25, None, None): ranks < 11,
        (None, 70.0, None): means >= 70, (None, 70.0, 80.0): (means >= 70) & (means < 80),
        (None, 60.0, 70.0): (means >= 60) & (means < 70), (None, 40.0, 60.0): (means >= 40) & (means < 60),
    }  # fmt: skip
    assert shown == {part: (int(rows.sum()), round(alpha_by_hand(complete[rows]), 3)) for part, rows in parts.items()}
    assert shown[1.0, None, None] == (43, 0.984)
    assert shown[None, 60.0, 70.0] == (10, 0.597)
    (claim,) = statistics_items.claims(of_items, 60)
    assert claim.figure == "0.98"
    assert "Among models of 60 to below 70 points (10 models) it is 0.60, 0.14 to 0.88." in claim.text


def test_the_short_form_of_the_official_runs_is_known_to_thirty_items_only(of_items: dict[str, Any]) -> None:
    form = of_items["short"]
    assert (form["shortest"], form["longest"], form["splits"]) == (41, 69, 9)
    assert form["shortest"] <= len(form["items"]) <= form["longest"]


def test_a_family_is_tested_only_where_enough_of_it_are_there(of_items: dict[str, Any]) -> None:
    assert [row[:2] for row in of_items["families_tested"]] == [["Mistral", 21], ["Llama", 10], ["GPT", 5]]
    assert of_items["families_too_few"] == []
    assert all(n >= items.FAMILY_LEAST for _, n, *_ in of_items["families_tested"])
    assert {row[0] for row in of_items["families"]} <= {family for family, *_ in of_items["families_tested"]}
    assert all(row[-1] < 0.05 for row in of_items["families"])


def test_no_rank_hangs_on_the_rule_and_no_score_by_more_than_the_largest_known_difference(official: Frame) -> None:
    found: Any = sensitivity.compute(official).value["rule"]
    assert (found["n"], found["moved"]) == (60, 0)
    assert 0.01 < found["largest_difference"] < 0.0219
    scored = [row[sensitivity.CHOICE_COLUMNS.index("score")] for row in found["models"]]
    assert sorted(scored) == pytest.approx(sorted(member.score for member in official.members), abs=1e-5)


def test_leaving_an_item_out_never_changes_the_first_place(official: Frame) -> None:
    found: Any = sensitivity.compute(official).value["items"]
    assert (found["keeps_first"], found["n_items"]) == (171, 171)
    assert found["largest_move"] == max(row[-1] for row in found["models"])


def test_the_field_sees_feelings_that_are_not_there(official: Frame) -> None:
    found: dict[str, Any] = emotions.compute(official).value
    bands = {row[0]: row for row in found["bands"]}
    assert [row[1] for row in found["bands"]] == [254, 103, 124, 203]
    assert bands["0"][3] > 0 > bands["7–10"][4]
    answers = np.nanmean(official.answers, axis=0)
    assert bands["0"][2] == pytest.approx(float(answers[official.items.reference == 0].mean()), abs=1e-6)
    assert found["overall"][1] == found["n_slots"] == 684
