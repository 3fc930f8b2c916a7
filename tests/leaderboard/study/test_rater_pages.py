"""A participation from the link to the debriefing, and every turn that it can take."""

import logging
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.cache import caches
from django.db.models import F
from django.test import override_settings
from django.utils import timezone

from leaderboard.study.expiry import expire_reservations
from leaderboard.study.identity import new_invitations, rater_hash
from leaderboard.study.models import Background, ConsentForm, Group, Participation, Rating, Study
from leaderboard.study.questionnaire import N_QUESTIONS
from leaderboard.study.states import EntryMode, GroupState, ParticipationState, StudyState
from tests.leaderboard.study.making import make_study, open_groups
from tests.leaderboard.study.taking_part import Rater

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PLAIN = "5f2c9d0b7e1a4c3d8b6a9e0f"


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
    return Rater(study, PLAIN)


def text(response: object) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))  # type: ignore[attr-defined]


def test_a_whole_participation(rater: Rater) -> None:
    assert rater.enter()["Location"] == f"{rater.base}consent/"
    assert "Before you decide" in text(rater.get("consent/"))
    assert Participation.objects.count() == 0
    assert rater.consent()["Location"] == f"{rater.base}task/"
    task = text(rater.get("task/"))
    assert "What is an empathetic reply?" in task
    assert "There are 11 screens: 10 replies, and one that checks whether the texts are read." in task
    rater.wait()
    assert rater.post("task/")["Location"] == f"{rater.base}1/"
    for number in range(1, 12):
        page = rater.get(f"{number}/").content.decode()
        assert f"Reply {number} of 11" in page
        assert "checked" not in page
        onward = rater.rate(number, 1 + number % 3)["Location"]
        assert onward == rater.base + ("review/" if number == 11 else f"{number + 1}/")
    assert "All 11 answered" in text(rater.get("review/"))
    assert rater.post("review/")["Location"] == f"{rater.base}done/"
    mine = Participation.objects.select_related("group__responder").get()
    said = text(rater.get("done/"))
    assert mine.completion_code in said
    assert ("written by people." in said) is (mine.group.responder.key == "human")
    assert mine.state == ParticipationState.DONE
    assert mine.ratings.count() == 10
    assert all(seconds is not None and seconds >= 0 for seconds in mine.ratings.values_list("seconds", flat=True))
    assert {rating.response.item.batch for rating in mine.ratings.all()} == {mine.batch}
    assert {rating.response.responder_id for rating in mine.ratings.all()} == {mine.group.responder_id}


def test_the_platform_id_is_stored_nowhere_and_logged_nowhere(rater: Rater, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        rater.finish()
        rater.post("", code=PLAIN)
        rater.get("", code=PLAIN + "?")
    rows = [str(row) for model in apps.get_models() for row in model._base_manager.values_list()]
    assert not [row for row in [*rows, caplog.text] if PLAIN in row.lower()]
    cookies = "".join(cookie.OutputString() for cookie in rater.client.cookies.values())
    assert PLAIN not in cookies
    assert rater_hash(rater.study, PLAIN) == Participation.objects.get().rater_hash


def test_nothing_but_a_counter_is_stored_of_who_declines(rater: Rater) -> None:
    rater.enter()
    assert "That is all right" in text(rater.client.post(f"{rater.base}consent/", {"decline": "1"}, follow=True))
    rater.study.refresh_from_db()
    assert (rater.study.n_entered, rater.study.n_declined, Participation.objects.count()) == (1, 1, 0)
    assert rater.get("task/")["Location"] == rater.base


def test_consent_is_ticked_below_the_newest_text(rater: Rater) -> None:
    rater.enter()
    assert "checked" not in rater.get("consent/").content.decode()
    assert rater.post("consent/", version="1").status_code == 422
    old = rater.study.consent_forms.get()
    old.pk, old.version = None, 2
    old.save()
    assert rater.consent().status_code == 422
    assert Participation.objects.count() == 0
    rater.post("consent/", agree="on", version="2")
    assert Participation.objects.get().consent_form == ConsentForm.objects.get(version=2)


def test_the_server_keeps_the_fifteen_seconds(rater: Rater) -> None:
    rater.enter()
    rater.consent()
    assert 'role="alert"' in rater.post("task/").content.decode()
    assert rater.get("1/")["Location"] == f"{rater.base}task/"
    assert rater.post("1/", v=3)["Location"] == f"{rater.base}task/"
    Participation.objects.update(tutorial_at=F("tutorial_at") - timedelta(seconds=10))
    assert Participation.objects.get().started_at is None
    assert rater.post("task/").status_code == 200
    rater.wait()
    assert rater.post("task/").status_code == 302


def test_a_rater_waits_no_longer_though_the_clock_was_put_back_by_hours(rater: Rater) -> None:
    rater.enter()
    rater.consent()
    rater.get("task/")
    Participation.objects.update(tutorial_at=F("tutorial_at") + timedelta(hours=2))
    rater.get("task/")
    Participation.objects.update(tutorial_at=F("tutorial_at") - timedelta(seconds=16))
    assert rater.post("task/").status_code == 302


def test_an_answer_is_saved_at_once_and_may_be_changed_until_it_is_sent(rater: Rater) -> None:
    rater.begin()
    assert rater.rate(1, 1, quiet="1").status_code == 204
    assert 'value="1" required checked' in rater.get("1/").content.decode()
    assert rater.get("3/")["Location"] == f"{rater.base}2/"
    rater.rate_all(2)
    assert rater.get("5/", **{"from": "review"}).status_code == 200
    assert rater.rate(5, 3, **{"from": "review"})["Location"] == f"{rater.base}review/"
    assert Rating.objects.count() == 10
    rater.post("review/")
    assert rater.post("5/", v=1)["Location"] == f"{rater.base}done/"
    assert rater.post("5/", v=1, quiet="1")["Location"] == f"{rater.base}done/"
    assert 1 not in Rating.objects.values_list("value", flat=True)


@pytest.mark.parametrize("value", ["", "0", "4", "Good", "3 "])
def test_no_answer_is_guessed(rater: Rater, value: str) -> None:
    rater.begin()
    assert rater.post("1/", v=value).status_code == 422
    assert rater.post("1/", v=value, quiet="1").status_code == 422
    assert Rating.objects.count() == 0


def test_nothing_is_sent_before_all_is_answered(rater: Rater) -> None:
    rater.begin()
    rater.rate(1)
    assert rater.get("review/")["Location"] == f"{rater.base}2/"
    assert rater.post("review/")["Location"] == f"{rater.base}2/"
    assert Participation.objects.get().state == ParticipationState.RESERVED


def test_the_attention_item_is_a_screen_from_4_to_8_and_no_rating(rater: Rater) -> None:
    rater.begin()
    mine = Participation.objects.get()
    assert 4 <= (mine.attention_at or 0) <= 8
    rater.rate_all(2)
    assert "only checks that the texts are read" in rater.get(f"{mine.attention_at}/").content.decode()
    mine.refresh_from_db()
    assert mine.attention_value == 2
    assert mine.ratings.count() == 10
    rater.post("review/")
    mine.refresh_from_db()
    assert ("attention" in mine.flags) is (mine.attention_wants != 2)
    assert {"same", "fast"} <= set(mine.flags)


def test_whoever_comes_back_goes_on_where_they_stopped(rater: Rater) -> None:
    rater.begin()
    rater.rate(1)
    rater.rate(2)
    elsewhere = Rater(rater.study, f" {PLAIN.upper()} ")
    assert elsewhere.client.get(elsewhere.enter()["Location"])["Location"] == f"{rater.base}3/"
    assert Participation.objects.count() == 1


def test_a_second_visit_is_stopped_politely(rater: Rater) -> None:
    mine = rater.finish()
    again = Rater(rater.study, PLAIN)
    assert again.enter()["Location"] == f"{rater.base}before/"
    said = text(again.get("before/"))
    assert "You have taken part already" in said
    assert mine.completion_code not in said
    assert again.consent()["Location"] == f"{rater.base}done/"
    assert Participation.objects.count() == 1


def test_stopping_leads_to_help_and_back(rater: Rater) -> None:
    rater.begin()
    assert f'href="{rater.base}stop/"' in rater.get("1/").content.decode()
    page = rater.get("stop/").content.decode()
    assert "tel:0800000000" in page
    assert rater.get("go-on/")["Location"] == f"{rater.base}1/"
    rater.rate(1)
    rater.post("stop/")
    assert Participation.objects.get().state == ParticipationState.WITHDRAWN
    assert Rating.objects.count() == 0
    assert "Your ratings are deleted" in text(rater.get("over/"))


def test_a_withdrawal_deletes_until_the_group_is_closed(rater: Rater) -> None:
    mine = rater.finish()
    assert "Delete your ratings?" in text(rater.get("withdraw/"))
    assert Rating.objects.count() == 10
    rater.post("withdraw/")
    assert Rating.objects.count() == 0
    mine.refresh_from_db()
    assert (mine.state, mine.attention_value, mine.flags) == (ParticipationState.WITHDRAWN, None, [])
    assert mine.completion_code in text(rater.get("over/"))
    other = Rater(rater.study, "another")
    other.finish()
    Group.objects.update(state=GroupState.CLOSED)
    assert "It is too late" in text(other.post("withdraw/"))
    assert Rating.objects.count() == 10


def test_who_withdraws_too_late_is_told_whom_to_write_to(rater: Rater) -> None:
    rater.finish()
    Group.objects.update(state=GroupState.CLOSED)
    assert "Please write to those who run the study. study@example.org" in text(rater.post("withdraw/"))


def test_an_expired_rater_of_a_closed_group_is_not_told_that_the_study_is_closed(rater: Rater) -> None:
    rater.begin()
    Participation.objects.update(state=ParticipationState.EXPIRED)
    Group.objects.filter(participations__isnull=False).update(state=GroupState.CLOSED)
    page = text(rater.client.get(f"{rater.base}go-on/", follow=True))
    assert "Your answers do not count" in page
    assert "This study is closed" not in page


def test_one_minute_one_month_and_one_reply_are_not_plural(rater: Rater) -> None:
    ConsentForm.objects.update(minutes=1, kept_months=1)
    Study.objects.update(items_per_rater=1)
    assert "1 short reply to people" in text(rater.get())
    assert "It takes about 1 minute." in text(rater.get())
    rater.enter()
    page = text(rater.get("consent/"))
    assert "About 1 minute." in page
    assert "1 month, then" in page
    rater.consent()
    assert "1 reply, and one that checks" in " ".join(text(rater.get("task/")).split())


def test_the_batch_of_an_expired_rater_is_free_and_his_answers_stay_uncounted(rater: Rater) -> None:
    rater.begin()
    rater.rate(1)
    assert expire_reservations() == 0
    Participation.objects.update(active_at=timezone.now() - timedelta(minutes=61))
    assert expire_reservations() == 1
    assert rater.post("2/", v=3)["Location"] == f"{rater.base}over/"
    Study.objects.update(help_text="Somebody to talk to")
    over = text(rater.get("over/"))
    assert "Your time is over" in over
    assert "Somebody to talk to" in over
    assert Rating.objects.count() == 1
    assert Rater(rater.study, PLAIN).enter()["Location"] == f"{rater.base}go-on/"


def test_who_reads_is_not_expired(rater: Rater) -> None:
    rater.begin()
    Participation.objects.update(active_at=timezone.now() - timedelta(minutes=61))
    rater.get("1/")
    assert expire_reservations() == 0


def test_a_paused_study_does_not_say_that_its_places_are_taken(rater: Rater) -> None:
    Group.objects.update(state=GroupState.DRAFT)
    rater.enter()
    page = text(rater.consent())
    assert "Nobody new can come in at the moment." in page
    assert "taken" not in page


def test_a_full_study_says_so_and_stores_nothing(study: Study) -> None:
    for number in range(4):
        Rater(study, f"rater{number}").begin()
    late = Rater(study, "late")
    late.enter()
    Study.objects.update(help_text="Somebody to talk to")
    full = text(late.consent())
    assert "No place is free" in full
    assert "upset" not in full, "nobody who was turned away has read anything"
    assert Participation.objects.count() == 4
    assert {group.participations.count() for group in study.groups.all()} == {2}


def test_an_unknown_or_unopened_study_is_not_there_and_no_board_is_named(study: Study) -> None:
    draft = make_study(state=StudyState.DRAFT)
    for path in (f"/rate/{draft.slug}/", "/rate/nowhere/", f"/rate/{study.slug}/else/where/"):
        response = Rater(study, "x").client.get(path)
        assert response.status_code == 404
        assert "Leaderboard" not in response.content.decode()


def test_a_closed_study_takes_nobody(rater: Rater) -> None:
    Study.objects.update(state=StudyState.CLOSED)
    assert "This study is closed" in text(rater.get(""))
    assert "This study is closed" in text(rater.enter())
    assert Participation.objects.count() == 0


def test_a_closed_group_takes_no_further_answer(rater: Rater) -> None:
    rater.begin()
    Group.objects.update(state=GroupState.CLOSED)
    assert rater.post("1/", v=3)["Location"] == f"{rater.base}over/"
    assert Rating.objects.count() == 0


def test_in_a_paused_group_nobody_new_comes_in_and_who_is_at_work_goes_on(rater: Rater) -> None:
    rater.begin()
    Group.objects.update(state=GroupState.DRAFT)
    late = Rater(rater.study, "late")
    late.enter()
    assert "No place is free" in text(late.consent())
    rater.rate_all()
    assert rater.post("review/")["Location"] == f"{rater.base}done/"
    assert "Withdraw my ratings" in text(rater.get("done/"))
    rater.post("withdraw/")
    assert Rating.objects.count() == 0


def test_by_invitation_only_codes_that_were_given_out_come_in_once() -> None:
    study = make_study(entry_mode=EntryMode.INVITED)
    open_groups(study)
    code, _ = new_invitations(study, 2)
    stranger = Rater(study, "guess")
    assert stranger.enter()["Location"].endswith("?again=1")
    assert "We do not know this code" in text(stranger.get("", again="1"))
    assert stranger.consent()["Location"] == stranger.base
    guest = Rater(study, code.lower().replace("-", " "))
    assert guest.post("", code=guest.name)["Location"] == f"{guest.base}consent/"
    guest.finish()
    rows = [str(row) for model in apps.get_models() for row in model._base_manager.values_list()]
    assert not [row for row in rows if code in row or code.replace("-", "") in row.upper()]


@override_settings(STUDY_ENTRIES_PER_ADDRESS=3)
def test_entries_of_one_network_are_limited(study: Study) -> None:
    answers = [Rater(study, f"r{number}").enter().status_code for number in range(5)]
    assert answers == [302, 302, 302, 429, 429]


def test_a_cookie_that_was_changed_or_is_of_another_study_opens_nothing(rater: Rater) -> None:
    rater.begin()
    other = make_study()
    value = rater.client.cookies["rater"].value
    rater.client.cookies["rater"] = ("b" if value[0] == "a" else "a") + value[1:]  # of a hash, which may hold no "a"
    assert rater.get("1/")["Location"] == rater.base
    there = Rater(other, "x")
    there.client.cookies["rater"] = Rater(rater.study, PLAIN).enter().cookies["rater"].value
    assert there.get("1/")["Location"] == there.base


def test_cookies_and_headers_keep_a_rater_private(rater: Rater) -> None:
    cookie = rater.enter().cookies["rater"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", rater.base)
    with override_settings(SESSION_COOKIE_SECURE=True):
        assert rater.enter().cookies["rater"]["secure"]
    rater.begin()
    for path in ("", "consent/", "task/", "1/", "stop/"):
        response = rater.get(path)
        assert response["Cache-Control"] == "private, no-store"
        assert response["X-Robots-Tag"] == "noindex, nofollow"


def test_a_form_without_its_token_is_refused_without_naming_the_board(study: Study) -> None:
    strict = Rater(study, PLAIN, enforce_csrf_checks=True)
    for path in ("", "consent/", "task/", "1/", "review/", "withdraw/", "stop/", "questions/"):
        response = strict.post(path, code=PLAIN)
        assert response.status_code == 403
        assert "Leaderboard" not in response.content.decode()
    assert Participation.objects.count() == 0


def test_no_address_that_a_visitor_brings_is_followed(rater: Rater) -> None:
    Study.objects.update(completion_url="https://platform.example/done?cc=ABC", completion_code="ABC")
    rater.finish()
    bad = dict.fromkeys(("next", "url", "completion_url", "from", "return"), "https://evil.example/")
    page = rater.get("done/", **bad).content.decode()
    assert "evil.example" not in page
    assert 'href="https://platform.example/done?cc=ABC"' in page
    for path in ("", "go-on/", "over/", "1/", "consent/"):
        assert "evil" not in rater.client.post(rater.base + path, bad).headers.get("Location", "")


def test_the_questionnaire_comes_before_the_first_reply() -> None:
    study = make_study(questionnaire=[f"Question {n}" for n in range(1, N_QUESTIONS + 1)], asks_background=True)
    open_groups(study)
    rater = Rater(study, PLAIN)
    assert rater.begin()["Location"] == f"{rater.base}questions/"
    assert rater.get("1/")["Location"] == f"{rater.base}questions/"
    answers = {f"q{n}": "3" for n in range(1, N_QUESTIONS + 1)}
    assert rater.post("questions/", **{**answers, "q7": "9"}).status_code == 422
    rater.post("questions/", **answers, age="25 to 34", gender="<b>")
    mine = Participation.objects.get()
    assert mine.questionnaire == [3] * N_QUESTIONS
    assert Background.objects.values_list("age_band", "gender").get() == ("25 to 34", "")
    rater.rate_all()
    rater.post("review/")
    mine.refresh_from_db()
    assert "reversed" in mine.flags
    rater.post("withdraw/")
    mine.refresh_from_db()
    assert (mine.questionnaire, Background.objects.count()) == (None, 0)
