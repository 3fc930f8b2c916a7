"""Telling a submitter that something is wrong or that a run has ended: a line on the timeline, and one mail.

Called by a task when a run ends, and by the clock for what was missed. A run that lists itself is listed first: that
may be done twice, and what was not told yet is looked at again. Then the line and the mail are written at once, under
a lock on the submission; who finds the line there writes nothing.
"""

import logging
import re
from collections.abc import Collection
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone

from evaluation.disclosure import failure_of
from evaluation.endpoints.errors import code_told
from evaluation.models import OPEN_STATUSES, Access, FaultKind, Run, Status
from leaderboard.models import Submission, SubmissionEvent
from leaderboard.rounding import moment, percent
from leaderboard.submissions.closing import closings_of
from leaderboard.submissions.doubts import doubt_about_scale, doubts
from leaderboard.submissions.mailing import post, send_due
from leaderboard.submissions.moderating import ENDED, RESUMED, WAITS, line, say, set_public, why_not_public
from leaderboard.submissions.offers import run_title
from leaderboard.wording.advice import advice
from leaderboard.wording.sentences import came_to, whether_listed

logger = logging.getLogger(__name__)

LOOKED_BACK = timedelta(days=2)
TOLD = re.compile(rf"Run (\d+) ({WAITS}|{ENDED}|{RESUMED})\b")
SUBJECTS = {WAITS: "your run waits for its endpoint", ENDED: "your run has ended"}
STOPPED = "your run has stopped"


class Told(NamedTuple):
    """What a line of a timeline is about."""

    submission_id: int
    run_id: int
    word: str


def tell_submitters(run_id: int | None = None) -> int:
    """Tells of that run, or of every run that waits or ended lately, then sends the mail that is due.

    Returns how many lines were written.
    """
    written = sum(_tell(run, submission) for run, submission in _untold(run_id))
    send_due()
    return written


def _untold(run_id: int | None) -> list[tuple[Run, Submission]]:
    """Each such run with each submission of it that was not told yet. Two queries where there is none."""
    lately = Q(run__status__in=(Status.FINISHED, Status.FAILED), run__finished_at__gt=timezone.now() - LOOKED_BACK)
    links = Submission.runs.through.objects.filter(Q(run__status=Status.WAITING) | lately)
    links = links.exclude(run__bank__access=Access.PRIVATE)  # whose scores are told to nobody one by one
    links = links if run_id is None else links.filter(run=run_id)
    pairs = list(links.order_by("pk").values_list("run_id", "submission_id", "run__status"))
    told = _told({submission for _, submission, _ in pairs})
    new = [pair for pair in pairs if Told(pair[1], pair[0], _word(pair[2])) not in told]
    runs = Run.objects.select_related("bank", "endpoint__model").in_bulk({run for run, _, _ in new})
    submissions = Submission.objects.select_related("model").in_bulk({submission for _, submission, _ in new})
    # A run that was taken up, resumed or deleted between the queries is told of when it waits or ends again.
    still = [(run, submission) for run, submission, status in new if run in runs and runs[run].status == status]
    return [(runs[run], submissions[submission]) for run, submission in still]


def _told(submissions: Collection[int]) -> set[Told]:
    """What stands on their timelines of the present stretch of each run: a run that went on is told of anew."""
    events = SubmissionEvent.objects.filter(submission__in=submissions, text__startswith="Run ").order_by("pk")
    told: set[Told] = set()
    for submission, text in events.values_list("submission_id", "text"):
        if not (found := TOLD.match(text)):
            continue
        if found[2] == RESUMED:
            told -= {Told(submission, int(found[1]), word) for word in (WAITS, ENDED)}
        else:
            told.add(Told(submission, int(found[1]), found[2]))
    return told


def _word(status: str) -> str:
    return WAITS if status == Status.WAITING else ENDED


def _tell(run: Run, submission: Submission) -> bool:
    """Whether a line was written. What the database refused is told the next time, and the other runs go on."""
    try:
        look_again(run, submission)
        if lists_itself(run, submission):
            set_public([run], public=True, mailed=False)
            run.refresh_from_db(fields=["published"])
        return _write(run, submission)
    except DatabaseError:
        logger.exception("submission %s could not be told of run %s", submission.pk, run.pk)
        return False


def look_again(run: Run, submission: Submission) -> None:
    """Flags a submission about which there are doubts now that its run has ended: others may have brought figures of
    its model, or a name like it, since it was sent; and its ratings may be on another scale. The moderator reads them.
    """
    if run.status != Status.FINISHED or run.published or submission.flagged or run.endpoint is None:
        return
    model = run.endpoint.model
    found = " ".join(filter(None, (doubts(run.endpoint, model.organisation, model.name), doubt_about_scale(run))))
    if found:
        submission.flagged, submission.note = True, f"{submission.note} {found}".strip()
        submission.save(update_fields=["flagged", "note"])


def lists_itself(run: Run, submission: Submission) -> bool:
    """A finished run of a submission without a doubt, where settings and consent allow it."""
    if not settings.SUBMISSIONS_AUTO_PUBLISH or run.status != Status.FINISHED or submission.flagged:
        return False
    return submission.state == Submission.State.APPROVED and not run.published and not why_not_public(run)


@transaction.atomic
def _write(run: Run, submission: Submission) -> bool:
    """The run is locked too: whoever takes it up or resumes it waits, so that the line comes before theirs, and one
    that was taken up or resumed since it was looked at is told of another time."""
    Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
    locked = Run.objects.select_for_update(no_key=True).filter(pk=run.pk, status=run.status)
    word = _word(run.status)
    if not list(locked.values_list("pk")) or Told(submission.pk, run.pk, word) in _told({submission.pk}):
        return False
    say(submission, line(run, word, what_happened(run)))
    _post(run, submission, word)
    return True


def what_happened(run: Run) -> str:
    """The run's end or pause in a sentence."""
    if run.status == Status.FINISHED:
        return f"{came_to(run)}."
    if run.failure_kind == FaultKind.PARSE and run.status == Status.FAILED:
        return f"{failure_of(run)} Parse rate {percent(run.parse_share)}: no score, no rank."
    return failure_of(run) or "no reason is stored."


def _post(run: Run, submission: Submission, word: str) -> None:
    failed = run.status == Status.FAILED
    kind = FaultKind(run.failure_kind) if run.failure_kind else None
    post(
        submission,
        STOPPED if failed else SUBJECTS[word],
        "submissions/email_run.txt",
        run=run,
        benchmark=run_title(run.bank, run.benchmark),
        what=what_happened(run),
        listed=whether_listed(run, submission),
        advice=advice(kind, failed=failed, code=code_told(run.failure_message)) if kind else "",
        is_open=run.status in OPEN_STATUSES,
        closings=closings_of(submission),
        may_publish=not submission.publish_consent,
        site=submission.request.get("site", ""),
        next_try=moment(run.not_before),
    )
