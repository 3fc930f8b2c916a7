"""Runs share a mean only where they asked alike, and a score by other settings says so wherever it stands."""

import csv
import io
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from evaluation.models import ItemBank, LanguageModel, Origin, Run
from leaderboard.models import Standing, StatisticsRow
from leaderboard.pages.statistics.repeatability import COVERS
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from leaderboard.wording.other_settings import in_words
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import board, content_of, finished, page, table
from tests.leaderboard.scored_runs import scored
from tests.leaderboard.test_model_runs import runs_section, verdicts

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PROMPTED = {"system_prompt": "b4c1", "max_tokens": 1024}
WORDS = "system prompt, max tokens 1,024"


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(5, slug="scenes", title="Own scenes")


@pytest.fixture
def model() -> LanguageModel:
    return make_model("maker/m", slug="m")


def row() -> Standing:
    return Standing.objects.get()


def two_askings(bank: ItemBank, model: LanguageModel) -> tuple[Run, Run]:
    """By the standard 60 points, then with a system prompt 40."""
    standard = scored(bank, [6.0, 6.0, 6.0, 5.0, 7.0], model=model, standard_error=2.0, scorer_version="v/1")
    prompted = scored(bank, [4.0, 4.0, 4.0, 3.0, 5.0], model=model, departures=PROMPTED, scorer_version="v/2")
    return standard, prompted


def test_a_run_with_other_settings_does_not_move_the_mean_of_the_standard_ones(
    bank: ItemBank, model: LanguageModel
) -> None:
    standard, _ = two_askings(bank, model)
    refresh_standings()
    found = row()
    assert (found.score, found.runs_used, found.cv_percent, found.run) == (60.0, 1, None, standard)
    assert (found.run_ids, found.other_settings, found.scorer_version) == ([standard.pk], "", "v/1")


def test_without_a_standard_run_those_that_asked_as_the_newest_count(bank: ItemBank, model: LanguageModel) -> None:
    scores = ((40.0, PROMPTED), (50.0, {"max_tokens": 1024}), (44.0, PROMPTED))
    first, _, last = (finished(bank, score, model=model, departures=found) for score, found in scores)
    refresh_standings()
    assert (row().score, row().run_ids, row().other_settings) == (42.0, [first.pk, last.pk], WORDS)


def test_two_system_prompts_are_never_pooled(bank: ItemBank, model: LanguageModel) -> None:
    finished(bank, 40.0, model=model, departures={"system_prompt": "b4c1"})
    finished(bank, 50.0, model=model, departures={"system_prompt": "77aa"})
    refresh_standings()
    assert (row().score, row().runs_used, row().other_settings) == (50.0, 1, "system prompt")


def test_a_standard_run_takes_over_from_others_as_soon_as_it_ends(bank: ItemBank, model: LanguageModel) -> None:
    prompted = finished(bank, 40.0, model=model, departures=PROMPTED)
    refresh_standings()
    before = row()
    assert (before.score, before.other_settings) == (40.0, WORDS)
    standard = finished(bank, 60.0, model=model)
    refresh_standings(standard.pk)
    assert (row().score, row().other_settings, row().run_ids) == (60.0, "", [standard.pk])
    Run.objects.filter(pk=standard.pk).update(published=False)
    refresh_standings(standard.pk)
    assert (row().score, row().run) == (40.0, prompted)
    assert row().computed_at > before.computed_at


def test_a_refresh_without_changes_leaves_rows_of_both_kinds_as_they_are(bank: ItemBank, model: LanguageModel) -> None:
    two_askings(bank, model)
    scored(bank, [4.0, 4.0, 4.0, 3.0, 5.0], departures=PROMPTED)
    refresh_standings()
    before = list(Standing.objects.values_list("pk", "computed_at", "rank"))
    refresh_standings()
    assert list(Standing.objects.values_list("pk", "computed_at", "rank")) == before


def test_the_ranks_left_open_rest_on_the_items_of_the_runs_that_count(bank: ItemBank, model: LanguageModel) -> None:
    """The same items decide, whatever runs with other settings stand beside them."""
    scored(bank, [6.1, 6.2, 6.1, 5.2, 7.1], name="rival")
    scored(bank, [6.0, 6.0, 6.0, 5.0, 7.0], model=model)
    refresh_standings()
    ranges = set(Standing.objects.values_list("model", "rank", "rank_low", "rank_high"))
    scored(bank, [10.0, 0.0, 10.0, 0.0, 10.0], model=model, departures=PROMPTED)
    Standing.objects.all().delete()
    refresh_standings()
    assert set(Standing.objects.values_list("model", "rank", "rank_low", "rank_high")) == ranges


def test_imported_runs_are_joined_as_before(bank: ItemBank, model: LanguageModel) -> None:
    for score, template in ((60.0, "ChatML"), (50.0, "Alpaca")):
        finished(bank, score, model=model, origin=Origin.IMPORTED, settings={"template": template})
    refresh_standings()
    assert (row().score, row().runs_used, row().other_settings) == (55.0, 2, "")


def test_the_row_of_the_ranking_carries_a_mark_and_the_page_explains_it(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    finished(bank, 70.0, model=make_model("maker/plain"))
    finished(bank, 40.0, model=model, departures=PROMPTED)
    html = board(client)
    assert [line[2] for line in table(html)[1:]] == [
        "measured plain",
        f"measured other settings: {WORDS} m",
    ]
    assert f'title="other settings: {WORDS}"' in html
    assert "Run with settings other than the benchmark’s own" in html.partition("Where scores come from")[2]


def test_the_model_page_names_the_settings_and_says_why_a_run_does_not_count(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    two_askings(bank, model)
    html = board(client, "/models/m/")
    assert verdicts(html) == {"40.00": "no, run with other settings", "60.00": "yes"}
    assert f"other settings: {WORDS}" in runs_section(html)
    assert "Own scenes: one run counts, 60.00" in html
    assert "other settings" not in html.partition('class="facts headline')[2].partition("</dl>")[0]


def test_the_headline_of_a_score_by_other_settings_says_so(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    finished(bank, 50.0, model=model, departures={"max_tokens": 512})
    finished(bank, 40.0, model=model, departures=PROMPTED)
    html = board(client, "/models/m/")
    assert f"other settings: {WORDS}" in html.partition('class="facts headline')[2].partition("</dl>")[0]
    assert verdicts(html) == {"40.00": "yes", "50.00": "no, its settings differ from the newest run’s"}


def test_the_run_and_the_comparison_carry_the_mark_too(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    other = make_model("maker/plain")
    scored(bank, [5.0, 4.0, 3.0, 5.0, 4.0], model=other)
    run = scored(bank, [4.0, 4.0, 3.0, 5.0, 4.0], model=model, departures=PROMPTED)
    refresh_standings()
    assert f"other settings: {WORDS}" in content_of(client.get(f"/runs/{run.pk}/"))
    html = content_of(client.get(f"/compare/?m={model.slug}&m={other.slug}"))
    assert html.count(f'title="other settings: {WORDS}"') == 1


def test_a_run_that_just_ended_counts_soon_unless_its_settings_forbid_it(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    finished(bank, 60.0, model=model)
    board(client, "/models/m/")
    finished(bank, 61.0, model=model, departures=PROMPTED)
    finished(bank, 62.0, model=model)
    assert verdicts(page(client, "/models/m/")) == {
        "62.00": "not yet, the ranking is being recomputed",
        "61.00": "no, run with other settings",
        "60.00": "yes",
    }


def test_the_api_names_the_runs_that_count_and_how_each_was_asked(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    standard, prompted = two_askings(bank, model)
    refresh_standings()
    [place] = client.get("/api/v1/models/m").json()["places"]
    assert {name: place[name] for name in ("run", "run_ids", "other_settings", "scorer_version")} == {
        "run": standard.pk, "run_ids": [standard.pk], "other_settings": "", "scorer_version": "v/1",
    }  # fmt: skip
    ranking = client.get("/api/v1/rankings/scenes").json()
    assert (ranking["bank_sha256"], ranking["results"][0]["run_ids"]) == (bank.sha256, [standard.pk])
    newest, oldest = client.get("/api/v1/runs").json()["results"]
    assert (newest["id"], newest["other_settings"], newest["interval_low"]) == (prompted.pk, WORDS, None)
    assert (oldest["other_settings"], oldest["bank_sha256"]) == ("", bank.sha256)
    # Five items: Student's t with four degrees of freedom.
    assert oldest["interval_low"] == pytest.approx(60.0 - 2.776445 * 2.0)
    assert oldest["interval_high"] == pytest.approx(60.0 + 2.776445 * 2.0)


def test_the_files_of_a_ranking_name_settings_scorers_and_the_bank(
    client: Client, bank: ItemBank, model: LanguageModel
) -> None:
    finished(bank, 60.0, scorer_version="v/1")
    finished(bank, 40.0, model=model, departures=PROMPTED, scorer_version="v/2")
    refresh_standings()
    content = client.get("/rankings/scenes.json").json()
    assert (content["bank_sha256"], content["scorer_versions"]) == (bank.sha256, ["v/1", "v/2"])
    assert [(found["other_settings"], found["scorer_version"]) for found in content["rows"]] == [
        (None, "v/1"), (WORDS, "v/2"),
    ]  # fmt: skip
    lines = csv.DictReader(io.StringIO(content_of(client.get("/rankings/scenes.csv")), newline=""))
    assert [line["other_settings"] for line in lines] == ["", WORDS]


def test_the_feed_tells_of_other_settings(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    finished(bank, 60.0, finished_at=timezone.now())
    finished(bank, 40.0, model=model, departures=PROMPTED, finished_at=timezone.now())
    feed = content_of(client.get("/feed.atom"))
    assert feed.count("Asked with other settings") == 1
    assert f"5 items scored. Asked with other settings: {WORDS}." in feed


def test_the_comparison_rests_on_the_runs_that_count(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    two_askings(bank, model)
    scored(bank, [5.0, 5.0, 5.0, 4.0, 6.0], model=make_model("other", slug="other"))
    assert "By 10.00 points" in board(client, "/compare/?m=m&m=other")


def test_the_heat_map_rests_on_the_runs_that_count(client: Client, bank: ItemBank, model: LanguageModel) -> None:
    two_askings(bank, model)
    refresh_standings()
    answer = client.get("/charts/scenes/items.csv")
    [line] = csv.DictReader(io.StringIO(content_of(answer), newline=""))
    assert [line[f"item_{number}"] for number in range(1, 6)] == ["6.0", "6.0", "6.0", "5.0", "7.0"]


def test_repeatability_takes_passes_that_asked_alike(bank: ItemBank, model: LanguageModel) -> None:
    two_askings(bank, model)
    refresh_standings()
    refresh_statistics()
    assert StatisticsRow.objects.get().repeats == {}
    scored(bank, [6.0, 6.0, 6.0, 6.0, 7.0], model=model)
    refresh_standings()
    refresh_statistics()
    assert StatisticsRow.objects.get().repeats["n"] == 2
    assert "Those asked from here asked by the same settings" in COVERS


def test_an_upgrade_names_the_runs_of_stored_rows_by_the_rule_they_were_made_by(
    bank: ItemBank, model: LanguageModel
) -> None:
    first, second = finished(bank, 60.0, model=model), finished(bank, 50.0, model=model)
    finished(bank, 40.0, model=model, published=False)
    finished(bank, 30.0, model=model, origin=Origin.IMPORTED)
    refresh_standings()
    Standing.objects.update(run_ids=[])
    fill = import_module("leaderboard.migrations.0011_runs_of_standings_as_they_were").fill
    fill(apps, connection.schema_editor())
    assert row().run_ids == [first.pk, second.pk]


@pytest.mark.parametrize(
    ("departures", "words"),
    [
        ({}, ""),
        ({"max_tokens": 1024}, "max tokens 1,024"),
        ({"temperature": None}, "the endpoint’s own temperature"),
        ({"temperature": 0.7, "system_prompt": "ab"}, "system prompt, temperature 0.7"),
        ({"revision": True}, "revision"),
        ({"attempts": 1}, "attempts 1"),
        ({"template": "ChatML"}, "template"),
        ({"extra_body": {"top_p": 0.9, "do_sample": False, "chat": {"a": 1}}}, "chat, do_sample false, top_p 0.9"),
        ({"extra_body": {"<b>": 1}}, "1 extra field"),
        ({"extra_body": {"seed": 10**2000}}, "seed"),
        ({"extra_body": {"a": 1, "b": 2, "c": 3, "d": "x", "e": 5, "f": 6}}, "a 1, b 2, c 3, d, 2 more fields"),
    ],
)
def test_departures_are_put_in_few_words(departures: dict[str, Any], words: str) -> None:
    assert in_words(departures) == words
