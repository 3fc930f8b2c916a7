"""Public less private score: who is in the table, how large the gap is, and what the data leave open."""

from typing import Any

import numpy as np
import pytest

from evaluation.models import ItemBank, ItemResult, Origin, Status
from evaluation.statistics.students_t import t_critical
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from leaderboard.statistics.banks import GAP_COLUMNS, of_rankings
from leaderboard.statistics.contamination import contamination
from leaderboard.statistics.marks import inputs_of, private_rankings
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.scored_runs import Scores, scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def banks() -> tuple[ItemBank, ItemBank]:
    return make_bank(40, slug="open-scenes"), make_bank(60, slug="closed", access="private")


def run_both(banks: tuple[ItemBank, ItemBank], public: Scores, private: Scores, *, name: str, **fields: Any) -> None:
    """A model with these item points (0 to 10), repeated over the items of each bank."""
    model = make_model(name)
    for bank, scores in zip(banks, (public, private), strict=True):
        n = bank.items.count()
        scored(bank, (list(scores) * n)[:n], model=model, **fields)


def field(banks: tuple[ItemBank, ItemBank]) -> None:
    """Four models with the same gap, but for the noise of their items, and one that does far better in public."""
    chance = np.random.default_rng(5)
    hard = [chance.normal(0, 1.5, bank.items.count()) for bank in banks]
    for at, lead in enumerate((0.0, 0.0, 0.0, 0.0, 2.5)):
        public, private = (
            np.clip(6 + each + chance.normal(0, 1.0, each.size), 0, 10).round(2).tolist() for each in hard
        )
        learnt = [min(10.0, value + lead) for value in public]
        run_both(banks, learnt, private, name="learnt" if lead else f"plain-{at}", standard_error=2.0)


def test_a_gap_is_set_against_those_of_the_others_with_the_error_that_the_items_leave(
    banks: tuple[ItemBank, ItemBank],
) -> None:
    field(banks)
    refresh_standings()
    found = contamination("open-scenes", "closed")
    assert found.median_gap is not None
    assert next(row.model for row in found.rows) == "learnt"
    assert [row.is_open for row in found.rows] == [False, True, True, True, True]
    assert all(row.beyond_median == row.difference - found.median_gap for row in found.rows)
    public, private = exact_points(banks)
    expected = half_by_hand(public, private)
    assert {row.model: row.interval and row.interval.high - row.beyond_median for row in found.rows} == expected
    # The scores' own errors hold how hard the items are, which is common to all: twice as wide.
    assert all(half < 0.7 * 1.96 * np.hypot(*(15 / np.sqrt(bank.items.count()) for bank in banks)) for half in
               expected.values())  # fmt: skip


def exact_points(banks: tuple[ItemBank, ItemBank]) -> list[dict[str, list[float]]]:
    """Model -> its item scores in points, straight from the results."""
    found = []
    for bank in banks:
        rows = ItemResult.objects.filter(run__bank=bank).order_by("item__number")
        by_model: dict[str, list[float]] = {}
        for name, score in rows.values_list("run__model__name", "score"):
            by_model.setdefault(name, []).append(10 * (score or 0.0))
        found.append(by_model)
    return found


def half_by_hand(public: dict[str, list[float]], private: dict[str, list[float]]) -> dict[str, float]:
    names, halves = list(public), {}
    for name in names:
        parts = []
        for points in (public, private):
            table = np.array([points[each] for each in names])
            left = table[names.index(name)] - table.mean(axis=0)
            parts.append((left.var(ddof=1) / left.size, left.size - 1))
        bound = t_critical(parts[1][1])
        parts[1] = ((round(bound * parts[1][0] ** 0.5) / bound) ** 2, parts[1][1])
        total = sum(variance for variance, _ in parts)
        degrees = total**2 / sum(variance**2 / n for variance, n in parts)
        halves[name] = float(round(t_critical(int(degrees)) * total**0.5))
    return halves


def test_nothing_of_a_private_bank_but_whole_points_is_in_the_section(banks: tuple[ItemBank, ItemBank]) -> None:
    field(banks)
    refresh_standings()
    rankings = {key: each for key, each in inputs_of().items() if key == "open-scenes"}
    value: Any = of_rankings(rankings, private_rankings()).value
    (gap,) = value["private"]
    assert set(gap) == {"first", "second", "n", "median_gap", "models"}
    rows = [dict(zip(GAP_COLUMNS, row, strict=True)) for row in gap["models"]]
    assert len(rows) == 5
    for row in rows:
        whole = [row[name] for name in ("private", "difference", "beyond_median", "low", "high")]
        assert whole == [round(number) for number in whole]
        assert row["low"] + row["high"] == 2 * row["beyond_median"]
    shown = set(Standing.objects.filter(ranking="closed").values_list("score", flat=True))
    assert {row["private"] for row in rows} == shown


def test_two_models_have_gaps_but_no_interval_since_each_is_the_mirror_of_the_other(
    banks: tuple[ItemBank, ItemBank],
) -> None:
    run_both(banks, [7, 8], [5, 6], name="one", standard_error=2.0)
    run_both(banks, [6, 5], [6, 5], name="two", standard_error=2.0)
    refresh_standings()
    found = contamination("open-scenes", "closed")
    assert [(row.model, row.difference, row.interval, row.is_open) for row in found.rows] == [
        ("one", 20.0, None, True), ("two", 0.0, None, True),
    ]  # fmt: skip


def test_only_models_with_both_scores_count_and_neither_baselines_nor_demonstrations(
    banks: tuple[ItemBank, ItemBank],
) -> None:
    run_both(banks, [7.0], [5.0], name="both")
    scored(banks[0], [5] * 40, name="public-only")
    scored(banks[1], [5] * 60, name="private-only")
    for origin in (Origin.BASELINE, Origin.DEMO):
        run_both(banks, [5.0], [5.0], name=origin, origin=origin)
    refresh_standings()
    assert [row.model for row in contamination("open-scenes", "closed").rows] == ["both"]


def test_a_run_whose_items_are_not_stored_has_no_interval(banks: tuple[ItemBank, ItemBank]) -> None:
    field(banks)
    model = make_model("bare")
    for bank, score in zip(banks, (70, 20), strict=True):
        make_run(bank=bank, model=model, status=Status.FINISHED, score=score)
    refresh_standings()
    by_name = {row.model: row for row in contamination("open-scenes", "closed").rows}
    assert (by_name["bare"].interval, by_name["bare"].is_open) == (None, True)
    assert by_name["learnt"].interval is not None


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


@pytest.mark.parametrize("n", [2, 9])
def test_the_number_of_queries_does_not_grow_with_the_models(
    n: int, banks: tuple[ItemBank, ItemBank], django_assert_num_queries: pytest.FixtureRequest
) -> None:
    for number in range(n):
        run_both(banks, [6.0, 0.5 * number], [5.0], name=f"model-{number}")
    refresh_standings()
    with django_assert_num_queries(13):  # type: ignore[operator]
        contamination("open-scenes", "closed")
