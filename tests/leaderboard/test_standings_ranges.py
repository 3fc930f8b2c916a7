"""Ranges of ranks, tie groups and scatter in the standings: from item scores, or approximately from the field."""

import csv
from io import StringIO
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.models import ItemBank, ItemResult, Origin, Run
from evaluation.statistics.pairs import gaps_by_band, median_gap_needed, pair_table
from evaluation.statistics.ranks import resampled_ranks
from leaderboard.models import AheadTable, Standing
from leaderboard.standings import refresh_standings
from leaderboard.standings.field import FIELDS
from leaderboard.standings.rows import RANK_RULE
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import finished, publish
from tests.leaderboard.scored_runs import scored, store
from tests.statistics.official import official_runs

pytestmark = [pytest.mark.django_db, pytest.mark.database]

HIGH = [9.0, 8.0, 9.5, 8.5, 9.2]
MIDDLE = [6.0, 5.5, 6.4, 5.0, 6.1]
NEAR_MIDDLE = [5.0, 6.5, 5.4, 6.0, 5.1]


@pytest.fixture
def bank(db: None) -> ItemBank:
    return make_bank(slug="scenes")


def ranges(ranking: str = "scenes") -> dict[str, tuple[int | None, int | None, int | None, int | None]]:
    """Display name -> rank, its range, tie group; best score first."""
    refresh_standings()
    rows = Standing.objects.filter(ranking=ranking).order_by("-score", "pk").select_related("model")
    return {row.model.display_name: (row.rank, row.rank_low, row.rank_high, row.tie_group) for row in rows}


def test_models_that_the_items_tell_apart_have_one_rank_and_the_others_share_a_range(bank: ItemBank) -> None:
    for name, scores in (("high", HIGH), ("near", NEAR_MIDDLE), ("middle", MIDDLE)):
        scored(bank, scores, name=name)
    assert ranges() == {"high": (1, 1, 1, 1), "middle": (2, 2, 3, 2), "near": (3, 2, 3, 2)}


def test_all_models_are_drawn_the_same_items_so_a_small_but_steady_lead_separates(bank: ItemBank) -> None:
    scored(bank, [9.1, 1.12, 5.09, 7.11, 3.1], name="ahead")
    scored(bank, [9.0, 1.0, 5.0, 7.0, 3.0], name="behind")
    assert ranges() == {"ahead": (1, 1, 1, 1), "behind": (2, 2, 2, 2)}


def test_the_item_scores_of_a_model_are_the_mean_over_its_runs_and_repeats(bank: ItemBank) -> None:
    # Either run of the model alone beats the rival on some items only; their mean beats it on each by the same.
    model = make_model("two runs")
    scored(bank, [9.0, 3.0, 8.0, 2.0, 7.0], [3.0, 9.0, 2.0, 8.0, 3.0], model=model)
    scored(bank, [6.1, 6.0, 5.0, 5.0, 5.0], model=model)
    scored(bank, [5.5, 5.5, 4.5, 4.5, 4.5], name="rival")
    assert ranges() == {"two runs": (1, 1, 1, 1), "rival": (2, 2, 2, 2)}


def test_items_that_were_not_read_are_missing_and_not_zero(bank: ItemBank) -> None:
    scored(bank, [None, 8.0, 8.1, 7.9, None], name="gaps")
    scored(bank, [8.0, 8.1, 7.9, 8.0, 8.1], name="whole")
    assert ranges() == {"whole": (1, 1, 2, 1), "gaps": (2, 1, 2, 1)}


def test_the_counted_pass_of_a_revised_run_is_what_is_ranked(bank: ItemBank) -> None:
    scored(bank, HIGH, name="high")
    revised = finished(bank, 91.4, name="revised", counted_part="revised", repeat_scores=[91.4])
    store(revised, [MIDDLE], revised=[[9.3, 8.3, 9.8, 8.8, 9.5]])
    assert ranges() == {"revised": (1, 1, 1, 1), "high": (2, 2, 2, 2)}


def test_where_repeats_count_different_passes_each_gives_its_own(bank: ItemBank) -> None:
    # The first repeat counts its first pass, the second its revision: both times HIGH plus 0.3.
    better = [score + 0.3 for score in HIGH]
    mixed = finished(bank, 91.4, name="mixed", counted_part="mixed", repeats=2, repeat_scores=[91.4, 91.4])
    store(mixed, [better, MIDDLE], revised=[MIDDLE, better])
    scored(bank, HIGH, name="high")
    assert ranges() == {"mixed": (1, 1, 1, 1), "high": (2, 2, 2, 2)}


def test_runs_of_another_rule_bank_or_origin_do_not_enter_the_item_scores(bank: ItemBank) -> None:
    model = make_model("high")
    scored(bank, HIGH, model=model)
    scored(bank, [0.0] * 5, model=model, origin=Origin.IMPORTED)
    scored(bank, [0.0] * 5, model=model, benchmark="eq-bench-v2-code")
    scored(bank, [0.0] * 5, model=model, published=False)
    scored(make_bank(), [0.0] * 5, model=model)
    scored(bank, MIDDLE, name="middle")
    assert ranges() == {"high": (1, 1, 1, 1), "middle": (2, 2, 2, 2)}


def test_a_model_without_stored_items_is_left_open_beside_models_that_have_them(bank: ItemBank) -> None:
    scored(bank, HIGH, name="high")
    scored(bank, MIDDLE, name="middle")
    finished(bank, 70.0, name="bare")
    assert ranges() == {"high": (1, 1, 2, 1), "bare": (2, 1, 3, 1), "middle": (3, 2, 3, 2)}


def test_without_any_stored_item_there_are_ranks_and_no_ranges(bank: ItemBank) -> None:
    finished(bank, 70.0, name="one")
    finished(bank, 60.0, name="two")
    assert ranges() == {"one": (1, None, None, None), "two": (2, None, None, None)}


def test_published_figures_alone_have_approximate_ranges_and_intervals(db: None) -> None:
    for name, score in (("first", 80.0), ("near", 77.0), ("far", 74.0), ("last", 10.0)):
        publish(make_model(name), "eq-bench-v2", score)
    # Own errors of 1.29, 1.38 and 1.47 tie gaps of 3 (3.71 and 3.96 are needed) and separate one of 6 (3.84).
    assert ranges("eq-bench-v2") == {
        "first": (1, 1, 2, 1),
        "near": (2, 1, 3, 1),
        "far": (3, 2, 3, 2),
        "last": (4, 4, 4, 3),
    }
    row = Standing.objects.get(model__name="first")
    assert (row.approximate, row.standard_error, row.tied_with) == (True, None, 1)
    assert row.own_error == pytest.approx(3.677 - 0.0298 * 80)
    assert row.interval_high == pytest.approx(80 + 1.959964 * (3.957 - 0.0282 * 80))


@pytest.mark.parametrize("origin", [Origin.IMPORTED, Origin.MEASURED])
def test_one_run_takes_its_place_among_the_published_models(db: None, origin: Origin) -> None:
    bank = make_bank(slug="eq-bench-v2")
    for name, score in (("best", 86.0), ("middle", 70.0), ("low", 40.0)):
        publish(make_model(name), "eq-bench-v2", score)
    scored(bank, [6.0, 6.3, 5.8, 6.1, 6.4], name="run", origin=origin, standard_error=2.0)
    assert ranges("eq-bench-v2") == {
        "best": (1, 1, 1, 1), "middle": (2, 2, 2, 2), "run": (3, 3, 3, 3), "low": (4, 4, 4, 4),
    }  # fmt: skip
    run = Standing.objects.get(model__name="run")
    assert (run.approximate, run.standard_error) == (False, 2.0)


def test_a_published_score_of_a_model_with_a_run_gives_way_to_the_run(db: None) -> None:
    bank, model = make_bank(slug="eq-bench-v2"), make_model("both")
    publish(model, "eq-bench-v2", 95.0)
    scored(bank, HIGH, model=model, standard_error=1.0)
    assert ranges("eq-bench-v2") == {"both": (1, 1, 1, 1)}
    assert Standing.objects.get().origin == Origin.MEASURED


def test_two_scores_of_unknown_error_are_tied_and_a_run_lends_them_its_own(bank: ItemBank) -> None:
    for name, score in (("high", 90.0), ("low", 20.0)):
        publish(make_model(name), "scenes", score)
    scored(bank, MIDDLE, name="run", standard_error=3.0)
    # The run at 58 needs a gap of 8.3 to either figure; between the figures nothing is known.
    assert ranges() == {"high": (1, 1, 2, 1), "run": (2, 2, 2, 2), "low": (3, 2, 3, 1)}


def test_the_table_of_who_is_ahead_is_stored_best_first_and_goes_with_its_ranking(bank: ItemBank) -> None:
    runs = [scored(bank, scores, name=name) for name, scores in (("middle", MIDDLE), ("high", HIGH))]
    refresh_standings()
    table = AheadTable.objects.get()
    assert table.model_ids == [runs[1].model_id, runs[0].model_id]
    assert np.unpackbits(np.frombuffer(table.packed, np.uint8), count=4).tolist() == [0, 1, 0, 0]
    before = table.packed
    refresh_standings()
    assert AheadTable.objects.get().packed == before
    Run.objects.update(published=False)
    refresh_standings()
    assert not AheadTable.objects.exists()


def test_figures_of_a_ranking_whose_field_is_not_known_have_ranks_and_nothing_more(bank: ItemBank) -> None:
    publish(make_model("paper"), "scenes", 50.0)
    assert ranges() == {"paper": (1, None, None, None)}
    assert Standing.objects.get().interval_low is None


def test_the_scatter_is_that_of_all_passes_of_all_runs(bank: ItemBank) -> None:
    model = make_model()
    finished(bank, 65.0, model=model, repeats=2, repeat_scores=[60.0, 70.0])
    finished(bank, 80.0, model=model, repeat_scores=[80.0])
    refresh_standings()
    row = Standing.objects.get()
    assert (row.score, row.repeats, row.runs_used) == (70.0, 3, 2)
    assert row.cv_percent == pytest.approx(100 * 10 / 70)


def test_one_pass_has_no_scatter_and_a_repeat_without_score_is_no_pass(bank: ItemBank) -> None:
    finished(bank, 65.0, repeats=2, repeat_scores=[65.0, None])
    refresh_standings()
    row = Standing.objects.get()
    assert (row.repeats, row.cv_percent) == (1, None)


def test_item_scores_are_read_again_only_where_a_result_has_changed(bank: ItemBank) -> None:
    for scores in (HIGH, MIDDLE):
        newest = scored(bank, scores)
    refresh_standings()
    with CaptureQueriesContext(connection) as captured:
        refresh_standings()
    assert not any("evaluation_itemresult" in query["sql"] for query in captured)
    ItemResult.objects.filter(run=newest).update(score=10.0)
    Run.objects.filter(pk=newest.pk).update(score=100.0)
    refresh_standings()
    assert Standing.objects.get(run=newest).rank == 1


def test_a_model_that_leaves_gives_its_rank_to_the_others(bank: ItemBank) -> None:
    best = scored(bank, HIGH, name="best")
    scored(bank, MIDDLE, name="other")
    refresh_standings()
    Run.objects.filter(pk=best.pk).update(published=False)
    assert ranges() == {"other": (1, 1, 1, 1)}


def test_ranges_made_by_an_older_rule_are_made_anew_at_the_next_refresh(bank: ItemBank) -> None:
    for name, scores in (("middle", MIDDLE), ("near", NEAR_MIDDLE)):
        scored(bank, scores, name=name)
    now = ranges()
    Standing.objects.update(rank_rule=1, rank_low=1, rank_high=1)
    assert ranges() == now == {"middle": (1, 1, 2, 1), "near": (2, 1, 2, 1)}
    assert set(Standing.objects.values_list("rank_rule", flat=True)) == {RANK_RULE}


def test_an_interval_that_rule_3_stored_is_made_anew_at_the_next_refresh() -> None:
    """Rule 3 took 1.96 standard errors from 30 items on."""
    run = finished(make_bank(60), 50.0, standard_error=2.0)
    refresh_standings()
    before = Standing.objects.get()
    Standing.objects.update(rank_rule=3, interval_low=50 - 3.919928, interval_high=50 + 3.919928)
    refresh_standings(run.pk)
    now = Standing.objects.get()
    assert (now.interval_low, now.interval_high) == (before.interval_low, before.interval_high)
    assert now.interval_high == pytest.approx(50 + 2.000995 * 2.0)
    assert now.computed_at > before.computed_at  # so that pages that were kept are made anew


@pytest.mark.parametrize("prefix", ["", "renamed "])
def test_stored_ranges_hang_neither_on_names_nor_on_the_order_in_which_runs_came(db: None, prefix: str) -> None:
    field = np.random.default_rng(8).normal(6, 1.5, (12, 40)) + np.linspace(0, 1.5, 12)[:, None]
    stored = []
    for slug, order in (("up", range(12)), ("down", range(11, -1, -1))):
        bank = make_bank(40, slug=slug)
        for at in order:
            scored(bank, field[at].tolist(), name=f"{prefix if slug == 'down' else ''}{slug} {at}")
        stored.append({int(name.split()[-1]): columns for name, columns in ranges(slug).items()})
    assert stored[0] == stored[1]
    assert len({low for _, low, _, _ in stored[0].values()}) > 2


def test_the_official_runs_get_the_published_ties(shared_data: Path) -> None:
    questions = shared_data / "eqbench/eq_bench_v2_questions_171.json"
    call_command("load_bank", "eq-bench-v2", location=str(questions), stdout=StringIO())
    call_command("import_results", shared_data / "eqbench/official_runs", stdout=StringIO())
    found = ranges("eq-bench-v2")
    assert list(found)[:4] == ["gpt-4-0314", "gpt-4-0613", "gpt-4-0125-preview", "mistral-medium"]
    assert found["gpt-4-0314"] == (1, 1, 3, 1)
    independent = resampled_ranks(official_runs(shared_data).scores)
    stored = sorted((rank, low, high) for rank, low, high, _ in found.values())
    assert stored == sorted(
        zip(independent.rank.tolist(), independent.low.tolist(), independent.high.tolist(), strict=True)
    )


def test_the_field_of_published_scores_agrees_with_the_published_runs(shared_data: Path) -> None:
    with (shared_data / "published/official_runs.csv").open(newline="") as lines:
        errors = [float(row["standard_error"]) for row in csv.DictReader(lines)]
    field = FIELDS["eq-bench-v2"]
    assert len(errors) == 86
    assert field.median_standard_error == pytest.approx(median(errors), abs=1e-4)
    # The gap is over all pairs of the 86; 60 of them are at hand.
    at_hand = median_gap_needed(official_runs(shared_data).points)
    assert at_hand == pytest.approx(4.5867, abs=5e-5)
    assert np.isclose(field.least_significant_difference, at_hand or 0.0, atol=0.02)


def test_the_gaps_by_band_are_near_those_of_the_runs_at_hand_and_widen_downwards(shared_data: Path) -> None:
    """The constants are of 86 runs, of which 60 are at hand: in the bands with many pairs they agree closely, in those
    with 10 to 21 within a point."""
    points = official_runs(shared_data).points
    found = {(band.low, band.high): band for band in gaps_by_band(pair_table(points), np.nanmean(points, axis=1))}
    stated = {(low, high): gap for low, high, gap in FIELDS["eq-bench-v2"].gap_bands}
    assert stated == {(80, None): 2.93, (70, 80): 4.08, (60, 70): 4.66, (40, 60): 5.82, (None, 40): 7.47}
    assert [(band.n, round(band.gap, 2)) for band in found.values()] == [
        (10, 2.68), (351, 4.06), (105, 4.62), (21, 5.57), (15, 6.52),
    ]  # fmt: skip
    assert all(abs(band.gap - stated[ends]) < (0.05 if band.n > 100 else 1.0) for ends, band in found.items())


def test_the_error_lines_of_published_scores_are_near_those_of_the_runs_at_hand(shared_data: Path) -> None:
    # The constants are of 86 runs, of which 60 are at hand: their lines differ by at most 0.2 points from 30 to 86.
    runs, field = official_runs(shared_data), FIELDS["eq-bench-v2"]
    centred = runs.points - np.nanmean(runs.points, axis=0)
    for line, points in ((field.full_error, runs.points), (field.own_error, centred)):
        errors = np.nanstd(points, axis=1, ddof=1) / np.sqrt((~np.isnan(points)).sum(axis=1))
        slope, intercept = np.polyfit(np.nanmean(runs.points, axis=1), errors, 1)
        for score in (30.0, 60.0, 86.0):
            assert line.at(score) == pytest.approx(intercept + slope * score, abs=0.2)
    assert field.own_error.at(150.0) == 0.5
