"""The replies that a judge reads, as they were frozen when the run that gathered them ended."""

import hashlib
import json

from django.db.models import QuerySet

from evaluation.models import ItemState, Reply, Run

NOT_AS_FROZEN = (
    "The replies that this run judges are not those that were frozen when they were gathered, so nothing was asked."
)


def subject_texts(run: Run) -> dict[int, str]:
    """Primary key of an item -> the reply to it in the run that is judged, raw. Items without a reply are not in it.

    One query; {} for a run that judges nothing.
    """
    if run.subject_id is None:
        return {}
    return dict(_replies(run.subject_id).values_list("result__item_id", "text"))


def replies_sha256(run: Run) -> str:
    """The hash of item ids and replies, in the order of the items: another reply gives another hash."""
    rows = _replies(run.pk).order_by("result__item__number").values_list("result__item__item_id", "text")
    content = json.dumps(list(map(list, rows)), ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def why_not_judged(run: Run) -> str:
    """Why the replies may not, or no longer, be sent to the judge, as a sentence; "" for a run that judges nothing."""
    subject = run.subject
    if subject is None:
        return ""
    if not subject.judging:
        return "The submitter no longer agrees that judges read these replies, so nothing was asked."
    if not run.bank.shows_texts:
        return "The texts of this bank are closed, so no prompt and no reply goes to a judge."
    if (subject.manifest or {}).get("replies_sha256") != replies_sha256(subject):
        return NOT_AS_FROZEN
    return ""


def _replies(run_id: int) -> QuerySet[Reply]:
    return Reply.objects.filter(result__run=run_id, result__repeat=1).exclude(result__state=ItemState.FAULT)
