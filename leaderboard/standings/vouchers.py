"""Who vouches for a run, read from where its replies come from.

Nothing is stored on the run: a run that some submission brought is never taken for one of staff, whatever opened it,
and a domain that staff record, change or delete counts from the next refresh on.
"""

from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.db.models.functions import Coalesce

from evaluation.models import Origin, Run
from evaluation.transitions import RunQuerySet
from leaderboard.models import Submission
from leaderboard.wording import vouching


def with_voucher(runs: RunQuerySet) -> RunQuerySet:
    """The runs with `vouched_by`, one of `vouching.LEVELS` or "". A judge's run has that of the replies it rates.

    Of several submissions of one run the weakest counts.
    """
    own = Submission.runs.through.objects.filter(run_id=Coalesce(OuterRef("subject_id"), OuterRef("pk")))
    unproven = own.filter(submission__proven_domain="")
    not_the_makers = own.exclude(submission__proven_domain=F("submission__model__maker_domain"))
    # A submission of a model that was handed over later, as by a merge, is judged by the domain of the present one.
    return runs.annotate(replies_from=Coalesce("subject__origin", "origin")).annotate(
        vouched_by=Case(
            When(replies_from=Origin.IMPORTED, then=Value(vouching.FILE)),
            When(replies_from=Origin.PUBLISHED, then=Value(vouching.PUBLISHED)),
            When(~Q(replies_from=Origin.MEASURED), then=Value("")),
            When(~Exists(own), then=Value(vouching.STAFF)),
            When(Exists(unproven), then=Value(vouching.SUBMITTER)),
            When(Exists(not_the_makers), then=Value(vouching.HOST)),
            default=Value(vouching.MAKER),
        )
    )


def voucher_of(run: Run) -> str:
    """One query, none for a run that `with_voucher` has read, or whose origin says it."""
    known: str | None = getattr(run, "vouched_by", None)
    if known is not None:
        return known
    if run.subject_id is None and run.origin != Origin.MEASURED:
        return {Origin.IMPORTED: vouching.FILE, Origin.PUBLISHED: vouching.PUBLISHED}.get(Origin(run.origin), "")
    return str(getattr(with_voucher(Run.objects.filter(pk=run.pk)).first(), "vouched_by", ""))
