"""One item, from question to final result: ask, read, ask again by the benchmark's rule. No database."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

from evaluation.benchmarks.base import (
    FIRST_PART,
    Answer,
    Ask,
    Benchmark,
    Generation,
    Item,
    JsonValue,
    Options,
    Prompt,
    Reading,
    Reply,
)
from evaluation.endpoints.client import ChatRequest, Completion
from evaluation.endpoints.errors import EndpointError, Kind
from evaluation.endpoints.messages import OWN_TEMPERATURE
from evaluation.endpoints.retrying import Caller, TimeOver
from evaluation.runs.recording import Outcome
from evaluation.runs.summaries import REASON_LENGTH, result_fields
from evaluation.states import ItemState

ENDS_THE_RUN = (Kind.RUN, Kind.CONFIG)


@dataclass(frozen=True, slots=True)
class Pair:
    """One item in one repeat: the unit of work."""

    item_pk: int
    repeat: int
    item: Item
    subjects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """How the items of a run are asked and scored. All chance in its prompts comes from `seed`."""

    benchmark: Benchmark
    options: Options
    generation: Generation
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One reply, what its prompt showed, and what was read from it."""

    completion: Completion
    reading: Reading
    shown: JsonValue = None

    @property
    def parts_read(self) -> int:
        return sum(answer.values is not None for answer in self.reading.answers)


@dataclass(slots=True)
class Asking:
    """One item on its way: `attempts` tried so far, the best of them, and the outcome once it is recorded."""

    pair: Pair
    method: Method
    record: Callable[[Outcome], Awaitable[None]]
    attempts: int = 0
    best: Attempt | None = None
    outcome: Outcome | None = None

    def ask(self) -> Ask:
        """The attempt that is next, or under way."""
        return ask_of(self.pair, self.method, self.attempts + 1)

    def prompt(self) -> Prompt:
        return self.method.benchmark.prompt(self.ask(), self.method.options)

    def request(self) -> ChatRequest:
        return request_of(self.prompt(), self.method.generation, self.attempts + 1)

    async def settle(self, completion: Completion) -> None:
        # Made again, not kept: the same ask always gives the same prompt.
        ask, shown = self.ask(), self.prompt().shown
        self.attempts += 1
        reply = Reply(completion.text, completion.reasoning, completion.finish_reason, completion.tool_call)
        reading = self.method.benchmark.read(ask, shown, reply, self.method.options)
        self.best = _better(self.best, Attempt(completion, reading, shown))
        generation = self.method.generation
        if reading.complete or self.attempts >= generation.attempts or not _may_differ(generation, completion):
            await self._finish(_outcome(self.pair, self.method, self.best, self.attempts))

    async def give_up(self, error: EndpointError) -> None:
        if self.best is not None:
            await self._finish(_outcome(self.pair, self.method, self.best, self.attempts))
        else:
            await self._finish(_fault(self.pair, self.method, error))

    async def _finish(self, outcome: Outcome) -> None:
        await self.record(outcome)
        self.outcome = outcome


async def ask_item(
    pair: Pair,
    method: Method,
    caller: Caller,
    record: Callable[[Outcome], Awaitable[None]],
    *,
    has_all_time: bool = False,
) -> Outcome:
    """Asks until the reading is complete or the attempts are used up, and records the result.

    A fault of the item alone is recorded too: one bad item never costs the run. So is that of an item that
    `has_all_time` there is when its time is over: another time would end alike. Raises EndpointError where the whole
    run is concerned; TimeOver, LongWait and BreakerOpen from the caller.
    """
    asking = Asking(pair, method, record)
    while asking.outcome is None:
        try:
            await caller.ask(asking.request(), asking.settle)
        except EndpointError as error:
            if error.kind in ENDS_THE_RUN:
                raise
            await asking.give_up(error)
        except TimeOver as over:
            if not has_all_time or over.queued:
                raise
            await asking.give_up(over.fault)
    return asking.outcome


def ask_of(pair: Pair, method: Method, attempt: int) -> Ask:
    seed = seed_of(method.seed, pair.item.id, pair.repeat, attempt)
    return Ask(pair.item, pair.repeat, attempt, seed, pair.subjects)


def seed_of(run_seed: int, item_id: str, repeat: int, attempt: int) -> int:
    """The seed of one attempt, 63 bits: a run that is taken up again shows what it would have shown."""
    digest = sha256(f"{run_seed}/{item_id}/{repeat}/{attempt}".encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


def request_of(prompt: Prompt, usual: Generation, attempt: int) -> ChatRequest:
    generation = prompt.generation or usual
    return ChatRequest(
        messages=prompt.messages,
        temperature=round(generation.temperature + generation.temperature_step * (attempt - 1), 4),
        max_tokens=generation.max_tokens,
        extra=generation.extra,
    )


def _may_differ(generation: Generation, completion: Completion) -> bool:
    """Whether another attempt would ask otherwise than this one, by the benchmark's rule."""
    if generation.retry == "hotter":
        return OWN_TEMPERATURE not in completion.remarks
    return generation.retry == "reshuffled"


def _better(kept: Attempt | None, new: Attempt) -> Attempt:
    """The new attempt, unless it reads no more than the kept one: the first reply that had one part counts with it."""
    if kept is not None and kept.parts_read >= max(1, new.parts_read):
        return kept
    return new


def _outcome(pair: Pair, method: Method, attempt: Attempt, attempts: int) -> Outcome:
    completion = attempt.completion
    return Outcome(
        item_pk=pair.item_pk,
        repeat=pair.repeat,
        fields=result_fields(attempt.reading, method.benchmark, pair.item),
        attempts=attempts,
        text=completion.text,
        reasoning=completion.reasoning,
        finish_reason=completion.finish_reason,
        shown=attempt.shown,
        latency_ms=completion.latency_ms,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
    )


def _fault(pair: Pair, method: Method, error: EndpointError) -> Outcome:
    """No reply at all. The fault is kept as the reason, never as a reply."""
    answer = Answer(FIRST_PART, "none", reason=error.in_brief(REASON_LENGTH))
    fields = result_fields(Reading((answer,), complete=False), method.benchmark, pair.item)
    return Outcome(pair.item_pk, pair.repeat, {**fields, "state": ItemState.FAULT}, attempts=0)
