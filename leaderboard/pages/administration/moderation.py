"""What waits for a moderator: submissions to decide, and finished runs to list. A query each."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from evaluation.models import Run, Status
from leaderboard.models import Submission, SubmissionEvent
from leaderboard.rounding import moment
from leaderboard.submissions.moderating import TAKEN_OFF
from leaderboard.submissions.publishing import AGREED

LISTED_WITHIN = timedelta(days=90)  # a run that nobody listed for so long was left unlisted on purpose


@dataclass(frozen=True, slots=True)
class Undecided:
    """A submission that waits for a decision. `since` and `why` are words."""

    submission: Submission
    since: str
    why: str


def to_decide() -> QuerySet[Submission]:
    """The oldest first."""
    return Submission.objects.filter(state=Submission.State.PENDING).order_by("pk")


def to_list() -> QuerySet[Run]:
    """Runs with a score that ended lately, or whose submitter agreed lately, whose submitters all want them listed, and
    that staff did not take off the board. The oldest first.
    """
    own = Submission.objects.filter(runs=OuterRef("pk"))
    refused = own.filter(Q(publish_consent=False) | ~Q(state=Submission.State.APPROVED))
    told = Concat(Value("Run "), Cast(OuterRef("pk"), CharField()), Value(f" {TAKEN_OFF}"))
    taken_off = SubmissionEvent.objects.filter(submission__runs=OuterRef("pk"), text=told)
    since = timezone.now() - LISTED_WITHIN
    agreed = SubmissionEvent.objects.filter(submission__runs=OuterRef("pk"), text=AGREED, at__gt=since)
    ended = Run.objects.filter(Q(finished_at__gt=since) | Exists(agreed), status=Status.FINISHED, published=False)
    return ended.filter(Exists(own), ~Exists(refused), ~Exists(taken_off)).order_by("pk")


def undecided(most: int) -> tuple[Undecided, ...]:
    rows = to_decide().select_related("model", "endpoint")[:most]
    return tuple(Undecided(each, f"since {moment(each.created_at)}", why_undecided(each)) for each in rows)


def why_undecided(submission: Submission) -> str:
    """The doubt or note, and whether the endpoint was seen to answer."""
    tried = "The dry run passed." if submission.dry_run is not None else "No dry run passed."
    return f"{tried} {submission.note}".strip()
