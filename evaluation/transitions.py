"""Every change of a run's status, as one update filtered on the old one.

An update that changes no row means that somebody else was first: the caller lets go. Times are the database's, so that
machines with different clocks agree on who holds a lease.
"""

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import connections, models, transaction
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from evaluation.keys.erasing import erase_after
from evaluation.runs.brief import brief_transaction
from evaluation.runs.clocks import is_due, lease_is_over, lease_lives
from evaluation.runs.queueing import NEVER, NO_LIMITS, Shares
from evaluation.states import OPEN_STATUSES, PUT_OFF, Access, Driver, FaultKind, ItemState, Status

if TYPE_CHECKING:
    from evaluation.models import Run

STUCK_MESSAGE = (
    "The run was taken up {claims} times without a new result, so it was stopped. This is our fault, not yours: "
    "an administrator can resume it, and nothing that was answered is lost."
)
NO_LEASE: dict[str, Any] = {"lease_token": None, "lease_until": None}
QUEUE_LOCK = 4_713_002  # any number: the name of the advisory lock under which runs are claimed

Seal = Callable[["Run"], Mapping[str, Any]]
"""Gives the columns to store with a run that has just ended. It is handed in, since models know no benchmark."""


def _from_now(seconds: float) -> Any:
    return Now() + timedelta(seconds=seconds)


class RunQuerySet(models.QuerySet["Run"]):
    """The vocabulary of a run's life. Methods that take a token act only while that token holds the lease."""

    def open(self) -> "RunQuerySet":
        return self.filter(status__in=OPEN_STATUSES)

    def set_published(self, *, public: bool) -> int:
        """Puts these runs on the board, or takes them off, and keeps when; how many of them changed. What judges said
        of their replies goes with them.
        """
        changed = list(self.filter(published=not public).values_list("pk", flat=True))
        either = self.model.objects.filter(Q(pk__in=changed) | Q(subject__in=changed), published=not public)
        either.update(published=public, published_changed_at=Now())
        return len(changed)

    def listed(self) -> "RunQuerySet":
        """Those that everybody may look at run by run. Of a private bank that is none, published or not."""
        return self.shown().filter(published=True)

    def shown(self) -> "RunQuerySet":
        """All but those on private banks, which only staff with the right to view items may look at."""
        return self.exclude(bank__access=Access.PRIVATE)

    def held_by(self, token: uuid.UUID) -> "RunQuerySet":
        return self.filter(status=Status.RUNNING, lease_token=token)

    def claimable(self) -> "RunQuerySet":
        free = Q(status__in=(Status.QUEUED, Status.WAITING)) | Q(lease_is_over(), status=Status.RUNNING)
        return self.filter(is_due(), free)

    def at_work(self) -> "RunQuerySet":
        """What workers hold. A run whose lease has run out is held by nobody, so it keeps no place from others."""
        return self.filter(lease_lives(), driver=Driver.WORKER, status=Status.RUNNING)

    def startable(self, shares: Shares) -> "RunQuerySet":
        """Claimable, on a host and for an owner that bear one more."""
        hosts, owners = shares.full(self.at_work().values_list("host", "owner"))
        return self.claimable().exclude(host__in=hosts).exclude(owner__in=owners)

    def in_fair_order(self) -> "RunQuerySet":
        """By priority; then the owner whose last turn is longest ago; then the oldest run."""
        # Not by an aggregate: with the index on owner and turn this is one look-up for each row.
        served = self.model.objects.filter(owner=OuterRef("owner"), turn__isnull=False).order_by("-turn")
        owner_turn = Coalesce(Subquery(served.values("turn")[:1]), NEVER)
        return self.order_by("-priority", owner_turn, "id")

    @brief_transaction()
    def claim(
        self,
        run_id: int,
        token: uuid.UUID,
        *,
        lease_seconds: float,
        driver: str,
        most_idle_claims: int,
        shares: Shares = NO_LIMITS,
    ) -> bool:
        """Whether the run is now ours. `idle_claims` goes up, and down to zero with each new result."""
        self._lock_the_queue()
        free = self.startable(shares).filter(pk=run_id, driver=driver, idle_claims__lt=most_idle_claims)
        return free._take(token, lease_seconds)

    @brief_transaction()
    def claim_next(
        self, token: uuid.UUID, *, lease_seconds: float, most_idle_claims: int, shares: Shares
    ) -> int | None:
        """The id of the run whose turn it is, which is now ours; None where none may start."""
        self._lock_the_queue()
        free = self.startable(shares).filter(driver=Driver.WORKER, idle_claims__lt=most_idle_claims)
        while (run_id := free.next_in_turn()) is not None:
            if free.filter(pk=run_id)._take(token, lease_seconds):
                return run_id
        return None

    def next_in_turn(self) -> int | None:
        return self.in_fair_order().values_list("pk", flat=True).first()

    def _take(self, token: uuid.UUID, lease_seconds: float) -> bool:
        """One of these rows, taken. Under the lock of the queue, so that the number of the turn is given once."""
        last = self.model.objects.aggregate(last=Max("turn"))["last"] or NEVER
        changed = self.update(
            status=Status.RUNNING,
            lease_token=token,
            lease_until=_from_now(lease_seconds),
            heartbeat_at=Now(),
            not_before=None,
            idle_claims=F("idle_claims") + 1,
            started_at=Coalesce("started_at", Now()),
            turn=last + 1,
        )
        return changed == 1

    def _lock_the_queue(self) -> None:
        """Until this transaction is through, no other claims: each sees what the one before it took.

        A condition in the update alone would not do in PostgreSQL: two updates at once, of two runs on one host, do
        not see each other. SQLite needs nothing, since its transactions begin with the only write lock.
        """
        connection = connections[self.db]
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [QUEUE_LOCK])

    def renew(self, run_id: int, token: uuid.UUID, *, lease_seconds: float, **fields: Any) -> bool:
        """Extends the lease and writes `fields`; False when the lease is lost, and then nothing was written."""
        held = self.held_by(token).filter(pk=run_id)
        return held.update(lease_until=_from_now(lease_seconds), heartbeat_at=Now(), **fields) == 1

    def release(self, run_id: int, token: uuid.UUID, **fields: Any) -> bool:
        """Back to the queue in good order. The claim counts as idle unless a result was stored, or `fields` say not."""
        return self._leave(run_id, token, status=Status.QUEUED, queued_at=Now(), **fields)

    def wait(self, run_id: int, token: uuid.UUID, *, seconds: float, **fields: Any) -> bool:
        """Waiting for the endpoint; the next try is due in so many seconds."""
        due = _from_now(seconds)
        return self._leave(run_id, token, status=Status.WAITING, not_before=due, idle_claims=0, **fields)

    def try_now(self, run_id: int) -> bool:
        """Whether the run waited for its endpoint; it is due at once then, and a worker may take it up."""
        waiting = self.filter(pk=run_id, status=Status.WAITING, not_before__gt=Now())
        return waiting.update(not_before=Now(), rung_at=None) == 1

    def wake(self, run_id: int) -> bool:
        """As `try_now`, by the person who drives the run. A try before its time proves nothing against the endpoint or
        the items that failed last: the ladder of waits begins anew, and no item is given up at its next fault."""
        waiting = self.filter(pk=run_id, status=Status.WAITING, not_before__gt=Now())
        observed = waiting.values_list("observed", flat=True).first() or {}
        kept = {name: value for name, value in observed.items() if name != PUT_OFF}
        return waiting.update(not_before=Now(), waits=0, observed=kept) == 1

    @brief_transaction()
    def end(self, run_id: int, token: uuid.UUID, *, status: Status, seal: Seal, **fields: Any) -> bool:
        """Finished or failed, for good; what `seal` gives is stored and the key erased. Nobody was told of it yet."""
        ended = self._leave(run_id, token, status=status, finished_at=Now(), unannounced_since=Now(), **fields)
        if ended:
            self._seal_and_erase(run_id, status, seal)
        return ended

    def _seal_and_erase(self, run_id: int, status: Status, seal: Seal) -> None:
        """What every ending does, in its transaction: what was sent is known now."""
        run = self.model.objects.select_related("model", "bank", "endpoint").get(pk=run_id)
        if sealed := seal(run):
            self.model.objects.filter(pk=run_id).update(**sealed)
        erase_after(run_id, f"run {status.value}")

    def _leave(self, run_id: int, token: uuid.UUID, **fields: Any) -> bool:
        return self.held_by(token).filter(pk=run_id).update(**NO_LEASE, **fields) == 1

    @transaction.atomic
    def cancel(self, run_id: int, *, seal: Seal) -> bool:
        """Stops an open run. A worker that holds it finds its lease gone at the next write."""
        cancelled = (
            self.open()
            .filter(pk=run_id)
            .update(status=Status.CANCELLED, finished_at=Now(), not_before=None, **NO_LEASE)
        )
        if cancelled:
            self._seal_and_erase(run_id, Status.CANCELLED, seal)
        return cancelled == 1

    @transaction.atomic
    def resume(self, run_id: int) -> bool:
        """Queues a failed run again. What was answered stays; items that got no reply are asked anew."""
        fields = {"failure_kind": "", "failure_message": "", "finished_at": None, "unannounced_since": None}
        changed = self.filter(pk=run_id, status=Status.FAILED, endpoint__isnull=False).update(
            status=Status.QUEUED, queued_at=Now(), not_before=None, manifest=None, waits=0, idle_claims=0, **fields
        )
        if changed:
            self.get(pk=run_id).results.filter(state=ItemState.FAULT).delete()
        return changed == 1

    def fail_stuck(self, most_claims: int, *, seal: Seal) -> int:
        """Ends the runs that killed each worker that took them up; returns how many."""
        stuck = self.claimable().filter(idle_claims__gte=most_claims)
        ids = list(stuck.values_list("pk", flat=True))
        return sum(stuck._fail_as_stuck(run_id, most_claims, seal) for run_id in ids)

    @transaction.atomic
    def _fail_as_stuck(self, run_id: int, claims: int, seal: Seal) -> bool:
        failed = self.filter(pk=run_id).update(
            status=Status.FAILED,
            finished_at=Now(),
            unannounced_since=Now(),
            failure_kind=FaultKind.PLATFORM,
            failure_message=STUCK_MESSAGE.format(claims=claims),
            **NO_LEASE,
        )
        if failed:
            self._seal_and_erase(run_id, Status.FAILED, seal)
        return failed == 1

    def requeue_expired(self) -> int:
        """Running runs whose lease has run out go back to the queue; returns how many."""
        expired = self.filter(lease_is_over(), status=Status.RUNNING)
        return expired.update(status=Status.QUEUED, queued_at=Now(), rung_at=None, **NO_LEASE)

    def unannounced(self, most: int) -> list[tuple[int, datetime]]:
        """Runs that ended and were not announced yet, oldest first: (id, when it ended)."""
        ended = self.filter(unannounced_since__isnull=False).order_by("unannounced_since", "pk")
        return [(run_id, since) for run_id, since in ended.values_list("pk", "unannounced_since")[:most] if since]

    def announced(self, run_id: int, since: datetime) -> bool:
        """Notes that the end at `since` was announced. A run that has ended once more since then stays unannounced."""
        # Not by "equal": SQLite keeps the database's own times as text of three digits, and compares text. That of a
        # whole second, with its ".000", is even above the same time without one, as Django writes it.
        until = since + timedelta(milliseconds=1)
        return self.filter(pk=run_id, unannounced_since__lt=until).update(unannounced_since=None) == 1

    def to_ring(self, *, again_after_seconds: float, most: int, shares: Shares = NO_LIMITS) -> list[int]:
        """The ids of runs that may start and that no worker was called to lately, in order; marks them as called."""
        lately = Q(rung_at__gt=_from_now(-again_after_seconds), rung_at__lte=_from_now(again_after_seconds))
        due = self.startable(shares).filter(driver=Driver.WORKER).exclude(lately).in_fair_order()
        ids = list(due.values_list("id", flat=True)[:most])
        self.filter(pk__in=ids).update(rung_at=Now())
        return ids
