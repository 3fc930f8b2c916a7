"""Which scorer a score is by: the run's page names it, and a ranking marks what another version has scored."""

import csv
import io

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.benchmarks import BENCHMARKS
from evaluation.models import ItemBank, Origin, Run
from tests.factories import make_bank, make_model, make_result, scene_reply
from tests.leaderboard.pages import board, finished, models, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PRESENT = BENCHMARKS["eq-bench-v2"].scorer_version
OLD = "eq-bench-v2/0"
MARK = f"scored by {OLD}, not yet by the current version"


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(5, title="Own scenes")


def marked(html: str) -> dict[str, bool]:
    """Name of a model -> whether its row bears the mark."""
    return {name: MARK in " ".join(row) for row in models(html) for name in ("One", "Two") if name in " ".join(row)}


def test_a_row_of_an_older_scorer_is_marked_until_it_is_rescored(client: Client, bank: ItemBank) -> None:
    old = finished(bank, 50.0, name="maker/one", facts={"display_name": "One"}, scorer_version=OLD)
    finished(bank, 60.0, name="maker/two", facts={"display_name": "Two"}, scorer_version=PRESENT)
    for number in range(1, 6):
        make_result(old, str(number), reply=scene_reply(number), score=5.0)
    assert marked(board(client)) == {"One": True, "Two": False}
    call_command("rescore", str(old.pk))
    html = board(client)
    assert marked(html) == {"One": False, "Two": False}
    assert "another scorer version</span>" not in html.partition('id="board"')[2].partition("<table")[0]


def marks_of_files(client: Client, slug: str) -> dict[str, list[bool]]:
    """File or address of the API -> whether each row bears the mark, the best row first."""
    table = pq.read_table(io.BytesIO(client.get(f"/rankings/{slug}.parquet").content))
    lines = csv.DictReader(io.StringIO(client.get(f"/rankings/{slug}.csv").content.decode()))
    pages = {
        "json": client.get(f"/rankings/{slug}.json").json()["rows"],
        "api": client.get(f"/api/v1/rankings/{slug}").json()["results"],
        "api of runs": sorted(client.get("/api/v1/runs").json()["results"], key=lambda row: -row["score"]),
    }
    return {
        "csv": [line["needs_rescoring"] == "true" for line in lines],
        "parquet": table.column("needs_rescoring").to_pylist(),
        **{name: [row["needs_rescoring"] for row in rows] for name, rows in pages.items()},
    }


def test_files_and_the_api_bear_the_mark_of_the_page(client: Client, bank: ItemBank) -> None:
    old = finished(bank, 50.0, name="maker/one", scorer_version=OLD)
    finished(bank, 60.0, name="maker/two", scorer_version=PRESENT)
    for number in range(1, 6):
        make_result(old, str(number), reply=scene_reply(number), score=5.0)
    board(client)
    assert marks_of_files(client, bank.slug) == {
        name: [False, True] for name in ("csv", "parquet", "json", "api", "api of runs")
    }
    assert client.get(f"/runs/{old.pk}/items.json").json()["needs_rescoring"] is True
    call_command("rescore", str(old.pk))
    board(client)
    assert {mark for marks in marks_of_files(client, bank.slug).values() for mark in marks} == {False}
    assert client.get(f"/runs/{old.pk}/items.json").json()["needs_rescoring"] is False


def test_a_mean_over_two_scorer_versions_names_the_old_one(client: Client, bank: ItemBank) -> None:
    model = make_model("maker/one", display_name="One")
    finished(bank, 50.0, model=model, scorer_version=OLD)
    finished(bank, 60.0, model=model, scorer_version=PRESENT)
    assert marked(board(client)) == {"One": True}


@pytest.mark.parametrize("version", ["", PRESENT, BENCHMARKS["eq-bench-v2-code"].scorer_version])
def test_present_versions_and_scores_of_no_scorer_bear_no_mark(client: Client, bank: ItemBank, version: str) -> None:
    finished(
        bank, 50.0, name="maker/one", facts={"display_name": "One"}, scorer_version=version, origin=Origin.IMPORTED
    )
    html = board(client)
    assert len(models(html)) == 1
    assert "not yet by the current version" not in html


def test_the_runs_page_names_its_scorer_and_both_of_a_correction(client: Client, bank: ItemBank) -> None:
    run = finished(bank, 50.0, name="maker/one", scorer_version=OLD)
    for number in range(1, 6):
        make_result(run, str(number), reply=scene_reply(number), score=5.0)
    assert f'<dt>Scorer</dt><dd class="mono">{OLD}</dd>' in page(client, f"/runs/{run.pk}/")
    call_command("rescore", str(run.pk))
    html = page(client, f"/runs/{run.pk}/")
    assert f'<dt>Scorer</dt><dd class="mono">{PRESENT}</dd>' in html
    assert f'<td class="mono">{OLD} → {PRESENT}</td>' in " ".join(html.split())


def test_a_run_that_has_not_ended_names_no_scorer(client: Client, bank: ItemBank) -> None:
    run = finished(bank, 50.0, name="maker/one")
    Run.objects.filter(pk=run.pk).update(scorer_version="")
    assert "<dt>Scorer</dt>" not in page(client, f"/runs/{run.pk}/")
