"""Reservations that end by themselves, and raters who become unknown."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db.models.signals import post_save
from django.test import Client
from django.utils import timezone

from leaderboard.study import tasks
from leaderboard.study.answering import Over, save_answer, withdraw
from leaderboard.study.expiry import anonymise, expire_reservations
from leaderboard.study.identity import new_invitations, rater_hash
from leaderboard.study.models import Background, Invitation, Participation, Rating, Study
from leaderboard.study.screens import screens_of
from leaderboard.study.states import ParticipationState, StudyState
from leaderboard.study.waves_of_raters import add_group, close_group, remove_group
from tests.leaderboard.pages import content_of
from tests.leaderboard.study.making import make_participation, make_study, open_groups, rate_all

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def mine() -> Participation:
    group, _ = open_groups(make_study(reservation_minutes=20))
    return make_participation(group, active_at=timezone.now())


def quiet_for(mine: Participation, minutes: int) -> None:
    Participation.objects.filter(pk=mine.pk).update(active_at=timezone.now() - timedelta(minutes=minutes))


def test_a_reservation_ends_after_the_minutes_of_its_study(mine: Participation) -> None:
    quiet_for(mine, 19)
    assert expire_reservations() == 0
    quiet_for(mine, 21)
    tasks.expire_reservations()
    mine.refresh_from_db()
    assert mine.state == ParticipationState.EXPIRED
    assert mine.ended_at is not None


@pytest.mark.parametrize("state", [ParticipationState.DONE, ParticipationState.WITHDRAWN, ParticipationState.EXPIRED])
def test_nothing_else_expires(mine: Participation, state: ParticipationState) -> None:
    Participation.objects.update(state=state)
    quiet_for(mine, 500)
    assert expire_reservations() == 0


def test_an_answer_after_the_end_is_refused_and_stores_nothing(mine: Participation) -> None:
    screen = next(screen for screen in screens_of(mine) if screen.response_id)
    quiet_for(mine, 21)
    expire_reservations()
    with pytest.raises(Over):
        save_answer(mine, screen, 3, 5.0)
    assert Rating.objects.count() == 0


def test_the_clock_has_both_tasks() -> None:
    names = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert {tasks.expire_reservations.name, tasks.anonymise.name} <= names


def months_ago(n: int) -> dict[str, object]:
    then = timezone.now() - timedelta(days=31 * n)
    return {"consent_at": then, "started_at": then, "active_at": then, "ended_at": then}


def test_a_rater_becomes_unknown_after_the_months_of_the_consent_form() -> None:
    study = make_study()
    group, _ = open_groups(study)
    code, unused = new_invitations(study, 2)
    old = make_participation(
        group, batch=1, state=ParticipationState.DONE, completion_code="ABCD-EFGH", rater_hash=rater_hash(study, code),
        **months_ago(13),
    )  # fmt: skip
    new = make_participation(group, batch=2, state=ParticipationState.DONE, **months_ago(11))
    for mine in (old, new):
        rate_all(mine)
        Background.objects.create(participation=mine, age_band="25 to 34")
    before = old.rater_hash
    assert anonymise() == 1
    assert anonymise() == 0
    old.refresh_from_db()
    assert old.rater_hash != before
    assert old.anonymised_at is not None
    assert (old.completion_code, old.started_at, old.ended_at, old.active_at) == ("", None, None, None)
    assert old.consent_at is not None
    assert old.consent_at.strftime("%H%M%S%f") == "0" * 12
    assert old.ratings.count() == 10
    assert set(old.ratings.values_list("rated_at", flat=True)) == {None}
    assert list(Background.objects.values_list("participation_id", flat=True)) == [new.pk]
    assert list(Invitation.objects.values_list("rater_hash", flat=True)) == [rater_hash(study, unused)]


def test_who_withdraws_while_raters_become_unknown_stays_withdrawn() -> None:
    """The list of those whose time is over was made before."""
    study = make_study()
    group, _ = open_groups(study)
    first, second = (
        make_participation(group, batch=batch, state=ParticipationState.DONE, **months_ago(13)) for batch in (1, 2)
    )
    rate_all(second)

    def withdraws(instance: Participation, **_: object) -> None:
        if instance.pk == first.pk:
            assert withdraw(second)

    post_save.connect(withdraws, sender=Participation)
    try:
        assert anonymise() == 2
    finally:
        post_save.disconnect(withdraws, sender=Participation)
    second.refresh_from_db()
    assert (second.state, second.ratings.count()) == (ParticipationState.WITHDRAWN, 0)
    assert second.anonymised_at is not None


def test_who_is_at_it_stays_known(mine: Participation) -> None:
    Participation.objects.update(**months_ago(20))
    assert anonymise() == 0


def test_a_form_that_keeps_raters_for_ever_stops_no_other_study() -> None:
    for months in (30_000, 12):
        study = make_study()
        study.consent_forms.update(kept_months=months)
        new_invitations(study, 1)
        make_participation(open_groups(study)[0], batch=1, state=ParticipationState.DONE, **months_ago(20))
    Study.objects.update(state=StudyState.CLOSED, closed_at=timezone.now() - timedelta(days=400))
    assert anonymise() == 1
    assert Participation.objects.exclude(anonymised_at=None).get().study == study
    assert Invitation.objects.get().study != study


def test_unused_invitations_go_with_a_study_that_is_long_closed() -> None:
    study = make_study()
    new_invitations(study, 3)
    Study.objects.update(state=StudyState.CLOSED, closed_at=timezone.now() - timedelta(days=300))
    anonymise()
    assert Invitation.objects.count() == 3
    Study.objects.update(closed_at=timezone.now() - timedelta(days=400))
    anonymise()
    assert Invitation.objects.count() == 0


def test_a_study_is_closed_once_the_last_group_that_waits_is_taken_out() -> None:
    study = make_study()
    first = open_groups(study)
    later = add_group(study, first[0].responder, wave=2, target=1)
    assert [close_group(group) for group in first] == [True, True]
    study.refresh_from_db()
    assert study.state == StudyState.OPEN, "wave 2 is being prepared"
    remove_group(later)
    study.refresh_from_db()
    assert study.state == StudyState.CLOSED
    assert study.closed_at is not None, "from then on the hashes of invitations are kept for the months of the form"
    assert "This study is closed" in content_of(Client().get(f"/rate/{study.slug}/"))


def test_an_expired_rater_may_still_have_the_answers_deleted(mine: Participation) -> None:
    rate_all(mine)
    quiet_for(mine, 21)
    expire_reservations()
    assert Rating.objects.count() == 10
    assert withdraw(mine)
    assert Rating.objects.count() == 0
    assert not withdraw(mine)
