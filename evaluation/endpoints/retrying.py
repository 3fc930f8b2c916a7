"""Asking until an answer comes or patience ends: back-off, Retry-After, and the circuit breaker of a run. No Django."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from evaluation.endpoints.client import ChatRequest, Completion
from evaluation.endpoints.errors import EndpointError, Kind
from evaluation.endpoints.pacing import Gate, Start

T = TypeVar("T")
OVERLOADED = frozenset({429, 503})


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
    return error.status == 429 and error.retry_after_seconds is not None


@dataclass(slots=True)
class Caller:
    """One run's way to its endpoint: every request of the run goes through `ask`.

    `fresh_left` tells whether items are left that were never tried. `faults` counts what went wrong, by cause.
    """

    client: Client
    gate: Gate
    patience: Patience
    fresh_left: Callable[[], bool]
    chance: random.Random
    faults: Counter[str] = field(default_factory=Counter)
    breaker: Breaker = field(init=False)

    def __post_init__(self) -> None:
        self.breaker = Breaker(most=self.patience.faults_in_a_row)

    async def ask(self, request: ChatRequest, settle: Callable[[Completion], Awaitable[T]]) -> T:
        """What `settle` makes of the reply. It runs before the slot is given back, so that no more replies than the
        concurrency are ever unsettled.

        Raises: EndpointError when the tries are used up or none makes sense, LongWait, BreakerOpen.
        """
        attempt = 1
        while True:
            async with self.gate.slot() as start:
                try:
                    completion = await self.client.complete(request)
                except EndpointError as error:
                    fault = error
                else:
                    return await self._settled(completion, settle)
            self._note(fault, start, attempt)
            await asyncio.sleep(self._wait(fault, attempt))
            attempt += 1

    async def _settled(self, completion: Completion, settle: Callable[[Completion], Awaitable[T]]) -> T:
        self.gate.pace.succeeded()
        self.breaker.success()
        return await settle(completion)

    def _note(self, fault: EndpointError, start: Start, attempt: int) -> None:
        last_try = attempt == self.patience.tries
        self.faults[fault.cause] += 1
        if fault.kind is not Kind.RETRY:
            self.breaker.fault(fault, last_try=True, fresh_left=True)
            raise fault
        now = asyncio.get_running_loop().time()
        if fault.status == 429:
            self.gate.pace.refused(start, now, again=attempt > 1)
        elif fault.status in OVERLOADED or fault.code == "timeout":
            self.gate.pace.slowed(start, now)
        self.breaker.fault(fault, last_try=last_try, fresh_left=self.fresh_left())
        if last_try:
            raise fault

    def _wait(self, fault: EndpointError, attempt: int) -> float:
        """Seconds before the next try. A long wait holds back every other request of the run as well."""
        if fault.retry_after_seconds is None:
            return self.patience.backoff(attempt, self.chance)
        if fault.retry_after_seconds > self.patience.longest_wait_seconds:
            raise LongWait(fault.retry_after_seconds, fault)
        if fault.retry_after_seconds > self.patience.shared_wait_seconds:
            self.gate.pace.pause_until(asyncio.get_running_loop().time() + fault.retry_after_seconds)
        return fault.retry_after_seconds
