"""SECEU's intervals, its scatter of repeats and its effect of the order of options, on pages and in the API."""

import re

import pytest
from django.core.management import call_command
from django.test import Client
from scipy.stats import t

from evaluation.models import ItemBank, Run
from leaderboard.models import Standing, StatisticsRow
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from tests.leaderboard.pages import page
from tests.leaderboard.seceu_board import answers_with, seceu_bank, seceu_run, three

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def bank() -> ItemBank:
    return seceu_bank()


@pytest.fixture
def runs(bank: ItemBank) -> dict[str, Run]:
    return three(bank)


def text(html: str) -> str:
    found = re.sub(r"<(script|style|svg).*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


def test_the_order_of_options_is_told_from_runs_that_asked_alike_otherwise(
    client: Client, runs: dict[str, Run], bank: ItemBank
) -> None:
    warm, model = {"temperature": [0.0, 1.0]}, runs["amber"].model
    shuffled = seceu_run(bank, answers_with(bank, 90.0), benchmark="seceu-shuffled", model=model, departures=warm)
    refresh_standings()
    assert "not been asked both ways with the same settings" in text(page(client, "/models/amber/?ranking=seceu"))
    printed = seceu_run(bank, answers_with(bank, 100.0), model=model, departures=warm)
    seceu_run(bank, answers_with(bank, 95.0), model=model)
    refresh_standings()
    words = text(page(client, "/models/amber/?ranking=seceu"))
    assert f"( run {printed.pk} , run {shuffled.pk} )" in words


def test_an_interval_is_that_of_all_items_where_missing_answers_count(
    client: Client, runs: dict[str, Run], bank: ItemBank
) -> None:
    missing = [item.item_id for item in bank.items.order_by("number")[:12]]
    run = seceu_run(bank, answers_with(bank, 110.0), name="dune", unread=missing)
    refresh_standings()
    half = t.ppf(0.975, 39) * (run.standard_error or 0.0)
    standing = Standing.objects.get(model=run.model)
    assert standing.n_scored == 28
    assert standing.interval_high == pytest.approx((run.score or 0.0) + half, rel=1e-9)
    found = client.get(f"/api/v1/runs/{run.pk}").json()
    assert found["interval_low"] == pytest.approx((run.score or 0.0) - half, rel=1e-9)
    assert f"±{half:.1f} over 40 items" in text(page(client, f"/runs/{run.pk}/"))
    words = text(page(client, "/models/dune/?ranking=seceu"))
    assert "bar: 95 % interval over the items" in words
    assert re.search(r"Nearer than people on \d+ of 28 items with an answer", words)


def test_a_score_without_a_natural_zero_has_no_coefficient_of_variation(
    client: Client, runs: dict[str, Run], bank: ItemBank
) -> None:
    run = seceu_run(bank, answers_with(bank, 110.0), answers_with(bank, 114.0), name="dune")
    refresh_standings()
    assert Standing.objects.get(model=run.model).cv_percent is None
    words = text(page(client, "/models/dune/?ranking=seceu"))
    assert re.search(r"Spread over 2 passes: SD 2\.83, from", words), words.partition("Spread over")[2][:80]


def test_missing_answers_count_in_each_place_that_tells_of_the_score_of_a_pass(
    client: Client, runs: dict[str, Run], bank: ItemBank
) -> None:
    missing = [item.item_id for item in bank.items.order_by("number")[:12]]
    run = seceu_run(bank, answers_with(bank, 110.0), answers_with(bank, 114.0), name="dune", unread=missing)
    refresh_standings()
    refresh_statistics()
    repeats = StatisticsRow.objects.get(model=run.model).repeats
    assert repeats["mean"] == pytest.approx(run.score, rel=1e-9)
    assert [repeats["first"], repeats["last"]] == pytest.approx(run.repeat_scores, rel=1e-9)
    words = text(page(client, f"/runs/{run.pk}/"))
    assert "Asked again by the benchmark’s rule, then counted as the answer (0, 0, 0, 0)." in words
    assert "left out of the mean" not in words


def test_the_map_of_items_calls_no_fixed_answer_a_model(client: Client, runs: dict[str, Run]) -> None:
    call_command("load_baselines", verbosity=0)
    refresh_standings()
    words = text(page(client, "/charts/seceu/"))
    assert "is the hardest for these 6 rows" in words
    assert "6: 3 measured, 3 baseline. Item scores" in words
