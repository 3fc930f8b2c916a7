"""What ends by itself: reservations that nobody uses, and the time for which a rater can be recognised."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from leaderboard.study.models import Background, Invitation, Participation, Rating, Study
from leaderboard.study.states import ParticipationSource, ParticipationState, StudyState

DAYS_A_MONTH = 30.44


def expire_reservations() -> int:
    """Frees the batches of raters who were silent for their study's `reservation_minutes`; returns how many.

    What they answered stays, and does not count. One condition decides and writes, so an answer that comes in the same
    moment either is stored before, and the reservation lives, or finds that it is over.
    """
    now, freed = timezone.now(), 0
    for study in Study.objects.filter(participations__state=ParticipationState.RESERVED).distinct():
        silent = Q(active_at__lt=now - timedelta(minutes=study.reservation_minutes)) | Q(active_at=None)
        reserved = Participation.objects.filter(silent, study=study, state=ParticipationState.RESERVED)
        freed += reserved.update(state=ParticipationState.EXPIRED, ended_at=now)
    return freed


def anonymise() -> int:
    """Makes raters unknown whose time in the consent form is over; returns how many.

    Their hash becomes a random code, their times are cut to the day of consent, background and completion code go.
    Hashes of invitations go once their study is closed and the longest of its times is over.
    """
    now, done = timezone.now(), 0
    has_old = Q(pk__in=_known(now).values("study_id"))
    has_codes = Q(state=StudyState.CLOSED, closed_at__isnull=False, invitations__isnull=False)
    for study in Study.objects.filter(has_old | has_codes).distinct():
        for participation in _known(now).filter(study=study).select_related("consent_form"):
            form, at = participation.consent_form, participation.consent_at
            if form and at and _is_over(at, form.kept_months, now):
                _make_unknown(participation.pk, now)
                done += 1
        _forget_invitations(study, now)
    return done


def _known(now: datetime) -> QuerySet[Participation]:
    """Live participations that are not anonymised, at least a month after their consent."""
    live = Participation.objects.filter(source=ParticipationSource.LIVE, anonymised_at=None)
    return live.exclude(state=ParticipationState.RESERVED).filter(consent_at__lt=now - _months(1))


def _forget_invitations(study: Study, now: datetime) -> None:
    longest = max((form.kept_months for form in study.consent_forms.all()), default=0)
    if study.state == StudyState.CLOSED and study.closed_at and _is_over(study.closed_at, longest, now):
        Invitation.objects.filter(study=study).delete()


def _is_over(since: datetime, months: int, now: datetime) -> bool:
    # The months are not taken off `now`: an old form may have so many that no date is that early.
    return now - since > _months(months)


def _months(n: int) -> timedelta:
    return timedelta(days=n * DAYS_A_MONTH)


@transaction.atomic
def _make_unknown(pk: int, now: datetime) -> None:
    """The row is read anew and locked: whoever withdrew since the list was made stays withdrawn."""
    participation = Participation.objects.select_for_update(of=("self",)).get(pk=pk)
    Invitation.objects.filter(study=participation.study_id, rater_hash=participation.rater_hash).delete()
    Background.objects.filter(participation=participation).delete()
    Rating.objects.filter(participation=participation).update(rated_at=None)
    day = participation.consent_at and participation.consent_at.replace(hour=0, minute=0, second=0, microsecond=0)
    participation.rater_hash = f"unknown-{secrets.token_hex(16)}"
    participation.consent_at, participation.anonymised_at, participation.completion_code = day, now, ""
    participation.tutorial_at = participation.started_at = participation.active_at = participation.ended_at = None
    participation.save()
