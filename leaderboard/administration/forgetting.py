"""What is kept of people who submit or try: erased once it has served. Scores, answers and settings stay."""

from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from evaluation.models import OPEN_STATUSES, Endpoint, Run
from leaderboard.models import Mail, Submission, SubmissionEvent
from leaderboard.submissions.limits import WINDOW_SECONDS

FORGOTTEN = "submission "  # begins the owner that is left: no e-mail address and no network has a space
ERASED = "Contact address and network were erased: {} days have passed since all of it ended."


def forget_contacts(days: int) -> int:
    """Erases the contact address and the network of each submission that ended more than so many days ago.

    It has ended when it was rejected or withdrawn, or when the last run of it or of its endpoint has. Its runs keep an
    owner that tells nothing of the person, so that a replicate still takes its turn. Returns how many; 0 days or less
    keep all.
    """
    if days <= 0:
        return 0
    oldest = timezone.now() - timedelta(days=days)
    return sum(_forget(pk, oldest, days) for pk in list(_due(oldest).values_list("pk", flat=True)))


def _due(oldest: datetime) -> QuerySet[Submission]:
    own = Run.objects.filter(Q(submissions=OuterRef("pk")) | Q(endpoint=OuterRef("endpoint")))
    later = own.filter(Q(status__in=OPEN_STATUSES) | Q(finished_at__gte=oldest))
    known = Submission.objects.exclude(contact="", owner__startswith=FORGOTTEN)
    return known.filter(~Q(state=Submission.State.PENDING), ~Exists(later), decided_at__lt=oldest)


@transaction.atomic
def _forget(submission_id: int, oldest: datetime, days: int) -> bool:
    """Whether it was still due: a replicate may have been opened in this moment, and then mail is owed again."""
    owner = f"{FORGOTTEN}{submission_id}"
    if not _due(oldest).filter(pk=submission_id).update(contact="", owner=owner):
        return False
    endpoints = Endpoint.objects.filter(submissions=submission_id)
    Run.objects.filter(Q(submissions=submission_id) | Q(endpoint__in=endpoints)).exclude(owner="").update(owner=owner)
    endpoints.update(owner=owner)
    Mail.objects.filter(submission=submission_id).delete()  # what never went out has nobody to go to
    SubmissionEvent.objects.create(submission_id=submission_id, text=ERASED.format(days))
    return True


def forget_turns() -> int:
    """Deletes the networks that were counted for a limit and whose ten minutes are over. Returns how many.

    The cache itself would keep them until its table is full.
    """
    now, ahead = timezone.now(), timedelta(seconds=2 * WINDOW_SECONDS)  # further ahead: the clock was put back
    past, beyond = map(connection.ops.adapt_datetimefield_value, (now, now + ahead))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM limits WHERE expires < %s OR expires > %s", [past, beyond])
        return int(cursor.rowcount)
