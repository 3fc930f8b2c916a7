"""The line on every page while the queue stands still: cheap, and never kept by a reader beyond its truth."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.views.defaults import server_error

from evaluation.models import Run
from leaderboard.pages.shared.stalls import STALLED
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_endpoint, make_run
from tests.leaderboard.pages import finished, page

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def stalled_run() -> Run:
    cache.delete("stalled-line")
    return make_run(endpoint=make_endpoint(), queued_at=timezone.now() - timedelta(minutes=3))


@pytest.mark.usefixtures("stalled_run")
@pytest.mark.parametrize("path", ["/", "/methodology/", "/submit/", "/items/", "/compare/"])
def test_each_page_says_once_that_the_queue_stands_still(client: Client, path: str) -> None:
    assert page(client, path).count(STALLED) == 1


def test_a_queue_that_moves_says_nothing(client: Client, stalled_run: Run) -> None:
    Run.objects.filter(pk=stalled_run.pk).update(queued_at=timezone.now())
    assert STALLED not in page(client, "/")


@pytest.mark.usefixtures("stalled_run")
def test_the_line_is_looked_up_once_for_many_pages(client: Client) -> None:
    page(client, "/submit/")
    cache.delete("stalled-line")
    with CaptureQueriesContext(connection) as first:
        page(client, "/submit/")
    with CaptureQueriesContext(connection) as second:
        page(client, "/submit/")
    assert len(first) == len(second) + 1


def test_a_kept_page_is_given_anew_when_the_queue_stalls_and_when_it_moves_again(client: Client) -> None:
    finished(make_bank(slug="scenes"), 60.0, finished_at=timezone.now())
    refresh_standings()
    calm = client.get("/")
    assert client.get("/", headers={"if-none-match": calm["ETag"]}).status_code == 304
    cache.set("stalled-line", STALLED, 60)
    stalled = client.get("/", headers={"if-none-match": calm["ETag"]})
    assert stalled.status_code == 200
    assert STALLED in stalled.content.decode()
    cache.set("stalled-line", "", 60)
    again = client.get("/", headers={"if-none-match": stalled["ETag"]})
    assert (again.status_code, again["ETag"]) == (200, calm["ETag"])
    assert STALLED not in again.content.decode()


@pytest.mark.usefixtures("stalled_run")
def test_a_page_that_tells_of_a_fault_of_ours_asks_no_database(rf: RequestFactory) -> None:
    with CaptureQueriesContext(connection) as captured:
        html = server_error(rf.get("/")).content.decode()
    assert STALLED not in html
    assert len(captured) == 0
