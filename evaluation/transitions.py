"""Every change of a run's status, as one update filtered on the old one.

An update that changes no row means that somebody else was first: the caller lets go. Times are the database's, so that
machines with different clocks agree on who holds a lease.
"""

import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from evaluation.erasing import erase_after
from evaluation.states import OPEN_STATUSES, Driver, FaultKind, ItemState, Status

if TYPE_CHECKING:
    from evaluation.models import Run  # noqa: F401  (the name in quotes below)

STUCK_MESSAGE = (
    "The run was taken up {claims} times without a new result, so it was stopped. This is our fault, not yours: "
    "an administrator can resume it, and nothing that was answered is lost."
)
NO_LEASE: dict[str, Any] = {"lease_token": None, "lease_until": None}


def _from_now(seconds: float) -> Any:
    return Now() + timedelta(seconds=seconds)


class RunQuerySet(models.QuerySet["Run"]):
    """The vocabulary of a run's life. Methods that take a token act only while that token holds the lease."""

    def open(self) -> "RunQuerySet":
        return self.filter(status__in=OPEN_STATUSES)

    def held_by(self, token: uuid.UUID) -> "RunQuerySet":
        return self.filter(status=Status.RUNNING, lease_token=token)

    def claimable(self) -> "RunQuerySet":
        due = Q(not_before__isnull=True) | Q(not_before__lte=Now())
        free = Q(status__in=(Status.QUEUED, Status.WAITING)) | Q(status=Status.RUNNING, lease_until__lt=Now())
        return self.filter(due, free)

    def claim(self, run_id: int, token: uuid.UUID, *, lease_seconds: float, driver: str, most_idle_claims: int) -> bool:
        """Whether the run is now ours. `idle_claims` goes up, and down to zero with each new result."""
        changed = (
            self.claimable()
            .filter(pk=run_id, driver=driver, idle_claims__lt=most_idle_claims)
            .update(
                status=Status.RUNNING,
                lease_token=token,
                lease_until=_from_now(lease_seconds),
                heartbeat_at=Now(),
                not_before=None,
                idle_claims=F("idle_claims") + 1,
                started_at=Coalesce("started_at", Now()),
            )
        )
        return changed == 1

    def renew(self, run_id: int, token: uuid.UUID, *, lease_seconds: float, **fields: Any) -> bool:
        """Extends the lease and writes `fields`; False when the lease is lost, and then nothing was written."""
        held = self.held_by(token).filter(pk=run_id)
        return held.update(lease_until=_from_now(lease_seconds), heartbeat_at=Now(), **fields) == 1

    def release(self, run_id: int, token: uuid.UUID, **fields: Any) -> bool:
        """Back to the queue in good order."""
        return self._leave(run_id, token, status=Status.QUEUED, idle_claims=0, queued_at=Now(), **fields)

    def wait(self, run_id: int, token: uuid.UUID, *, seconds: float, **fields: Any) -> bool:
        """Waiting for the endpoint; the next try is due in so many seconds."""
        due = _from_now(seconds)
        return self._leave(run_id, token, status=Status.WAITING, not_before=due, idle_claims=0, **fields)

    @transaction.atomic
    def end(self, run_id: int, token: uuid.UUID, *, status: Status, **fields: Any) -> bool:
        """Finished or failed, for good; the stored key goes with it."""
        ended = self._leave(run_id, token, status=status, finished_at=Now(), **fields)
        if ended:
            erase_after(run_id, f"run {status.value}")
        return ended

    def _leave(self, run_id: int, token: uuid.UUID, **fields: Any) -> bool:
        return self.held_by(token).filter(pk=run_id).update(**NO_LEASE, **fields) == 1

    @transaction.atomic
    def cancel(self, run_id: int) -> bool:
        """Stops an open run. A worker that holds it finds its lease gone at the next write."""
        cancelled = (
            self.open()
            .filter(pk=run_id)
            .update(status=Status.CANCELLED, finished_at=Now(), not_before=None, **NO_LEASE)
        )
        if cancelled:
            erase_after(run_id, "run cancelled")
        return cancelled == 1

    @transaction.atomic
    def resume(self, run_id: int) -> bool:
        """Queues a failed run again. What was answered stays; items that got no reply are asked anew."""
        fields = {"failure_kind": "", "failure_message": "", "finished_at": None, "waits": 0, "idle_claims": 0}
        changed = self.filter(pk=run_id, status=Status.FAILED, endpoint__isnull=False).update(
            status=Status.QUEUED, queued_at=Now(), not_before=None, **fields
        )
        if changed:
            self.get(pk=run_id).results.filter(state=ItemState.FAULT).delete()
        return changed == 1

    def fail_stuck(self, most_claims: int) -> int:
        """Ends the runs that killed each worker that took them up; returns how many."""
        stuck = self.claimable().filter(idle_claims__gte=most_claims)
        return sum(stuck._fail_as_stuck(run_id, most_claims) for run_id in list(stuck.values_list("pk", flat=True)))

    @transaction.atomic
    def _fail_as_stuck(self, run_id: int, claims: int) -> bool:
        failed = self.filter(pk=run_id).update(
            status=Status.FAILED,
            finished_at=Now(),
            failure_kind=FaultKind.PLATFORM,
            failure_message=STUCK_MESSAGE.format(claims=claims),
            **NO_LEASE,
        )
        if failed:
            erase_after(run_id, "run failed")
        return failed == 1

    def requeue_expired(self) -> int:
        """Running runs whose lease has run out go back to the queue; returns how many."""
        expired = self.filter(status=Status.RUNNING, lease_until__lt=Now())
        return expired.update(status=Status.QUEUED, queued_at=Now(), rung_at=None, **NO_LEASE)

    def to_ring(self, *, again_after_seconds: float, most: int) -> list[int]:
        """The ids of due runs that no worker was called to lately, oldest first; marks them as called."""
        lately = Q(rung_at__gt=_from_now(-again_after_seconds))
        due = self.claimable().filter(driver=Driver.WORKER).exclude(lately).order_by("id")
        ids = list(due.values_list("id", flat=True)[:most])
        self.filter(pk__in=ids).update(rung_at=Now())
        return ids
