"""Reports of mistakes and suggested models: what is stored, how often, and who reads it."""

import pytest
from django.test import Client

from evaluation.models import FormerName, Run
from leaderboard.administration.merging import merge, remember
from leaderboard.models import Report
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import finished, page
from tests.leaderboard.sending import no_turns_taken
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database]

WORDS = "The score on this page is not that of its file."


@pytest.fixture
def run(db: None) -> Run:
    no_turns_taken()
    return finished(make_bank(), 60.0, name="maker/one", finished_at="2026-11-20T10:00Z")


def test_run_and_model_pages_lead_to_the_form(client: Client, run: Run) -> None:
    for path, address in (
        (f"/runs/{run.pk}/", f"/report/runs/{run.pk}/"),
        (f"/models/{run.model.slug}/", f"/report/models/{run.model.slug}/"),
    ):
        assert f'href="{address}"' in page(client, path)
        assert "Report a mistake" in page(client, address)


def test_a_report_is_stored_for_staff_without_a_person(client: Client, run: Run) -> None:
    response = client.post(f"/report/runs/{run.pk}/", {"text": WORDS, "kind": "suggestion", "done": "1"})
    assert response.headers["Location"] == "/report/thanks/"
    report = Report.objects.get()
    assert (report.kind, report.run, report.model, report.text, report.done) == (
        "mistake", run, run.model, WORDS, False,
    )  # fmt: skip
    names = {field.name for field in Report._meta.get_fields()}
    assert names == {"id", "kind", "run", "model", "name", "link", "text", "at", "done", "note"}
    assert client.cookies.keys() <= {"csrftoken"}


def test_what_is_written_while_a_model_is_renamed_is_not_lost(client: Client, run: Run) -> None:
    FormerName.objects.create(model=run.model, name="maker/before", slug="before")
    assert f'href="/models/{run.model.slug}/"' in page(client, "/report/models/before/")
    assert client.post("/report/models/before/", {"text": WORDS}).headers["Location"] == "/report/thanks/"
    assert Report.objects.get().model == run.model
    assert client.get("/report/models/never/").status_code == 404


@pytest.mark.parametrize("text", ["", "too short", "x" * 2_001, "a \0 in the middle of it"])
def test_a_report_that_says_nothing_is_not_stored(client: Client, run: Run, text: str) -> None:
    response = client.post(f"/report/runs/{run.pk}/", {"text": text})
    assert response.status_code == 422
    assert 'href="#id_text"' in response.content.decode()
    assert not Report.objects.exists()


def test_a_network_has_five_reports_in_ten_minutes(client: Client, run: Run) -> None:
    for at in range(5):
        assert client.post(f"/report/runs/{run.pk}/", {"text": f"{WORDS} {at}"}).status_code == 302
    assert client.post(f"/report/runs/{run.pk}/", {"text": WORDS}).status_code == 429
    assert Report.objects.count() == 5


def test_what_has_no_page_cannot_be_reported(client: Client, run: Run) -> None:
    hidden = finished(make_bank(), 50.0, name="hidden", published=False)
    private = finished(make_bank(60, access="private"), 50.0, name="secret")
    for path in (f"runs/{hidden.pk}", f"runs/{private.pk}", "models/nobody"):
        assert client.post(f"/report/{path}/", {"text": WORDS}).status_code == 404


def test_a_report_on_a_model_that_was_renamed_meanwhile_keeps_its_text(client: Client, run: Run) -> None:
    path = f"/report/models/{run.model.slug}/"
    remember(run.model, name=run.model.name, slug=run.model.slug)
    run.model.slug = "renamed"
    run.model.save()
    short = client.post(path, {"text": "too short"})
    assert (short.status_code, "too short" in short.content.decode()) == (422, True)
    assert client.post(path, {"text": WORDS}).headers["Location"] == "/report/thanks/"
    report = Report.objects.get()
    assert (report.model, report.text) == (run.model, WORDS)


def test_a_report_on_a_model_that_was_merged_meanwhile_is_one_on_the_other(client: Client, run: Run) -> None:
    twin = finished(run.bank, 55.0, name="maker/twin").model
    path = f"/report/models/{twin.slug}/"
    merge(run.model, [twin])
    assert client.post(path, {"text": WORDS}).status_code == 302
    assert Report.objects.get().model == run.model


def test_a_model_can_be_suggested(client: Client, run: Run) -> None:
    asked = {"name": "other/New-7B", "link": "https://models.example/new", "text": ""}
    assert client.post("/suggest/", asked).headers["Location"] == "/report/thanks/"
    report = Report.objects.get()
    assert (report.kind, report.name, report.link) == ("suggestion", "other/New-7B", "https://models.example/new")
    assert report.model is None
    known = client.post("/suggest/", {**asked, "name": "MAKER/one"})
    assert known.status_code == 422
    assert "lists that model already" in known.content.decode()
    assert client.post("/suggest/", {**asked, "link": "javascript:alert(1)"}).status_code == 422
    assert 'href="/suggest/"' in page(client, "/submit/")


def test_staff_read_and_close_them(client: Client, run: Run) -> None:
    report = Report.objects.create(kind="mistake", run=run, model=run.model, text="<script>alert(1)</script> is wrong")
    staff = root()
    html = staff.get("/admin/leaderboard/report/").content.decode()
    assert "&lt;script&gt;" in html
    staff.post("/admin/leaderboard/report/", {"action": "mark_done", "_selected_action": [report.pk]})
    report.refresh_from_db()
    assert report.done


def test_a_deleted_run_leaves_its_report(run: Run) -> None:
    model = make_model()
    Report.objects.create(kind="mistake", run=run, model=model, text=WORDS)
    run.delete()
    assert Report.objects.get().run is None
