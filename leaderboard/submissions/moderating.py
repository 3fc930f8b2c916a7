"""What happens to a submission after it was sent: approved, rejected, cancelled, withdrawn, resumed, published, re-run.

Each change is one update filtered on the old state and leaves a line on the submission's timeline.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from evaluation.keys.endpoint_keys import needs_key, store_key
from evaluation.keys.erasing import erase_key
from evaluation.models import Access, Driver, FaultKind, ItemBank, Run, Status
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.opening import new_seed, place_in_line
from evaluation.runs.private_runs import CannotOpen, check_room, why_no_more
from leaderboard.calling import call_refresh, ring
from leaderboard.models import Submission, SubmissionEvent
from leaderboard.rounding import day
from leaderboard.standings import refresh_standings
from leaderboard.submissions.mailing import NEWS, post
from leaderboard.submissions.offers import offers_named, run_title
from leaderboard.submissions.opening import open_run_of
from leaderboard.submissions.taking_facts import take_facts

# Faults after which going on makes sense. After a parse fault every item is answered, and none would be asked again.
RESUMED_AFTER = (FaultKind.ENDPOINT, FaultKind.MODEL, FaultKind.PLATFORM)
RESUMED, ENDED, WAITS = "goes on", "ended", "waits"
WITHDRAWN_BY_STAFF = "Withdrawn by an administrator."
WITHDRAWN = "The submission of run {} was withdrawn."
ONE_PRESS = timedelta(seconds=30)  # two who ask for the same replicate within it mean one
TAKEN_OFF = "was taken off the board."
OFF_OFFER = "which this board does not offer any more"
RANK_IS_THERE = "Its rank, its ties and a badge are on the page of your submission:"
KEPT = "Its replies are kept and never counted."
PUBLIC = (Status.FINISHED, Status.FAILED)  # what may be listed
STANDING = (Submission.State.PENDING, Submission.State.APPROVED)


class Refused(Exception):
    """An administrator's wish that cannot be met; the text says why."""


def say(submission: Submission, text: str) -> None:
    """One line more on the timeline."""
    SubmissionEvent.objects.create(submission=submission, text=text[:300])


def line(run: Run, word: str, rest: str = "") -> str:
    """How each line about a run begins, which is also how it is found again: "Run 7 ended: ..."."""
    return f"Run {run.pk} {word}{f': {rest}' if rest else '.'}"


@transaction.atomic
def approve(submission: Submission, words: str = "Approved by a moderator.") -> bool:
    """Whether it was pending; then its runs are queued and a worker is called to each. A benchmark that is on offer no
    more, as of a bank that was deleted or made private since, is left out, which the timeline says.

    Raises: Refused, where none of them is.
    """
    if not _decide(submission, Submission.State.APPROVED):
        return False
    offers = offers_named(submission.request["banks"])
    gone = ", ".join(key for key in submission.request["banks"] if key not in {offer.key for offer in offers})
    if not offers:
        raise Refused(f"Submission {submission.pk} asks for {gone} alone, {OFF_OFFER}. Reject it with that reason.")
    take_facts(submission)
    say(submission, f"{words} Left out: {gone}, {OFF_OFFER}." if gone else words)
    for offer in offers:
        run = open_run_of(submission, offer)
        submission.runs.add(run)
        ring(run.pk)
    return True


@transaction.atomic
def reject(submission: Submission, reason: str) -> bool:
    """Whether it was pending; then its key is erased. The submitter reads the reason, by mail too."""
    if not _decide(submission, Submission.State.REJECTED, reason=reason):
        return False
    say(submission, f"Rejected: {reason}")
    post(submission, "your submission was rejected", NEWS, news="a moderator rejected your submission.", more=[reason])
    erase_key(submission.endpoint_id, "submission rejected")
    return True


@transaction.atomic
def withdraw(submission: Submission, *, by_staff: bool = False) -> bool:
    """Whether it stood. Its open runs are cancelled, its public ones leave the board, its key is erased.

    If staff did it, the timeline says so and the submitter is told by mail.
    """
    changed = Submission.objects.filter(pk=submission.pk, state__in=STANDING).update(
        state=Submission.State.WITHDRAWN, decided_at=Now()
    )
    if not changed:
        return False
    say(submission, WITHDRAWN_BY_STAFF if by_staff else "Withdrawn by the submitter.")
    if by_staff:
        post(submission, "your submission was withdrawn", NEWS, news="an administrator withdrew your submission.")
    _keep_from_judges(submission)
    for run in submission.runs.open():
        cancel(run)
    for run in submission.runs.filter(published=True):
        Run.objects.filter(pk=run.pk).set_published(public=False)
        call_refresh(run.pk)
    erase_key(submission.endpoint_id, "submission withdrawn")
    return True


@transaction.atomic
def stop_judging(submission: Submission, *, by_staff: bool = False) -> bool:
    """Whether its replies could go to judges; then no more of them do. What a judge has rated stays."""
    if not Submission.objects.filter(pk=submission.pk, judging_consent=True).update(judging_consent=False):
        return False
    say(submission, f"No more replies go to judges: {'an administrator' if by_staff else 'the submitter'} stopped it.")
    _keep_from_judges(submission)
    return True


def _keep_from_judges(submission: Submission) -> None:
    submission.runs.update(judging=False)  # before its judges' runs are cancelled, so that none opens anew
    for run in Run.objects.open().filter(subject__in=submission.runs.all()):
        cancel(run)


@transaction.atomic
def cancel(run: Run) -> bool:
    """Whether the run was open. Its replies are kept and never counted."""
    if not Run.objects.cancel(run.pk, seal=sealed_columns):
        return False
    _say_of(run, line(run, ENDED, f"cancelled. {KEPT}"))
    return True


@transaction.atomic
def cancel_by_staff(run: Run) -> bool:
    """The same, of which the submitters are told by mail, since it was not they who did it."""
    if not cancel(run):
        return False
    for submission in run.submissions.select_related("model"):
        news = f"run {run.pk} on {run_title(run.bank, run.benchmark)} was cancelled by an administrator."
        post(submission, "your run was cancelled", NEWS, news=news, more=[KEPT])
    return True


@transaction.atomic
def try_now(run: Run) -> bool:
    """Whether the run waited for its endpoint; then the next try is due at once."""
    if not Run.objects.try_now(run.pk):
        return False
    _say_of(run, f"Run {run.pk} was asked to try again at once.")
    ring(run.pk)
    return True


def resumable(submission: Submission) -> QuerySet[Run]:
    """The runs that failed on the way and may go on from the last finished item, without those in whose place a newer
    run asks the same or has asked it. On a bank that has become private staff alone open runs."""
    if submission.state != Submission.State.APPROVED:
        return Run.objects.none()
    of_the_same = {name: OuterRef(name) for name in ("endpoint", "bank", "benchmark")}
    newer = Run.objects.filter(pk__gt=OuterRef("pk"), **of_the_same).exclude(status=Status.CANCELLED)
    failed = submission.runs.shown().filter(~Exists(newer), status=Status.FAILED, driver=Driver.WORKER)
    return failed.filter(failure_kind__in=RESUMED_AFTER)


@transaction.atomic
def resume(run: Run) -> bool:
    """Whether the run had failed; it is queued again. What was answered stays.

    Raises: Refused, where it was withdrawn, its key was erased or another run of the same is open.
    """
    _hold(run)
    if _is_withdrawn(run):
        raise Refused(WITHDRAWN.format(run.pk))
    if run.endpoint is None or needs_key(run.endpoint):
        raise Refused(
            f"Run {run.pk} needs its key again, which was erased. The submitter can give it on the status page."
        )
    try:
        check_room(run.bank, run.model, run.endpoint, limit=run.limit)
    except CannotOpen as error:
        raise Refused(str(error)) from None
    if not _resumed(run):
        return False
    _say_of(run, line(run, RESUMED))
    ring(run.pk)
    return True


def _resumed(run: Run) -> bool:
    try:
        with transaction.atomic():
            return Run.objects.resume(run.pk)
    except IntegrityError:
        raise Refused(f"Another run of this endpoint on {run.benchmark} is open.") from None


@transaction.atomic
def replace_key(submission: Submission, key: str, *, by_staff: bool = False) -> bool:
    """Whether the submission still stood; then the key is sealed in place of the old one. It is kept as long as the
    submitter chose for the old one; where that date has passed it goes after the run, as one that is not kept: the
    purge would take it within the hour.

    Raises ValueError for what can be no key.
    """
    # The lock makes whoever withdraws or rejects it wait, and erase this key too.
    locked = Submission.objects.select_for_update(no_key=True).filter(pk=submission.pk, state__in=STANDING)
    if not list(locked.values_list("pk")):
        return False
    until = submission.endpoint.key_kept_until
    words = "The key was replaced by an administrator." if by_staff else "The key was replaced."
    if until and until < timezone.now().date():
        words += f" It was to be kept until {day(until)}, which has passed: it goes after the run."
        until = None
    store_key(submission.endpoint, key, kept_until=until)
    say(submission, words)
    return True


def resume_all(submission: Submission) -> int:
    """How many of its failed runs go on. One of which a newer run is open stays as it is."""
    resumed = 0
    for run in resumable(submission).select_related("endpoint").order_by("-pk"):
        with suppress(Refused):
            resumed += resume(run)
    return resumed


def why_not_again(run: Run) -> str:
    """Why the run cannot be repeated as a replicate, as a sentence; "" where it can."""
    endpoint = run.endpoint
    if endpoint is None or run.driver != Driver.WORKER or run.subject_id is not None:
        return _why_never_again(run)
    if _is_withdrawn(run):
        return WITHDRAWN.format(run.pk)
    if needs_key(endpoint):
        return f"The key of run {run.pk} was erased; the submitter has to give it again."
    if sentence := why_no_more(run.bank, run.model, endpoint, limit=run.limit):
        return sentence
    open_one = Run.objects.open().filter(endpoint=endpoint, bank=run.bank_id, benchmark=run.benchmark).first()
    if open_one:
        return f"Run {open_one.pk} of the same endpoint and bank is still open."
    now = timezone.now()  # a replicate may lie in the future, since the clock was put back: that press is long over
    lately = (now - ONE_PRESS, now + ONE_PRESS)
    again = Run.objects.filter(parent=run, created_at__range=lately).exclude(status=Status.CANCELLED).first()
    return f"Run {again.pk} was opened as its replicate a moment ago. Wait a minute to open another." if again else ""


def _why_never_again(run: Run) -> str:
    if run.subject_id is not None:
        return f"Run {run.pk} is a judge's, and a judge rates the replies of a run once, three times each."
    return f"Run {run.pk} was not asked from here, so it cannot be asked again."


@transaction.atomic
def replicate(run: Run) -> Run:
    """A new run that asks the same; the old one stands until the new one is complete.

    Raises: Refused. The database holds one open run for each endpoint and bank, also against two at once; the lock and
    `ONE_PRESS` hold it where the first of two ends before the second is opened.
    """
    _hold(run)
    list(
        ItemBank.objects.select_for_update(no_key=True).filter(pk=run.bank_id, access=Access.PRIVATE).values_list("pk")
    )
    if sentence := why_not_again(run):
        raise Refused(sentence)
    run.refresh_from_db(fields=["judging"])  # the consent to it may have ended since the run was read
    same = (
        "model", "endpoint", "bank", "benchmark", "variant", "origin", "driver", "repeats", "limit", "n_items",
        "n_asks", "ranks", "settings", "judging",
    )  # fmt: skip
    try:
        with transaction.atomic():
            again = Run.objects.create(
                parent=run,
                seed=new_seed(),
                queued_at=Now(),
                **_in_line(run),
                **{n: getattr(run, n) for n in same},
            )
    except IntegrityError:
        raise Refused(f"A run of the same endpoint and bank as run {run.pk} was opened a moment ago.") from None
    for submission in run.submissions.all():
        submission.runs.add(again)
        say(submission, f"Run {again.pk} was opened as a replicate of run {run.pk}.")
    ring(again.pk)
    return again


def _in_line(run: Run) -> dict[str, str]:
    return {} if run.endpoint is None else place_in_line(run.endpoint, run.driver, run.origin)


def why_not_public(run: Run) -> str:
    """Why the run may not be listed, as a sentence; "" where it may."""
    if run.status not in PUBLIC:
        return f"Run {run.pk} is {run.status}, so there is nothing to list."
    if run.submissions.filter(publish_consent=False).exists():
        return f"The submitter of run {run.pk} did not agree to publish it."
    return WITHDRAWN.format(run.pk) if _is_withdrawn(run) else ""


def set_public(runs: Iterable[Run], *, public: bool, mailed: bool = True) -> list[Run]:
    """Those that changed. The standings that they stand in are computed anew before it returns, the rest soon after.

    Args:
        mailed: Whether their submitters are told by mail that their score is listed.
    """
    changed = [run for run in runs if (_listed(run, mailed=mailed) if public else _unlisted(run))]
    for run in {(run.bank_id, run.benchmark): run for run in changed}.values():
        refresh_standings(run.pk)
    if changed:
        call_refresh()
    return changed


@transaction.atomic
def _listed(run: Run, *, mailed: bool) -> bool:
    """Whether the run became public. Under a lock on its submissions, which withdrawing one waits for and takes too: so
    none that is withdrawn in this moment is listed, whatever was read before.
    """
    locked = Submission.objects.select_for_update(of=("self",), no_key=True).filter(runs=run).select_related("model")
    submissions = list(locked.order_by("-pk"))
    if any(each.state == Submission.State.WITHDRAWN or not each.publish_consent for each in submissions):
        return False
    hidden = Run.objects.filter(pk=run.pk, published=False, status__in=PUBLIC)
    if not hidden.exists():
        return False
    for submission in submissions[:1]:
        take_facts(submission)
    if not hidden.set_published(public=True):
        return False
    for submission in submissions:
        say(submission, f"Run {run.pk} is public now.")
        if mailed:
            _tell_listed(submission, run)
    return True


def _tell_listed(submission: Submission, run: Run) -> None:
    """By mail, with the page of the run."""
    address = submission.request.get("site", "") + reverse("run", args=[run.pk])
    news = f"run {run.pk} on {run_title(run.bank, run.benchmark)} is public now."
    has_rank = run.status == Status.FINISHED and run.ranks  # neither a failed run has one nor replies alone
    more = [f"Its page: {address}", *([RANK_IS_THERE] if has_rank else [])]
    post(submission, "your run is public", NEWS, news=news, more=more)


@transaction.atomic
def _unlisted(run: Run) -> bool:
    if not Run.objects.filter(pk=run.pk).set_published(public=False):
        return False
    _say_of(run, f"Run {run.pk} {TAKEN_OFF}")
    return True


def _hold(run: Run) -> None:
    """Until this transaction is through, others who open it again wait, and who withdraws it finds what was opened."""
    list(Run.objects.select_for_update(no_key=True).filter(pk=run.pk).values_list("pk"))


def _is_withdrawn(run: Run) -> bool:
    return run.submissions.filter(state=Submission.State.WITHDRAWN).exists()


def _decide(submission: Submission, state: Submission.State, **fields: Any) -> bool:
    pending = Submission.objects.filter(pk=submission.pk, state=Submission.State.PENDING)
    changed = pending.update(state=state, decided_at=Now(), **fields)
    submission.refresh_from_db()
    return changed == 1


def _say_of(run: Run, text: str) -> None:
    for submission in run.submissions.all():
        say(submission, text)
