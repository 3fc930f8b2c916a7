"""What a slice leaves of a run whose endpoint hangs, limits or is slow: production limits, in virtual time."""

import asyncio
import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest

from evaluation.benchmarks import BENCHMARKS
from evaluation.endpoints.client import ChatRequest, Completion, Negotiated
from evaluation.endpoints.errors import EndpointError, fault
from evaluation.endpoints.retrying import Caller, LongWait, TimeOver
from evaluation.models import Driver, FaultKind, ItemBank, ItemState, Run, Status
from evaluation.runs import runner
from evaluation.runs.asking import ask_item
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.opening import RunRequest, open_run
from evaluation.runs.recording import DatabaseThread, Lease, LeaseLost, Outcome
from evaluation.runs.runner import SliceEnd
from evaluation.runs.slices import Slice, Totals
from tests.factories import make_bank, scene_reply
from tests.virtual_time import run_virtually

# Results are written from a thread of their own, so each test needs real transactions.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

T = TypeVar("T")
DAY = 86_400.0


class StandingStill(DatabaseThread):
    """No virtual time passes while the database works."""

    async def call(self, function: Callable[..., T], *args: Any) -> T:
        return self.now(function, *args)

    def now(self, function: Callable[..., T], *args: Any) -> T:
        return self._executor.submit(function, *args).result()


@dataclass
class Scripted:
    """Each request takes `seconds`; then `says(item number, times asked)` is the text of the reply, or a fault."""

    says: Callable[[int, int], str | EndpointError]
    seconds: float = 1.0
    timeout_seconds: float = 120.0
    negotiated: Negotiated = field(default_factory=Negotiated)
    requests_sent: int = 0
    asked: dict[int, int] = field(default_factory=dict)

    async def complete(self, request: ChatRequest) -> Completion:
        self.requests_sent += 1
        number = int(request.messages[0].content.split("scene ")[1].split()[0])
        self.asked[number] = self.asked.get(number, 0) + 1
        await asyncio.sleep(min(self.seconds, self.timeout_seconds))
        said = fault("timeout") if self.seconds > self.timeout_seconds else self.says(number, self.asked[number])
        if isinstance(said, EndpointError):
            raise said
        return Completion(said, "", "stop", False, 400, 20, "demo", "", "", 1000)


class OutOfTime(Caller):
    """The time is over with that fault."""

    def __init__(self, fault: EndpointError) -> None:
        self.fault = fault

    async def ask(self, *_: Any) -> Any:
        raise TimeOver(self.fault)


def always(code: str, **fields: Any) -> Callable[[int, int], EndpointError]:
    return lambda *_: fault(code, **fields)


def well(number: int, _: int) -> str:
    return scene_reply(number)


HANGS = Scripted(well, seconds=DAY)
GATEWAY_504 = Scripted(always("server-error", status=504), seconds=60)
GATEWAY_524 = Scripted(always("server-error", status=524), seconds=100)
LIMITS_60 = Scripted(always("rate-limited", status=429, retry_after_seconds=60.0), seconds=0.1)
LIMITS_20 = Scripted(always("rate-limited", status=429, retry_after_seconds=20.0), seconds=0.1)


def queued(bank: ItemBank, concurrency: int, timeout_seconds: float = 120.0, **changes: Any) -> Run:
    request = {
        "model": "maker/scripted",
        "base_url": "https://scripted.example/v1",
        "api_model": "scripted",
        "benchmark": BENCHMARKS["eq-bench-v2"],
        "bank": bank,
        "repeats": 1,
        "limit": None,
        "concurrency": concurrency,
        "max_tokens": 60,
        "timeout_seconds": timeout_seconds,
        "driver": Driver.WORKER,
        **changes,
    }
    return open_run(RunRequest(**request))[0]


def claimed(run: Run) -> Lease:
    lease = runner.claim(run.pk, Driver.WORKER)
    assert lease, "the run could not be claimed"
    return lease


@dataclass
class StopAt:
    """Asks for a stop at a moment of the virtual clock."""

    seconds: float = math.inf

    def is_set(self) -> bool:
        return asyncio.get_running_loop().time() >= self.seconds


def gone_through(
    run: Run, lease: Lease, endpoint: Scripted, database: StandingStill | None = None, stop_at: float = math.inf
) -> tuple[SliceEnd, float]:
    """One slice with the limits of the settings, and the seconds that it took; a day without an end fails the test."""
    pairs, thread = list(runner.open_asks(run)), database or StandingStill()

    async def work() -> SliceEnd:
        slice_ = Slice(
            pairs=pairs,
            method=runner.method_of(run),
            client=endpoint,
            concurrency=run.settings["concurrency"],
            lease=lease,
            limits=runner.limits_from_settings(),
            before=runner.totals_of(run),
            stop=StopAt(stop_at),
            database=thread,
            on_outcome=lambda _: None,
        )
        try:
            async with asyncio.timeout(DAY):
                return await runner.gone_through(slice_)
        finally:
            await thread.close()

    return run_virtually(work())


def carry(run: Run, endpoint: Scripted) -> float:
    """One slice, as a worker makes it; the seconds that it took. The run is as it then stands."""
    lease = claimed(run)
    end, seconds = gone_through(run, lease, endpoint)
    runner.conclude(run, lease, end)
    run.refresh_from_db()
    return seconds


def wait_of(run: Run) -> float:
    """Seconds that the run is told to wait; it is due at once after this."""
    assert run.not_before is not None
    assert run.heartbeat_at is not None
    seconds = (run.not_before - run.heartbeat_at).total_seconds()
    assert Run.objects.try_now(run.pk)
    return round(seconds, -1)


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize(
    "endpoint",
    [HANGS, GATEWAY_504, GATEWAY_524, LIMITS_60, LIMITS_20],
    ids=["hangs", "504 after 60 s", "524 after 100 s", "429 for 60 s", "429 for 20 s"],
)
def test_a_slice_without_a_single_reply_lets_the_endpoint_rest(endpoint: Scripted, concurrency: int) -> None:
    run = queued(make_bank(40), concurrency)
    seconds = carry(run, replace(endpoint, asked={}))
    assert (run.status, run.waits, run.failure_kind) == (Status.WAITING, 1, FaultKind.ENDPOINT)
    assert wait_of(run) == 300
    assert seconds <= 540 + 120 + 1, "no longer than the last request"
    assert not run.results.exists(), "nothing is held against the items"


def test_an_endpoint_that_never_answers_is_given_ever_longer_rests_and_then_fails() -> None:
    run = queued(make_bank(40), concurrency=4)
    waits = []
    for _ in range(4):
        carry(run, replace(HANGS, asked={}))
        assert run.status == Status.WAITING
        waits.append(wait_of(run))
    carry(run, replace(HANGS, asked={}))
    assert waits == [300, 900, 3600, 21600]
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.ENDPOINT)
    assert "in the time allowed" in run.failure_message or "in time" in run.failure_message


def test_a_slice_with_one_reply_is_no_reason_to_rest_and_what_the_run_waited_for_is_over() -> None:
    endpoint = Scripted(lambda number, _: scene_reply(number) if number == 1 else fault("server-error", status=504), 60)
    run = queued(make_bank(40), concurrency=1)
    Run.objects.filter(pk=run.pk).update(waits=2, failure_kind=FaultKind.ENDPOINT, failure_message="It was down.")
    carry(run, endpoint)
    assert (run.status, run.waits, run.idle_claims) == (Status.QUEUED, 0, 0)
    assert (run.failure_kind, run.failure_message) == ("", "")


@pytest.mark.parametrize("bad", [(7,), (2, 7, 12), (10, 11, 12)])
def test_items_that_never_get_a_reply_in_a_whole_slice_do_not_keep_the_run_open(bad: tuple[int, ...]) -> None:
    """Six tries of 100 s are longer than a slice, and one is asked at a time."""

    def says(number: int, _: int) -> str | EndpointError:
        return fault("server-error", status=524) if number in bad else scene_reply(number)

    run = queued(make_bank(18), concurrency=1)
    endpoint, waits = Scripted(says, seconds=100), [0.0]
    for _ in range(12):
        if run.is_open:
            carry(run, endpoint)
        if run.status == Status.WAITING:
            waits.append(wait_of(run))
            run.refresh_from_db()
    assert (run.status, run.n_scored) == (Status.FINISHED, 18 - len(bad))
    faults = run.results.filter(state=ItemState.FAULT).order_by("item__number")
    assert tuple(faults.values_list("item__number", flat=True)) == bad
    assert max(waits) < 21600, "the ladder is not climbed to its end"


@pytest.mark.parametrize(("left", "status"), [(8, Status.WAITING), (2, Status.FINISHED)])
def test_an_outage_over_the_last_items_is_the_endpoints_and_not_theirs(left: int, status: Status) -> None:
    """The breaker counts twenty faults in a row, and so many items are not left. Two may well be bad ones."""

    def says(number: int, _: int) -> str | EndpointError:
        return scene_reply(number) if number <= 40 - left or is_back else fault("disconnected")

    run, is_back = queued(make_bank(40), concurrency=8), False
    endpoint = Scripted(says, seconds=1)
    carry(run, endpoint)
    assert (run.status, run.results.filter(state=ItemState.READ).count()) == (status, 40 - left)
    if status == Status.WAITING:
        assert wait_of(run) == 300
        assert run.results.count() == 40 - left, "nothing is held against the items"
        is_back = True
        carry(run, endpoint)
        assert (run.status, run.n_scored) == (Status.FINISHED, 40)


def test_items_that_fail_again_after_the_rest_are_given_up_and_the_run_ends() -> None:
    run = queued(make_bank(40), concurrency=8)
    endpoint = Scripted(lambda number, _: scene_reply(number) if number <= 35 else fault("disconnected"), seconds=1)
    carry(run, endpoint)
    assert wait_of(run) == 300
    carry(run, endpoint)
    assert (run.status, run.n_scored, run.results.filter(state=ItemState.FAULT).count()) == (Status.FINISHED, 35, 5)


@pytest.mark.parametrize(
    ("over", "given_up"),
    [
        (fault("server-error", status=524), True),
        (fault("rate-limited", status=429, retry_after_seconds=55.0), False),
    ],
    ids=["524", "429"],
)
def test_an_item_that_a_limit_kept_waiting_for_its_turn_is_asked_again(over: EndpointError, given_up: bool) -> None:
    run = queued(make_bank(1), concurrency=1)
    (pair,), outcomes = runner.open_asks(run), list[Outcome]()

    async def record(outcome: Outcome) -> None:
        outcomes.append(outcome)

    asked = ask_item(pair, runner.method_of(run), OutOfTime(over), record, has_all_time=True)
    with nullcontext() if given_up else pytest.raises(TimeOver):
        asyncio.run(asked)
    assert [outcome.fields["state"] for outcome in outcomes] == [ItemState.FAULT] * given_up


def test_an_item_that_was_begun_late_in_a_slice_gets_all_its_tries_in_the_next() -> None:
    def says(number: int, times: int) -> str | EndpointError:
        return fault("server-error", status=524) if number == 5 and times < 4 else scene_reply(number)

    run = queued(make_bank(5), concurrency=1)
    endpoint = Scripted(says, seconds=100)
    carry(run, endpoint)
    assert (run.status, run.results.count(), endpoint.asked[5]) == (Status.QUEUED, 4, 2)
    carry(run, endpoint)
    assert (run.status, run.n_scored) == (Status.FINISHED, 5)


@pytest.mark.parametrize("timeout_seconds", [280.0, 560.0, 600.0])
def test_long_time_limits_are_reached_within_a_slice(settings: Any, timeout_seconds: float) -> None:
    settings.RUN_LAST_REPLIES_SECONDS = 3 * timeout_seconds - settings.RUN_SLICE_SECONDS
    run = queued(make_bank(40), 2, timeout_seconds)
    carry(run, replace(HANGS, timeout_seconds=timeout_seconds, asked={}))
    assert (run.status, run.waits) == (Status.WAITING, 1)
    single = queued(make_bank(1), 2, timeout_seconds, model="maker/single")
    carry(single, replace(HANGS, timeout_seconds=timeout_seconds, asked={}))
    assert (single.status, single.failure_kind) == (Status.FAILED, FaultKind.ENDPOINT)
    assert single.results.get().state == ItemState.FAULT


def test_replies_that_take_longer_than_a_slice_are_waited_for(settings: Any) -> None:
    settings.RUN_LAST_REPLIES_SECONDS = 3 * 600 - settings.RUN_SLICE_SECONDS
    run = queued(make_bank(2), 1, 600.0)
    endpoint = Scripted(well, seconds=580, timeout_seconds=600)
    carry(run, endpoint)
    assert (run.status, run.results.count()) == (Status.QUEUED, 1)
    carry(run, endpoint)
    assert (run.status, endpoint.requests_sent) == (Status.FINISHED, 2)
    assert run.score == pytest.approx(100)


def test_three_slow_replies_that_cannot_be_read_come_to_an_end(settings: Any) -> None:
    settings.RUN_LAST_REPLIES_SECONDS = 3 * 600 - settings.RUN_SLICE_SECONDS
    run = queued(make_bank(1), 1, 600.0)
    carry(run, Scripted(lambda *_: "I would rather not say.", seconds=400, timeout_seconds=600))
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.PARSE)
    assert run.results.get().attempts == 3


def test_an_endpoint_that_only_ever_names_another_time_is_given_up() -> None:
    run = queued(make_bank(20), concurrency=2)
    endpoint = Scripted(always("rate-limited", status=429, retry_after_seconds=600.0), seconds=0.1)
    waits = []
    for _ in range(4):
        carry(run, endpoint)
        assert run.status == Status.WAITING
        waits.append(wait_of(run))
    carry(run, endpoint)
    assert waits == [600, 900, 3600, 21600]
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.ENDPOINT)
    assert "limits the rate" in run.failure_message


def test_a_named_wait_after_new_results_is_obeyed_as_it_is() -> None:
    run = queued(make_bank(5), concurrency=1)
    Run.objects.filter(pk=run.pk).update(waits=3)
    lease = claimed(Run.objects.get(pk=run.pk))
    told = LongWait(120.0, fault("rate-limited", status=429, retry_after_seconds=120.0))
    runner.conclude(run, lease, SliceEnd(told, stored=2, totals=Totals()))
    run.refresh_from_db()
    assert (run.status, run.waits, wait_of(run)) == (Status.WAITING, 1, 120)


@pytest.mark.parametrize(("over", "claims"), [(True, 2), (False, 0)])
def test_a_claim_without_a_result_is_forgiven_only_where_a_stop_cut_it_short(over: bool, claims: int) -> None:
    run = queued(make_bank(5), concurrency=1)
    Run.objects.filter(pk=run.pk).update(idle_claims=1)
    runner.conclude(run, claimed(run), SliceEnd(None, stored=0, totals=Totals(), over=over))
    run.refresh_from_db()
    assert (run.status, run.idle_claims) == (Status.QUEUED, claims)


@pytest.mark.parametrize("stop_at", [100.0, 545.0])
def test_a_stop_is_obeyed_within_the_drain_also_while_last_replies_are_waited_for(stop_at: float) -> None:
    run = queued(make_bank(20), concurrency=4)
    end, seconds = gone_through(run, claimed(run), replace(HANGS, timeout_seconds=600.0, asked={}), stop_at=stop_at)
    assert (end.reason, end.stored) == (None, 0)
    assert seconds == pytest.approx(stop_at + 10, abs=1)


def test_a_last_write_that_is_refused_ends_the_slice() -> None:
    """The one item is refused by its endpoint while the run is cancelled: the recorder alone gets to know of it."""
    run, database = queued(make_bank(1), concurrency=1), StandingStill()
    lease = claimed(run)

    def cancelled_meanwhile(*_: int) -> EndpointError:
        database.now(lambda: Run.objects.cancel(run.pk, seal=sealed_columns))
        return fault("refused", status=400)

    end, seconds = gone_through(run, lease, Scripted(cancelled_meanwhile), database)
    runner.conclude(run, lease, end)
    run.refresh_from_db()
    assert isinstance(end.reason, LeaseLost)
    assert seconds < 60
    assert (run.status, run.results.count()) == (Status.CANCELLED, 0)
