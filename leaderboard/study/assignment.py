"""Which group and batch a new rater gets: in one transaction, so that no batch is given twice."""

import random
import secrets
from collections import Counter
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from leaderboard.study.models import ConsentForm, Group, Participation, Study, StudyItem
from leaderboard.study.states import HOLDING, GroupState, Level, StudyState

ATTENTION_FROM, ATTENTION_TO = 4, 8  # the screens among which the attention item stands
_CHANCE = random.SystemRandom()


class Full(Exception):
    """No open group has a free batch, or the study is not open."""


@transaction.atomic
def assign(study: Study, rater: str, form: ConsentForm) -> Participation:
    """The participation of the rater: a new one, or the one that there is already.

    All assignments of a study follow each other, by a lock on its row: only exact counts fill groups in step. It is
    held for a few queries. SQLite locks the database instead (`transaction_mode` IMMEDIATE).

    Raises:
        Full: nothing is free; nothing was stored.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if mine := Participation.objects.filter(study=study, rater_hash=rater).first():
        return mine
    if study.state == StudyState.OPEN:
        batches = list(StudyItem.objects.filter(study=study).values_list("batch", flat=True).distinct())
        for group in _by_need(study):
            if seat := _free_seat(group, batches, study.ratings_per_reply):
                return _reserve(study, group, seat, rater, form)
    raise Full


def _by_need(study: Study) -> list[Group]:
    """The open groups that are not full, the emptiest relative to its target first, ties at random."""
    held = Count("participations", filter=Q(participations__state__in=HOLDING))
    groups = list(study.groups.filter(state=GroupState.OPEN))
    counts = dict(Group.objects.filter(study=study).annotate(held=held).values_list("pk", "held"))
    _CHANCE.shuffle(groups)
    open_to = [group for group in groups if counts[group.pk] < group.target]
    return sorted(open_to, key=lambda group: counts[group.pk] / group.target)


def _free_seat(group: Group, batches: Sequence[int], slots: int) -> tuple[int, int] | None:
    """Batch and slot: a batch that is held least often, ties at random; None where each is held `slots` times."""
    taken = set(group.participations.filter(state__in=HOLDING).values_list("batch", "slot"))
    times = Counter(batch for batch, _ in taken)
    least = min((times[batch] for batch in batches), default=slots)
    if least >= slots:
        return None
    batch = _CHANCE.choice([batch for batch in batches if times[batch] == least])
    return batch, next(slot for slot in range(1, slots + 1) if (batch, slot) not in taken)


def _reserve(study: Study, group: Group, seat: tuple[int, int], rater: str, form: ConsentForm) -> Participation:
    now, n_screens = timezone.now(), study.items_per_rater + 1
    return Participation.objects.create(
        study=study,
        group=group,
        batch=seat[0],
        slot=seat[1],
        rater_hash=rater,
        consent_form=form,
        consent_at=now,
        active_at=now,
        seed=secrets.randbits(62),
        attention_at=_CHANCE.randint(min(ATTENTION_FROM, n_screens), min(ATTENTION_TO, n_screens)),
        attention_wants=_CHANCE.choice(Level.values),
    )
