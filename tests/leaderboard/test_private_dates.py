"""Of when a private bank's ranking was computed the public is told the month, on whatever page, file or header."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from evaluation.models import Access, ItemBank, LanguageModel, Run
from leaderboard.models import Standing, StatisticsSection
from leaderboard.standings import refresh_standings
from leaderboard.statistics.refreshing import refresh_statistics
from tests.factories import make_bank, make_model
from tests.leaderboard.crawling import crawl
from tests.leaderboard.pages import page
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]

MOMENT = datetime(2025, 2, 13, 4, 5, 6, 789012, tzinfo=UTC)
ELSEWHERE = datetime(2024, 11, 5, 16, 20, tzinfo=UTC)
SPELT = (
    "2025-02-13", "20250213", "13 Feb 2025", "13 February 2025", "Feb 13, 2025", "4:05:06", "789012",
    str(int(MOMENT.timestamp())),
)  # fmt: skip
"""The day and the moment as a page, a file, a feed or a header would write them."""


@pytest.fixture
def bank(db: None) -> ItemBank:
    """A private bank and a public one that three models answered. All that is stored of the private one is of MOMENT,
    and what is stored of the public one of another day."""
    public, private = make_bank(60, slug="scenes"), make_bank(60, slug="office", access=Access.PRIVATE)
    for name, scores in (("one", (6.0, 7.0)), ("two", (5.0, 8.0)), ("three", (3.0, 4.0))):
        model = make_model(f"maker-{name}/{name}", slug=name)
        for own in (public, private):
            scored(own, list(scores) * 30, model=model, standard_error=2.0)
    Run.objects.filter(bank=private).update(finished_at=MOMENT, published_changed_at=MOMENT)
    refresh_standings()
    refresh_statistics()
    for ranking, at in (("office", MOMENT), ("scenes", ELSEWHERE)):
        Standing.objects.filter(ranking=ranking).update(computed_at=at)
    StatisticsSection.objects.exclude(section="banks").update(computed_at=ELSEWHERE)
    StatisticsSection.objects.filter(section="banks").update(computed_at=MOMENT)
    ItemBank.objects.filter(pk=private.pk).update(loaded_at=MOMENT)
    return private


def values_of(converter: str, n_parameters: int) -> Sequence[str]:
    if converter == "int":
        return [str(pk) for pk in Run.objects.values_list("pk", flat=True)]
    slugs = ["office", *LanguageModel.objects.values_list("slug", flat=True)]
    return [*slugs, "banks", *(["gaps", "1"] if n_parameters > 1 else ["scenes"])]


@pytest.mark.thorough
def test_no_page_file_feed_or_header_tells_the_day(client: Client, bank: ItemBank) -> None:
    pages = crawl(client, values_of)
    assert pages["/rankings/office/"]
    assert pages["/statistics/banks.json"]
    assert [(address, text) for address, found in pages.items() for text in SPELT if text in found] == []


def test_the_same_search_finds_the_day_of_a_bank_that_shows_its_items(client: Client, bank: ItemBank) -> None:
    ItemBank.objects.filter(pk=bank.pk).update(access=Access.OPEN)
    refresh_standings()
    Standing.objects.filter(ranking="office").update(computed_at=MOMENT)
    found = crawl(client, lambda *_: ["office"], "/rankings/")
    assert all(
        any(text in found[address] for text in SPELT) for address in ("/rankings/office/", "/rankings/office.json")
    )


def test_the_pages_name_the_month_in_its_place(client: Client, bank: ItemBank) -> None:
    assert "This ranking was last computed in Feb 2025." in " ".join(page(client, "/rankings/office/").split())
    assert "This score and rank were computed in Feb 2025." in " ".join(
        page(client, "/models/one/?ranking=office").split()
    )
    assert "models, computed Feb 2025." in page(client, "/statistics/banks/").replace("\n", " ")


@pytest.mark.parametrize(
    ("path", "name"),
    [("/api/v1/rankings/office", "computed_at"), ("/rankings/office.json", "computed_at"),
     ("/api/v1/banks/office", "loaded_at"), ("/statistics/banks.json", "computed_at")],
)  # fmt: skip
def test_a_field_that_has_to_be_a_moment_is_the_first_of_the_month(
    client: Client, bank: ItemBank, path: str, name: str
) -> None:
    answer: dict[str, Any] = client.get(path).json()
    assert datetime.fromisoformat(answer[name]) == datetime(2025, 2, 1, tzinfo=UTC)


def test_the_feed_is_not_named_by_the_day_on_which_a_private_bank_was_loaded(client: Client, bank: ItemBank) -> None:
    """The oldest bank names it."""
    Run.objects.exclude(bank=bank).delete()
    ItemBank.objects.exclude(pk=bank.pk).delete()
    assert "feed/20250201T000000000000<" in client.get("/feed.atom").content.decode()


def test_the_day_on_which_a_row_came_is_not_told_either_once_its_bank_has_become_private(bank: ItemBank) -> None:
    ItemBank.objects.filter(pk=bank.pk).update(access=Access.OPEN)
    refresh_standings()
    Standing.objects.filter(ranking="office").update(added_on=MOMENT.date())
    ItemBank.objects.filter(pk=bank.pk).update(access=Access.PRIVATE)
    refresh_standings()
    assert set(Standing.objects.filter(ranking="office").values_list("added_on", flat=True)) == {date(2025, 2, 1)}


def test_how_measures_agree_is_not_computed_anew_for_a_private_run(bank: ItemBank) -> None:
    """Its date is told to the second, and nothing of a private bank is in it."""
    before = StatisticsSection.objects.get(section="agree")
    scored(bank, [9.0, 8.0] * 30, name="late")
    refresh_standings()
    refresh_statistics()
    assert StatisticsSection.objects.get(section="agree").computed_at == before.computed_at
