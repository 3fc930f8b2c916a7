"""Who runs the board, what it keeps, and the links that every page has for it."""

import subprocess
import sys
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils.html import strip_tags
from django.views.defaults import server_error

from leaderboard.models import Submission
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_endpoint, make_result
from tests.leaderboard.pages import content_of, finished, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def foot(html: str) -> str:
    return html.partition("<footer")[2]


def words(html: str) -> str:
    return " ".join(strip_tags(html.partition("<main")[2].partition("</main>")[0]).split())


def test_without_an_address_no_page_links_to_one_and_the_about_page_says_so(client: Client, settings: Any) -> None:
    assert (settings.CONTACT, settings.SOURCE_URL) == ("", "")
    html = page(client, "/about/")
    assert "No contact is set for this board" in html
    assert "Contact</a>" not in foot(html)
    assert "Source code</a>" not in foot(html)
    assert 'href="/about/"' in foot(html)


def test_contact_and_source_stand_in_the_foot_of_every_page_and_of_the_one_of_a_fault(
    client: Client, rf: RequestFactory, settings: Any
) -> None:
    settings.CONTACT, settings.SOURCE_URL = "mailto:board@example.org", "https://code.example.org/board"
    for html in (page(client, "/api/"), content_of(server_error(rf.get("/")))):
        assert '<a href="mailto:board@example.org">Contact</a>' in foot(html)
        assert '<a href="https://code.example.org/board">Source code</a>' in foot(html)
    about = page(client, "/about/")
    assert '<a href="mailto:board@example.org">board@example.org</a>' in about
    assert '<a href="https://code.example.org/board">source code</a>' in about


def test_the_page_of_a_submission_says_whom_to_ask_and_leads_to_what_is_kept(client: Client, settings: Any) -> None:
    endpoint = make_endpoint()
    found = Submission.objects.create(model=endpoint.model, endpoint=endpoint, owner="203.0.113.7")
    settings.CONTACT = "mailto:board@example.org"
    acts = page(client, f"/submissions/{found.token}/").partition('id="acts"')[2].partition("</section>")[0]
    assert '<a href="mailto:board@example.org">board@example.org</a>' in acts
    assert 'href="/about/#kept"' in acts


def test_a_page_that_is_kept_ready_does_not_keep_an_old_contact(client: Client, settings: Any) -> None:
    cache.clear()
    finished(make_bank(slug="scenes"), 60.0)
    refresh_standings()
    before = client.get("/")
    settings.CONTACT = "https://board.example.org/contact"
    after = client.get("/", headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert "https://board.example.org/contact" in foot(content_of(after))


def test_the_page_names_the_times_that_the_settings_have(client: Client, settings: Any) -> None:
    settings.ENDPOINT_KEY_DAYS, settings.CONTACT_DAYS, settings.REPLY_DAYS, settings.LOGIN_LOG_DAYS = 3, 40, 50, 0
    text = words(page(client, "/about/"))
    chosen = "if a date was set in the form, until that date (at most 180 days)."
    assert f"Until the run ends (at most 3 days) or, {chosen}" in text
    assert "Kept until 40 days after the submission’s last run ended, or after it was rejected or withdrawn" in text
    assert "Kept indefinitely where the run’s score is listed, and until 50 days after its end where it is not." in text
    assert "Log-ins of administrators are kept indefinitely" in text
    assert "are counted per network for 10 minutes" in text
    settings.CONTACT_DAYS = settings.REPLY_DAYS = 0
    html = page(client, "/about/")
    assert "<dd>Kept indefinitely. We use the address to send mail" in html
    assert "<dd>Kept indefinitely. Scores can be recomputed" in html


def test_reading_sets_no_cookie_as_the_page_says(client: Client) -> None:
    bank = make_bank(slug="scenes")
    run = finished(bank, 60.0, facts={"slug": "one"})
    make_result(run, "1", reply="read")
    refresh_standings()
    assert "Reading sets no cookie" in page(client, "/about/")
    paths = (
        "/", "/rankings/scenes/", "/charts/scenes/", "/compare/", "/statistics/", "/statistics/scores/",
        "/items/scenes/", "/items/scenes/1/", "/methodology/", "/api/", "/about/", "/models/one/", f"/runs/{run.pk}/",
        f"/runs/{run.pk}/items/", "/api/v1/runs", "/feed.atom",
    )  # fmt: skip
    for path in paths:
        client.get(path)
        assert not client.cookies, path


@pytest.mark.parametrize(
    ("name", "value", "starts"),
    [
        ("CONTACT", "board@example.org", True),
        ("CONTACT", "https://example.org/contact", True),
        ("CONTACT", "ask Ann", False),
        ("CONTACT", "javascript:alert(1)", False),
        ("SOURCE_URL", "https://example.org/code", True),
        ("SOURCE_URL", "board@example.org", False),
    ],
)
@pytest.mark.thorough
def test_an_address_that_no_page_can_link_to_stops_the_start(name: str, value: str, starts: bool) -> None:
    environment = {"DEBUG": "true", "SECRET_KEY": "x", name: value}
    done = subprocess.run(
        [sys.executable, "-c", "import leaderboard.settings"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) is starts
    assert starts or f"{name}: {value!r} is no address that a page can link to." in done.stderr
