"""Runs and published figures become standings: which runs count, how they are joined, how they are ranked."""

import threading
from datetime import UTC, datetime

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.models import ItemBank, LanguageModel, Origin, Run, Status
from leaderboard.models import Standing
from leaderboard.standings import ranking_key, refresh_standings
from leaderboard.tasks import refresh_standings as refresh_standings_task
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.pages import finished, publish
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def ranks(bank: ItemBank) -> dict[str, int | None]:
    """Display name -> rank, best score first."""
    rows = Standing.objects.filter(ranking=bank.slug).order_by("-score", "pk").select_related("model")
    return {row.model.display_name: row.rank for row in rows}


def test_the_board_shows_the_mean_of_the_valid_runs_and_never_the_best() -> None:
    bank, model = make_bank(), make_model()
    for score in (60.0, 70.0, 80.0):
        newest = finished(bank, score, model=model)
    refresh_standings()
    row = Standing.objects.get()
    assert (row.score, row.runs_used, row.run) == (70.0, 3, newest)


def test_a_model_with_a_measured_and_an_imported_run_has_one_row_of_the_measured_one() -> None:
    bank, model = make_bank(), make_model()
    finished(bank, 90.0, model=model, origin=Origin.IMPORTED)
    measured = finished(bank, 50.0, model=model, origin=Origin.MEASURED)
    publish(model, bank.slug, 95.0)
    refresh_standings()
    row = Standing.objects.get()
    assert (row.score, row.origin, row.run, row.runs_used) == (50.0, "measured", measured, 1)


def test_an_imported_run_counts_before_a_published_figure() -> None:
    bank, model = make_bank(), make_model()
    finished(bank, 40.0, model=model, origin=Origin.IMPORTED)
    publish(model, bank.slug, 95.0)
    refresh_standings()
    assert [(row.score, row.origin) for row in Standing.objects.all()] == [(40.0, "imported")]


@pytest.mark.parametrize(
    "fields",
    [
        {"limit": 3},
        {"published": False},
        {"status": Status.CANCELLED, "published": True},
        {"status": Status.FAILED, "published": True},
        {"status": Status.RUNNING, "published": True},
    ],
)
def test_a_run_that_is_partial_hidden_or_not_finished_never_ranks(fields: dict[str, object]) -> None:
    make_run(**{"status": Status.FINISHED, "score": 99.0, **fields})
    refresh_standings()
    assert not Standing.objects.exists()


def test_ranks_follow_the_full_value_and_equal_scores_share_one() -> None:
    bank = make_bank()
    for name, score in (("a", 70.001), ("b", 70.0049), ("c", 70.004), ("d", 70.001), ("e", 1.0)):
        finished(bank, score, model=make_model(name))
    refresh_standings()
    assert ranks(bank) == {"b": 1, "c": 2, "a": 3, "d": 3, "e": 5}


def test_a_perfect_run_has_no_interval_since_no_error_can_be_computed() -> None:
    """20 items of full marks; an interval of 100 to 100 would claim certainty."""
    bank = make_bank(20)
    scored(bank, [10.0] * 20, model=make_model("perfect"), standard_error=0.0, n_scored=20)
    scored(bank, [10.0] * 20, model=make_model("twice"), standard_error=0.0, n_scored=20)
    scored(bank, [10.0] * 20, model=LanguageModel.objects.get(name="twice"), standard_error=0.0, n_scored=20)
    scored(bank, [9.0, 5.0] * 10, model=make_model("other"), standard_error=4.588, n_scored=20)
    refresh_standings()
    found = {row.model.name: (row.score, row.interval_low, row.interval_high) for row in Standing.objects.all()}
    assert found["perfect"] == found["twice"] == (100.0, None, None)
    assert found["other"][1] is not None


def test_measured_imported_and_published_scores_compete_and_baselines_and_demo_runs_do_not() -> None:
    bank = make_bank()
    finished(bank, 80.0, model=make_model("measured"))
    finished(bank, 81.0, model=make_model("imported"), origin=Origin.IMPORTED)
    finished(bank, 82.0, model=make_model("baseline"), origin=Origin.BASELINE)
    finished(bank, 83.0, model=make_model("demo"), origin=Origin.DEMO)
    publish(make_model("published"), bank.slug, 84.0)
    refresh_standings()
    assert ranks(bank) == {"published": 1, "demo": None, "baseline": None, "imported": 2, "measured": 3}


def test_where_nothing_but_published_figures_is_known_they_are_ranked_by_score() -> None:
    bank = make_bank()
    publish(make_model("low"), bank.slug, 10.0)
    publish(make_model("high"), bank.slug, 20.0)
    finished(bank, 15.0, model=make_model("baseline"), origin=Origin.BASELINE)
    refresh_standings()
    assert ranks(bank) == {"high": 1, "baseline": None, "low": 2}


def test_only_preferred_figures_of_a_ranking_make_rows() -> None:
    bank, model = make_bank(), make_model()
    publish(model, bank.slug, 10.0, preferred=False)
    publish(model, "mmlu", 70.0)
    refresh_standings()
    assert not Standing.objects.exists()


def test_another_scoring_rule_on_the_same_bank_is_another_ranking() -> None:
    bank, model = make_bank(slug="scenes", benchmark="eq-bench-v2"), make_model()
    finished(bank, 50.0, model=model)
    finished(bank, 51.0, model=model, benchmark="eq-bench-v2-code")
    publish(make_model(), "scenes--eq-bench-v2-code", 52.0)
    refresh_standings()
    assert sorted(Standing.objects.values_list("ranking", "score")) == [
        ("scenes", 50.0),
        ("scenes--eq-bench-v2-code", 51.0),
        ("scenes--eq-bench-v2-code", 52.0),
    ]
    assert ranking_key("scenes", "eq-bench-v2", "eq-bench-v2") == "scenes"


@pytest.mark.parametrize(("n", "critical"), [(20, 2.093024), (60, 2.000995), (171, 1.974017)])
def test_the_interval_of_one_run_is_its_standard_error_times_students_t(n: int, critical: float) -> None:
    finished(make_bank(n), 50.0, standard_error=2.0)
    refresh_standings()
    row = Standing.objects.get()
    # The 97.5 % point of Student's t with n - 1 degrees of freedom.
    assert row.interval_low == pytest.approx(50 - critical * 2.0)
    assert row.interval_high == pytest.approx(50 + critical * 2.0)


def test_score_and_error_of_several_runs_come_from_the_mean_of_each_item_over_all_passes() -> None:
    bank, model = make_bank(3), make_model()
    scored(bank, [8.0, 5.0, 2.0], [6.0, 5.0, 1.0], model=model, standard_error=9.0)
    scored(bank, [4.0, 8.0, None], model=model, standard_error=9.0)
    refresh_standings()
    row = Standing.objects.get()
    # Item means 6, 6 and 1.5: the items weigh alike, whichever passes read them.
    assert row.score == pytest.approx(45.0)
    assert row.standard_error == pytest.approx(10 * 1.5)
    assert row.interval_low == pytest.approx(45.0 - 4.302653 * 15.0)


def test_cutting_the_same_passes_into_runs_in_another_way_changes_nothing() -> None:
    passes = np.random.default_rng(2).normal(6, 2, (6, 40)).tolist()
    bank = make_bank(40)
    for name, cuts in (("six", 1), ("three", 2), ("two", 3)):
        model = make_model(name)
        for start in range(0, 6, cuts):
            scored(bank, *passes[start : start + cuts], model=model, standard_error=9.0)
    refresh_standings()
    found = [(row.score, row.standard_error, row.rank, row.repeats) for row in Standing.objects.all()]
    items = 10 * np.mean(passes, axis=0)
    for columns in found:
        assert columns == pytest.approx((items.mean(), items.std(ddof=1) / 40**0.5, 1, 6))


def test_the_best_evidence_of_a_model_makes_its_row() -> None:
    bank, model = make_bank(), make_model()
    other = {"max_tokens": 4000}
    finished(bank, 10.0, model=model, origin=Origin.IMPORTED, departures=other)
    runs: list[tuple[Origin, dict[str, int], float]] = [
        (Origin.MEASURED, other, 20.0),
        (Origin.IMPORTED, {}, 40.0),
        (Origin.MEASURED, {}, 50.0),
    ]
    refresh_standings()
    found = [Standing.objects.get().score]
    for origin, departures, score in runs:
        finished(bank, score, model=model, origin=origin, departures=departures)
        refresh_standings()
        found.append(Standing.objects.get().score)
        if score == 20.0:
            publish(model, bank.slug, 30.0)
            refresh_standings()
            found.append(Standing.objects.get().score)
    assert found == [10.0, 20.0, 30.0, 40.0, 50.0]


def test_there_is_no_interval_and_no_strict_score_where_a_run_lacks_one() -> None:
    bank, model = make_bank(), make_model()
    finished(bank, 60.0, model=model, standard_error=1.0, strict_score=59.0)
    finished(bank, 70.0, model=model)
    refresh_standings()
    row = Standing.objects.get()
    assert (row.interval_low, row.interval_high, row.figures) == (None, None, {"strict_score": None})


def test_a_row_carries_the_counts_and_the_date_of_its_newest_run() -> None:
    bank, model = make_bank(), make_model()
    finished(bank, 60.0, model=model, finished_at=datetime(2024, 1, 15, tzinfo=UTC))
    finished(bank, 70.0, model=model, n_scored=4, finished_at=datetime(2024, 2, 2, tzinfo=UTC))
    refresh_standings()
    row = Standing.objects.get()
    assert (row.n_scored, row.n_items, row.measured_on) == (4, 5, datetime(2024, 2, 2, tzinfo=UTC).date())


def test_a_refresh_touches_only_rows_that_changed_and_deletes_what_is_gone() -> None:
    bank = make_bank()
    same, moved, gone = (
        finished(bank, score, model=make_model(name)) for name, score in (("s", 9), ("m", 8), ("g", 7))
    )
    refresh_standings()
    before = dict(Standing.objects.values_list("run_id", "computed_at"))
    Run.objects.filter(pk=moved.pk).update(score=7.5)
    Run.objects.filter(pk=gone.pk).update(published=False)
    refresh_standings()
    after = dict(Standing.objects.values_list("run_id", "computed_at"))
    assert set(after) == {same.pk, moved.pk}
    assert after[same.pk] == before[same.pk]
    assert after[moved.pk] > before[moved.pk]


def test_the_queries_of_a_refresh_do_not_grow_with_the_runs() -> None:
    # Rows are written in batches as long as the database takes; everything else is a fixed number of queries.
    bank = make_bank()
    scored(bank, [5.0, 6.0, 7.0])
    refresh_standings()
    counts = []
    for number in (5, 50):
        for _ in range(number):
            scored(bank, [5.0, 6.0, 7.0])
        with CaptureQueriesContext(connection) as captured:
            refresh_standings()
        counts.append([query["sql"] for query in captured if not query["sql"].startswith("INSERT")])
    assert len(counts[0]) == len(counts[1]) <= 35


def test_a_run_that_ended_moves_its_own_ranking_and_no_other() -> None:
    one, other = make_bank(), make_bank()
    run = finished(one, 50.0)
    finished(other, 60.0)
    refresh_standings(run.pk)
    assert list(Standing.objects.values_list("ranking", flat=True)) == [one.slug]
    publish(make_model(), one.slug, 70.0)
    refresh_standings(run.pk)
    assert Standing.objects.filter(ranking=one.slug).count() == 2
    Run.objects.filter(pk=run.pk).update(published=False)
    refresh_standings(run.pk)
    assert list(Standing.objects.values_list("ranking", "origin")) == [(one.slug, "published")]


def test_the_end_of_a_run_that_is_gone_brings_all_rankings_up_to_date() -> None:
    finished(make_bank(), 50.0)
    refresh_standings(10**6)
    assert Standing.objects.count() == 1


def test_the_task_takes_the_id_of_the_run_that_ended_or_none() -> None:
    run = finished(make_bank(), 50.0)
    refresh_standings_task(run.pk)
    refresh_standings_task()
    assert Standing.objects.get().run == run


@pytest.mark.django_db(transaction=True)
def test_two_refreshes_at_once_both_end_well() -> None:
    bank = make_bank()
    for score in range(30):
        finished(bank, float(score))
    errors: list[Exception] = []

    def refresh() -> None:
        try:
            refresh_standings()
        except Exception as error:  # noqa: BLE001 -- the thread's failure is what the test looks for
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=refresh) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert Standing.objects.count() == 30
