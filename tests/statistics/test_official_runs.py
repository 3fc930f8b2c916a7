"""Acceptance numbers of the 60 official run files, to the digits printed in the specification (sections 7 and 9)."""

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from evaluation.statistics.arrays import Ints
from evaluation.statistics.differences import paired_difference
from evaluation.statistics.emotions import bias_by_word, calibration
from evaluation.statistics.items import item_figures
from evaluation.statistics.one_order import one_order
from evaluation.statistics.pairs import median_gap_needed, pair_table, unpaired_ties
from evaluation.statistics.ranks import ranks_of, resampled_ahead, resampled_ranks
from evaluation.statistics.regression import fit_line
from evaluation.statistics.reliability import reliability
from evaluation.statistics.repeatability import run_agreement, spread
from evaluation.statistics.scores import score_estimate
from tests.statistics.official import OfficialRuns, official_runs, published_runs

FIRST, TIED_WITH_FIRST = "gpt-4-0314", ("gpt-4-0125-preview", "gpt-4-0314", "gpt-4-0613")


def best_first(runs: OfficialRuns) -> Ints:
    return np.argsort(ranks_of(np.nanmean(runs.points, axis=1)))


def test_all_60_printed_scores_come_out_under_the_readme_rule(runs: OfficialRuns) -> None:
    means = np.nanmean(runs.points, axis=1)
    assert runs.files == tuple(sorted(runs.files))
    assert len(runs.files) == 60
    assert np.round(means, 2) == pytest.approx(runs.printed)


def test_25_printed_scores_come_out_under_the_code_rule(shared_data: Path) -> None:
    runs = official_runs(shared_data, "code")
    means = np.nanmean(runs.points, axis=1)
    assert int(np.isclose(np.round(means, 2), runs.printed).sum()) == 25
    assert round(float(np.abs(means - runs.printed).max()), 4) == 0.0219


def test_scores_and_errors_equal_the_published_table_to_four_decimals(runs: OfficialRuns, shared_data: Path) -> None:
    table = published_runs(shared_data)
    for name, points in zip(runs.files, runs.points, strict=True):
        estimate, row = score_estimate(points), table[name]
        assert estimate is not None
        assert f"{estimate.mean:.4f}" == row["recomputed_readme_rule"], name
        assert f"{estimate.standard_error:.4f}" == row["standard_error"], name
        assert estimate.n_items == int(row["n_counted"]), name


def test_standard_errors_have_the_stated_mean_median_and_ends(runs: OfficialRuns) -> None:
    estimates = [score_estimate(points) for points in runs.points]
    errors = np.array([e.standard_error for e in estimates if e and e.standard_error])
    found = [errors.mean(), np.median(errors), errors.min(), errors.max()]
    assert [round(float(value), 4) for value in found] == [2.0586, 2.0162, 1.0969, 3.5685]


def test_the_43_complete_runs_have_the_stated_reliability(runs: OfficialRuns) -> None:
    found = reliability(runs.points)
    assert found is not None
    assert found.halves is not None
    assert (found.n_runs, found.n_items) == (43, 171)
    assert round(found.alpha or 0, 4) == 0.9836
    assert round(found.odd_even or 0, 4) == 0.9777
    assert round(found.odd_even_spearman_brown or 0, 4) == 0.9887
    assert round(found.halves.mean_r, 4) == 0.9703


def test_items_48_and_137_alone_rank_the_complete_runs_the_other_way_round(runs: OfficialRuns) -> None:
    figures = item_figures(runs.points)
    assert [item.column + 1 for item in figures if item.negative] == [48, 137]
    assert round(float(np.mean([item.item_total for item in figures])), 4) == 0.5289


def test_57_of_59_neighbours_and_444_of_1770_pairs_are_tied(runs: OfficialRuns) -> None:
    table, order = pair_table(runs.points), best_first(runs)
    assert int(table.tied[order[:-1], order[1:]].sum()) == 57
    assert int(table.tied[np.triu_indices(60, 1)].sum()) == 444


def test_the_two_separated_neighbours_are_those_named(runs: OfficialRuns) -> None:
    table, order = pair_table(runs.points), best_first(runs)
    apart = [(runs.files[a], runs.files[b]) for a, b in pairwise(order) if table.ahead[a, b]]
    assert [(a.split("_eqbench")[0], b.split("_eqbench")[0]) for a, b in apart] == [
        ("TheBloke__Llama-2-13B-chat-AWQ", "NousResearch__Llama-2-7b-chat-hf"),
        ("TheBloke__koala-7B-HF", "stabilityai__stablelm-2-zephyr-1_6b"),
    ]


def test_unpaired_58_neighbours_and_566_pairs_are_tied(runs: OfficialRuns) -> None:
    tied, order = unpaired_ties(runs.points), best_first(runs)
    assert int(tied[order[:-1], order[1:]].sum()) == 58
    assert int(tied[np.triu_indices(60, 1)].sum()) == 566


def test_the_median_least_significant_difference_is_as_stated(runs: OfficialRuns) -> None:
    assert round(median_gap_needed(runs.points) or 0, 4) == 4.5867


def test_the_first_is_tied_with_the_two_named(runs: OfficialRuns) -> None:
    tied, first = pair_table(runs.points).tied, runs.row(FIRST)
    assert best_first(runs)[0] == first
    assert [runs.files[i] for i in np.flatnonzero(tied[first])] == [
        f"{name}_eqbench_v2_results.json" for name in TIED_WITH_FIRST
    ]


def test_resampling_parts_all_but_26_of_1770_pairs_as_the_paired_test_does(runs: OfficialRuns) -> None:
    # The methodology page says so.
    above = np.triu_indices(60, 1)
    ahead = resampled_ahead(runs.points)
    tied = ~(ahead | ahead.T)
    assert int((tied == pair_table(runs.points).tied)[above].sum()) == 1_744
    assert int(tied[above].sum()) == 442


def test_the_t_of_the_compare_page_parts_one_pair_less_and_agrees_with_the_ranks_on_1743_pairs(
    runs: OfficialRuns,
) -> None:
    ahead, normal = resampled_ahead(runs.points), pair_table(runs.points).tied
    tied, agrees, differs = ~(ahead | ahead.T), 0, 0
    for i, j in combinations(range(60), 2):
        found = paired_difference(runs.points[i], runs.points[j], distribution="t")
        assert found is not None
        agrees += found.tied == tied[i, j]
        differs += found.tied and not normal[i, j]
    assert (agrees, differs) == (1743, 1)


def test_another_seed_moves_one_of_five_ends_of_the_ranges_by_four_ranks_at_most(runs: OfficialRuns) -> None:
    # The methodology page says so.
    found = resampled_ranks(runs.points)
    others = [resampled_ranks(runs.points, seed=seed) for seed in range(1, 21)]
    moved = np.abs([[*(found.low - other.low), *(found.high - other.high)] for other in others])
    assert float((moved > 0).mean()) == pytest.approx(0.2, abs=0.05)
    assert float((moved <= 1).mean()) > 0.9
    assert int(moved.max()) == 4


def test_every_range_holds_its_rank_and_the_ties_are_those_of_the_resampled_table(runs: OfficialRuns) -> None:
    totals = np.nanmean(runs.points, axis=1)
    found, alone = one_order(totals, runs.points, np.full(60, np.nan)), resampled_ranks(runs.points)
    assert (found.ahead == resampled_ahead(runs.points)).all()
    assert (found.ranges.low == alone.low).all()
    assert (found.ranges.high == alone.high).all()
    assert ((alone.low <= alone.rank) & (alone.rank <= alone.high)).all()
    assert int(found.tied_with.sum()) == 2 * 442


def test_groups_of_the_official_runs_interleave_by_score(runs: OfficialRuns) -> None:
    totals = np.nanmean(runs.points, axis=1)
    found = one_order(totals, runs.points, np.full(60, np.nan))
    by_rank = found.group[np.argsort(found.ranges.rank, kind="stable")]
    assert (by_rank.max(), 1 + int((np.diff(by_rank) != 0).sum())) == (11, 13)
    assert by_rank[0] == 1


def test_own_errors_tie_nearly_as_many_pairs_as_the_paired_test_and_full_errors_far_more(runs: OfficialRuns) -> None:
    # 442 pairs are tied by resampling; so scores alone may stand in where no answers are stored.
    totals, none = np.nanmean(runs.points, axis=1), np.empty((60, 0))
    centred = runs.points - np.nanmean(runs.points, axis=0)
    own, full = (
        np.nanstd(points, axis=1, ddof=1) / np.sqrt((~np.isnan(points)).sum(axis=1))
        for points in (centred, runs.points)
    )
    tied = [int(one_order(totals, none, errors).tied_with.sum() / 2) for errors in (own, full)]
    assert tied == [454, 566]


def test_the_rerun_of_gpt_35_agrees_as_stated(runs: OfficialRuns) -> None:
    found = run_agreement(runs.points[runs.row("gpt-3.5-turbo")], runs.points[runs.row("gpt-3.5-turbo-0613")])
    assert found is not None
    assert (found.n_equal, found.n, round(found.r or 0, 4)) == (157, 171, 0.9928)


@pytest.mark.parametrize(
    ("scores", "mean", "sd", "cv"),
    [
        ([69.35, 69.51, 69.64, 69.32], 69.4550, 0.1489, 0.2144),
        ([69.35, 69.51], 69.43, 0.1131, 0.1630),
        ([69.64, 69.32], 69.48, 0.2263, 0.3257),
    ],
)
def test_reruns_of_one_snapshot_spread_as_published(scores: list[float], mean: float, sd: float, cv: float) -> None:
    found = spread(scores)
    assert found is not None
    assert (round(found.mean, 4), round(found.sd or 0, 4), round(found.cv_percent or 0, 4)) == (mean, sd, cv)


def test_errors_fall_with_the_score_as_the_line_says(shared_data: Path) -> None:
    rows = published_runs(shared_data).values()
    scores = [float(row["recomputed_readme_rule"]) for row in rows]
    line = fit_line(scores, [float(row["standard_error"]) for row in rows])
    assert line is not None
    assert (line.n, round(line.intercept, 4), round(line.slope, 4)) == (86, 3.9571, -0.0282)
    # The table's errors are rounded to four decimals, so the last digit of r is not certain.
    assert line.r_squared**0.5 == pytest.approx(0.8253, abs=1e-4)


def test_emotion_bias_of_gpt_35_is_that_of_the_model_page(runs: OfficialRuns) -> None:
    answers = runs.ratings[runs.row("gpt-3.5-turbo-0613")].ravel()
    words = [word for labels in runs.labels for word in labels]
    rows = [bias for bias in bias_by_word(words, answers, runs.reference.ravel()) if bias.n >= 10]
    shown = [(b.name, round(b.mean_error, 2), round(b.interval.half_width, 2), b.n) for b in rows if b.interval]
    assert shown[:4] == [
        ("Anger", 2.50, 1.70, 12),
        ("Guilt", 2.08, 1.37, 12),
        ("Indifference", 1.83, 0.81, 12),
        ("Offended", 1.80, 1.57, 10),
    ]
    assert shown[-1] == ("Frustrated", -0.17, 0.60, 12)
    assert len(shown) == 16


def test_calibration_of_gpt_35_is_that_of_the_model_page(runs: OfficialRuns) -> None:
    points = calibration(runs.ratings[runs.row("gpt-3.5-turbo-0613")].ravel(), runs.reference.ravel())
    shown = [(p.reference, round(p.mean_answer, 2), round(p.interval.half_width, 2), p.n) for p in points if p.interval]
    assert shown == [
        (0, 2.33, 0.24, 254),
        (1, 3.55, 1.42, 11),
        (2, 2.96, 0.63, 49),
        (3, 3.98, 0.72, 43),
        (4, 4.70, 0.62, 56),
        (5, 4.92, 1.07, 12),
        (6, 5.34, 0.53, 56),
        (7, 6.51, 0.45, 69),
        (8, 7.33, 0.24, 127),
        (9, 8.00, 1.19, 7),
    ]
