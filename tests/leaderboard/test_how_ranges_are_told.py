"""Wherever ranges of ranks are shown, the same is said of how they are made, with the numbers of the code."""

import html

import pytest
from django.test import Client

from evaluation.models import ItemBank
from leaderboard.standings import refresh_standings
from leaderboard.wording.findings import Field, headline, ranks_note
from tests.factories import make_bank
from tests.leaderboard.scored_runs import scored

pytestmark = [pytest.mark.django_db, pytest.mark.database]

CLOSE = ([9.0, 4.0, 7.0, 5.0, 6.0], [5.0, 8.0, 4.0, 7.0, 6.0])


@pytest.fixture
def bank(db: None) -> ItemBank:
    bank = make_bank(slug="scenes")
    for number, scores in enumerate(CLOSE):
        scored(bank, scores, name=f"close {number}")
    refresh_standings()
    return bank


def page_of(client: Client, address: str) -> str:
    return " ".join(html.unescape(client.get(address).content.decode()).split())


def test_the_methodology_says_how_often_from_which_seed_at_what_level_and_with_what_error(client: Client) -> None:
    page = page_of(client, "/methodology/")
    assert "with replacement 1,000 times (seed 171). Each draw takes the same items for all models" in page
    assert (
        "strictly above in at least 97.5 % of the resamples; otherwise the two are <b>tied</b> at the 5 % level" in page
    )
    assert "<b>Monte Carlo error</b> of 0.5 percentage points" in page


def test_a_ranking_of_few_items_does_not_say_that_they_are_drawn_anew(client: Client, bank: ItemBank) -> None:
    page = page_of(client, f"/rankings/{bank.slug}/")
    assert "Ranges and shaded rows compare one pair at a time, without that correction." in page
    assert "with possible ranks from comparing models over the items; the shaded rows are tied with the leader" in page
    assert "paired test" not in page.lower()


def field_of(n_ranked: int, n_beside_best: int | None) -> Field:
    return Field(
        n_ranked=n_ranked, n_beside_best=n_beside_best, only_published=False, best_name="one", best_score=80.0,
        median_score=70.0, best_baseline="", median_width=None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("n_ranked", "n_beside_best", "says"),
    [
        (180, 27, "one leads; 27 models are statistically tied with it"),
        (180, 1, "one leads; 1 model is statistically tied with it"),
        (4, 0, "one leads 3 other models"),
        (3, 2, "3 models, all statistically tied with the first"),
        (3, None, "3 models ranked on EQ Open v1"),
        (1, 0, "1 model ranked on EQ Open v1"),
        (0, None, "No model is ranked on EQ Open v1 yet"),
    ],
)
def test_the_headline_names_the_leader_and_counts_who_may_be_as_good(
    n_ranked: int, n_beside_best: int | None, says: str
) -> None:
    assert headline("EQ Open v1", field_of(n_ranked, n_beside_best)) == says


def test_a_ranking_says_at_which_level_it_compares_and_what_is_corrected() -> None:
    note = ranks_note(field_of(3, 0))
    assert "compares all models at once (5 % level)" in note
    assert "without that correction" in note
    assert ranks_note(field_of(3, None)) == ranks_note(field_of(1, 0)) == ""


def test_the_fields_of_the_api_say_what_bounds_a_rank(client: Client) -> None:
    place = client.get("/api/v1/openapi.json").json()["components"]["schemas"]["PlaceOut"]["properties"]
    for name in ("rank_low", "rank_high"):
        assert "97.5 % of 1,000 resamples of the items" in place[name]["description"]
        assert "below 30 items by the paired t test" in place[name]["description"]
    assert "all lower ones tied with it" in place["tie_group"]["description"]
    assert "all models are compared at once" in place["rank_high_all"]["description"]
