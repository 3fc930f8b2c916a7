"""One stretch of work on a run, in one event loop: ask what is open, store what comes, keep the lease, stop in time."""

import asyncio
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from evaluation.asking import Method, Pair, ask_item
from evaluation.endpoints.client import ChatRequest, Completion, Negotiated
from evaluation.endpoints.pacing import Gate
from evaluation.endpoints.retrying import Caller, LongWait, Patience
from evaluation.recording import DatabaseThread, Lease, Outcome, Recorder
from evaluation.states import ItemState

POLL_SECONDS = 0.2
PROMPT_CUT = "prompt cut suspected"


class Stop(Protocol):
    """Asks a run to stop in good order: a worker that shuts down, or Ctrl-C."""

    def is_set(self) -> bool: ...


class RunClient(Protocol):
    """What a slice needs of a client: see `endpoints.client.ChatClient`."""

    negotiated: Negotiated

    @property
    def requests_sent(self) -> int: ...

    async def complete(self, request: ChatRequest) -> Completion: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """The times of a slice, in seconds."""

    heartbeat: float
    slice: float
    drain: float
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, slots=True)
class Totals:
    """The running counts of a run. They add up over slices and are written with each batch of results."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    wall_seconds: float = 0.0
    fault_counts: dict[str, int] = field(default_factory=dict)
    observed: dict[str, Any] = field(default_factory=dict)


class Witness:
    """The client, watched: tokens spent and what the endpoint said of itself, by how often it said it."""

    def __init__(self, client: RunClient, before: Totals) -> None:
        self.client = client
        self.before = before
        self.prompt_tokens = before.prompt_tokens
        self.completion_tokens = before.completion_tokens
        self.echoes = {name: Counter(before.observed.get(name, {})) for name in ("model", "fingerprint", "server")}
        self.remarks = Counter(before.observed.get("remarks", {}))

    async def complete(self, request: ChatRequest) -> Completion:
        completion = await self.client.complete(request)
        self.prompt_tokens += completion.prompt_tokens or 0
        self.completion_tokens += completion.completion_tokens or 0
        for name, counter in self.echoes.items():
            counter[getattr(completion, name)] += 1
        self.remarks.update(completion.remarks)
        self.remarks.update(prompt_remarks(request, completion))
        return completion

    def totals(self, faults: Counter[str], wall_seconds: float) -> Totals:
        return Totals(
            requests=self.before.requests + self.client.requests_sent,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            wall_seconds=self.before.wall_seconds + wall_seconds,
            fault_counts=dict(Counter(self.before.fault_counts) + faults),
            observed={
                **{name: dict(counter) for name, counter in self.echoes.items()},
                "remarks": dict(self.remarks),
                "negotiated": self.client.negotiated.as_settings(),
            },
        )


def prompt_remarks(request: ChatRequest, completion: Completion) -> tuple[str, ...]:
    """Whether the endpoint seems to have read less than was sent: some servers cut a long prompt without a word.

    No tokeniser makes fewer than one token of ten characters of these prompts; the usual is one of four.
    """
    characters = sum(len(message.content) for message in request.messages)
    tokens = completion.prompt_tokens
    return (PROMPT_CUT,) if tokens is not None and 0 < tokens < characters / 10 else ()


class Slice:
    """Drives the open pairs through one client. Create it inside the event loop, then await `run` once."""

    def __init__(
        self,
        *,
        pairs: Sequence[Pair],
        method: Method,
        client: RunClient,
        concurrency: int,
        lease: Lease,
        limits: Limits,
        before: Totals,
        stop: Stop,
        database: DatabaseThread,
        on_outcome: Callable[[Outcome], None],
    ) -> None:
        self.began = time.monotonic()
        self.fresh = deque(pairs)
        self.method = method
        self.concurrency = min(concurrency, len(pairs))
        self.limits = limits
        self.stop = stop
        self.on_outcome = on_outcome
        self.held: list[Outcome] = []
        self.stored = 0
        self.stopping = False
        self.witness = Witness(client, before)
        self.caller = Caller(
            client=self.witness,
            gate=Gate(max(1, self.concurrency)),
            patience=limits.patience,
            fresh_left=lambda: bool(self.fresh),
            chance=random.Random(),
        )
        self.recorder = Recorder(lease, database, self.totals)

    def totals(self) -> Totals:
        return self.witness.totals(self.caller.faults, time.monotonic() - self.began)

    async def run(self) -> None:
        """Returns when all pairs are done or the slice is over.

        Raises: EndpointError for a fault that ends the run, LongWait, BreakerOpen, LeaseLost.
        """
        askers = [asyncio.ensure_future(self._ask_on()) for _ in range(self.concurrency)]
        upkeep = [asyncio.ensure_future(job) for job in (self.recorder.run(), self._beat(), self._watch())]
        asked = asyncio.gather(*askers)
        try:
            await _first_of(asked, *upkeep)
            if not self.stopping:
                await self._store_held()
        except LongWait:
            # The endpoint is well, so the replies in flight are worth waiting for.
            self._take_no_more()
            await asyncio.wait(askers, timeout=self.limits.drain)
            raise
        finally:
            await _cancel(*askers, *upkeep)
            await asyncio.gather(asked, return_exceptions=True)

    async def _ask_on(self) -> None:
        """One of several alike: takes pairs until none is left."""
        while self.fresh:
            await ask_item(self.fresh.popleft(), self.method, self.caller, self._record)

    async def _record(self, outcome: Outcome) -> None:
        """Faults are held back until a reply comes: a row of them says that the endpoint is down, not the items bad."""
        self.held.append(outcome)
        if outcome.fields["state"] != ItemState.FAULT:
            await self._store_held()

    async def _store_held(self) -> None:
        held, self.held = self.held, []
        await asyncio.gather(*(self._store(outcome) for outcome in held))

    async def _store(self, outcome: Outcome) -> None:
        await self.recorder.record(outcome)
        self.stored += 1
        self.on_outcome(outcome)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self.limits.heartbeat)
            await self.recorder.renew()

    async def _watch(self) -> None:
        """When the slice is over or a stop is asked for: no new items, and an end after the drain."""
        while not self.stop.is_set() and time.monotonic() - self.began < self.limits.slice:
            await asyncio.sleep(POLL_SECONDS)
        self._take_no_more()
        await asyncio.sleep(self.limits.drain)

    def _take_no_more(self) -> None:
        """What is in flight may end. Faults still held back stay unstored: whose they are will show when it goes on."""
        self.stopping = True
        self.fresh.clear()


async def _first_of(*jobs: "asyncio.Future[Any]") -> None:
    """Waits for one to end, and raises what it raised."""
    done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
    for job in done:
        job.result()


async def _cancel(*jobs: "asyncio.Future[Any]") -> None:
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)
