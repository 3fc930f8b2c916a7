"""How many items, factors, exactness along the scale, other scoring rules and files: sections and pages."""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from evaluation.importers.official_scores import official_item_scores
from evaluation.statistics.pairs import pair_table
from leaderboard.pages.statistics import design as statistics_design
from leaderboard.pages.statistics import scoring as statistics_scoring
from leaderboard.pages.statistics import structure as statistics_structure
from leaderboard.pages.statistics.calculator import answered
from leaderboard.pages.statistics.parts import named
from leaderboard.statistics import design, files, scoring, structure
from leaderboard.statistics.frames import Frame
from tests.leaderboard.statistics_frames import BANK, frame
from tests.statistics.official import official_runs


@pytest.fixture(scope="module")
def official() -> Frame:
    """The 86 official runs without their answers, of which two were asked again."""
    names, scores = official_item_scores()
    repeats: list[dict[str, Any]] = [{} for _ in names]
    repeats[0], repeats[1] = {"sem": 1.0, "n": 3}, {"sem": 1.2, "n": 2}
    return frame(10 * scores, names=names, repeats=repeats)


def small(n: int, k: int = 6) -> Frame:
    return frame(np.random.default_rng(n).normal(60, 20, (n, k)) + 5 * np.arange(n)[:, None])


def test_needed_items_of_the_official_field_with_their_intervals(official: Frame) -> None:
    found = design.compute(official)
    assert found.n == 63
    rows = named(found.value["needed"], design.NEEDED_COLUMNS)  # type: ignore[arg-type]
    assert [row["gap"] for row in rows] == [5, 3, 2, 1]
    assert [row["items"] for row in rows] == pytest.approx([320, 888, 1997, 7986], abs=1)
    assert all(row["low"] < row["items"] < row["high"] for row in rows)
    claim = statistics_design.claims(found.value, found.n)[0]
    assert (claim.figure, claim.n) == ("890 items", "63 models with all 171 items")
    title = statistics_design.parts(found.value, found.n)[0].title
    assert title == "Detecting a true difference of 5 points takes 320 items, detecting one of 1 point takes 8,000"


def test_the_d_study_of_the_official_field(official: Frame) -> None:
    rows = {row["items"]: row for row in named(design.compute(official).value["lengths"], design.LENGTH_COLUMNS)}  # type: ignore[arg-type]
    assert {n: (round(row["relative"], 3), round(row["absolute"], 3)) for n, row in rows.items() if n in {60, 500}} == {
        60: (0.947, 0.923), 500: (0.993, 0.990),
    }  # fmt: skip
    for row in rows.values():
        assert row["relative_low"] < row["relative"] < row["relative_high"] <= 1
        assert row["absolute_low"] < row["absolute"] < row["absolute_high"] <= 1
    assert 171 in rows, "the bank's own length"
    assert rows[171]["gap"] == pytest.approx(6.8, abs=0.1)


def test_the_rerun_part_is_that_of_the_models_asked_twice(official: Frame) -> None:
    value: Mapping[str, Any] = design.compute(official).value
    n_items = {member.name: int((~np.isnan(row)).sum()) for member, row in
               zip(official.members, official.scores, strict=True)}  # fmt: skip
    names = official_item_scores()[0]
    wanted = (1.0**2 * n_items[names[0]] + 1.2**2 * n_items[names[1]]) / 2
    assert value["parts"]["rerun"] == pytest.approx(wanted)
    assert value["parts"]["interaction"] < value["rest"]
    rests = [row["rest"] for row in named(value["passes"], design.PASS_COLUMNS)]
    assert rests == sorted(rests, reverse=True)
    assert rests[-1] > value["parts"]["interaction"]


def test_without_repeats_the_page_says_what_is_missing() -> None:
    found = design.compute(small(8))
    assert found.value["parts"] is None
    part = statistics_design.parts(found.value, found.n)[-1]
    assert "needs at least one model that was asked twice" in part.how
    assert "n = 0 models with two passes" in part.source


@pytest.mark.parametrize("n", [0, 1, 4])
def test_too_small_a_field_has_no_plan(n: int) -> None:
    assert design.compute(small(n) if n else frame(np.empty((0, 6)))).value == {}


def test_factors_of_the_official_field_count_a_copy_once(official: Frame) -> None:
    found = structure.compute(official)
    value: Mapping[str, Any] = found.value
    assert found.n == 83
    rows = named(value["factors"]["rows"], structure.FACTOR_COLUMNS)
    assert round(rows[0]["share"], 2) == 0.3
    assert value["factors"]["n_above"] >= 6
    assert [row["above"] for row in rows[:6]] == [True] * 6
    assert all(row["chance_low"] < row["chance"] < row["chance_high"] for row in rows)
    parts = {part.name: part for part in statistics_structure.parts(value, found.n)}
    assert list(parts) == ["factors", "information", "discrimination"]
    assert "The score reflects more than one ability" in parts["factors"].how
    assert "n = 83 models" in parts["information"].source


def test_factors_are_the_same_at_each_refresh(official: Frame) -> None:
    assert structure.compute(official).value == structure.compute(official).value


def test_a_field_of_ten_to_fifteen_models_says_what_exactness_needs() -> None:
    found = structure.compute(small(12))
    assert found.value["scale"] is None
    assert [part.how for part in statistics_structure.parts(found.value, found.n)][1] == (
        "Where the test measures needs sixteen models, near copies of one model counted once."
    )
    assert structure.compute(small(9)).value == {}


@pytest.fixture(scope="module")
def answered_frame(shared_data: Any) -> Frame:
    runs = official_runs(shared_data)
    return frame(
        runs.points, names=runs.files, answers=runs.ratings.reshape(60, -1), words=runs.labels,
        reference=runs.reference.ravel(),
    )  # fmt: skip


def test_no_constant_of_the_curve_takes_a_model_out_of_its_ranks(answered_frame: Frame) -> None:
    found = scoring.compute(answered_frame)
    rows = {row["rule"]: row for row in named(found.value["rules"], scoring.RULE_COLUMNS)}  # type: ignore[arg-type]
    assert found.n == 60
    stretched = rows["multiplier 1"]
    assert (stretched["moved"], stretched["rho"]) == (0, 1.0), "it stretches all scores alike"
    curves = [row for row in rows.values() if row["constant"]]
    assert all(row["beyond"] == 0 and row["rho"] > 0.97 for row in curves)
    assert any(row["moved"] > 20 for row in curves)
    without = [rows[name] for name in ("mean absolute error", "root mean squared error", "correlation")]
    assert max(row["largest_move"] for row in without) > max(row["largest_move"] for row in curves) / 2
    assert all(row["rho_low"] < row["rho"] < row["rho_high"] for row in without)


def test_ranks_under_each_rule_are_those_of_its_scores(answered_frame: Frame) -> None:
    found = scoring.compute(answered_frame)
    errors = np.nanmean(np.abs(answered_frame.answers - answered_frame.items.reference), axis=1)
    at = len(scoring.MODEL_COLUMNS) + found.value["names"].index("mean absolute error")  # type: ignore[union-attr]
    ranks = {row[1]: row[at] for row in found.value["models"]}  # type: ignore[union-attr,index]
    best = answered_frame.members[int(np.argmin(errors))]
    assert ranks[best.slug] == 1
    table = statistics_scoring.parts(found.value, found.n)[2].table
    shown = [column.name for column in table.columns]
    assert shown[:4] == ["model", "score", "rank", "mean_absolute_error"]
    assert "multiplier_1" not in shown
    by_error = {row[0]: row[3] for row in table.rows}
    assert by_error[best.name] == 1


def test_the_scores_that_others_are_compared_with_are_the_published_ones(answered_frame: Frame) -> None:
    found = scoring.compute(answered_frame)
    published = {row[1]: row[2] for row in found.value["models"]}  # type: ignore[union-attr,index]
    assert published == pytest.approx({member.slug: member.score for member in answered_frame.members}, abs=1e-6)


def test_a_bank_without_the_curve_has_no_other_constants() -> None:
    answers = np.random.default_rng(1).uniform(0, 10, (6, 24))
    other = BANK._replace(benchmark="emotionbench")
    given = {"answers": answers, "words": [("a", "b", "c", "d")] * 6, "reference": np.full(24, 5.0)}
    scores = np.random.default_rng(2).uniform(0, 100, (6, 6))
    assert scoring.compute(frame(scores, bank=other, **given)).value == {}  # type: ignore[arg-type]
    assert scoring.compute(frame(scores, **given)).value != {}  # type: ignore[arg-type]
    assert scoring.compute(small(6)).value == {}, "no answers are stored"


def table_of(content: bytes) -> Any:
    return pq.read_table(io.BytesIO(content))


def test_the_files_hold_every_score_and_every_pair(official: Frame) -> None:
    found = files.compute(official)
    scores, pairs = table_of(found.files["item-scores"]), table_of(found.files["pairs"])
    assert scores.num_rows == 86
    assert scores["slug"].to_pylist() == [member.slug for member in official.members]
    items = np.array([scores[f"item_{at}"].to_numpy() for at in range(1, 172)]).T
    assert np.allclose(items, official.scores, equal_nan=True)
    assert np.nanmean(items, axis=1).tolist() == pytest.approx(scores["score"].to_pylist())
    assert pairs.num_rows == 86 * 85 // 2
    table, above = pair_table(official.scores), np.triu_indices(86, 1)
    assert np.allclose(pairs["difference"].to_numpy(), table.mean[above], atol=1e-4)
    assert np.allclose(pairs["standard_error"].to_numpy(), table.standard_error[above], atol=1e-4)
    slugs = [member.slug for member in official.members]
    assert pairs["first"].to_pylist() == [slugs[at] for at in above[0]]
    assert pairs["second"].to_pylist() == [slugs[at] for at in above[1]]
    assert official.ahead is not None
    told = official.ahead[above].astype(int) - official.ahead.T[above].astype(int)
    assert pairs["ahead"].to_pylist() == told.tolist()
    facts = json.loads(pairs.schema.metadata[b"ranking"])
    assert (facts["ranking"], facts["n_models"], facts["n_items"]) == ("eq-bench-v2", 86, 171)


def test_nothing_is_written_of_a_private_bank_or_a_single_model(official: Frame) -> None:
    private = frame(official.scores[:5], bank=BANK._replace(access="private"))
    assert files.compute(private).files == {}
    assert files.compute(small(1)).files == {}


def test_a_calculator_scales_the_interval_with_the_passes(official: Frame) -> None:
    value = design.compute(official).value
    once, ten = (answered(value, 3, 171, 80, passes) for passes in (1, 10))
    assert "with 1 pass of each model" in once[0]
    assert "with 10 passes of each model" in ten[0]
    assert once[1].startswith("171 items find a true difference of 6.")
    without = {**value, "parts": None}
    assert answered(without, 3, 171, 80, 1)[0].startswith(
        "A true difference of 3 points is found in 80 % of trials by 890 items (95 % interval 7"
    )
    assert "what more passes would gain is not known" in answered(without, 3, 171, 80, 2)[-1]
