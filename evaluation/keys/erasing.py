"""Taking sealed keys out of the database, with a line of audit each.

The status changes of runs call this, and the models are made of those, so the models are fetched by name here.
"""

from datetime import timedelta
from typing import Any

from django.apps import apps
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from evaluation.states import OPEN_STATUSES, Driver


def erase_key(endpoint_id: int, detail: str, run_id: int | None = None) -> bool:
    """Whether there was a key to erase. `detail` says why, for the submitter to read."""
    return _erase(endpoint_id, detail, run_id=run_id)


def erase_after(run_id: int, detail: str) -> None:
    """Erases the key of a run that has just ended, unless another open run needs it or it is kept to a date.

    Call it inside the transaction that ended the run. The lock makes two runs that end at once wait for each other, so
    that the later one sees the earlier one ended.
    """
    ended_here = _with_key().filter(runs__pk=run_id, runs__driver=Driver.WORKER)
    endpoint_id = ended_here.values_list("pk", flat=True).first()
    if endpoint_id is None:
        return
    endpoint = _with_key().select_for_update().filter(_not_kept(), pk=endpoint_id).first()
    if endpoint is not None and not endpoint.runs.filter(status__in=OPEN_STATUSES, driver=Driver.WORKER).exists():
        erase_key(endpoint_id, detail, run_id)


def purge_keys(days: int) -> int:
    """Erases the keys whose time is over, whatever their runs do: past the date that the submitter chose, or sealed
    more than so many days ago where no date was chosen. Keys that the board keeps stay. Returns how many.
    """
    today, oldest = timezone.now().date(), timezone.now() - timedelta(days=days)
    sealed_at = Coalesce(Max("key_events__at", filter=Q(key_events__kind="sealed")), F("created_at"))
    old = _with_key().annotate(sealed_at=sealed_at).filter(_not_kept(), key_kept_until__isnull=True)
    old = old.filter(sealed_at__lt=oldest)
    return _erase_all(old, f"{days} days have passed") + _erase_all(
        _with_key().filter(key_kept_until__lt=today), "the chosen date has passed"
    )


def _erase_all(endpoints: "QuerySet[Any]", detail: str) -> int:
    rows = list(endpoints.values_list("pk", "sealed_key"))
    # By the sealed text as well, so that a key given anew in this moment is not taken for the old one.
    return sum(_erase(pk, detail, sealed_key=sealed) for pk, sealed in rows)


@transaction.atomic
def _erase(endpoint_id: int, detail: str, *, run_id: int | None = None, **which: str) -> bool:
    erased = _with_key().filter(pk=endpoint_id, **which).update(sealed_key="", key_erased_at=Now())
    if erased:
        events = _model("KeyEvent").objects
        events.create(endpoint_id=endpoint_id, run_id=run_id, kind="erased", detail=detail)
    return erased == 1


def _not_kept() -> Q:
    date_is_past = Q(key_kept_until__isnull=True) | Q(key_kept_until__lt=timezone.now().date())
    return date_is_past & Q(keep_key=False)


def _with_key() -> "QuerySet[Any]":
    endpoints: QuerySet[Any] = _model("Endpoint").objects.exclude(sealed_key="")
    return endpoints


def _model(name: str) -> Any:
    return apps.get_model("evaluation", name)
