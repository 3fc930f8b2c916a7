"""How many units a test needs, and how far two sides agree."""

from pathlib import Path

import pytest

from evaluation.statistics.agreement import kappa
from evaluation.statistics.power import chi_square_power, units_needed
from tests.statistics.study_data import vectors


def test_the_power_of_the_vectors(shared_data: Path) -> None:
    for case in vectors(shared_data)["power"]:
        if "power" in case:
            assert chi_square_power(case["w"], case["df"], case["total"]) == pytest.approx(case["power"], abs=1e-6)
        else:
            assert units_needed(case["w"], case["df"]) == case["min_total"]


def test_253_units_are_the_published_number() -> None:
    assert units_needed(0.3, 8) == 253


@pytest.mark.parametrize(("w", "power"), [(0, 0.95), (-1, 0.95), (0.3, 1), (0.3, 0.01)])
def test_a_power_that_no_number_gives_is_refused(w: float, power: float) -> None:
    with pytest.raises(ValueError, match="no number of units"):
        units_needed(w, 2, power=power)


def test_the_kappas_of_the_vectors(shared_data: Path) -> None:
    case = vectors(shared_data)["weighted_kappa"]
    table = case["matrix_rows_human_cols_judge"]
    assert kappa(table) == pytest.approx(case["kappa"], rel=1e-4)
    assert kappa(table, "linear") == pytest.approx(case["linear"], rel=1e-4)
    assert kappa(table, "quadratic") == pytest.approx(case["quadratic"], rel=1e-4)


def test_kappa_by_hand() -> None:
    assert kappa([[20, 5], [10, 15]]) == pytest.approx(0.4)
    assert kappa([[5, 0], [0, 5]]) == 1


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[7, 0], [0, 0]], [[0, 7], [0, 0]]])
def test_no_kappa_where_both_sides_use_one_level_only(table: list[list[int]]) -> None:
    assert kappa(table) is None


def test_kappa_needs_a_square_table() -> None:
    with pytest.raises(ValueError, match="as many rows as columns"):
        kappa([[1, 2, 3], [4, 5, 6]])
