"""The numbers behind the drawings of a model's page, as files: the same as its data tables, with all their digits."""

import csv
import io
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from evaluation.models import ItemBank, Run
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_result, make_run
from tests.leaderboard.pages import content_of, page
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
HALF = "half_of_95_interval"


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


def table(client: Client, address: str) -> list[dict[str, str]]:
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    name = address.partition("?")[0].rpartition("/")[2]
    assert response["Content-Disposition"] == f'attachment; filename="one-{name}"'
    return list(csv.DictReader(io.StringIO(content_of(response))))


def ran(model: Any, bank: ItemBank, scores: list[float], **fields: Any) -> Run:
    """A finished run whose answers are one above the references, but for the first item's, which are right."""
    usual = {"status": "finished", "published": True, "score": 10 * sum(scores) / len(scores), "n_scored": len(scores)}
    run = make_run(model=model, bank=bank, **{**usual, **fields})
    for number, (item, score) in enumerate(zip(bank.items.order_by("number"), scores, strict=True), 1):
        answer = [value + (number > 1) for value in item.reference]
        make_result(run, str(number), score=score, answer=answer)
    return run


@pytest.fixture
def two_models() -> ItemBank:
    """Field medians of the three items over both models: 6, 5 and 7.5."""
    bank = make_bank(3, slug="scenes")
    ran(make_model("maker/one", slug="one"), bank, [8.0, 4.0, 1 / 3], standard_error=2.0)
    ran(make_model("maker/two", slug="two"), bank, [4.0, 6.0, 15 - 1 / 3 - 5])
    refresh_standings()
    return bank


def test_the_items_are_those_of_the_drawing_with_all_their_digits(client: Client, two_models: ItemBank) -> None:
    rows = table(client, "/models/one/items.csv?ranking=scenes")
    assert [(row["item"], row["score"], row["field_median"]) for row in rows] == [
        ("1", "8.0", "6.0"), ("2", "4.0", "5.0"), ("3", repr(1 / 3), "5.0"),
    ]  # fmt: skip
    assert [float(row["difference"]) for row in rows] == [2.0, -1.0, 1 / 3 - 5.0]


def test_the_runs_are_those_of_the_ranking_with_half_of_the_interval(client: Client, two_models: ItemBank) -> None:
    first = Run.objects.get(model__slug="one")
    model = first.model
    second = ran(model, two_models, [5.0, 5.0, 5.0])
    hidden = ran(model, two_models, [1.0, 1.0, 1.0], published=False)
    ran(model, make_bank(3, slug="others"), [9.0, 9.0, 9.0])
    refresh_standings()
    rows = table(client, "/models/one/runs.csv?ranking=scenes")
    assert [row["run"] for row in rows] == [str(second.pk), str(first.pk)]
    assert float(rows[1][HALF]) == pytest.approx(2 * 4.302653, abs=1e-5)  # three items
    assert (rows[0][HALF], rows[0]["score"], rows[0]["counts"]) == ("", "50.0", "true")
    assert table(root(), "/models/one/runs.csv?ranking=scenes")[0]["run"] == str(hidden.pk)


def test_the_answers_are_compared_with_the_references(client: Client, two_models: ItemBank) -> None:
    """Eight of the twelve answers are one too high, four are right: a mean error of 2/3."""
    points = table(client, "/models/one/calibration.csv?ranking=scenes")
    errors = table(client, "/models/one/errors.csv?ranking=scenes")
    assert sum(int(point["n"]) for point in points) == 12
    assert all(0 <= float(point["mean_answer"]) - float(point["reference"]) <= 1 for point in points)
    bands = [row for row in errors if row["by"] == "intensity"]
    assert sum(int(row["n"]) for row in bands) == 12
    assert sum(int(row["n"]) * float(row["mean_error"]) for row in bands) == pytest.approx(8.0)
    assert any(row["by"] == "family" for row in errors)


def test_hidden_texts_keep_the_families_back(client: Client, two_models: ItemBank) -> None:
    ItemBank.objects.update(access="withheld")
    assert {row["by"] for row in table(client, "/models/one/errors.csv?ranking=scenes")} == {"intensity"}


@pytest.mark.parametrize("name", ["items", "calibration", "errors", "runs"])
def test_the_page_links_each_table_and_a_model_without_runs_has_empty_ones(
    client: Client, two_models: ItemBank, name: str
) -> None:
    ran(Run.objects.get(model__slug="one").model, two_models, [5.0, 5.0, 5.0])
    refresh_standings()
    assert f'<a href="/models/one/{name}.csv?ranking=scenes">CSV' in page(client, "/models/one/")
    make_model("maker/none", slug="none")
    assert len(client.get(f"/models/none/{name}.csv").content.splitlines()) == 1


def test_other_names_are_not_there(client: Client, two_models: ItemBank) -> None:
    assert client.get("/models/one/secrets.csv").status_code == 404
    assert client.get("/models/nobody/items.csv").status_code == 404
