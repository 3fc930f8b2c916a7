"""What the form says of a model that the board knows: its best place, and what a new run does to it."""

from html import unescape

import pytest
from django.test import Client

from evaluation.models import LanguageModel, Origin
from leaderboard.administration.merging import merge
from leaderboard.pages.submit.known_models import known_model
from leaderboard.standings import refresh_standings
from tests.factories import make_bank, make_model
from tests.leaderboard.pages import finished, page, publish

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def model() -> LanguageModel:
    return make_model("maker/known", organisation="Maker")


def told(client: Client) -> str:
    refresh_standings()
    return unescape(page(client, "/submit/known/?name=maker/known"))


def test_a_measured_score_is_a_mean_of_runs_with_the_same_settings(client: Client, model: LanguageModel) -> None:
    finished(make_bank(title="Own scenes"), 61.5, model=model, origin=Origin.MEASURED)
    text = told(client)
    assert "rank 1 of Own scenes, 61.50 points" in text
    assert "The board shows the mean of its listed runs with the same settings; others are not mixed in." in text
    assert "Its facts stay: Maker." in text


@pytest.mark.parametrize("origin", [Origin.IMPORTED, Origin.BASELINE])
def test_a_score_that_was_not_measured_gives_way_to_one_that_is(
    client: Client, model: LanguageModel, origin: Origin
) -> None:
    finished(make_bank(title="Own scenes"), 61.5, model=model, origin=origin)
    text = told(client)
    assert "A listed run with the standard settings takes its place" in text
    assert "the mean of its listed runs" not in text
    assert ("This score is imported." in text) is (origin == Origin.IMPORTED)


def test_a_figure_that_is_quoted_gives_way_too(client: Client, model: LanguageModel) -> None:
    make_bank(slug="scenes", title="Own scenes")
    publish(model, "scenes", 61.5)
    text = told(client)
    assert "This score is quoted from its source. A listed run with the standard settings takes its place" in text
    assert "replicate" not in text


def test_a_place_with_a_rank_comes_before_one_without(model: LanguageModel) -> None:
    """The table without a rank has the name that sorts first."""
    finished(make_bank(slug="a-baselines", title="Baselines"), 99.0, model=model, origin=Origin.BASELINE)
    finished(make_bank(slug="z-scenes", title="Own scenes"), 61.5, model=model)
    refresh_standings()
    known = known_model("maker/known")
    assert known is not None
    assert known.place == "rank 1 of Own scenes, 61.50 points"


def test_a_model_with_a_public_run_and_no_place_promises_nothing(client: Client, model: LanguageModel) -> None:
    finished(make_bank(), 61.5, model=model, limit=3)
    text = told(client)
    assert "On the board already" in text
    assert "measured run" not in text


def test_a_name_from_before_a_merge_is_known_as_the_model_that_a_submission_would_be_of(
    client: Client, model: LanguageModel
) -> None:
    double = make_model("Maker/known")
    finished(make_bank(title="Own scenes"), 61.5, model=double)
    merge(model, [double])
    text = unescape(page(client, "/submit/known/?name=Maker/known"))
    assert "On the board already" in text
    assert "maker/known" in text


@pytest.mark.parametrize("name", ["%00", "maker/known%00"])
def test_a_null_character_is_no_name(client: Client, name: str) -> None:
    """PostgreSQL takes none in any text."""
    assert client.get(f"/submit/known/?name={name}").status_code == 200
