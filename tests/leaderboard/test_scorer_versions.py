"""Which scorer a score is by: the run's page names it, and a ranking marks what another version has scored."""

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
MARK = f"scored by {OLD}, not yet by the present version"


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
    assert "not yet by the present version" not in html


def test_the_runs_page_names_its_scorer_and_both_of_a_correction(client: Client, bank: ItemBank) -> None:
    run = finished(bank, 50.0, name="maker/one", scorer_version=OLD)
    for number in range(1, 6):
        make_result(run, str(number), reply=scene_reply(number), score=5.0)
    assert f'<dt>Scorer</dt><dd class="mono">{OLD}</dd>' in page(client, f"/runs/{run.pk}/")
    call_command("rescore", str(run.pk))
    html = page(client, f"/runs/{run.pk}/")
    assert f'<dt>Scorer</dt><dd class="mono">{PRESENT}</dd>' in html
    assert f'<td class="mono">{OLD} → {PRESENT}</td>' in html


def test_a_run_that_has_not_ended_names_no_scorer(client: Client, bank: ItemBank) -> None:
    run = finished(bank, 50.0, name="maker/one")
    Run.objects.filter(pk=run.pk).update(scorer_version="")
    assert "<dt>Scorer</dt>" not in page(client, f"/runs/{run.pk}/")
