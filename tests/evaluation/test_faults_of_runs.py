"""What a run makes of the faults of its endpoint: who is asked again, what ends the run, and what is kept of it."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Options, Reply
from evaluation.endpoints.client import Completion
from evaluation.endpoints.errors import EndpointError, fault
from evaluation.models import FaultKind, ItemState, Status
from evaluation.runs.rescoring import rescore_run
from evaluation.runs.slices import AT_ONCE
from evaluation.runs.summaries import as_item
from tests.evaluation.benchmarks.by_item import read_by
from tests.evaluation.test_runner import FEW_BAD_ITEMS, carry, demo
from tests.evaluation.test_slices import Scripted, claimed, gone_through, queued, wait_of
from tests.evaluation.test_slices import carry as carry_virtually
from tests.factories import make_bank, scene_reply

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def test_e01_a_reply_that_was_aborted_is_asked_again_and_never_scored() -> None:
    with demo("perfect", "unfinished:2") as endpoint:
        run = carry(endpoint.run(make_bank(12)), FEW_BAD_ITEMS)
        asked = len(endpoint.log())
    assert (run.status, run.score, run.n_scored) == (Status.FINISHED, 100.0, 12)
    assert (asked, run.fault_counts) == (36, {"endpoint": 24})
    kept = sum(result.completion_tokens or 0 for result in run.results.all())
    assert run.completion_tokens > 2.5 * kept, "what was thrown away was paid for all the same"


def test_a_filter_that_always_stops_one_reply_ends_in_a_reason_of_that_item() -> None:
    with demo("perfect", "filtered:6") as endpoint:
        run = carry(endpoint.run(make_bank(25)), FEW_BAD_ITEMS)
    stopped = run.results.filter(state=ItemState.FAULT)
    assert run.status == Status.FINISHED
    assert 0 < stopped.count() == 25 - run.n_scored
    assert set(stopped.values_list("reason", flat=True)) == {"endpoint fault: filtered reply: “content_filter”"}


def test_a_filter_that_stops_every_reply_lets_the_run_wait_and_then_fail_with_that_sentence(settings: Any) -> None:
    settings.RUN_BREAKER_WAITS_SECONDS = [300.0]
    with demo("perfect", "filtered:1") as endpoint:
        run = endpoint.run(make_bank(25))
        run = carry(run)
        assert (run.status, wait_of(run)) == (Status.WAITING, 300)
        run = carry(run)
    assert run.status == Status.FAILED
    assert run.failure_message == (
        "A content filter of the provider stopped this reply before its end. It gave as finish_reason: “content_filter”"
    )


def test_e06_an_empty_error_beside_every_reply_is_no_fault() -> None:
    with demo("perfect", "empty-error") as endpoint:
        run = carry(endpoint.run(make_bank(12)))
    assert (run.status, run.score, run.requests, run.fault_counts) == (Status.FINISHED, 100.0, 12, {})


def test_e11_a_refusal_beside_the_content_is_kept_as_refused_and_survives_a_rescore() -> None:
    with demo("perfect", "refusal:5") as endpoint:
        run = carry(endpoint.run(make_bank(25)))
    refused = run.results.filter(reason="refused")
    assert run.n_scored == 25 - refused.count() < 25
    assert set(refused.values_list("reply__text", "state", "attempts")) == {
        ("I can't help with that.", ItemState.UNREAD, 3)
    }
    assert not rescore_run(run.pk).changed
    assert run.results.filter(reason="refused").count() == refused.count() > 0


def test_a_refusal_whose_words_look_like_an_answer_is_not_scored() -> None:
    item = make_bank(1).items.get()
    reply = Reply(scene_reply(1), finish_reason="refusal")
    reading = read_by(BENCHMARKS["eq-bench-v2"], as_item(item), reply, Options())
    assert [answer.reason for answer in reading.answers] == ["refused"]


@pytest.mark.parametrize("at", [2, 5, 12, 25])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_one_refusal_of_the_key_is_tried_again(at: int, concurrency: int) -> None:
    with demo("perfect", f"denied-once:{at}") as endpoint:
        run = carry(endpoint.run(make_bank(25), concurrency=concurrency))
    assert (run.status, run.score, run.n_scored) == (Status.FINISHED, 100.0, 25)
    assert run.requests == 26


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_items_whose_key_is_always_refused_do_not_end_the_run(seed: int) -> None:
    with demo("perfect", "denied-prompts:9", seed=seed) as endpoint:
        run = carry(endpoint.run(make_bank(40)), FEW_BAD_ITEMS)
    denied = run.results.filter(state=ItemState.FAULT)
    assert denied.exists()
    assert (run.n_scored, run.results.count()) == (40 - denied.count(), 40)
    assert all(
        "refused the key" in reason or "Incorrect API key" in reason
        for reason in denied.values_list("reason", flat=True)
    )


def says_denied_for(*numbers: int) -> Any:
    """As the client says it: of the run before the first reply, and to be tried again after it."""
    replies: list[int] = []

    def says(number: int, _: int) -> str | EndpointError:
        if number in numbers:
            error = fault("unauthorised", status=401)
            if replies:
                error.kind = fault("timeout").kind
            return error
        replies.append(number)
        return scene_reply(number)

    return says


@pytest.mark.parametrize("number", [1, 2, 20])
@pytest.mark.parametrize("concurrency", [1, 2, 8])
def test_one_item_that_always_gets_401_costs_that_item_alone_even_where_it_is_the_first(
    number: int, concurrency: int
) -> None:
    run = queued(make_bank(20), concurrency)
    carry_virtually(run, Scripted(says_denied_for(number), seconds=1))
    assert (run.status, run.n_scored) == (Status.FINISHED, 19)
    assert run.results.get(state=ItemState.FAULT).item.number == number


@pytest.mark.parametrize("number", [1, 5, 8])
def test_so_it_does_where_all_items_are_asked_at_once(number: int) -> None:
    run, endpoint = queued(make_bank(8), 8), Scripted(says_denied_for(number), seconds=1)
    for _ in range(2):
        if run.is_open:
            carry_virtually(run, endpoint)
    assert (run.status, run.n_scored) == (Status.FINISHED, 7)
    assert run.results.get(state=ItemState.FAULT).item.number == number


@pytest.mark.parametrize("other", ["refused", "server-error", "unauthorised"])
def test_where_no_item_is_answered_one_refusal_of_the_key_ends_the_run(other: str) -> None:
    run = queued(make_bank(2), 2)
    says = {1: fault("unauthorised", status=401), 2: fault(other, status=400)}
    carry_virtually(run, Scripted(lambda number, _: says[number], seconds=1))
    assert (run.status, run.failure_kind, run.results.count()) == (Status.FAILED, FaultKind.ENDPOINT, 0)
    assert "refused the key" in run.failure_message


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_key_that_is_refused_from_the_start_ends_the_run_at_the_second_item(concurrency: int) -> None:
    run = queued(make_bank(20), concurrency)
    endpoint = Scripted(says_denied_for(*range(1, 21)), seconds=1)
    seconds = carry_virtually(run, endpoint)
    assert (run.status, run.failure_kind, run.results.count()) == (Status.FAILED, FaultKind.ENDPOINT, 0)
    assert endpoint.requests_sent <= concurrency + 1
    assert seconds < 5


@pytest.mark.parametrize("answered", [3, 10, 38])
def test_a_key_that_is_withdrawn_in_mid_run_ends_it_without_a_rest_and_with_all_kept(answered: int) -> None:
    run = queued(make_bank(40), 4)
    endpoint = Scripted(says_denied_for(*range(answered + 1, 41)), seconds=1)
    for _ in range(2):
        if run.is_open:
            carry_virtually(run, endpoint)
    assert run.results.exclude(state=ItemState.FAULT).count() == answered
    if answered < 38:
        assert (run.status, run.failure_kind, run.waits) == (Status.FAILED, FaultKind.ENDPOINT, 0)
        assert run.failure_message == "The endpoint refused the key, or does not allow this key to use the model."
        assert run.results.count() == answered, "nothing is held against the items"


@dataclass
class OneSlot(Scripted):
    """One slot behind a queue, as `llama-server -np 1`: who waits longer than the time limit hangs up."""

    in_flight: int = 0
    most_in_flight: int = 0
    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

    async def complete(self, request: Any) -> Any:
        self.requests_sent += 1
        number = int(request.messages[0].content.split("scene ")[1].split()[0])
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            async with asyncio.timeout(self.timeout_seconds), self.free:
                await asyncio.sleep(self.seconds)
        except TimeoutError:
            raise fault("timeout") from None
        finally:
            self.in_flight -= 1
        return self.reply(number)

    def reply(self, number: int) -> Any:
        return Completion(scene_reply(number), "", "stop", False, 400, 20, "demo", "", "", 1000)


@pytest.mark.parametrize("seconds", [0.5, 4.0, 12.0])
def test_the_first_slice_of_thirty_two_at_once_on_one_slot_keeps_results(seconds: float) -> None:
    run = queued(make_bank(34), 32, 20.0)
    end, _ = gone_through(run, claimed(run), OneSlot(lambda *_: "", seconds=seconds, timeout_seconds=20.0))
    assert end.reason is None
    assert end.stored >= min(34, int(300 / seconds)), "at least half of what one slot can answer in a slice"
    assert not run.results.filter(state=ItemState.FAULT).exists()


def test_the_next_slice_begins_with_as_many_at_once_as_were_answered_in_time() -> None:
    run, endpoint = queued(make_bank(60), 32, 20.0), OneSlot(lambda *_: "", seconds=12.0, timeout_seconds=20.0)
    carry_virtually(run, endpoint)
    assert run.is_open
    learned = run.observed[AT_ONCE]
    assert 1 <= learned <= 4
    following = OneSlot(lambda *_: "", seconds=12.0, timeout_seconds=20.0)
    carry_virtually(run, following)
    assert following.most_in_flight <= 4
    assert not run.results.filter(state=ItemState.FAULT).exists()
