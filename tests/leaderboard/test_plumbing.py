"""What robots, feeds of links and browsers ask for beside the pages."""

import struct
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.views.defaults import permission_denied, server_error

from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model, make_run
from tests.leaderboard.pages import content_of, finished, page, publish
from tests.leaderboard.studies import published_study

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SVG = "{http://www.w3.org/2000/svg}"


def test_robots_are_kept_out_of_the_admin_alone_and_led_to_the_sitemap(client: Client) -> None:
    response = client.get("/robots.txt")
    assert response["Content-Type"] == "text/plain"
    assert content_of(response).splitlines() == [
        "User-agent: *",
        "Disallow: /admin/",
        "",
        "Sitemap: http://testserver/sitemap.xml",
    ]


def addresses(client: Client) -> list[str]:
    response = client.get("/sitemap.xml")
    assert response["Content-Type"] == "application/xml"
    root = ET.fromstring(response.content)  # noqa: S314
    return [entry.findtext(f"{SITEMAP}loc") or "" for entry in root]


def test_the_sitemap_names_every_public_page_and_each_of_them_answers(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    published_study(monkeypatch)
    bank = make_bank(slug="scenes")
    run = finished(bank, 60.0, name="m/one", facts={"slug": "one"}, finished_at=timezone.now())
    hidden = make_run(bank=bank, model=make_model("m/hidden", slug="hidden"))
    publish(make_model("paper", slug="paper"), "scenes", 90.0)
    refresh_standings()
    found = addresses(client)
    assert found[0] == "http://testserver/"
    wanted = {
        "/compare/",
        "/statistics/",
        "/items/",
        "/submit/",
        "/about/",
        "/charts/",
        "/statistics/scores/",
        "/statistics/repeatability/",
        "/charts/scenes/",
        "/items/scenes/",
        "/items/scenes/1/",
    }
    wanted |= {"/studies/", "/studies/welivita-pu-2024/", "/judges/"}
    wanted |= {"/methodology/", "/api/", "/rankings/scenes/", "/models/one/", "/models/paper/", f"/runs/{run.pk}/"}
    assert wanted <= {address.removeprefix("http://testserver") for address in found}
    assert not any("hidden" in address or address.endswith(f"/runs/{hidden.pk}/") for address in found)
    for address in found:
        page(client, address.removeprefix("http://testserver"))


def test_the_sitemap_is_kept_ready_until_a_result_or_a_bank_comes(client: Client) -> None:
    cache.clear()
    finished(make_bank(slug="scenes"), 60.0, finished_at=timezone.now())
    refresh_standings()
    first = client.get("/sitemap.xml")
    with CaptureQueriesContext(connection) as captured:
        assert client.get("/sitemap.xml").content == first.content
    assert len(captured) <= 4
    assert client.get("/sitemap.xml", headers={"If-None-Match": first["ETag"]}).status_code == 304
    make_bank(slug="more")
    assert "http://testserver/items/more/" in addresses(client)


def test_the_sitemap_takes_the_same_queries_for_more_pages(client: Client) -> None:
    counts = []
    for _ in range(2):
        for number in range(3):
            finished(make_bank(), 60.0 + number, finished_at=timezone.now())
        with CaptureQueriesContext(connection) as captured:
            addresses(client)
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 7, "one for each sort of page, and one for the stamp"


def test_the_card_is_an_svg_that_agrees_with_the_board_and_holds_names_as_text(client: Client) -> None:
    bank = make_bank(slug="scenes", title="Own & scenes")
    finished(bank, 61.239, name="one", facts={"display_name": '<a href="x">B</a>\u202e'})
    finished(bank, 50.0)
    refresh_standings()
    response = client.get("/card.svg")
    assert response["Content-Type"] == "image/svg+xml"
    root = ET.fromstring(response.content)  # noqa: S314
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert "2 models ranked on Own & scenes" in texts
    assert 'Best: <a href="x">B</a>[U+202E], 61.24' in texts
    assert not list(root.iter(f"{SVG}a"))


def test_the_card_of_an_empty_board_is_whole(client: Client) -> None:
    ET.fromstring(client.get("/card.svg").content)  # noqa: S314


def test_a_page_says_once_for_all_what_it_is(client: Client) -> None:
    run = finished(make_bank(), 61.5, facts={"display_name": 'A "b" <i>'})
    html = page(client, f"/runs/{run.pk}/?x=1")
    title = f"Run {run.pk} of A &quot;b&quot; &lt;i&gt; · EQ Leaderboard"
    assert f"<title>{title}</title>" in html
    assert f'<meta property="og:title" content="{title}">' in html
    assert f'<link rel="canonical" href="http://testserver/runs/{run.pk}/">' in html
    assert f'<meta property="og:image" content="http://testserver/cards/runs/{run.pk}.png?v=' in html
    assert html.count('content="61.50 points, 5 of 5 items scored."') == 2


def test_a_fault_of_ours_is_shown_without_request_database_or_card(rf: RequestFactory) -> None:
    html = content_of(server_error(rf.get("/")))
    assert "went wrong on our side" in html
    assert "canonical" not in html
    assert "<title>A fault on our side · EQ Leaderboard</title>" in html


def test_a_refusal_leads_back_to_the_rankings(rf: RequestFactory) -> None:
    response = permission_denied(rf.get("/"), Exception())
    assert response.status_code == 403
    assert '<a href="/">go to the rankings</a>' in content_of(response)


def test_a_form_without_its_token_gets_the_same_page() -> None:
    response = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "x"})
    assert response.status_code == 403
    html = content_of(response)
    assert "its form expired" in html
    assert "style=" not in html


def test_a_shared_link_shows_a_picture_that_every_service_can_draw(client: Client) -> None:
    html = page(client, "/methodology/")
    assert '<meta property="og:image" content="http://testserver/static/card.png">' in html
    data = Path(finders.find("card.png") or "").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (1200, 630)
    assert f'<meta property="og:image:width" content="{width}">' in html
    assert f'<meta property="og:image:height" content="{height}">' in html
    assert len(data) < 100_000


@pytest.mark.parametrize("contact", ["mailto:board@board.example", "https://board.example/contact"])
def test_who_finds_a_weakness_learns_whom_to_tell(client: Client, settings: Any, contact: str) -> None:
    settings.CONTACT = contact
    response = client.get("/.well-known/security.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in content_of(response).splitlines())
    assert fields["Contact"] == contact
    left = datetime.fromisoformat(fields["Expires"]) - timezone.now()
    assert timedelta(days=179) < left < timedelta(days=365)


@pytest.mark.parametrize("contact", ["", "http://board.example/contact"])
def test_without_a_contact_that_its_form_takes_there_is_no_such_file(
    client: Client, settings: Any, contact: str
) -> None:
    settings.CONTACT = contact
    assert client.get("/.well-known/security.txt").status_code == 404
