"""Mail to submitters: written down with what it tells, sent by the clock, tried again until it is through.

A mail is a row until it was sent, so that neither a process that dies nor a mail server that is down loses it. A
process that dies between sending a mail and deleting its row sends that mail once more.
"""

import logging
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from evaluation.signs import spelled
from leaderboard.models import Mail, Submission

logger = logging.getLogger(__name__)

NEWS = "submissions/email_news.txt"
MOST_AT_ONCE = 50
MOST_TRIES = 10  # over about twenty hours
# The first is longer than one mail can take, so that no other clock finds it due meanwhile.
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=5), timedelta(hours=6)
LONGEST_SUBJECT = 200


def post(submission: Submission, subject: str, template: str, **context: Any) -> None:
    """Writes the mail down, in the transaction of what it tells. Without a contact there is none."""
    if not submission.contact:
        return
    model = spelled(" ".join(str(submission.model).split()))  # a header takes no line break
    address = submission.request.get("site", "") + reverse("submission", args=[submission.token])
    text = render_to_string(template, {**context, "model": model, "address": address})
    Mail.objects.create(submission=submission, subject=f"{model}: {subject}"[:LONGEST_SUBJECT], text=text)


def send_due() -> int:
    """Sends what is due; returns how many mails went out. Two clocks at once send each of them once.

    The first that cannot be sent ends the pass, since the next would most likely wait for the same mail server; it is
    put off, so that it stands in nobody's way the next time.
    """
    sent = 0
    now = timezone.now()
    # The second and third only make a difference after the clock was put back: nothing else sets such times.
    due = Q(next_at__lte=now) | Q(tries=0) | Q(next_at__gt=now + LONGEST_WAIT + FIRST_WAIT)
    for mail in Mail.objects.filter(due).select_related("submission")[:MOST_AT_ONCE]:
        if not _taken(mail):
            continue
        if not _sent(mail):
            break
        sent += 1
    return sent


def _taken(mail: Mail) -> bool:
    """Whether it is ours to send. Its next try is set before this one, for the case that this process dies."""
    wait = min(FIRST_WAIT * 2**mail.tries, LONGEST_WAIT)
    mine = Mail.objects.filter(pk=mail.pk, tries=mail.tries)
    return mine.update(tries=F("tries") + 1, next_at=timezone.now() + wait) == 1


def _sent(mail: Mail) -> bool:
    """Whether it went out; its row is deleted then, and after the last try."""
    try:
        if mail.submission.contact:
            send_mail(mail.subject, mail.text, settings.DEFAULT_FROM_EMAIL, [mail.submission.contact])
    except (OSError, ValueError) as error:  # SMTP errors are OSErrors; an address that cannot be encoded is the second
        return _failed(mail, error)
    mail.delete()
    return True


def _failed(mail: Mail, error: Exception) -> bool:
    """Says so without the error's text, which may hold the address."""
    last = mail.tries + 1 >= MOST_TRIES
    what, why = f"a mail of submission {mail.submission_id}", type(error).__name__
    if last:
        mail.delete()
        logger.error("%s was given up after %s tries: %s", what, MOST_TRIES, why)
    else:
        logger.warning("%s could not be sent and is tried again: %s", what, why)
    return False
