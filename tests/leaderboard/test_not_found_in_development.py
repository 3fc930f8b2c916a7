"""Under DEBUG, as `make run` has it, an address that is not there gets the site's own page."""

import pytest
from django.conf import settings
from django.test import Client, override_settings

from tests.factories import make_run
from tests.leaderboard.pages import page
from tests.processes import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.database]
OWN = "leaderboard.starting.not_found.own_not_found"
OTHERS = [name for name in settings.MIDDLEWARE if name != OWN]
in_development = override_settings(DEBUG=True, MIDDLEWARE=[*OTHERS, OWN])


@pytest.mark.parametrize("path", ["/nowhere/", "/rankings/nothing/"])
def test_the_page_is_the_sites_own_and_lists_no_patterns(client: Client, path: str) -> None:
    with in_development:
        response = client.get(path)
    assert response.status_code == 404
    assert "There is no page at this address" in response.content.decode()
    assert "URLconf" not in response.content.decode()


def test_a_hidden_run_gives_the_same_page_as_no_run(client: Client) -> None:
    hidden = make_run(published=False).pk
    with in_development:
        answers = [client.get(f"/runs/{pk}/").content.decode() for pk in (hidden, hidden + 1000)]
    assert answers[0].replace(f"/runs/{hidden}/", "") == answers[1].replace(f"/runs/{hidden + 1000}/", "")


def test_a_missing_slash_still_leads_to_the_page(client: Client) -> None:
    with in_development:
        assert client.get("/methodology")["Location"] == "/methodology/"


def test_the_answers_of_the_api_stay_json(client: Client) -> None:
    with in_development:
        response = client.get("/api/v1/models/nobody")
    assert (response.status_code, response["Content-Type"].partition(";")[0]) == (404, "application/json")


def test_a_page_that_is_there_is_untouched(client: Client) -> None:
    with in_development:
        assert "<h1>" in page(client, "/submit/")


def test_the_settings_name_it_under_debug_alone() -> None:
    assert f'*(["{OWN}"] if DEBUG else [])' in (ROOT / "leaderboard/settings.py").read_text(encoding="utf-8")
