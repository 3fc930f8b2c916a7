"""Opening, pausing and closing the groups of a study. Refusals are sentences, and then nothing has changed."""

from django.db import transaction
from django.utils import timezone

from leaderboard.calling import call
from leaderboard.study.building import Refused, lock_study
from leaderboard.study.checklist import checklist
from leaderboard.study.models import Group, Responder, Study
from leaderboard.study.states import GroupState, ParticipationState, StudyState

REFRESH = "leaderboard.study.tasks.refresh_study_results"
MOST_RATERS = 10_000


@transaction.atomic
def add_group(study: Study, responder: Responder, wave: int, target: int) -> Group:
    """A group that is not open yet. Raises: Refused."""
    lock_study(study)
    n_places = study.items.count() // study.items_per_rater * study.ratings_per_reply
    if not 1 <= target <= n_places:
        raise Refused(f"Choose 1 to {n_places} raters: so many batches there are, each for one rater of a group.")
    if study.groups.filter(responder=responder, wave=wave).exists():
        raise Refused(f"{responder.label} has a group in wave {wave} already.")
    if study.groups.filter(wave=wave).exclude(opened_at=None).exists():
        raise Refused(f"Wave {wave} was open already. Add the group to the next wave.")
    return Group.objects.create(study=study, responder=responder, wave=wave, target=target)


@transaction.atomic
def remove_group(group: Group) -> None:
    """Takes out a group that was never open. If all others are closed, so is the study. Raises: Refused."""
    Study.objects.select_for_update().get(pk=group.study_id)
    if group.opened_at is not None or group.participations.exists():
        raise Refused("This group was open already, so it stays.")
    group.delete()
    _close_if_through(group.study_id)


@transaction.atomic
def open_wave(study: Study, wave: int) -> int:
    """Opens the groups of a wave that are not closed, at once. Returns their number. Raises: Refused."""
    Study.objects.select_for_update().get(pk=study.pk)
    groups = study.groups.filter(wave=wave, state=GroupState.DRAFT)
    if not groups.exists():
        return 0
    missing = checklist(study, wave).why_not
    if missing:
        raise Refused(f"The study cannot open yet. {missing}")
    now = timezone.now()
    groups.filter(opened_at=None).update(opened_at=now)
    n = groups.update(state=GroupState.OPEN)
    Study.objects.filter(pk=study.pk, opened_at=None).update(opened_at=now)
    Study.objects.filter(pk=study.pk).update(state=StudyState.OPEN, closed_at=None)
    return n


@transaction.atomic
def pause_wave(study: Study, wave: int) -> int:
    """Lets nobody new in; whoever is at work goes on. Returns the number of groups."""
    return study.groups.filter(wave=wave, state=GroupState.OPEN).update(state=GroupState.DRAFT)


@transaction.atomic
def close_group(group: Group) -> bool:
    """Ends a group for good and calls for its results. False where it was closed before. Raises: Refused."""
    Study.objects.select_for_update().get(pk=group.study_id)
    group.refresh_from_db()
    if group.state == GroupState.CLOSED:
        return False
    if group.opened_at is None:
        raise Refused("This group was never open.")
    at_work = group.participations.filter(state=ParticipationState.RESERVED).count()
    if at_work:
        people = "1 person is" if at_work == 1 else f"{at_work} people are"
        raise Refused(
            f"{people} at work in this group. Pause the wave, and close it when they are through: that takes at most "
            f"{group.study.reservation_minutes} minutes."
        )
    now = timezone.now()
    Group.objects.filter(pk=group.pk).update(state=GroupState.CLOSED, closed_at=now)
    _close_if_through(group.study_id)
    call(REFRESH, group.study_id)
    return True


def _close_if_through(study_id: int) -> None:
    """Closes an open study once all of its groups are closed."""
    if not Group.objects.filter(study=study_id).exclude(state=GroupState.CLOSED).exists():
        is_open = Study.objects.filter(pk=study_id, state=StudyState.OPEN)
        is_open.update(state=StudyState.CLOSED, closed_at=timezone.now())
