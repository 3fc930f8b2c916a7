"""One stretch of work on a run, in one event loop: ask what is open, store what comes, keep the lease, stop in time."""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from evaluation.endpoints.client import ChatRequest, Completion, Negotiated
from evaluation.endpoints.errors import EndpointError, Kind
from evaluation.endpoints.pacing import Gate
from evaluation.endpoints.retrying import BreakerOpen, Caller, LongWait, Patience, TimeOver
from evaluation.runs.asking import Method, Pair, ask_item
from evaluation.runs.recording import DatabaseThread, Lease, Outcome, Recorder
from evaluation.states import PUT_OFF, ItemState

POLL_SECONDS = 0.2
PROMPT_CUT = "prompt cut suspected"
AT_ONCE = "at_once"  # how many requests the endpoint answers in time, where that is fewer than were asked for
DENIALS = 2  # items for which the key or the model's name was refused before any reply: then it is not the item
FEW = 2  # items without a reply; more of them, and no reply in a whole slice, say that it is the endpoint

Key = tuple[int, int]


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
    """The times of a slice, in seconds.

    Items are begun for `slice`. Those in flight when it is over get `last_replies` more; at a stop they get `drain`.
    """

    heartbeat: float
    slice: float
    drain: float
    patience: Patience = field(default_factory=Patience)
    last_replies: float = 0.0


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
        try:
            completion = await self.client.complete(request)
        except EndpointError as error:
            self._spend(*error.spent)
            raise
        self._spend(completion.prompt_tokens, completion.completion_tokens)
        for name, counter in self.echoes.items():
            counter[getattr(completion, name)] += 1
        self.remarks.update(completion.remarks)
        self.remarks.update(prompt_remarks(request, completion))
        return completion

    def _spend(self, prompt_tokens: int | None, completion_tokens: int | None) -> None:
        self.prompt_tokens += prompt_tokens or 0
        self.completion_tokens += completion_tokens or 0

    def totals(self, faults: Counter[str], wall_seconds: float, put_off: Collection[Key], at_once: int) -> Totals:
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
                **({PUT_OFF: sorted(map(list, put_off))} if put_off else {}),
                **({AT_ONCE: at_once} if at_once else {}),
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
        self.clock = asyncio.get_running_loop().time
        self.began = self.clock()
        self.put_off = {(item_pk, repeat) for item_pk, repeat in before.observed.get(PUT_OFF, ())}
        self.fresh = deque(sorted(pairs, key=self._is_put_off))
        self.open = set(map(_key, pairs))
        self.method = method
        self.concurrency = min(concurrency, len(pairs))
        self.limits = limits
        self.stop = stop
        self.on_outcome = on_outcome
        self.held: list[Outcome] = []
        self.stored = 0
        self.over = False
        self.witness = Witness(client, before)
        self.caller = Caller(
            client=self.witness,
            gate=Gate(max(1, self.concurrency)),
            patience=limits.patience,
            fresh_left=lambda: bool(self.fresh) and not self._is_put_off(self.fresh[0]),
            chance=random.Random(),
            time_over=lambda: self.over,
        )
        self.recorder = Recorder(lease, database, self.totals)
        self.denials: list[EndpointError] = []
        self._ask_no_more_at_once_than(before.observed.get(AT_ONCE))

    def _ask_no_more_at_once_than(self, number: int | None) -> None:
        """The next slice begins with what the last one learned from its time-outs, and goes on from there."""
        pace = self.caller.gate.pace
        if number:
            pace.limit, pace.crowded = min(pace.limit, float(number)), True

    def totals(self) -> Totals:
        pace = self.caller.gate.pace
        at_once = max(1, int(pace.limit)) if pace.crowded and pace.limit < pace.most else 0
        return self.witness.totals(self.caller.faults, self.clock() - self.began, self.put_off, at_once)

    async def run(self) -> None:
        """Returns when all pairs are done, the slice is over or a stop was asked for.

        Raises: EndpointError for a fault that ends the run, LongWait, LeaseLost, and BreakerOpen, also where the whole
        slice went by in faults alone.
        """
        askers = [asyncio.ensure_future(self._ask_on()) for _ in range(self.concurrency)]
        keeping = [asyncio.ensure_future(job) for job in (self.recorder.run(), self._beat())]
        watch = asyncio.ensure_future(self._watch())
        asked = asyncio.gather(*askers)
        try:
            await _first_of(asked, watch, *keeping)
            await self._store_last(keeping)
            self._look_back()
        except LongWait:
            # The endpoint is well, so the replies in flight are worth waiting for.
            self._take_no_more()
            await asyncio.wait(askers, timeout=self.limits.drain)
            raise
        finally:
            await _cancel(*askers, watch, *keeping)
            await asyncio.gather(asked, return_exceptions=True)

    async def _ask_on(self) -> None:
        """One of several alike: takes pairs until none is left. The first has the whole slice before it."""
        has_all_time = True
        while self.fresh:
            pair = self.fresh.popleft()
            try:
                with suppress(TimeOver):  # the pair stays open, and the next slice begins with it
                    await ask_item(pair, self.method, self.caller, self._record, has_all_time=has_all_time)
            except EndpointError as error:
                self._doubt(error, pair)
            has_all_time = False

    def _doubt(self, error: EndpointError, pair: Pair) -> None:
        """Asks another item before one refusal of the key or the model's name ends the run. Raises it otherwise."""
        self.denials.append(error)
        if not error.is_of_the_run or len(self.denials) >= DENIALS:
            raise error
        if self.fresh:
            self.fresh.append(pair)  # else the next slice asks it, if another item is answered in this one

    async def _record(self, outcome: Outcome) -> None:
        """Faults are held back until a reply comes: a row of them says that the endpoint is down, not the items bad."""
        self.held.append(outcome)
        if outcome.fields["state"] != ItemState.FAULT:
            await self._store_held()

    async def _store_held(self) -> None:
        held, self.held = self.held, []
        await asyncio.gather(*(self._store(outcome) for outcome in held))

    async def _store_last(self, keeping: "Sequence[asyncio.Future[Any]]") -> None:
        """The faults still held back, once no pair is left that might be answered: then they are said of the items.

        Else they stay unstored: whose they are will show when it goes on. So they do where several began to fail after
        the last reply, as in an outage over the end of a run: these are asked again after a rest.
        """
        held = set(map(_key, self.held)) - self.put_off
        if self.open - self.put_off - held:
            return
        fault = self.caller.last_fault
        if min(len(held), self.caller.failing) > FEW and fault and fault.kind is Kind.RETRY:
            self.put_off |= held  # what comes then is said of them
            raise BreakerOpen(fault)
        writing = asyncio.ensure_future(self._store_held())
        try:
            await _first_of(writing, *keeping)  # a recorder that has failed would never answer
        finally:
            await _cancel(writing)

    def _look_back(self) -> None:
        """When the time is over: items that would take up the next slice as well are put off to the end of the run.

        A whole slice of faults says as much as many in a row, however few there is time for.
        """
        if self.denials and not self.stored and not self.stop.is_set():
            raise self.denials[0]
        if self.over and (self.stored or len(self.held) <= FEW):
            self.put_off |= set(map(_key, self.held))
        if self.over and not self.stored and self.caller.last_fault:
            raise BreakerOpen(self.caller.last_fault)

    def _is_put_off(self, pair: Pair) -> bool:
        return _key(pair) in self.put_off

    async def _store(self, outcome: Outcome) -> None:
        await self.recorder.record(outcome)
        self.open.discard(_key(outcome))
        self.put_off.discard(_key(outcome))
        self.stored += 1
        self.on_outcome(outcome)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self.limits.heartbeat)
            await self.recorder.renew()

    async def _watch(self) -> None:
        """When the slice is over or a stop is asked for: no new items, and an end once those in flight had time."""
        await self._until_stopped(self.limits.slice)
        self._take_no_more()
        self.over = not self.stop.is_set()
        if self.over:
            await self._until_stopped(max(self.limits.last_replies, self.limits.drain))
        if self.stop.is_set():
            await asyncio.sleep(self.limits.drain)

    async def _until_stopped(self, seconds: float) -> None:
        """Or until so many seconds have passed."""
        end = self.clock() + seconds
        while not self.stop.is_set() and self.clock() < end:
            await asyncio.sleep(POLL_SECONDS)

    def _take_no_more(self) -> None:
        """What is in flight may end."""
        self.fresh.clear()


def _key(one: Pair | Outcome) -> Key:
    return one.item_pk, one.repeat


async def _first_of(*jobs: "asyncio.Future[Any]") -> None:
    """Waits for one to end, and raises what it raised."""
    done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
    for job in done:
        job.result()


async def _cancel(*jobs: "asyncio.Future[Any]") -> None:
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)
