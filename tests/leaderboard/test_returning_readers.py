"""A reader who comes back with what was kept: 304 while the page is the same, the new page after any correction."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from evaluation.models import ItemBank, LanguageModel, ReferenceScore, Run
from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from tests.factories import make_bank, make_model
from tests.leaderboard.fields import answered
from tests.leaderboard.pages import publish
from tests.leaderboard.scored_runs import scored
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]

PATHS = (
    "/", "/rankings/scenes/", "/rankings/scenes.csv", "/charts/scenes/", "/charts/scenes/scores.json",
    "/charts/scenes/mmlu.csv", "/compare/?m=alpha&m=beta", "/items/", "/items/scenes/1/", "/models/alpha/",
    "/models/alpha/items.csv",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.fixture
def bank() -> ItemBank:
    made = make_bank(5, slug="scenes")
    answered(made, "alpha", [10, 8, 6, 9, 7])
    answered(made, "beta", [9, 9, 3, 8, 7])
    publish(LanguageModel.objects.get(slug="alpha"), "mmlu", 60.0)
    refresh_standings()
    return made


def renamed() -> None:
    model = LanguageModel.objects.get(slug="alpha")
    model.display_name = "Alpha the Second"
    model.save()


def licensed() -> None:
    model = LanguageModel.objects.get(slug="alpha")
    model.licence, model.link = "apache-2.0", "https://models.example/alpha"
    model.save()


def corrected() -> None:
    figure = ReferenceScore.objects.get()
    figure.value = 61.5
    figure.save()


def taken_back() -> None:
    ReferenceScore.objects.all().delete()


def etags(client: Client) -> dict[str, str]:
    responses = {path: client.get(path) for path in PATHS}
    assert {path: response.status_code for path, response in responses.items()} == dict.fromkeys(PATHS, 200)
    return {path: response["ETag"] for path, response in responses.items()}


def answers(client: Client, known: dict[str, str]) -> set[int]:
    return {client.get(path, headers={"If-None-Match": etag}).status_code for path, etag in known.items()}


@pytest.mark.parametrize("change", [renamed, licensed, corrected, taken_back])
def test_a_corrected_fact_or_figure_reaches_a_reader_who_had_the_page(
    client: Client, bank: ItemBank, change: Callable[[], None]
) -> None:
    known = etags(client)
    assert answers(client, known) == {304}
    change()
    assert answers(client, known) == {200}


def test_the_corrected_name_stands_on_the_page_that_comes_back(client: Client, bank: ItemBank) -> None:
    known = etags(client)
    renamed()
    for path in ("/rankings/scenes/", "/compare/?m=alpha&m=beta", "/models/alpha/"):
        html = client.get(path, headers={"If-None-Match": known[path]}).content.decode()
        assert "Alpha the Second" in html, path


def test_a_figure_that_yields_to_another_is_marked_as_changed(bank: ItemBank) -> None:
    old = ReferenceScore.objects.get()
    form = {"model": old.model_id, "benchmark": "mmlu", "value": "70", "source": "the paper, table 2", "match": "exact"}
    assert root().post("/admin/evaluation/referencescore/add/", {**form, "prefer": "on"}).status_code == 302
    before = old.changed_at
    old.refresh_from_db()
    assert not old.preferred
    assert old.changed_at > before


def test_a_bank_that_is_loaded_under_published_figures_gives_the_ranking_its_name(client: Client) -> None:
    publish(make_model("maker/alpha"), "later", 60.0)
    publish(make_model("maker/beta"), "eq-bench-v2", 61.0)
    refresh_standings()
    response = client.get("/rankings/eq-bench-v2/")
    assert "Scenes at last" not in response.content.decode()
    make_bank(5, slug="eq-bench-v2", title="Scenes at last")
    again = client.get("/rankings/eq-bench-v2/", headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 200
    assert "Scenes at last" in again.content.decode()


def test_a_result_shows_although_the_clock_of_another_machine_is_ahead(client: Client, bank: ItemBank) -> None:
    ahead = timezone.now() + timedelta(minutes=1)
    Standing.objects.update(computed_at=ahead)
    known = etags(client)
    Run.objects.filter(model__slug="beta").update(score=12.5)
    refresh_standings()
    assert answers(client, known) == {200}
    assert Standing.objects.latest("computed_at").computed_at > ahead


def test_the_agreement_of_passes_reaches_a_reader_who_came_before_the_statistics(client: Client) -> None:
    bank = make_bank(5, slug="scenes")
    for at, name in enumerate(("alpha", "beta")):
        scored(bank, [5.0, 6.0, 7.0, 8.0, 9.0 - at], [5.5, 6.0, 6.5, 8.0, 9.0], name=name, facts={"slug": name})
    refresh_standings()
    early = client.get("/models/alpha/")
    assert "Repeating the run alone moves" not in early.content.decode()
    refresh_statistics()
    late = client.get("/models/alpha/", headers={"If-None-Match": early["ETag"]})
    assert late.status_code == 200
    assert "Repeating the run alone moves" in late.content.decode()
