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
    assert "with replacement, 1,000 times (seed 171), the same items for all models" in page
    assert "strictly above in at least 97.5 % of the resamples; else the two are <b>tied</b>, at a level of 5 %" in page
    assert "<b>Monte Carlo error</b> of 0.5 percentage points" in page


def test_a_ranking_names_the_resampling_and_no_test(client: Client, bank: ItemBank) -> None:
    page = page_of(client, f"/rankings/{bank.slug}/")
    assert "1,000 resamples of the items leave 2 ranks open for a typical model" in page
    assert "range of ranks that resampling the items leaves open" in page
    assert "paired test" not in page.lower()


@pytest.mark.parametrize(
    ("n_ranked", "n_groups", "says"),
    [
        (4, 3, "4 models, but only 3 places that the items tell apart"),
        (3, 3, "3 models, each at a place of its own"),
        (3, 1, "3 models that the items do not tell apart"),
        (1, 1, "1 model ranked on EQ Open v1"),
    ],
)
def test_the_headline_says_how_many_places_the_items_tell_apart(n_ranked: int, n_groups: int, says: str) -> None:
    field = Field(
        n_ranked=n_ranked, n_groups=n_groups, n_apart=0, only_published=False, best_name="", best_score=None,
        median_score=None, best_baseline="", median_width=None,
    )  # fmt: skip
    assert headline("EQ Open v1", field) == says


def test_a_ranking_of_models_that_all_have_one_rank_says_nothing_of_ranges() -> None:
    field = Field(
        n_ranked=3, n_groups=3, n_apart=0, only_published=False, best_name="one", best_score=80.0, median_score=70.0,
        best_baseline="", median_width=1,
    )  # fmt: skip
    assert ranks_note(field) == ""


def test_the_fields_of_the_api_say_what_bounds_a_rank(client: Client) -> None:
    place = client.get("/api/v1/openapi.json").json()["components"]["schemas"]["PlaceOut"]["properties"]
    for name in ("rank_low", "rank_high"):
        assert "97.5 % of 1,000 resamples of the items" in place[name]["description"]
    assert "a leader and all down to the worst rank" in place["tie_group"]["description"]
