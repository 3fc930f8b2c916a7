"""What the database itself refuses, whatever a page or an importer does."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from leaderboard.study.models import AggregateCount, Participation, Rating, Responder, Study
from leaderboard.study.states import ParticipationSource, ParticipationState, StudyState
from tests.leaderboard.study.making import make_participation, make_study, open_groups, rate_all

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def refused(make: Any, *names: Any, **fields: Any) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make(*names, **fields)


def test_a_batch_is_held_once_in_a_group() -> None:
    first, second = open_groups(make_study())
    held = make_participation(first, batch=1)
    refused(make_participation, first, batch=1)
    make_participation(first, batch=2)
    make_participation(second, batch=1)
    Participation.objects.filter(pk=held.pk).update(state=ParticipationState.EXPIRED)
    after = make_participation(first, batch=1)
    refused(Participation.objects.filter(pk=held.pk).update, state=ParticipationState.DONE)
    assert after.state == ParticipationState.RESERVED


def test_a_second_slot_of_a_batch_is_for_studies_with_several_ratings_a_reply() -> None:
    group, _ = open_groups(make_study(ratings_per_reply=2))
    make_participation(group, batch=1, slot=1)
    make_participation(group, batch=1, slot=2)
    refused(make_participation, group, batch=1, slot=2)


def test_a_rater_takes_part_once_in_a_study() -> None:
    first, second = open_groups(make_study())
    make_participation(first, batch=1, rater_hash="a" * 64)
    refused(make_participation, second, batch=1, rater_hash="a" * 64)
    elsewhere, _ = open_groups(make_study())
    make_participation(elsewhere, batch=1, rater_hash="a" * 64)


def test_a_live_participation_needs_consent_and_a_hash() -> None:
    group, _ = open_groups(make_study())
    refused(make_participation, group, consent_at=None)
    refused(make_participation, group, consent_form=None)
    refused(make_participation, group, rater_hash=None)
    imported: dict[str, Any] = {"consent_at": None, "consent_form": None, "rater_hash": None, "batch": None}
    for _ in range(2):
        make_participation(group, source=ParticipationSource.IMPORTED, **imported)


def test_a_reply_is_rated_once_a_participation_from_1_to_3() -> None:
    group, _ = open_groups(make_study())
    mine = make_participation(group)
    rate_all(mine)
    again = mine.ratings.first()
    assert again is not None
    refused(Rating.objects.create, participation=mine, response=again.response, value=1)
    for value in (0, 4):
        refused(Rating.objects.filter(pk=again.pk).update, value=value)
    refused(Rating.objects.filter(pk=again.pk).update, seconds=-1)


def test_no_study_opens_without_an_ethics_reference() -> None:
    study = make_study(state=StudyState.DRAFT, ethics_reference="")
    refused(Study.objects.filter(pk=study.pk).update, state=StudyState.OPEN)
    Study.objects.filter(pk=study.pk).update(state=StudyState.OPEN, ethics_reference="Exempt, 2026-3")


def test_a_study_has_one_baseline() -> None:
    study = make_study()
    refused(study.responders.filter(key="gpt-4").update, is_baseline=True)


def test_counts_add_up_or_leave_bad_and_okay_out_together() -> None:
    human = Responder.objects.get(study=make_study(), key="human")
    common = {"study": human.study, "responder": human}
    count = AggregateCount.objects.create
    count(**common, scope="all", basis="recovered", bad=None, okay=None, good=986, n=2000)
    count(**common, scope="all", basis="counted", bad=342, okay=672, good=986, n=2000)
    refused(count, **common, scope="all", basis="counted", bad=342, okay=672, good=986, n=2000)
    refused(count, **common, scope="positive", basis="counted", bad=None, okay=672, good=986, n=2000)
    refused(count, **common, scope="positive", basis="counted", bad=1, okay=1, good=1, n=4)
    refused(count, **common, scope="positive", basis="recovered", bad=None, okay=None, good=5, n=4)
