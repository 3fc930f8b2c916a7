"""Public less private score: who is in the table, how large the gap is, and what the data leave open."""

import pytest

from evaluation.models import ItemBank, Origin, Status
from leaderboard.standings import refresh_standings
from leaderboard.statistics.contamination import contamination
from tests.factories import make_bank, make_model, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def banks() -> tuple[ItemBank, ItemBank]:
    return make_bank(5, slug="open-scenes"), make_bank(50, slug="closed", access="private")


def run_both(
    banks: tuple[ItemBank, ItemBank], public: float, private: float, *, name: str, error: float | None = 2.0
) -> None:
    model = make_model(name)
    for bank, score in zip(banks, (public, private), strict=True):
        make_run(bank=bank, model=model, status=Status.FINISHED, score=score, standard_error=error)


def test_the_gap_of_each_model_has_the_errors_of_both_scores(banks: tuple[ItemBank, ItemBank]) -> None:
    run_both(banks, 70, 50, name="learnt", error=2.0)
    run_both(banks, 61, 60, name="plain", error=3.0)
    run_both(banks, 40, 42, name="other", error=3.0)
    refresh_standings()
    found = contamination("open-scenes", "closed")
    assert [(row.model, row.difference, row.is_open) for row in found.rows] == [
        ("learnt", 20.0, False),
        ("plain", 1.0, True),
        ("other", -2.0, True),
    ]
    assert found.median_gap == 1.0
    assert [row.beyond_median for row in found.rows] == [19.0, 0.0, -3.0]
    interval = found.rows[0].interval
    assert interval is not None
    assert (interval.low, interval.high) == (14.0, 26.0)  # 20 ± 1.959964 × √(2² + (4 / 1.959964)²), in whole points


def test_only_models_with_both_scores_count_and_neither_baselines_nor_demonstrations(
    banks: tuple[ItemBank, ItemBank],
) -> None:
    run_both(banks, 70, 50, name="both")
    make_run(bank=banks[0], status=Status.FINISHED)
    make_run(bank=banks[1], status=Status.FINISHED)
    for origin in (Origin.BASELINE, Origin.DEMO):
        model = make_model()
        for bank in banks:
            make_run(bank=bank, model=model, status=Status.FINISHED, origin=origin)
    refresh_standings()
    assert [row.model for row in contamination("open-scenes", "closed").rows] == ["both"]


def test_without_a_standard_error_the_gap_is_left_open(banks: tuple[ItemBank, ItemBank]) -> None:
    run_both(banks, 70, 20, name="bare", error=None)
    refresh_standings()
    (row,) = contamination("open-scenes", "closed").rows
    assert (row.interval, row.is_open) == (None, True)


def test_without_runs_the_table_is_empty(banks: tuple[ItemBank, ItemBank]) -> None:
    found = contamination("open-scenes", "closed")
    assert (found.rows, found.median_gap) == ((), None)


@pytest.mark.parametrize(
    ("public", "private"), [("closed", "open-scenes"), ("closed", "closed"), ("open-scenes", "open-scenes"), ("a", "b")]
)
def test_only_a_public_and_a_private_bank_are_compared(
    banks: tuple[ItemBank, ItemBank], public: str, private: str
) -> None:
    with pytest.raises(ValueError, match="are not a public and a private bank"):
        contamination(public, private)


def test_the_number_of_queries_does_not_grow_with_the_models(
    banks: tuple[ItemBank, ItemBank], django_assert_num_queries: pytest.FixtureRequest
) -> None:
    for number in range(6):
        run_both(banks, 50 + number, 50, name=f"model-{number}")
    refresh_standings()
    with django_assert_num_queries(3):  # type: ignore[operator]
        contamination("open-scenes", "closed")
