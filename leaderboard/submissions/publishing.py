"""The consent to publish, given after the run: by its submitter alone, on the page of the submission."""

from django.db import transaction

from evaluation.models import Run, Status
from leaderboard.models import Submission
from leaderboard.submissions.emails import lists_itself, look_again
from leaderboard.submissions.moderating import say, set_public
from leaderboard.submissions.submitting import CONSENT_VERSION

AGREED = "The submitter agreed to publish the result."


def agree(submission: Submission) -> bool:
    """Whether this was the consent: the submission stands, and had none before."""
    with transaction.atomic():
        without = Submission.objects.filter(pk=submission.pk, state=Submission.State.APPROVED, publish_consent=False)
        if not without.update(publish_consent=True, consent_version=CONSENT_VERSION):
            return False
        say(submission, AGREED)
    submission.refresh_from_db()
    return True


def list_at_once(submission: Submission) -> list[Run]:
    """The finished runs that became public, where the settings let them list themselves. A moderator lists others, and
    those about which there are doubts by now: figures of the model may have come in since the run ended."""
    finished = list(submission.runs.filter(status=Status.FINISHED).select_related("bank", "endpoint__model"))
    for run in finished:
        look_again(run, submission)
    return set_public([run for run in finished if lists_itself(run, submission)], public=True, mailed=False)
