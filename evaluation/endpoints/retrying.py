"""Asking until an answer comes or patience ends: back-off, Retry-After, and the circuit breaker of a run. No Django."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from evaluation.endpoints.client import ChatRequest, Completion
from evaluation.endpoints.errors import EndpointError, Kind, fault
from evaluation.endpoints.pacing import Gate, Start

T = TypeVar("T")
OVERLOADED = frozenset({429, 503, 529})
TOO_SLOW = frozenset({"timeout", "too-slow"})
MOST_TIMEOUTS = 2  # at one item, at full length: a third would only cost the same again


class LongWait(Exception):
    """The endpoint named a wait too long to sit out in place."""

    def __init__(self, seconds: float, fault: EndpointError) -> None:
        super().__init__(fault.message)
        self.seconds = seconds
        self.fault = fault


class BreakerOpen(Exception):
    """Too many faults in a row: the endpoint is given a rest."""

    def __init__(self, fault: EndpointError) -> None:
        super().__init__(fault.message)
        self.fault = fault


class TimeOver(Exception):
    """The request failed and there is no time for another try; `queued` where it may only have waited for its turn."""

    def __init__(self, fault: EndpointError, *, queued: bool = False) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.queued = queued or names_its_wait(fault)


class Client(Protocol):
    async def complete(self, request: ChatRequest) -> Completion: ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to go on. Back-off is full jitter: between 0 and a cap that doubles from `backoff_seconds`."""

    tries: int = 6
    backoff_seconds: float = 1.0
    longest_backoff_seconds: float = 60.0
    longest_wait_seconds: float = 60.0
    shared_wait_seconds: float = 2.0
    faults_in_a_row: int = 20

    def backoff(self, attempt: int, chance: random.Random) -> float:
        return chance.uniform(0, min(self.longest_backoff_seconds, self.backoff_seconds * 2 ** (attempt - 1)))


@dataclass(slots=True)
class Breaker:
    """Counts faults since the last success.

    While items are left that were never tried, each fault counts. Near the end, when only items that failed before are
    left, a fault says more of its item than of the endpoint: then an item's last try alone counts. So does a refusal
    that names its wait, since such an endpoint is well and says so.
    """

    most: int
    in_a_row: int = 0

    def fault(self, error: EndpointError, *, last_try: bool, fresh_left: bool) -> None:
        if last_try or (fresh_left and not names_its_wait(error)):
            self.in_a_row += 1
        if self.in_a_row >= self.most:
            raise BreakerOpen(error)

    def success(self) -> None:
        self.in_a_row = 0


def names_its_wait(error: EndpointError) -> bool:
    return error.meant_status == 429 and error.retry_after_seconds is not None


@dataclass(slots=True)
class Caller:
    """One run's way to its endpoint: every request of the run goes through `ask`.

    `fresh_left` tells whether items are left that were never tried, `time_over` whether no failed request is to be
    tried again. `faults` counts what went wrong, by cause; `last_fault` is the newest of them. `failing` counts the
    requests that failed for the first time since the last reply: many in an outage, while bad ones failed before it.
    """

    client: Client
    gate: Gate
    patience: Patience
    fresh_left: Callable[[], bool]
    chance: random.Random
    time_over: Callable[[], bool] = lambda: False
    faults: Counter[str] = field(default_factory=Counter)
    last_fault: EndpointError | None = None
    failing: int = 0
    breaker: Breaker = field(init=False)

    def __post_init__(self) -> None:
        self.breaker = Breaker(most=self.patience.faults_in_a_row)

    async def ask(self, request: ChatRequest, settle: Callable[[Completion], Awaitable[T]]) -> T:
        """What `settle` makes of the reply. It runs before the slot is given back, so that no more replies than the
        concurrency are ever unsettled.

        Raises: EndpointError when the tries are used up or none makes sense, TimeOver, LongWait, BreakerOpen.
        """
        attempt, timeouts = 1, 0
        while True:
            async with self.gate.slot() as start:
                try:
                    completion = await self.client.complete(request)
                except EndpointError as error:
                    caught = error
                else:
                    return await self._settled(completion, start, settle)
            if self._may_have_queued(caught, start):
                self._note_queued(caught, start)
                continue
            timeouts += caught.code == "timeout"
            if timeouts == MOST_TIMEOUTS:
                attempt, caught = self.patience.tries, fault("too-slow")
            self._note(caught, start, attempt)
            await self._pause(caught, attempt)
            attempt += 1

    async def _settled(self, completion: Completion, start: Start, settle: Callable[[Completion], Awaitable[T]]) -> T:
        self.gate.pace.succeeded(start)
        self.breaker.success()
        self.failing = 0
        return await settle(completion)

    def _may_have_queued(self, error: EndpointError, start: Start) -> bool:
        """A time-out of ours alone: a server that answers 408 has looked at the request."""
        return error.code == "timeout" and error.status is None and self.gate.pace.may_have_queued(start)

    def _note_queued(self, error: EndpointError, start: Start) -> None:
        """Asks fewer at once. Such a time-out is no try of its item, and those of one burst are one fault in a row."""
        self.faults[error.cause] += 1
        self.last_fault = error
        self.gate.pace.crowded = True
        if self.gate.pace.slowed(start, asyncio.get_running_loop().time()):
            self.failing += 1
            self.breaker.fault(error, last_try=False, fresh_left=self.fresh_left())
        if self.time_over():
            raise TimeOver(error, queued=True)

    def _note(self, error: EndpointError, start: Start, attempt: int) -> None:
        """Counts the fault and slows down; raises it where no further try makes sense."""
        last_try = attempt == self.patience.tries
        self.faults[error.cause] += 1
        self.last_fault = error
        self.failing += attempt == 1
        if error.kind is not Kind.RETRY:
            self.breaker.fault(error, last_try=True, fresh_left=True)
            raise error
        self._slow_down(error, start, again=attempt > 1)
        self.breaker.fault(error, last_try=last_try, fresh_left=self.fresh_left())
        if last_try:
            raise error

    def _slow_down(self, error: EndpointError, start: Start, *, again: bool) -> None:
        now = asyncio.get_running_loop().time()
        if error.meant_status == 429:
            self.gate.pace.refused(start, now, again=again)
        elif error.status in OVERLOADED or error.meant_status in OVERLOADED or error.code in TOO_SLOW:
            self.gate.pace.slowed(start, now)

    async def _pause(self, error: EndpointError, attempt: int) -> None:
        """Sits out the wait before the next try; raises TimeOver where there is none."""
        seconds = self._wait(error, attempt)
        if not self.time_over():
            await asyncio.sleep(seconds)
        if self.time_over():
            raise TimeOver(error)

    def _wait(self, error: EndpointError, attempt: int) -> float:
        """Seconds before the next try. A long wait holds back every other request of the run as well."""
        if error.retry_after_seconds is None:
            return self.patience.backoff(attempt, self.chance)
        if error.retry_after_seconds > self.patience.longest_wait_seconds:
            raise LongWait(error.retry_after_seconds, error)
        if error.retry_after_seconds > self.patience.shared_wait_seconds:
            self.gate.pace.pause_until(asyncio.get_running_loop().time() + error.retry_after_seconds)
        return error.retry_after_seconds
