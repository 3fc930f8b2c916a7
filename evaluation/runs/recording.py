"""Writing a run's results: in small batches, each fenced by the lease, each pair of item and repeat once.

The database is used from one thread of its own, so that a slow write never holds up requests in flight.
"""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeVar

from django.db import IntegrityError, connections

from evaluation.benchmarks.base import JsonValue
from evaluation.models import ItemResult, ItemState, Reply, Run
from evaluation.runs.brief import brief_transaction
from evaluation.runs.parts import ResultFields

T = TypeVar("T")
BATCH = 20


class LeaseLost(Exception):
    """Another worker holds the run now, or it was cancelled: write nothing more."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The final result of one pair, ready to be stored."""

    item_pk: int
    repeat: int
    fields: ResultFields
    attempts: int
    text: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    shown: JsonValue = None
    latency_ms: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def as_row(self, run_id: int) -> ItemResult:
        return ItemResult(
            run_id=run_id,
            item_id=self.item_pk,
            repeat=self.repeat,
            attempts=self.attempts,
            shown=self.shown,
            latency_ms=self.latency_ms,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            **self.fields,
        )

    def as_reply(self, row: ItemResult) -> Reply:
        return Reply(result=row, text=self.text, reasoning=self.reasoning, finish_reason=self.finish_reason[:40])


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a run."""

    run_id: int
    token: uuid.UUID
    seconds: float


def store(lease: Lease, outcomes: Sequence[Outcome], counts: dict[str, Any]) -> None:
    """Stores what is not stored yet and the run's counts, all or nothing. A reply ends what the run waited for.

    Raises LeaseLost, and then nothing is written.
    """
    fields = {**counts, "idle_claims": 0} if outcomes else counts
    if any(outcome.fields["state"] != ItemState.FAULT for outcome in outcomes):
        fields = {**fields, "failure_kind": "", "failure_message": ""}
    try:
        _write(lease, outcomes, fields)
    except IntegrityError:
        # One of them is there already: the first to be stored stands, and the others are written without it.
        _write(lease, _missing(lease.run_id, outcomes), fields)


@brief_transaction()
def _write(lease: Lease, outcomes: Sequence[Outcome], fields: dict[str, Any]) -> None:
    """The update comes first: it takes the row's lock and proves the lease, so nobody writes in between."""
    if not Run.objects.renew(lease.run_id, lease.token, lease_seconds=lease.seconds, **fields):
        raise LeaseLost
    rows = ItemResult.objects.bulk_create(outcome.as_row(lease.run_id) for outcome in outcomes)
    Reply.objects.bulk_create(outcome.as_reply(row) for outcome, row in zip(outcomes, rows, strict=True))


def _missing(run_id: int, outcomes: Sequence[Outcome]) -> list[Outcome]:
    items = {outcome.item_pk for outcome in outcomes}
    known = set(ItemResult.objects.filter(run_id=run_id, item__in=items).values_list("item_id", "repeat"))
    return [outcome for outcome in outcomes if (outcome.item_pk, outcome.repeat) not in known]


class DatabaseThread:
    """Runs database calls one after another in one thread, and closes its connection at the end."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")

    async def call(self, function: Callable[..., T], *args: Any) -> T:
        """In the caller's context, so that the lines of this thread name the run as well."""
        in_context = partial(copy_context().run, function, *args)
        return await asyncio.get_running_loop().run_in_executor(self._executor, in_context)

    async def close(self) -> None:
        await self.call(connections.close_all)
        self._executor.shutdown(wait=True)


class Recorder:
    """Stores results as they come: whatever waits goes into the next batch, as soon as the last one is written."""

    def __init__(self, lease: Lease, database: DatabaseThread, totals: Callable[[], Any]) -> None:
        self._lease = lease
        self._database = database
        self._totals = totals
        self._waiting: asyncio.Queue[tuple[Outcome, asyncio.Future[None]]] = asyncio.Queue()

    async def record(self, outcome: Outcome) -> None:
        """Returns once the result is safe in the database."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((outcome, done))
        await done

    async def renew(self) -> None:
        await self._database.call(store, self._lease, (), asdict(self._totals()))

    async def run(self) -> None:
        """Writes batches until cancelled. Raises LeaseLost."""
        while True:
            batch = [await self._waiting.get()]
            while len(batch) < BATCH and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            await self._database.call(store, self._lease, [outcome for outcome, _ in batch], asdict(self._totals()))
            for _, done in batch:
                if not done.done():
                    done.set_result(None)
