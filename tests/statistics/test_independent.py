"""The product's figures against code of another kind: plain loops over the same files, and scipy's own tests."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from evaluation.statistics.correlation import correlate, kendall_tau_b, spearman
from evaluation.statistics.differences import paired_difference
from evaluation.statistics.icc import intraclass_correlation
from evaluation.statistics.items import complete_rows, item_figures
from evaluation.statistics.pairs import median_gap_needed, pair_table, unpaired_ties
from evaluation.statistics.ranks import open_ranges, ranks_of, resampled_ranks
from evaluation.statistics.regression import fit_line
from evaluation.statistics.reliability import cronbach_alpha, reliability, split_halves
from evaluation.statistics.scores import score_estimate
from tests.statistics import independent
from tests.statistics.official import OfficialRuns
from tests.statistics.published import Published


def test_two_readings_of_the_official_files_give_the_same_item_scores(runs: OfficialRuns, shared_data: Path) -> None:
    other = independent.read_runs(shared_data)
    assert tuple(other) == runs.files
    for name, points in zip(runs.files, runs.points, strict=True):
        row = np.array(other[name], dtype=np.float64)
        assert row == pytest.approx(points, abs=1e-9, nan_ok=True), name


def test_plain_loops_give_the_figures_of_the_field(runs: OfficialRuns, shared_data: Path) -> None:
    figures = independent.figures(shared_data)
    points, found = runs.points, reliability(runs.points, halves=2)
    assert found is not None
    order = np.argsort(ranks_of(np.nanmean(points, axis=1)))
    above = np.triu_indices(60, 1)
    errors = [e.standard_error for row in points if (e := score_estimate(row))]
    assert figures == pytest.approx(
        {
            "runs": 60,
            "complete runs": found.n_runs,
            "standard error, mean": np.mean(np.array(errors)),
            "standard error, median": np.median(np.array(errors)),
            "neighbours tied, paired": pair_table(points).tied[order[:-1], order[1:]].sum(),
            "pairs tied, paired": pair_table(points).tied[above].sum(),
            "pairs tied, unpaired": unpaired_ties(points)[above].sum(),
            "least significant difference, median": median_gap_needed(points),
            "alpha": found.alpha,
            "odd-even": found.odd_even,
            "item-total, mean": np.mean([item.item_total for item in item_figures(points)]),
            "items with negative item-total": 2,
            "dependability": found.components.dependability,
        },
        rel=1e-9,
    )


def test_rank_ranges_of_the_matrix_products_are_those_of_pair_by_pair_tests(runs: OfficialRuns) -> None:
    rows = [[None if np.isnan(value) else float(value) for value in row] for row in runs.points]
    ranks = open_ranges(pair_table(runs.points).ahead, np.nanmean(runs.points, axis=1))
    for index in range(60):
        assert (ranks.low[index], ranks.high[index]) == independent.rank_range(rows, index), runs.files[index]


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_resampled_ranges_are_those_of_drawing_items_one_by_one(missing: float) -> None:
    generator = np.random.default_rng(6)
    scores = generator.normal(0, 1, (75, 30)) + np.linspace(0, 1, 75)[:, None] + generator.normal(0, 1, 30)
    scores[generator.random(scores.shape) < missing] = np.nan
    scores[[40, 74]] = scores[0]
    ranks = resampled_ranks(scores, seed=9, draws=120)
    rows = [[None if np.isnan(value) else float(value) for value in row] for row in scores]
    for index in (0, 13, 30, 40, 60, 74):
        low, high = independent.resampled_range(rows, index, draws=120, seed=9)
        assert ranks.low[index] == min(low, ranks.rank[index])
        assert ranks.high[index] == max(high, ranks.rank[index])


def test_the_table_of_pairs_is_the_paired_difference_of_each_pair(runs: OfficialRuns) -> None:
    table = pair_table(runs.points)
    for i, j in [(0, 1), (12, 40), (59, 3), (20, 21), (7, 7)]:
        single = paired_difference(runs.points[i], runs.points[j])
        assert single is not None
        assert table.mean[i, j] == pytest.approx(single.mean, abs=1e-9)
        assert table.standard_error[i, j] == pytest.approx(single.standard_error, abs=1e-7)
        assert (table.shared[i, j], bool(table.tied[i, j])) == (single.n, single.tied)


def test_random_halves_agree_split_by_split(runs: OfficialRuns) -> None:
    found = split_halves(runs.points, halves=40)
    assert found is not None
    assert found.mean_r == pytest.approx(independent.halves_mean_r(complete_rows(runs.points).tolist(), 40))


def test_bootstrap_bounds_agree_with_resampling_by_loops(figures: Published) -> None:
    x, y = figures.pair("v1 vs MT-bench")
    found = correlate(x, y, draws=1_000, kendall_draws=300)
    assert found is not None
    for coefficient, statistic, draws in (
        (found.pearson, independent.pearson, 1_000),
        (found.spearman, independent.spearman, 1_000),
        (found.kendall, independent.kendall_tau_b, 300),
    ):
        assert coefficient.bootstrap is not None
        assert coefficient.value == pytest.approx(statistic(x, y))
        low, high = independent.bootstrap(statistic, x, y, draws, of=1_000)
        assert (coefficient.bootstrap.low, coefficient.bootstrap.high) == pytest.approx((low, high))


@pytest.mark.parametrize("seed", range(5))
def test_coefficients_with_ties_are_those_of_scipy(seed: int) -> None:
    x, y = np.random.default_rng(seed).integers(0, 6, (2, 25))
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
    assert kendall_tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)


@pytest.mark.parametrize("seed", range(3))
def test_the_t_test_is_that_of_scipy(seed: int) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, 14))
    found, other = paired_difference(a, b, distribution="t"), stats.ttest_rel(a, b)
    assert found is not None
    assert found.interval is not None
    assert (found.t, found.p) == pytest.approx((other.statistic, other.pvalue))
    interval = other.confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high))


def test_the_line_is_that_of_scipy_and_residuals_that_of_the_hat_matrix() -> None:
    x, noise = np.random.default_rng(2).normal(size=(2, 12))
    y = 3 + 2 * x + noise
    found, other = fit_line(x, y), stats.linregress(x, y)
    assert found is not None
    assert (found.intercept, found.slope) == pytest.approx((other.intercept, other.slope))
    assert found.r_squared == pytest.approx(other.rvalue**2)
    design = np.stack([np.ones(12), x], axis=1)
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    residuals = y - hat @ y
    sd = np.sqrt(residuals @ residuals / 10)
    assert found.studentised == pytest.approx(residuals / (sd * np.sqrt(1 - np.diag(hat))))


def test_the_icc_is_a_ratio_of_variance_components() -> None:
    generator = np.random.default_rng(4)
    scores = generator.normal(size=(20, 1)) + 0.3 * generator.normal(size=(1, 3)) + generator.normal(size=(20, 3))
    found = intraclass_correlation(scores)
    assert found is not None
    assert found.single == pytest.approx(independent.icc_single(scores.tolist()))


def test_alpha_is_the_stepped_up_reliability_of_a_two_way_analysis() -> None:
    generator = np.random.default_rng(5)
    scores = generator.normal(size=(15, 1)) + generator.normal(size=(15, 7))
    by_run, _, rest = independent.anova(scores.tolist())
    assert cronbach_alpha(scores) == pytest.approx(1 - rest / by_run)
