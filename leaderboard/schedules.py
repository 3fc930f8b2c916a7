"""Runs that are repeated every so many days, so that a model that changes behind its name is noticed."""

from datetime import datetime, timedelta

from django.utils import timezone

from evaluation.keys.endpoint_keys import needs_key
from evaluation.models import Driver, Run
from leaderboard.models import Schedule
from leaderboard.submissions.moderating import Refused, replicate, why_not_again

NOTHING_TO_REPEAT = "No run of this endpoint on this bank was ever asked from here, so there is nothing to repeat."
KEY_GONE = (
    "The key of the endpoint was erased, so nothing can be asked, and the schedule has stopped. Its submitter can give "
    "the key again on the page of the submission; then enable the schedule again. A key goes after each run unless it "
    "is kept until a date that lies ahead: for a longer watch, have the model submitted anew with such a date."
)


def open_due() -> int:
    """Opens a replicate for each schedule that is due; returns how many."""
    now = timezone.now()
    due = Schedule.objects.filter(enabled=True, next_at__lte=now).select_related("endpoint", "bank")
    return sum(_open(schedule, now) for schedule in due)


def next_time(schedule: Schedule, now: datetime) -> datetime:
    """The first of its times that lies ahead: what was missed is not made up for."""
    period = timedelta(days=schedule.every_days)
    return schedule.next_at + period * ((now - schedule.next_at) // period + 1)


def _open(schedule: Schedule, now: datetime) -> bool:
    """Whether a run was opened. Two clocks at once open one: only the first moves the schedule's time."""
    mine = Schedule.objects.filter(pk=schedule.pk, enabled=True, next_at=schedule.next_at)
    if not mine.update(next_at=next_time(schedule, now)):
        return False
    newest = Run.objects.filter(endpoint=schedule.endpoint_id, bank=schedule.bank_id, driver=Driver.WORKER).first()
    if newest is None:
        return _stopped(schedule, NOTHING_TO_REPEAT)
    if needs_key(schedule.endpoint):
        return _stopped(schedule, KEY_GONE)
    alike = Run.objects.open().filter(endpoint=newest.endpoint_id, bank=newest.bank_id, benchmark=newest.benchmark)
    if open_one := alike.first():  # which need not be the newest: an earlier one may have been resumed
        return _left_out(schedule, f"Run {open_one.pk} was still open on {now:%d %B %Y}, so that time was left out.")
    return _repeated(schedule, newest)


def _repeated(schedule: Schedule, newest: Run) -> bool:
    if sentence := why_not_again(newest):
        return _stopped(schedule, sentence)
    try:
        replicate(newest)
    except Refused as refusal:
        return _left_out(schedule, str(refusal))
    Schedule.objects.filter(pk=schedule.pk).update(trouble="")
    return True


def _stopped(schedule: Schedule, sentence: str) -> bool:
    Schedule.objects.filter(pk=schedule.pk).update(enabled=False, trouble=sentence)
    return False


def _left_out(schedule: Schedule, sentence: str) -> bool:
    Schedule.objects.filter(pk=schedule.pk).update(trouble=sentence)
    return False
