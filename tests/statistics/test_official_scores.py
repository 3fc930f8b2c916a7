"""The shipped item scores of 86 official runs: the constants in the code, and what was found missing on the pages."""

import csv
from pathlib import Path

import numpy as np
import pytest

from evaluation.importers.official_scores import OFFICIAL_SCORES, official_item_scores
from evaluation.importers.published import OFFICIAL_RUNS_FILE, SHIPPED_FOLDER
from evaluation.statistics.arrays import Floats
from evaluation.statistics.dimensionality import parallel_analysis
from evaluation.statistics.exactness import exactness
from evaluation.statistics.generalizability import DesignStudy, coefficient, design_study, items_needed
from evaluation.statistics.pairs import median_gap_needed
from evaluation.statistics.reliability import variance_components
from leaderboard.standings.field import FIELDS
from tests.statistics.official import OfficialRuns


@pytest.fixture(scope="module")
def scores() -> Floats:
    return official_item_scores()[1]


@pytest.fixture(scope="module")
def study(scores: Floats) -> DesignStudy:
    found = design_study(scores)
    assert found is not None
    return found


def test_the_rows_are_the_86_listed_files_and_give_their_scores() -> None:
    names, scores = official_item_scores()
    with (SHIPPED_FOLDER / OFFICIAL_RUNS_FILE).open(newline="") as lines:
        listed = {row["file"]: row for row in csv.DictReader(lines)}
    assert scores.shape == (86, 171)
    assert list(names) == list(listed)
    for name, row in zip(names, scores, strict=True):
        assert round(10 * float(np.nanmean(row)), 2) == pytest.approx(
            float(listed[name]["benchmark_score"]), abs=0.0051
        )
        assert int((~np.isnan(row)).sum()) == int(listed[name]["n_counted"])


def test_the_60_files_at_hand_give_the_shipped_rows(runs: OfficialRuns) -> None:
    names, scores = official_item_scores()
    at = [names.index(name) for name in runs.files]
    assert np.allclose(scores[at], runs.scores, atol=1e-6, equal_nan=True)


def test_the_constants_of_published_scores_come_from_the_shipped_file(scores: Floats) -> None:
    points, field = 10 * scores, FIELDS["eq-bench-v2"]
    totals = np.nanmean(points, axis=1)
    n = (~np.isnan(points)).sum(axis=1)
    full = np.nanstd(points, axis=1, ddof=1) / np.sqrt(n)
    own = np.nanstd(points - np.nanmean(points, axis=0), axis=1, ddof=1) / np.sqrt(n)
    assert round(float(np.median(full)), 4) == field.median_standard_error == 2.0216
    assert round(median_gap_needed(points) or 0, 4) == field.least_significant_difference == 4.5969
    for errors, line in ((full, field.full_error), (own, field.own_error)):
        slope, intercept = np.polyfit(totals, errors, 1)
        assert line.intercept == pytest.approx(intercept, abs=5e-4)
        assert line.slope == pytest.approx(slope, abs=5e-5)


def test_a_file_with_a_word_in_place_of_a_number_is_refused(tmp_path: Path) -> None:
    lines = OFFICIAL_SCORES.read_text().splitlines()[:3]
    name = lines[2].partition(",")[0]
    wrong = tmp_path / "scores.csv"
    wrong.write_text("\n".join([*lines[:2], f"{name},many"]))
    with pytest.raises(ValueError, match="many"):
        official_item_scores(wrong)


def test_the_variance_components_are_as_found(study: DesignStudy) -> None:
    found = study.components
    assert (study.n_models, study.n_items) == (63, 171)
    assert [round(value, 2) for value in (found.runs, found.items, found.rest)] == [1.53, 2.56, 5.09]


@pytest.mark.parametrize(("gap", "needed"), [(5, 320), (3, 888), (2, 1997), (1, 7986)])
def test_items_for_a_difference_found_four_times_in_five(gap: float, needed: int, study: DesignStudy) -> None:
    assert items_needed(100 * study.components.rest, gap) == pytest.approx(needed, abs=1)
    low, high = study.rest.interval.low, study.rest.interval.high  # type: ignore[union-attr]
    assert items_needed(100 * low, gap) < needed < items_needed(100 * high, gap)


@pytest.mark.parametrize(("n", "relative", "absolute"), [(60, 0.947, 0.923), (171, 0.981, 0.972), (500, 0.993, 0.990)])
def test_the_reliability_of_other_lengths(n: int, relative: float, absolute: float, study: DesignStudy) -> None:
    assert study.relative is not None
    assert study.absolute is not None
    assert round(coefficient(study.relative.value, n), 3) == relative
    assert round(coefficient(study.absolute.value, n), 3) == absolute


def test_the_reliability_of_the_whole_test_is_alpha_and_phi(scores: Floats, study: DesignStudy) -> None:
    assert study.absolute is not None
    assert coefficient(study.absolute.value, 171) == pytest.approx(variance_components(scores).dependability)


def test_six_factors_and_more_lie_above_chance_and_the_first_holds_29_per_cent(scores: Floats) -> None:
    found = parallel_analysis(scores)
    assert found is not None
    assert (found.n_models, found.n_items) == (63, 171)
    assert [round(each.value, 1) for each in found.eigenvalues[:6]] == [49.5, 12.9, 10.3, 7.9, 7.6, 6.6]
    # Chance as found by normal draws: within a tenth of the mean of these shuffles.
    for each, chance in zip(found.eigenvalues[:6], (6.8, 6.4, 6.1, 5.8, 5.6, 5.4), strict=True):
        assert each.chance == pytest.approx(chance, abs=0.11)
        assert each.value > each.chance_95 > each.chance
    assert found.n_above >= 6
    assert round(found.first_share, 2) == 0.29


def test_the_gap_that_two_models_need_falls_from_the_lowest_scores_to_the_highest(scores: Floats) -> None:
    points = 10 * scores
    found = exactness(points, np.nanmean(points, axis=1))
    assert found is not None
    assert sum(group.n for group in found.groups) == 86
    gaps = [group.gap for group in found.groups]
    assert gaps == sorted(gaps, reverse=True)
    # By bands of the scale the medians are 7.5 below 40 and 2.9 above 80 points.
    assert 5.5 < gaps[0] < 8.0
    assert 2.9 < gaps[-1] < 4.1
