"""How long raw replies are kept: for ever, or so many days for runs that nobody can read anyway. Scores always stay."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from evaluation.models import Reply, Run
from evaluation.states import OPEN_STATUSES, Status


def purge_replies(days: int) -> int:
    """Erases the reply texts of unpublished, failed and cancelled runs that ended more than so many days ago.

    Answers, scores and counts stay, and the run keeps when its texts were erased. Returns how many replies went;
    0 days keep all.
    """
    if not days:
        return 0
    return sum(_erase(run_id, days) for run_id in list(_due(days).values_list("pk", flat=True)))


def _due(days: int) -> QuerySet[Run]:
    unlisted = Q(published=False) | ~Q(status=Status.FINISHED)
    oldest = timezone.now() - timedelta(days=days)
    ended = Run.objects.exclude(status__in=OPEN_STATUSES).filter(finished_at__lt=oldest)
    judged = Run.objects.open().filter(subject=OuterRef("pk"))  # what a judge has still to read is kept for it
    return ended.filter(unlisted, ~Exists(judged), Exists(Reply.objects.filter(result__run=OuterRef("pk"))))


@transaction.atomic
def _erase(run_id: int, days: int) -> int:
    """The mark comes first, under all of the conditions: it takes the row, so that a run that was resumed or published
    since the list was made keeps its replies.
    """
    if not _due(days).filter(pk=run_id).update(replies_erased_at=timezone.now()):
        return 0
    erased, _ = Reply.objects.filter(result__run_id=run_id).delete()
    return erased
