"""Pacing, back-off, Retry-After and the circuit breaker, against scripted endpoints in virtual time."""

import asyncio
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from evaluation.benchmarks.base import Message
from evaluation.endpoints.client import ChatRequest, Completion
from evaluation.endpoints.errors import EndpointError, fault
from evaluation.endpoints.pacing import Gate
from evaluation.endpoints.retrying import BreakerOpen, Caller, LongWait, Patience
from tests.virtual_time import run_virtually

TIMEOUT_SECONDS = 20.0
REPLY = Completion("Angry: 3", "", "stop", False, 10, 5, "m", "", "", 200)


def request(text: str = "question") -> ChatRequest:
    return ChatRequest([Message("user", text)], 0.01, 60)


@dataclass
class Endpoint:
    """Answers after `seconds`; `refuse(text, times asked, now)` may give a fault instead: at once, or a time-out when
    its time is over."""

    refuse: Callable[[str, int, float], EndpointError | None] = lambda *_: None
    seconds: float = 0.2
    asked: dict[str, int] = field(default_factory=dict)
    starts: list[float] = field(default_factory=list)
    refusals: int = 0
    most_in_flight: int = 0
    in_flight: int = 0

    async def complete(self, sent: ChatRequest) -> Completion:
        text = sent.messages[0].content
        now = asyncio.get_running_loop().time()
        self.asked[text] = self.asked.get(text, 0) + 1
        self.starts.append(now)
        if error := self.refuse(text, self.asked[text], now):
            self.refusals += 1
            await asyncio.sleep(TIMEOUT_SECONDS if error.code == "timeout" else 0.002)
            raise error
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(self.seconds)
        self.in_flight -= 1
        return REPLY


async def ask_all(endpoint: Endpoint, n: int, concurrency: int, patience: Patience | None = None) -> list[object]:
    """Asks n questions as a slice does; each entry is the reply or the error."""
    left = deque(range(n))
    caller = Caller(endpoint, Gate(concurrency), patience or Patience(), lambda: bool(left), random.Random(7))
    results: list[object] = []

    async def keep(completion: Completion) -> Completion:
        return completion

    async def asker() -> None:
        while left:
            text = f"question {left.popleft()}"
            try:
                results.append(await caller.ask(request(text), keep))
            except EndpointError as error:
                results.append(error)

    await asyncio.gather(*(asker() for _ in range(concurrency)))
    return results


def limiter(per_second: int, retry_after: float | None = 1.0) -> Callable[[str, int, float], EndpointError | None]:
    accepted: deque[float] = deque()

    def refuse(_: str, __: int, now: float) -> EndpointError | None:
        while accepted and accepted[0] <= now - 1:
            accepted.popleft()
        if len(accepted) >= per_second:
            return fault("rate-limited", status=429, retry_after_seconds=retry_after)
        accepted.append(now)
        return None

    return refuse


def test_an_endpoint_that_allows_twenty_a_second_is_asked_within_ten_seconds_and_forty_refusals() -> None:
    endpoint = Endpoint(limiter(20))
    results, seconds = run_virtually(ask_all(endpoint, 171, 32))
    assert results == [REPLY] * 171
    assert seconds <= 10.0
    assert endpoint.refusals <= 40


def test_an_endpoint_without_limits_is_asked_at_full_concurrency() -> None:
    endpoint = Endpoint()
    _, seconds = run_virtually(ask_all(endpoint, 171, 32))
    assert seconds == pytest.approx(6 * 0.2)
    assert endpoint.most_in_flight == 32


def test_a_refusal_halves_the_requests_in_flight_and_successes_raise_them_slowly() -> None:
    endpoint = Endpoint(
        lambda text, time, _: fault("server-error", status=503) if (text, time) == ("question 0", 1) else None
    )
    gate = Gate(16)
    start = gate.pace.started(0.0)
    gate.pace.slowed(start, 0.1)
    assert gate.pace.limit == 8
    gate.pace.slowed(start, 0.2)
    assert gate.pace.limit == 8, "one round trip halves once"
    for _ in range(8):
        gate.pace.succeeded()
    assert gate.pace.limit == pytest.approx(9, abs=0.1)
    results, _ = run_virtually(ask_all(endpoint, 5, 2))
    assert results == [REPLY] * 5


def test_every_first_request_refused_ends_with_every_item_in_forty_seconds() -> None:
    endpoint = Endpoint(
        lambda _, time, __: fault("rate-limited", status=429, retry_after_seconds=1.0) if time == 1 else None
    )
    results, seconds = run_virtually(ask_all(endpoint, 171, 8))
    assert results == [REPLY] * 171
    assert seconds < 40


def test_an_item_that_always_fails_is_given_up_after_six_tries_and_the_rest_goes_on() -> None:
    bad = {f"question {number}" for number in range(0, 171, 40)}
    endpoint = Endpoint(lambda text, *_: fault("server-error", status=500) if text in bad else None)
    results, seconds = run_virtually(ask_all(endpoint, 171, 8))
    assert sum(isinstance(result, EndpointError) for result in results) == len(bad)
    assert {endpoint.asked[text] for text in bad} == {6}
    assert results.count(REPLY) == 171 - len(bad)
    assert seconds < 60


def test_a_wait_of_up_to_a_minute_is_sat_out_by_the_whole_run() -> None:
    endpoint = Endpoint(
        lambda text, time, _: (
            fault("rate-limited", status=429, retry_after_seconds=30.0) if text == "question 0" and time == 1 else None
        )
    )
    results, seconds = run_virtually(ask_all(endpoint, 20, 2))
    assert results == [REPLY] * 20
    assert 30 <= seconds <= 36
    assert not [start for start in endpoint.starts if 0.3 < start < 30], "nothing is asked while the endpoint rests"


def test_e09_a_wait_of_a_day_is_handed_to_the_run() -> None:
    endpoint = Endpoint(lambda *_: fault("rate-limited", status=429, retry_after_seconds=86400.0))
    with pytest.raises(LongWait) as caught:
        run_virtually(ask_all(endpoint, 20, 2))
    assert caught.value.seconds == 86400


def test_e10_a_quarter_of_a_second_is_waited_as_named() -> None:
    endpoint = Endpoint(
        lambda _, time, __: fault("rate-limited", status=429, retry_after_seconds=0.25) if time == 1 else None
    )
    _, seconds = run_virtually(ask_all(endpoint, 1, 1))
    assert seconds == pytest.approx(0.25 + 0.2, abs=0.02)


@pytest.mark.parametrize("concurrency", [1, 8, 32])
def test_e12_a_dead_endpoint_opens_the_breaker_at_the_twentieth_fault(concurrency: int) -> None:
    endpoint = Endpoint(lambda *_: fault("rate-limited", status=429))
    with pytest.raises(BreakerOpen):
        run_virtually(ask_all(endpoint, 171, concurrency))
    assert 20 <= len(endpoint.starts) <= 20 + concurrency


def test_refusals_that_name_their_wait_open_the_breaker_only_by_last_tries() -> None:
    endpoint = Endpoint(lambda *_: fault("rate-limited", status=429, retry_after_seconds=1.0))
    with pytest.raises(BreakerOpen):
        run_virtually(ask_all(endpoint, 171, 8))
    assert len(endpoint.starts) >= 19 * 6


def test_a_success_starts_the_count_of_faults_anew() -> None:
    endpoint = Endpoint(lambda text, time, _: fault("server-error", status=500) if time < 3 else None)
    results, _ = run_virtually(ask_all(endpoint, 171, 4))
    assert results == [REPLY] * 171


def test_back_off_doubles_under_its_cap_with_full_jitter() -> None:
    patience, chance = Patience(), random.Random(1)
    for attempt, cap in ((1, 1), (3, 4), (6, 32), (9, 60)):
        waits = [patience.backoff(attempt, chance) for _ in range(400)]
        assert 0 <= min(waits) < 0.05 * cap
        assert 0.95 * cap < max(waits) <= cap


def test_a_learned_rate_grows_again_after_a_quiet_time() -> None:
    pace = Gate(8).pace
    for number in range(21):
        start = pace.started(number / 100)
        pace.ended()
    pace.refused(start, 0.3, again=False)
    assert pace.rate == pytest.approx(0.95 * 20)
    pace.delay(5.0)
    assert pace.rate == pytest.approx(0.95 * 20)
    for second in range(11, 40):
        pace.delay(float(second))
    assert pace.rate is not None
    assert pace.rate > 2 * 0.95 * 20


@pytest.mark.parametrize(("per_second", "concurrency"), [(3, 8), (3, 32), (20, 8), (50, 64)])
def test_other_rates_are_learned_with_few_refusals(per_second: int, concurrency: int) -> None:
    endpoint = Endpoint(limiter(per_second))
    results, seconds = run_virtually(ask_all(endpoint, 171, concurrency))
    assert results == [REPLY] * 171
    assert seconds <= 1.6 * 171 / per_second + 2
    assert endpoint.refusals <= 2 * concurrency + 171 // 4


def test_two_timeouts_at_full_length_give_the_item_up() -> None:
    endpoint = Endpoint(lambda text, *_: fault("timeout") if text == "question 3" else None)
    results, _ = run_virtually(ask_all(endpoint, 20, 4))
    errors = [result for result in results if isinstance(result, EndpointError)]
    assert [error.code for error in errors] == ["too-slow"]
    assert "time limit" not in errors[0].message, "no form has such a field"
    assert endpoint.asked["question 3"] == 2


@dataclass
class OneSlot(Endpoint):
    """Answers one request at a time, in the order of asking; who is not answered within the time limit hangs up."""

    slots: int = 1

    def __post_init__(self) -> None:
        self.free = asyncio.Semaphore(self.slots)

    async def complete(self, sent: ChatRequest) -> Completion:
        text = sent.messages[0].content
        self.asked[text] = self.asked.get(text, 0) + 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS), self.free:
                await asyncio.sleep(self.seconds)
        except TimeoutError:
            self.refusals += 1
            raise fault("timeout") from None
        finally:
            self.in_flight -= 1
        return REPLY


@pytest.mark.parametrize("slots", [1, 2])
@pytest.mark.parametrize("concurrency", [8, 32, 64])
@pytest.mark.parametrize("seconds", [0.3, 4.0, 15.0])
def test_time_outs_of_requests_that_only_wait_for_their_turn_halve_what_is_in_flight(
    seconds: float, concurrency: int, slots: int
) -> None:
    async def ask() -> tuple[OneSlot, list[object]]:
        endpoint = OneSlot(seconds=seconds, slots=slots)
        return endpoint, await ask_all(endpoint, 80, concurrency)

    (endpoint, results), _ = run_virtually(ask())
    assert results == [REPLY] * 80, "no item is given up for the others that were asked before it"
    assert endpoint.refusals <= 3 * 80


def test_a_slow_item_is_its_own_fault_where_later_ones_are_answered_meanwhile() -> None:
    slow = {"question 3", "question 20"}
    endpoint = Endpoint(lambda text, *_: fault("timeout") if text in slow else None, seconds=2.0)
    results, _ = run_virtually(ask_all(endpoint, 171, 8))
    assert [error.code for error in results if isinstance(error, EndpointError)] == ["too-slow"] * 2
    assert {endpoint.asked[text] for text in slow} == {2}


def test_an_endpoint_where_everything_times_out_opens_the_breaker_or_gives_items_up() -> None:
    endpoint = Endpoint(lambda *_: fault("timeout"))
    with pytest.raises(BreakerOpen):
        run_virtually(ask_all(endpoint, 171, 32))
    assert set(endpoint.asked.values()) <= {1, 2, 3, 4, 5, 6, 7}


def test_a_408_of_the_server_is_no_queue_of_ours() -> None:
    endpoint = Endpoint(lambda text, *_: fault("timeout", status=408) if text == "question 3" else None)
    results, _ = run_virtually(ask_all(endpoint, 20, 4))
    assert [error.code for error in results if isinstance(error, EndpointError)] == ["too-slow"]
    assert endpoint.asked["question 3"] == 2
