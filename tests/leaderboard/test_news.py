"""What is new: the page, the strip above a ranking, and what neither tells."""

from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.models import ItemBank
from leaderboard.models import Standing
from leaderboard.pages.news.page import news_page, news_strip
from leaderboard.pages.shared.corrections import newest_correction_days, newest_corrections
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import finished, page, publish
from tests.leaderboard.test_orders import Days, on_day

__all__ = ["on_day"]

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TODAY = date(2026, 11, 28)


@pytest.fixture
def bank(db: None) -> ItemBank:
    bank = make_bank(slug="scenes", title="Own scenes")
    ItemBank.objects.update(loaded_at="2020-01-01T00:00Z")
    return bank


def said(kind: str = "", since: date | None = None) -> list[str]:
    days = news_page(TODAY, kind, since).days
    return [f"{event.kind}: {event.head} {event.text}" for day in days for event in day.events]


def test_many_scores_of_one_day_are_one_event(bank: ItemBank, on_day: Days) -> None:
    for at in range(3):
        finished(bank, 60.0 + at, name=f"model {at}", origin="imported")
    finished(bank, 50.0, name="own")
    on_day("2026-11-20")
    assert said() == [
        "added: 3 imported scores on Own scenes.", "added: own with 50.00 on Own scenes.",
    ]  # fmt: skip


def test_a_move_names_the_largest_and_says_why(bank: ItemBank, on_day: Days) -> None:
    for name, score in (("a", 70.0), ("b", 60.0)):
        finished(bank, score, name=name)
    on_day("2026-11-20")
    finished(bank, 65.0, name="c")
    on_day("2026-11-22")
    assert said("moved") == ["moved: b from rank 2 to 3 on Own scenes. 1 score joined."]


def test_estimated_ranks_are_marked_in_moves_as_they_are_where_scores_join(bank: ItemBank, on_day: Days) -> None:
    for name, score in (("a", 70.0), ("b", 60.0)):
        publish(make_model(name, slug=name), "eq-bench-v2", score)
    on_day("2026-11-20")
    publish(make_model("c", slug="c"), "eq-bench-v2", 65.0)
    on_day("2026-11-22")
    lines = [line for day in news_page(TODAY).days for event in day.events for line in event.lines]
    assert len(lines) == 4
    assert all(line.ranks.startswith("≈") for line in lines)


def test_the_days_of_corrections_are_those_of_the_corrections(bank: ItemBank) -> None:
    for at, days in enumerate([("2026-11-02", "2026-11-20"), ("2026-11-09",), ()]):
        history = [{"score": 1.0, "scorer_version": "old/1", "replaced_at": f"{day}T10:00:00+00:00"} for day in days]
        finished(bank, 50.0 + at, name=f"model {at}", score_history=history)
    for most in (1, 2, 5):
        assert newest_correction_days(most) == [change.at.date() for change in newest_corrections(most)]
    assert newest_correction_days(5)[0] == date(2026, 11, 20)


def test_a_correction_keeps_before_and_after(bank: ItemBank, on_day: Days) -> None:
    history = [{"score": 50.0, "scorer_version": "old/1", "replaced_at": "2026-11-26T10:00:00+00:00"}]
    finished(bank, 56.94, name="a", score_history=history, scorer_version="new/2")
    on_day("2026-11-20")
    assert said("corrected") == [
        "corrected: a on Own scenes, from 50.00 to 56.94. It was recomputed with scorer new/2."
    ]


def test_baselines_demonstrations_and_private_banks_are_no_news(bank: ItemBank, on_day: Days) -> None:
    finished(bank, 40.0, name="line", origin="baseline")
    finished(bank, 40.0, name="shown", origin="demo")
    finished(make_bank(60, slug="secret", access="private"), 60.0, name="hidden")
    on_day("2026-11-20")
    assert said() == []


def test_the_strip_is_hidden_when_nothing_is_younger_than_thirty_days(bank: ItemBank, on_day: Days) -> None:
    finished(bank, 60.0, name="a")
    on_day("2026-10-29")
    strip = news_strip(TODAY)
    assert strip is not None
    assert (strip.words, strip.newest) == ("1 score added", date(2026, 10, 29))
    assert news_strip(TODAY + timedelta(days=1)) is None


def test_the_page_and_the_strip_are_there(client: Client, bank: ItemBank) -> None:
    run = finished(bank, 60.0, name="a")
    refresh_standings()
    assert 'class="news"' in page(client, "/")
    html = page(client, "/new/")
    assert f'<a href="/runs/{run.pk}/">Run {run.pk}</a>' in html
    assert "Nothing happened that this choice shows" in page(client, "/new/?kind=moved")
    Standing.objects.update(added_on=timezone.now().date() - timedelta(days=40))
    refresh_standings()
    assert 'class="news"' not in page(client, "/?q=")


def test_a_bank_whose_items_have_no_pages_is_news_without_a_link_to_them(client: Client, bank: ItemBank) -> None:
    ItemBank.objects.update(loaded_at=timezone.now())
    make_bank(slug="moods", benchmark="emotionbench", title="Moods")
    html = page(client, "/new/")
    assert "Own scenes" in html
    assert "Moods" in html
    assert 'href="/items/scenes/"' in html
    assert 'href="/items/moods/"' not in html


def test_a_name_is_a_strangers_text(client: Client, bank: ItemBank) -> None:
    finished(bank, 60.0, model=make_model("<b>bold</b>\u202e"))
    refresh_standings()
    html = page(client, "/new/")
    assert "<b>bold" not in html
    assert "\u202e" not in html
