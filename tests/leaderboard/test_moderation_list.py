"""What a moderator sees before deciding: the doubt about a name in the list, and that nothing is listed before."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from evaluation.models import ItemBank, Status
from leaderboard.administration.run_acts import publish
from leaderboard.submissions.moderating import approve
from tests.factories import make_model
from tests.leaderboard.pages import finished, table
from tests.leaderboard.sending import sent
from tests.leaderboard.staff import root

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
LIST = "/admin/leaderboard/submission/"


def row_of(name: str) -> str:
    html = root().get(LIST).content.decode().partition('id="result_list"')[2]
    return " ".join(next(row for row in table(f"<table {html}") if any(name in cell for cell in row)))


def test_a_name_that_looks_like_another_is_flagged_in_the_list_with_the_reason(client: Client) -> None:
    make_model("maker/modern", organisation="Maker")
    found = sent(client, name="maker/rnodern")
    assert found.flagged
    row = row_of("rnodern")
    assert "looks like" in row
    assert "maker/modern" in row
    assert "flagged" in root().get(f"{LIST}?flagged__exact=1").content.decode()


def test_a_moderators_note_stands_in_the_list_and_in_the_history(client: Client) -> None:
    found = sent(client)
    inline = {f"events-{name}_FORMS": "0" for name in ("TOTAL", "INITIAL")}
    root().post(f"{LIST}{found.pk}/change/", {"note": "asked the maker", "flagged": "on", **inline})
    assert "asked the maker" in row_of("new-model")
    assert LogEntry.objects.filter(object_id=found.pk).exists()


def test_a_submitted_model_is_listed_nowhere_before_a_run_of_it_is_published(client: Client) -> None:
    found = sent(client)
    finished(ItemBank.objects.get(), 50.0, name="maker/other")
    slug = found.model.slug
    paths = ["/", "/sitemap.xml", "/feed.atom", "/api/v1/models"]

    def seen() -> list[str]:
        shown = [path for path in paths if b"new-model" in client.get(path).content]
        return shown + [path for path in (f"/models/{slug}/",) if client.get(path).status_code == 200]

    assert seen() == []
    approve(found)
    assert seen() == []
    found.runs.update(status=Status.FINISHED, score=55.0, n_scored=5, finished_at="2026-01-01T00:00Z")
    assert seen() == []
    assert publish(found.runs.get())
    assert f"/models/{slug}/" in seen()
    assert "/api/v1/models" in seen()
