"""Cases of public bug reports on boards that no page's own file holds yet: their ids are those of the list of cases."""

import csv
import io

import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.models import ItemState, LanguageModel
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_result
from tests.leaderboard.pages import board, finished, models, page
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_p47_a_run_with_twenty_answers_cut_off_ranks_and_the_board_shows_the_count(client: Client) -> None:
    run = scored(make_bank(171, slug="scenes"), [6.0] * 151 + [None] * 20, n_items=171, n_scored=151)
    run.results.filter(state=ItemState.UNREAD).update(reason="cut off")
    (row,) = models(board(client, "/rankings/scenes/"))
    assert "1" in row
    assert "151" in row
    assert "20 replies not read: cut off (20)." in page(client, f"/runs/{run.pk}/")


def test_e22_a_reply_of_broken_bytes_is_shown_with_their_mark(client: Client) -> None:
    run = finished(make_bank(1, slug="scenes"), 100.0, name="m", facts={"slug": "m"})
    make_result(run, "1", reply="Note: \ufffd\nAngry: 3", reason="saw \ufffd")
    refresh_standings()
    assert "Note: \ufffd" in page(client, f"/runs/{run.pk}/items/")
    assert "Note: \ufffd" in page(client, "/models/m/")
    (line,) = csv.DictReader(io.StringIO(page(client, f"/runs/{run.pk}/items.csv")))
    assert line["reason"] == "saw \ufffd"


@pytest.mark.parametrize("name", ['a, "b"', "a\nb", "a/b", "100 %", "#1", "a?b&c=d", "ünï côdé", "../../admin"])
def test_t17_a_name_of_any_signs_comes_back_from_the_file_and_its_link_leads_to_it(client: Client, name: str) -> None:
    run = finished(make_bank(slug="scenes"), 50.0, name=name, facts={"display_name": name})
    refresh_standings()
    (line,) = csv.DictReader(io.StringIO(page(client, "/rankings/scenes.csv"), newline=""))
    assert (line["model"], line["display_name"]) == (name, name)
    slug = LanguageModel.objects.get().slug
    assert line["slug"] == slug
    assert f'href="/models/{slug}/"' in page(client, "/rankings/scenes/")
    assert f'href="/runs/{run.pk}/"' in page(client, f"/models/{slug}/")


def test_t16_the_counts_of_a_large_field_are_right_on_the_page_in_the_file_and_in_the_api(client: Client) -> None:
    call_command("seed_scale", models=230, runs=1, items=5, verbosity=0)
    html = page(client, "/rankings/scale/")
    assert "230 ranked" in html
    pages = [models(page(client, f"/rankings/scale/?page={number}")) for number in range(1, 6)]
    assert [len(rows) for rows in pages] == [50, 50, 50, 50, 30]
    assert len(list(csv.DictReader(io.StringIO(page(client, "/rankings/scale.csv"))))) == 230
    assert client.get("/api/v1/rankings/scale").json()["count"] == 230
