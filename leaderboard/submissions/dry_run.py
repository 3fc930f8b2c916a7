"""Three real items asked before anything is queued. Stores nothing and queues nothing; the key stays a local value.

The client and the reading are those of a run, so what works here works there. What was heard becomes sentences in
`dry_run_report.py`.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

from evaluation.benchmarks.base import Item, Reading, Reply
from evaluation.endpoints.client import ChatClient, ChatRequest, Completion, Negotiated, Target
from evaluation.endpoints.errors import EndpointError, Kind, fault
from evaluation.endpoints.passage import Guard
from evaluation.runs.asking import Method, Pair, ask_of, request_of

ITEMS = 3
PAUSES_SECONDS = (1.0, 2.0)
LONGEST_PAUSE_SECONDS = 5.0
_NOT_AGAIN = frozenset({"unreachable", "timeout"})  # a person waits for the answer


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask. `given_url` is the address as it was typed; `seconds` bounds the whole. They are a share of the time
    of a dry run, which `sharing` benchmarks have together."""

    target: Target = field(repr=False)
    method: Method
    items: tuple[Item, ...]
    given_url: str
    seconds: float
    sharing: int = 1


@dataclass(frozen=True, slots=True)
class Heard:
    """One reply and what was read from it. `score` is on the item's own scale of 0 to 10; None where nothing was."""

    item: Item
    request: ChatRequest = field(repr=False)
    completion: Completion = field(repr=False)
    reading: Reading
    score: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: the replies in the order of the items, and the first fault, if any. `time_is_up` tells a fault
    that is the plan's own end from one of a single reply."""

    heard: tuple[Heard, ...]
    fault: EndpointError | None
    negotiated: Negotiated
    time_is_up: bool = False


def dry_run(
    plan: Plan, guard: Guard, told: Callable[[int], None] = lambda _: None, leaving: Future[None] | None = None
) -> Outcome:
    """Asks the items, the first alone, so that the endpoint's wishes are settled once. Returns within the seconds, or
    as soon as `leaving` is done, which another thread may do; then the fault is that of a time that is over.

    `told` is called with the number of items that are answered, from 0, whenever it changes.
    """
    return asyncio.run(_dry_run(plan, guard, told, leaving or Future()))


async def _dry_run(plan: Plan, guard: Guard, told: Callable[[int], None], leaving: Future[None]) -> Outcome:
    heard: list[Heard] = []
    async with ChatClient(plan.target, max_connections=ITEMS, guard=guard) as client:
        caught, is_up = await _within(plan.seconds, _Asking(client, plan, heard, told), leaving)
        order = {item.id: number for number, item in enumerate(plan.items)}
        replies = tuple(sorted(heard, key=lambda one: order[one.item.id]))
        return Outcome(replies, caught, client.negotiated, is_up)


@dataclass(frozen=True, slots=True)
class _Asking:
    client: ChatClient
    plan: Plan
    heard: list[Heard]
    told: Callable[[int], None]

    async def all(self) -> None:
        self.told(0)
        await self.one(self.plan.items[0])
        results = await asyncio.gather(*map(self.one, self.plan.items[1:]), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def one(self, item: Item) -> None:
        method = self.plan.method
        ask = ask_of(Pair(0, 1, item), method, 1)
        prompt = method.benchmark.prompt(ask, method.options)
        request = request_of(prompt, method.generation, 1)
        completion = await _patiently(self.client, request)
        reply = Reply(completion.text, completion.reasoning, completion.finish_reason, completion.tool_call)
        reading = method.benchmark.read(ask, prompt.shown, reply, method.options)
        score = method.benchmark.score(item, reading.answers[0])[0]
        self.heard.append(Heard(item, request, completion, reading, score))
        self.told(len(self.heard))


async def _within(seconds: float, asking: _Asking, leaving: Future[None]) -> tuple[EndpointError | None, bool]:
    """The fault, if any, and whether it is that the seconds are over."""
    task, loop = asyncio.ensure_future(asking.all()), asyncio.get_running_loop()

    def end(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: it has ended by itself
            loop.call_soon_threadsafe(task.cancel)

    leaving.add_done_callback(end)
    try:
        async with asyncio.timeout(seconds):
            await task
    except EndpointError as error:
        return error, False
    except TimeoutError:
        return fault("timeout"), True
    except asyncio.CancelledError:
        if not leaving.done():
            raise
        return fault("timeout"), False
    return None, False


async def _patiently(client: ChatClient, request: ChatRequest) -> Completion:
    """The reply, after at most two short pauses where the fault may pass."""
    for pause in PAUSES_SECONDS:
        try:
            return await client.complete(request)
        except EndpointError as error:
            wait = pause if error.retry_after_seconds is None else error.retry_after_seconds
            if error.kind is not Kind.RETRY or error.code in _NOT_AGAIN or wait > LONGEST_PAUSE_SECONDS:
                raise
        await asyncio.sleep(wait)
    return await client.complete(request)


def latencies(heard: Sequence[Heard]) -> tuple[float, float]:
    """The shortest and the longest time of a reply, in seconds."""
    seconds = [one.completion.latency_ms / 1000 for one in heard]
    return min(seconds), max(seconds)
