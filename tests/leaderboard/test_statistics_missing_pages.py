"""The pages of these sections, the calculator and the files: without a script, without a request that computes."""

import io
from typing import Any

import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from django.test import Client
from django.urls import reverse

from evaluation.importers.official_scores import OFFICIAL_SCORES
from evaluation.models import ItemBank, LanguageModel
from leaderboard.models import Standing, StatisticsFile, StatisticsSection
from leaderboard.standings import refresh_standings
from leaderboard.statistics import refreshing
from leaderboard.statistics.refreshing import refresh_statistics
from tests.factories import make_bank
from tests.leaderboard.pages import page
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def table_of(content: bytes) -> Any:
    return pq.read_table(io.BytesIO(content))


def measure(bank: ItemBank, n: int = 6, *, made: str = "m") -> None:
    """Models with two passes, the better ones first."""
    k, chance = bank.items.count(), np.random.default_rng(9)
    for at in range(n):
        given = np.clip(9 - at + chance.normal(0, 1, k), 0, 10).round(2)
        again = np.clip(given + chance.normal(0, 0.2, k), 0, 10).round(2)
        scored(bank, given.tolist(), again.tolist(), name=f"{made}/model-{at}")
    refresh_standings()
    refresh_statistics()


def test_the_calculator_answers_without_script(client: Client) -> None:
    bank = make_bank(8)
    measure(bank)
    path = f"{reverse('statistics-section', args=['design'])}?ranking={bank.slug}"
    html = page(client, path)
    assert '<form class="calculator" method="get"' in html
    assert f'<input type="hidden" name="ranking" value="{bank.slug}">' in html
    assert 'role="status"' not in html
    html = page(client, f"{path}&gap=2&items=40&passes=3&chance=90")
    assert "A true difference of 2 points is found in 90 % of trials by " in html
    assert "40 items find a true difference of " in html
    assert "with 3 passes of each model" in html
    assert 'name="gap" value="2"' in html


@pytest.mark.parametrize(
    "query", ["gap=0&items=1", "gap=nan&chance=100", "gap=1e999&passes=0", "gap=x&items=%3Cb%3E", "gap="]
)
def test_what_cannot_be_asked_counts_as_the_usual(query: str, client: Client) -> None:
    measure(make_bank(8))
    html = page(client, f"{reverse('statistics-section', args=['design'])}?{query}")
    assert "A true difference of 3 points is found in 80 % of trials by " in html
    assert "8 items find" in html, "those of the bank"


def test_what_cannot_be_split_yet_says_so_and_has_no_empty_table(client: Client) -> None:
    bank, chance = make_bank(8), np.random.default_rng(4)
    for at in range(6):
        scored(bank, np.clip(8 - at + chance.normal(0, 1, 8), 0, 10).round(2).tolist(), name=f"m/once-{at}")
    refresh_standings()
    refresh_statistics()
    html = page(client, reverse("statistics-section", args=["design"]))
    rest = html.partition('id="rest"')[2]
    assert "needs at least one model that was asked twice" in rest
    assert "rest.csv" not in rest
    assert "<table" not in rest
    html = page(client, f"{reverse('statistics-section', args=['design'])}?gap=3&passes=4")
    assert "No model here was asked twice, so what more passes would gain is not known." in html


def test_the_files_are_sent_as_they_were_stored_and_not_twice(client: Client) -> None:
    bank = make_bank(8)
    measure(bank)
    for name in ("item-scores", "pairs"):
        path = reverse("statistics-file", args=[bank.slug, name])
        answer = client.get(path)
        assert answer["Content-Type"] == "application/vnd.apache.parquet"
        assert answer["Content-Disposition"] == f'attachment; filename="{bank.slug}-{name}.parquet"'
        assert answer.content == bytes(StatisticsFile.objects.get(ranking=bank.slug, name=name).content)
        assert client.get(path, headers={"if-none-match": answer["ETag"]}).status_code == 304
    assert table_of(answer.content).num_rows == 15
    for path in (reverse("statistics"), f"{reverse('statistics-section', args=['files'])}?ranking={bank.slug}"):
        assert reverse("statistics-file", args=[bank.slug, "pairs"]) in page(client, path)
    assert "/item-scores.parquet" in page(client, reverse("api-docs"))


@pytest.mark.parametrize("at_once", [0, 400])
def test_files_of_a_large_field_wait_for_the_whole_refresh(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = make_bank(8)
    measure(bank)
    monkeypatch.setattr(refreshing, "FILES_AT_ONCE", at_once)
    before = StatisticsFile.objects.get(name="pairs")
    run = scored(bank, [5.0] * 8, name="m/late")
    refresh_standings(run.pk)
    refresh_statistics(run.pk)
    is_as_before = StatisticsFile.objects.get(name="pairs").inputs_hash == before.inputs_hash
    assert is_as_before is (at_once == 0)
    refresh_statistics()
    after = StatisticsFile.objects.get(name="pairs")
    assert after.pk == before.pk
    assert table_of(bytes(after.content)).num_rows == 21


def test_nothing_of_a_private_bank_is_made_or_shown(client: Client) -> None:
    private, opened = make_bank(60, slug="closed", access="private"), make_bank(8, slug="open")
    measure(private, made="closed")
    measure(opened)
    assert not StatisticsFile.objects.filter(ranking=private.slug).exists()
    assert not StatisticsSection.objects.filter(ranking=private.slug).exists()
    # A bank that becomes private: its files stay until the next refresh, and are not shown.
    path = reverse("statistics-file", args=[opened.slug, "item-scores"])
    assert client.get(path).status_code == 200
    ItemBank.objects.filter(pk=opened.pk).update(access="private")
    assert client.get(path).status_code == 404
    refresh_standings()
    refresh_statistics()
    assert not StatisticsFile.objects.exists()


def test_the_mean_of_a_row_is_the_score_of_the_model_also_over_several_runs(client: Client) -> None:
    bank = make_bank(8)
    measure(bank, 3)
    twice = LanguageModel.objects.get(name="m/model-1")
    scored(bank, [2, None, 6, 5, 7, 1, 9, 9], model=twice)
    refresh_standings()
    refresh_statistics()
    table = table_of(client.get(reverse("statistics-file", args=[bank.slug, "item-scores"])).content)
    scores = dict(Standing.objects.values_list("model__slug", "score"))
    for row in table.to_pylist():
        items = [row[f"item_{at}"] for at in range(1, 9)]
        assert row["score"] == scores[row["slug"]] == pytest.approx(float(np.mean(items)))


def test_a_withheld_bank_gives_scores_and_no_word(client: Client) -> None:
    bank = make_bank(8, access="withheld")
    measure(bank)
    content = client.get(reverse("statistics-file", args=[bank.slug, "item-scores"])).content
    names = table_of(content).column_names
    assert names == ["model", "slug", "origin", "rank", "score", *(f"item_{at}" for at in range(1, 9))]


def test_the_source_of_the_constants_is_sent_on_an_empty_board(client: Client) -> None:
    answer = client.get(reverse("statistics-constants"))
    assert answer.content == OFFICIAL_SCORES.read_bytes()
    html = page(client, reverse("statistics-section", args=["files"]))
    assert reverse("statistics-constants") in html
    assert "2.0216" in html


@pytest.mark.parametrize("path", ["nothing/pairs", "scenes/nothing"])
def test_no_other_file_is_there(path: str, client: Client) -> None:
    measure(make_bank(6, slug="scenes"), 3)
    assert client.get(f"/statistics/files/{path}.parquet").status_code == 404
