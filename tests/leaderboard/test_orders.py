"""The order of a ranking on a day: when it is stored, what its page shows, and that citations link it."""

import re
from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.models import FaultKind, ItemBank, Status
from leaderboard.models import RankingDay, Standing
from leaderboard.standings import refresh_standings
from leaderboard.standings.orders import unpacked
from tests.evaluation.judged import gathered, prompt_bank
from tests.factories import make_bank, make_run
from tests.leaderboard.pages import finished, page, publish, table

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def bank(db: None) -> ItemBank:
    return make_bank(slug="scenes", title="Own scenes")


@pytest.fixture
def on_day(monkeypatch: pytest.MonkeyPatch) -> "Days":
    return Days(monkeypatch)


class Days:
    """Refreshes the standings as if on a day."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch

    def __call__(self, day: str) -> None:
        self.set(day)
        refresh_standings()

    def set(self, day: str) -> None:
        self.patch.setattr("leaderboard.standings.refreshing.day_of", lambda now: date.fromisoformat(day))


def order(client: Client, day: str) -> list[list[str]]:
    return table(page(client, f"/rankings/scenes/?at={day}"))[1:]


def test_an_order_is_stored_on_each_day_with_a_change(bank: ItemBank, on_day: Days) -> None:
    finished(bank, 60.0, name="one")
    on_day("2026-11-20")
    on_day("2026-11-21")
    finished(bank, 70.0, name="two")
    on_day("2026-11-22")
    finished(bank, 65.0, name="three")
    on_day("2026-11-22")
    days = {row.day.isoformat(): unpacked(bytes(row.content)) for row in RankingDay.objects.all()}
    assert {day: [row.score for row in rows] for day, rows in days.items()} == {
        "2026-11-20": [60.0], "2026-11-22": [70.0, 65.0, 60.0],
    }  # fmt: skip


def test_a_page_shows_the_order_that_held_on_a_day(client: Client, bank: ItemBank, on_day: Days) -> None:
    finished(bank, 60.0, name="one", standard_error=2.0)
    on_day("2026-11-20")
    finished(bank, 70.0, name="two")
    on_day("2026-11-24")
    (row,) = order(client, "2026-11-23")
    assert (row[0], row[2], row[4]) == ("1", "one", "measured")
    assert row[3].startswith("60.00 ±")
    assert [row[2] for row in order(client, "2026-11-24")] == ["two", "one"]
    assert [row[2] for row in order(client, "2027-01-01")] == ["two", "one"]
    html = page(client, "/rankings/scenes/?at=2026-11-23")
    assert "This order came up on 20 Nov 2026 and changed on 24 Nov 2026." in html


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_file_of_another_day_is_refused_and_names_the_page_that_has_it(
    client: Client, bank: ItemBank, on_day: Days, ending: str
) -> None:
    """It gave the rows of today under the address of that day."""
    finished(bank, 60.0, name="one")
    on_day("2026-11-20")
    refused = client.get(f"/rankings/scenes.{ending}?at=2026-11-20")
    assert (refused.status_code, refused["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert refused.content.decode() == (
        "This file has the rows of today only, those without `at`; the order of 2026-11-20 is on "
        "/rankings/scenes/?at=2026-11-20.\n"
    )
    assert client.get(f"/rankings/scenes.{ending}?at={timezone.now().date()}").status_code == 200


def test_before_the_first_stored_order_the_page_says_so(client: Client, bank: ItemBank, on_day: Days) -> None:
    finished(bank, 60.0, name="one")
    on_day("2026-11-20")
    html = page(client, "/rankings/scenes/?at=2025-01-01")
    assert "No order as old as that is stored. This is the first one, of 20 Nov 2026" in html


def test_a_day_that_has_not_come_shows_today_and_is_not_cited(client: Client, bank: ItemBank, on_day: Days) -> None:
    finished(bank, 60.0, name="one")
    on_day("2026-11-20")
    today = timezone.now().date()
    html = page(client, f"/rankings/scenes/?at={today.year + 5}-01-01")
    assert f"As of {today}; item bank" in html
    assert f"?at={today}}}" in html
    assert f"1 Jan {today.year + 5}" not in html


def test_a_score_that_was_taken_off_shows_neither_name_nor_score(client: Client, bank: ItemBank, on_day: Days) -> None:
    run = finished(bank, 60.0, name="one")
    finished(bank, 50.0, name="two")
    on_day("2026-11-20")
    run.published = False
    run.save()
    on_day("2026-11-21")
    rows = order(client, "2026-11-20")
    assert [row[2] for row in rows] == ["(taken off the board since then)", "two"]
    assert rows[0][3] == ""


def test_the_order_of_a_private_bank_is_never_stored(client: Client, on_day: Days) -> None:
    bank = make_bank(60, slug="secret", access="private")
    finished(bank, 60.0, name="one")
    on_day("2026-11-20")
    assert Standing.objects.filter(ranking="secret").exists()
    assert not RankingDay.objects.exists()
    assert client.get("/rankings/secret/?at=2026-11-20").status_code == 404
    assert Standing.objects.get(ranking="secret").added_on == date(2026, 11, 1)


@pytest.mark.parametrize("at", ["yesterday", "2026-13-01", "", "2026-11-20T00"])
def test_what_is_no_day_is_not_asked_for(client: Client, bank: ItemBank, at: str) -> None:
    finished(bank, 60.0, name="one")
    refresh_standings()
    assert 'id="board"' in page(client, f"/rankings/scenes/?at={at}")


def test_the_day_on_which_a_score_came_stays_until_its_origin_changes(bank: ItemBank, on_day: Days) -> None:
    run = finished(bank, 60.0, name="one")
    bank.benchmark = "scenes"
    publish(other := run.model.__class__.objects.create(name="two", slug="two"), "scenes", 71.0)
    on_day("2026-11-20")
    finished(make_bank(), 1.0)
    run.score = 61.0
    run.save()
    on_day("2026-11-22")
    assert Standing.objects.get(model=run.model).added_on == date(2026, 11, 20)
    finished(ItemBank.objects.get(slug="scenes"), 55.0, model=other)
    on_day("2026-11-25")
    assert Standing.objects.get(model=other, ranking="scenes").added_on == date(2026, 11, 25)


def test_every_citation_links_the_order_of_its_day(client: Client, bank: ItemBank) -> None:
    run = finished(bank, 60.0, name="one", finished_at="2026-11-20T10:00Z")
    refresh_standings()
    for path in ("/rankings/scenes/", f"/models/{run.model.slug}/", f"/runs/{run.pk}/"):
        (linked,) = set(re.findall(r"/rankings/scenes/\?at=\d{4}-\d\d-\d\d", page(client, path)))
        assert client.get(linked).status_code == 200


def test_a_run_that_joined_no_ranking_is_cited_without_an_order(client: Client, bank: ItemBank) -> None:
    ended: dict[str, Any] = {"finished_at": "2026-11-20T10:00Z", "published": True}
    failed = make_run(bank=bank, status=Status.FAILED, failure_kind=FaultKind.PARSE, **ended)
    partial = finished(bank, 60.0, limit=2, n_items=2, **ended)
    for run in (failed, partial, gathered(prompt_bank(), **ended)):
        text = page(client, f"/runs/{run.pk}/")
        assert f"eqleaderboard-run-{run.pk}" in text
        assert "?at=" not in text
        assert "as of that day" not in text


def test_the_day_is_a_column_an_order_and_a_filter(client: Client, bank: ItemBank, on_day: Days) -> None:
    finished(bank, 70.0, name="older")
    on_day("2026-11-20")
    finished(bank, 60.0, name="newer")
    on_day("2026-11-22")
    html = page(client, "/rankings/scenes/?c=added&sort=-added")
    rows = [" ".join(row) for row in table(html)[1:]]
    assert "newer" in rows[0]
    assert rows[0].endswith("22 Nov 2026")
    left = [" ".join(row) for row in table(page(client, "/rankings/scenes/?added=2026-11-21"))[1:]]
    assert len(left) == 1
    assert "newer" in left[0]
    assert "Added" not in table(page(client, "/rankings/scenes/"))[0]
