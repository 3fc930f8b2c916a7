"""A session cookie that says nothing changes nothing: the cached pages and their headers are those of any visitor."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Standing
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import finished
from tests.leaderboard.staff import looker, nobody_of_note, root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PAGES = (
    "/", "/rankings/scenes/", "/rankings/scenes.csv", "/compare/", "/compare/?m=first&m=second", "/statistics/",
    "/items/scenes/", "/items/scenes/1/", "/charts/scenes/scores.json", "/sitemap.xml", "/models/first/",
    "/models/first/runs.csv",
)  # fmt: skip
HEADERS = ("ETag", "Cache-Control", "Vary", "Content-Type", "Set-Cookie")


@pytest.fixture(autouse=True)
def _ranking() -> None:
    cache.clear()
    cache.set("stalled-line", "", 600)
    bank = make_bank(3, slug="scenes")
    for name, score in (("first", 60.0), ("second", 50.0)):
        finished(bank, score, model=make_model(name, slug=name))
    refresh_standings()


def with_cookie(value: str) -> Client:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = value
    return client


def with_session() -> Client:
    """As a submitter has one: the site remembers what this browser has sent."""
    session = SessionStore()
    session["submissions"] = ["x"]
    session.create()
    return with_cookie(session.session_key or "")


READERS: dict[str, Callable[[], Client]] = {
    "a short word": lambda: with_cookie("zzz"),
    "as long as a real one": lambda: with_cookie("z" * 32),
    "a session of a submitter": with_session,
    "staff without a right": nobody_of_note,
}


def seen(client: Client, path: str) -> tuple[object, ...]:
    response = client.get(path, headers={"accept-encoding": "gzip"})
    assert response.status_code == 200, path
    return (response.content, [response.headers.get(name) for name in HEADERS], dict(response.cookies))


@pytest.mark.parametrize("reader", READERS)
def test_a_session_that_opens_nothing_gets_the_kept_page_and_its_headers(reader: str) -> None:
    client = READERS[reader]()
    for path in PAGES:
        assert seen(client, path) == seen(Client(), path), path


@pytest.mark.parametrize("reader", READERS)
def test_it_costs_no_more_than_the_look_up_of_the_session_and_its_user(reader: str) -> None:
    client = READERS[reader]()
    for path in (*PAGES[:3], "/models/first/"):
        seen(Client(), path)
        with CaptureQueriesContext(connection) as public:
            seen(Client(), path)
        with CaptureQueriesContext(connection) as own:
            seen(client, path)
        more = {"/models/first/": 4 if reader.startswith("staff") else 1}
        assert len(own) - len(public) <= more.get(path, 0), path


def test_a_304_is_given_whatever_the_cookie_says() -> None:
    etag = Client().get("/")["ETag"]
    assert with_cookie("zzz").get("/", headers={"if-none-match": etag}).status_code == 304


@pytest.mark.parametrize("path", ["/models/first/", "/models/first/runs.csv"])
def test_who_is_shown_more_gets_a_page_that_nobody_keeps(path: str) -> None:
    for client in (root(), looker()):
        response = client.get(path)
        assert (response["Cache-Control"], response.headers.get("ETag")) == ("private, no-store", None)


def test_a_cookie_that_is_no_session_leaves_a_log_in_alone() -> None:
    client = root()
    for path in PAGES[:4]:
        client.get(path)
    assert client.get("/admin/").status_code == 200


def test_a_site_without_anything_to_show_says_that_its_answer_must_be_asked_again() -> None:
    Standing.objects.all().delete()
    assert "no-cache" in Client().get("/compare/")["Cache-Control"]
