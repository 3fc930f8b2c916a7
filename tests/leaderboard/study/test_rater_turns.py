"""Turns that a participation may take: two people in one browser, a link opened twice, second thoughts."""

import re
from collections.abc import Iterator

import pytest
from django.core.cache import caches

from leaderboard.study.models import Background, Participation, Response, Study
from leaderboard.study.questionnaire import N_QUESTIONS
from tests.leaderboard.study.making import make_study, open_groups
from tests.leaderboard.study.taking_part import Rater

pytestmark = [pytest.mark.django_db, pytest.mark.database]
ARABIC = "أنا آسف جدا لما حدث."


@pytest.fixture(autouse=True)
def _no_turns() -> Iterator[None]:
    caches["limits"].clear()
    yield
    caches["limits"].clear()


@pytest.fixture
def study() -> Study:
    study = make_study()
    open_groups(study)
    return study


@pytest.fixture
def rater(study: Study) -> Rater:
    return Rater(study, "person-1")


def stamp(page: str) -> str:
    found = re.search(r'name="shown" value="([^"]*)"', page)
    assert found
    return found[1]


@pytest.mark.parametrize("code", ["C1A2B3C4", "study-2026-wave-1-thank-you-very-much-00"])
def test_a_platforms_code_of_any_allowed_length_ends_a_participation(rater: Rater, code: str) -> None:
    Study.objects.update(completion_code=code)
    mine = rater.finish()
    assert mine.completion_code == code
    assert code in rater.get("done/").content.decode()


def test_the_column_holds_each_code_that_a_study_may_have() -> None:
    """SQLite stores longer ones as well; PostgreSQL refuses them."""
    lengths = {model: model._meta.get_field("completion_code").max_length for model in (Study, Participation)}
    assert lengths[Participation] == lengths[Study]


def test_a_link_that_is_opened_again_is_no_other_person(rater: Rater, study: Study) -> None:
    for _ in range(3):
        rater.enter()
    study.refresh_from_db()
    assert study.n_entered == 1
    Rater(study, "person-2").enter()
    study.refresh_from_db()
    assert study.n_entered == 2


def test_two_people_in_one_browser_do_not_answer_for_each_other(rater: Rater, study: Study) -> None:
    """The first one's window is still open when the second one has come in."""
    rater.begin()
    first, page = Participation.objects.get(), rater.get("1/").content.decode()
    rater.name = "person-2"
    rater.begin()
    second = Participation.objects.exclude(pk=first.pk).get()
    late = {"v": 3, "shown": stamp(page)}
    assert rater.post("1/", quiet="1", **late).status_code == 409
    assert rater.post("1/", **late)["Location"] == f"{rater.base}1/"
    assert not second.ratings.exists()
    assert not first.ratings.exists()
    assert second.attention_value is None
    assert rater.rate(1)["Location"] == f"{rater.base}2/"
    assert second.ratings.count() == 1


def test_age_and_gender_can_be_taken_back() -> None:
    study = make_study(asks_background=True, questionnaire=["I like being among people."])
    open_groups(study)
    rater = Rater(study, "person-1")
    rater.begin()
    chosen = {"age": "25 to 34", "gender": "woman"}
    page = rater.post("questions/", **chosen).content.decode()
    assert page.count(" selected") == 2, "kept while a question is still unanswered"
    assert not Background.objects.exists()
    rater.post("questions/", q1="3", **chosen)
    assert Background.objects.values_list("age_band", "gender").get() == ("25 to 34", "woman")
    page = rater.get("questions/").content.decode()
    assert "<option selected>25 to 34</option>" in page
    assert "<option selected>woman</option>" in page
    rater.post("questions/", q1="3", age="", gender="")
    assert not Background.objects.exists()


@pytest.mark.parametrize("path", ["", "consent", "task", "1", "done"])
def test_an_address_without_its_last_slash_leads_to_the_page(rater: Rater, path: str) -> None:
    rater.enter()
    address = f"{rater.base}{path}".rstrip("/")
    response = rater.client.get(address, {"PROLIFIC_PID": "person-1"})
    assert response["Location"] == f"{address}/?PROLIFIC_PID=person-1"


def test_the_address_of_no_study_does_not_name_the_board(rater: Rater) -> None:
    response = rater.client.get("/rate/")
    assert response.status_code == 404
    assert "leaderboard" not in response.content.decode().lower()
    assert rater.client.get("/rate/nowhere/else", follow=True).status_code == 404


def test_texts_run_in_the_direction_of_their_own_script(rater: Rater) -> None:
    Response.objects.update(text=ARABIC)
    rater.begin()
    number = 1 if Participation.objects.get().attention_at != 1 else 2
    page = rater.get(f"{number}/").content.decode()
    assert f'<p dir="auto">{ARABIC}</p>' in page
    assert page.count('dir="auto"') == 3, "what happened, what is said, and the reply"


def test_a_questionnaire_is_asked_in_the_direction_of_its_script() -> None:
    study = make_study(questionnaire=[ARABIC] * N_QUESTIONS)
    open_groups(study)
    rater = Rater(study, "person-1")
    rater.begin()
    assert rater.get("questions/").content.decode().count(f"<bdi>{ARABIC}</bdi>") == N_QUESTIONS
