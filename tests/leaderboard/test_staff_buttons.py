"""The buttons of staff on public pages: there for them alone, and never kept for anybody else."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import Run, Status
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_endpoint, make_run
from tests.leaderboard.pages import content_of
from tests.leaderboard.staff import looker, root

pytestmark = [pytest.mark.django_db, pytest.mark.database]
MARKS = ("For staff", "csrfmiddlewaretoken", "/admin/")


@pytest.fixture
def run() -> Run:
    made = make_run(bank=make_bank(5), endpoint=make_endpoint(), status=Status.FINISHED, score=60.0, n_scored=5)
    refresh_standings()
    cache.clear()
    return made


def pages(run: Run) -> list[str]:
    return [f"/runs/{run.pk}/", f"/models/{run.model.slug}/"]


def html_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return content_of(response)


def test_staff_see_the_buttons_and_their_page_is_kept_nowhere(run: Run) -> None:
    for path in pages(run):
        response = root().get(path)
        html = content_of(response)
        for words in ("Take off the board", "Run again", "csrfmiddlewaretoken", f'name="next" value="{path}"'):
            assert words in html
        assert {"private", "no-store"} <= set(response["Cache-Control"].split(", "))
        assert "Cookie" in response["Vary"]


def test_what_staff_looked_at_does_not_come_back_to_the_public(run: Run) -> None:
    for path in pages(run):
        html_of(root(), path)
        for _ in range(2):
            html = html_of(Client(), path)
            assert not [mark for mark in MARKS if mark in html]


def test_what_the_public_looked_at_does_not_hide_the_buttons_from_staff(run: Run) -> None:
    for path in pages(run):
        html_of(Client(), path)
        assert "Take off the board" in html_of(root(), path)


def test_public_pages_stay_fit_to_be_kept(run: Run) -> None:
    of_run, of_model = (Client().get(path) for path in pages(run))
    assert "public" in of_run["Cache-Control"]
    assert "no-store" not in of_model["Cache-Control"]
    for response in (of_run, of_model):
        assert not response.cookies
        again = Client().get(response.wsgi_request.path, headers={"if-none-match": response["ETag"]})
        assert again.status_code == 304


def test_staff_who_may_only_look_get_no_buttons(run: Run) -> None:
    for path in pages(run):
        assert "For staff" not in html_of(looker(), path)


@pytest.mark.parametrize(
    ("fields", "there", "missing"),
    [
        ({"status": Status.QUEUED}, ["Cancel"], ["Resume", "Publish", "Run again", "Try now"]),
        ({"status": Status.WAITING}, ["Cancel", "Try now"], ["Resume", "Publish", "Run again"]),
        ({"status": Status.FAILED, "failure_kind": "endpoint"}, ["Resume", "Publish", "Run again"], ["Cancel"]),
        ({"status": Status.FAILED, "failure_kind": "parse"}, ["Publish", "Run again"], ["Cancel", "Resume"]),
        ({"status": Status.CANCELLED}, ["Run again"], ["Cancel", "Resume", "Publish"]),
    ],
)
def test_each_state_has_its_buttons(fields: dict[str, str], there: list[str], missing: list[str]) -> None:
    run = make_run(endpoint=make_endpoint(), **fields)
    staff = html_of(root(), f"/runs/{run.pk}/").partition("For staff")[2].partition("</details>")[0]
    assert [word for word in (*there, *missing) if f">{word}<" in staff] == there


def test_run_again_leads_to_the_page_that_asks_first(run: Run) -> None:
    form = {"action": "run_again", "_selected_action": str(run.pk)}
    html = content_of(root().post("/admin/evaluation/run/", form, follow=True))
    assert "Run 1 run again?" in html
    assert Run.objects.count() == 1


def test_a_button_on_the_run_page_leads_back_to_it(run: Run) -> None:
    path = f"/runs/{run.pk}/"
    response = root().post(f"/admin/runs/{run.pk}/unpublish/", {"next": path})
    assert response["Location"] == path
    assert Client().get(path).status_code == 404


def test_the_buttons_of_a_model_page_take_no_query_for_each_run(run: Run) -> None:
    client = root()

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            html_of(client, f"/models/{run.model.slug}/")
        return len(captured)

    queries()
    few = queries()
    for _ in range(5):
        make_run(bank=run.bank, model=run.model, endpoint=run.endpoint, status=Status.CANCELLED)
    assert queries() == few
