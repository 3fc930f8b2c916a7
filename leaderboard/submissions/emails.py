"""Telling a submitter that something is wrong or that a run has ended: a line on the timeline, and one mail.

Called by a task when a run ends, and by the clock for what was missed. Who is first writes the line, under a lock on
the submission; who finds it there writes nothing. So a mail may be lost when a process dies, and is never sent twice.
"""

from collections import Counter
from datetime import timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from evaluation.models import OPEN_STATUSES, FaultKind, Run, Status
from leaderboard.models import Submission
from leaderboard.rounding import moment, percent, points
from leaderboard.submissions.moderating import ENDED, RESUMED, WAITS, line, say, set_public, why_not_public
from leaderboard.wording.advice import ADVICE

LOOKED_BACK = timedelta(days=2)
WORDS = (WAITS, ENDED, RESUMED)


def tell_submitters(run_id: int | None = None) -> int:
    """Tells of that run, or of every run that waits or ended lately. Returns how many lines were written."""
    lately = Q(status__in=(Status.FINISHED, Status.FAILED), finished_at__gt=timezone.now() - LOOKED_BACK)
    runs = Run.objects.filter(Q(status=Status.WAITING) | lately, submissions__isnull=False).distinct()
    if run_id is not None:
        runs = runs.filter(pk=run_id)
    return sum(_tell(run, submission) for run in runs.select_related("bank") for submission in run.submissions.all())


def _tell(run: Run, submission: Submission) -> bool:
    """Whether there was something new to tell. A finished run is listed here, where settings and consent allow it."""
    word = WAITS if run.status == Status.WAITING else ENDED
    if not _first_to_tell(run, submission, word):
        return False
    if _lists_itself(run, submission):
        set_public([run], public=True)
    if submission.contact:
        _send(run, submission, word)
    return True


def _lists_itself(run: Run, submission: Submission) -> bool:
    if not settings.SUBMISSIONS_AUTO_PUBLISH or run.status != Status.FINISHED or submission.flagged:
        return False
    return submission.state == Submission.State.APPROVED and not why_not_public(run)


@transaction.atomic
def _first_to_tell(run: Run, submission: Submission, word: str) -> bool:
    """Once for each stretch of a run: a run that went on after a fault is told of again."""
    Submission.objects.select_for_update().get(pk=submission.pk)
    told = _lines(run, submission)
    if told[word] > told[RESUMED]:
        return False
    say(submission, line(run, word, what_happened(run)))
    return True


def _lines(run: Run, submission: Submission) -> Counter[str]:
    texts = list(submission.events.filter(text__startswith=f"Run {run.pk} ").values_list("text", flat=True))
    return Counter({word: sum(text.startswith(f"Run {run.pk} {word}") for text in texts) for word in WORDS})


def what_happened(run: Run) -> str:
    """The run's end or pause in a sentence."""
    if run.status == Status.FINISHED:
        return f"{points(run.score)} points, {run.n_scored} of {run.n_items} items scored."
    if run.failure_kind == FaultKind.PARSE and run.status == Status.FAILED:
        return f"{run.failure_message} Parse rate {percent(run.parse_share)}: no score, no rank."
    return run.failure_message or "no reason is stored."


def _send(run: Run, submission: Submission, word: str) -> None:
    subject = {WAITS: "waits for its endpoint", ENDED: "has ended"}[word]
    if run.status == Status.FAILED:
        subject = "has stopped"
    context = {
        "run": run,
        "model": str(submission.model),
        "what": what_happened(run),
        "advice": ADVICE.get(FaultKind(run.failure_kind), "") if run.failure_kind else "",
        "is_open": run.status in OPEN_STATUSES,
        "next_try": moment(run.not_before),
        "address": submission.request.get("site", "") + reverse("submission", args=[submission.token]),
    }
    text = render_to_string("leaderboard/email_run.txt", context)
    name = " ".join(str(submission.model).split())  # a header takes no line break
    send_mail(f"{name}: your run {subject}", text, settings.DEFAULT_FROM_EMAIL, [submission.contact])
