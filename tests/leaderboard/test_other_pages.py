"""Pages beside the rankings and runs: faults with a way on, the icon."""

import pytest
from django.test import Client, RequestFactory
from django.views.defaults import server_error

from tests.leaderboard.pages import page

pytestmark = pytest.mark.django_db


def test_an_unknown_address_leads_back_to_the_rankings(client: Client) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    html = response.content.decode()
    assert "There is no page at this address" in html
    assert '<a href="/">Go to the rankings</a>' in html


def test_a_fault_of_ours_says_so_and_needs_no_database(rf: RequestFactory) -> None:
    response = server_error(rf.get("/"))
    assert response.status_code == 500
    assert b"Something went wrong on our side" in response.content


def test_the_old_address_of_the_icon_leads_to_the_drawing(client: Client) -> None:
    assert client.get("/favicon.ico")["Location"] == "/static/favicon.svg"


def test_every_page_carries_the_strict_policy_and_no_inline_script_or_style(client: Client) -> None:
    response = client.get("/")
    assert "script-src 'self'" in response["Content-Security-Policy"]
    html = page(client, "/")
    assert "style=" not in html
    assert "<script>" not in html
