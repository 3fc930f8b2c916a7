"""A run from claim to end, against the demo endpoint on the loopback interface and the real database."""

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pytest
from aiohttp import web
from django.db import connections

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Reading
from evaluation.code_version import CODE_VERSION
from evaluation.demo.questions import Question
from evaluation.demo.server import make_app
from evaluation.endpoints.json_text import storable
from evaluation.endpoints.retrying import Patience
from evaluation.models import Driver, FaultKind, ItemBank, ItemState, Reply, Run, Status
from evaluation.runs import runner
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.opening import OpenRunDiffers, RunRequest, open_run
from evaluation.runs.recording import Lease, LeaseLost, Outcome, store
from evaluation.runs.slices import Limits
from evaluation.runs.summaries import as_item, result_fields
from tests.factories import make_bank, scene_labels, scene_reference
from tests.fakes import requests_at, serve

# Results are written from a thread of their own, so each test needs real transactions.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

QUICK = Limits(heartbeat=5, slice=60, drain=30, patience=Patience(backoff_seconds=0.01, longest_backoff_seconds=0.05))
# With so short a back-off a few bad items fail twenty times while one write to the disk takes half a second. Ten items
# of six tries never open this breaker; that twenty faults in a row open it has tests of its own.
FEW_BAD_ITEMS = replace(QUICK, patience=replace(QUICK.patience, faults_in_a_row=60))
T = TypeVar("T")
EXACT = {scene_labels(number): scene_reference(number) for number in range(1, 6)}


def references(question: Question) -> dict[str, float] | None:
    values = EXACT.get(tuple(question.names))
    return None if values is None else dict(zip(question.names, map(float, values), strict=True))


class Demo:
    """The demo endpoint with the references of our own scenes."""

    def __init__(self, address: str) -> None:
        self.address = address

    def log(self) -> list[dict[str, Any]]:
        return requests_at(self.address)

    def run(self, bank: ItemBank, **changes: Any) -> Run:
        request = {
            "model": "maker/demo",
            "base_url": f"{self.address}/v1",
            "api_model": "demo",
            "benchmark": BENCHMARKS["eq-bench-v2"],
            "bank": bank,
            "repeats": 1,
            "limit": None,
            "concurrency": 4,
            "max_tokens": 60,
            "timeout_seconds": 60.0,
            **changes,
        }
        return open_run(RunRequest(**request))[0]


@contextmanager
def demo(persona: str = "perfect", *faults: str, latency_ms: int = 0, seed: int = 0) -> Iterator[Demo]:
    app = make_app(persona=persona, faults=faults, latency_ms=latency_ms, seed=seed, references=references)
    with serve(app) as address:
        yield Demo(address)


def carry(run: Run, limits: Limits = QUICK, **changes: Any) -> Run:
    lease = runner.claim(run.pk, run.driver)
    assert lease, "the run could not be claimed"
    return runner.carry(lease, stop=changes.pop("stop", threading.Event()), limits=limits, **changes)


@dataclass
class StopOnceAsked:
    """Asks for a stop once the endpoint has had so many requests, however long they took."""

    endpoint: Demo
    requests: int

    def is_set(self) -> bool:
        return len(self.endpoint.log()) >= self.requests


def in_a_thread(function: Callable[[], T]) -> T:
    """The database, from within a running event loop."""

    def call() -> T:
        try:
            return function()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=1) as executor:
        return executor.submit(call).result()


def test_a_perfect_endpoint_scores_one_hundred_and_every_item_is_asked_once() -> None:
    bank = make_bank(25)
    with demo() as endpoint:
        run = carry(endpoint.run(bank))
        log = endpoint.log()
    assert run.status == Status.FINISHED
    assert run.score == run.figures["strict_score"]["value"] == pytest.approx(100)
    assert (run.n_scored, run.requests, len(log)) == (25, 25, 25)
    assert run.lease_token is None
    assert Reply.objects.filter(result__run=run).count() == 25
    assert {entry["temperature"] for entry in log} == {0.01}


def test_the_manifest_is_sealed_with_what_was_negotiated_and_what_the_endpoint_said_of_itself() -> None:
    with demo("perfect", "max-completion-tokens", "no-temperature") as endpoint:
        run = carry(endpoint.run(make_bank(5)))
    assert run.status == Status.FINISHED
    manifest = run.manifest
    assert manifest
    assert manifest["bank"]["sha256"] == run.bank.sha256
    assert manifest["endpoint"]["observed"]["negotiated"]["token_field"] == "max_completion_tokens"
    assert manifest["endpoint"]["observed"]["negotiated"]["sends_temperature"] is False
    assert manifest["endpoint"]["observed"]["model"] == {"demo": 5}
    assert manifest["result"]["score"] == run.score
    assert manifest["settings"]["concurrency"] == 4
    assert manifest["code_version"] == CODE_VERSION


def test_e20_where_temperature_is_refused_there_is_no_ladder_of_hotter_tries() -> None:
    with demo("refusing", "no-temperature") as endpoint:
        run = carry(endpoint.run(make_bank(5), concurrency=1))
        log = endpoint.log()
    assert [entry["temperature"] for entry in log] == [0.01, None, None, None, None, None]
    assert set(run.results.values_list("attempts", "state")) == {(1, ItemState.UNREAD)}
    assert run.observed["remarks"]["provider's own temperature"] == 5
    with demo("refusing") as endpoint:
        carry(endpoint.run(make_bank(5), concurrency=1))
        assert sorted({entry["temperature"] for entry in endpoint.log()}) == [0.01, 0.16, 0.31]


def test_repeats_really_ask_again() -> None:
    with demo() as endpoint:
        run = carry(endpoint.run(make_bank(171), repeats=3, concurrency=16))
        assert len(endpoint.log()) == 513
    assert run.results.count() == 513
    assert run.repeat_scores == [pytest.approx(100)] * 3


def test_q16_repeats_of_an_endpoint_that_answers_by_chance_differ() -> None:
    with serve(_answers_by_chance()) as address:
        run = carry(Demo(address).run(make_bank(60), repeats=3))
    assert run.status == Status.FINISHED
    assert len(set(run.repeat_scores)) == 3


def _answers_by_chance() -> web.Application:
    chance = random.Random(3)

    async def complete(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][0]["content"]
        names = next(labels for labels in EXACT if all(f"\n{label}\n" in prompt for label in labels))
        text = "\n".join(f"{name}: {chance.randint(0, 10)}" for name in names)
        return web.json_response({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    return app


def test_a_stopped_run_is_queued_again_and_goes_on_with_the_rest() -> None:
    bank = make_bank(120)  # a stop is looked for five times a second: the run must not be through before
    stop = threading.Event()
    with demo(latency_ms=100) as endpoint:
        run = endpoint.run(bank)
        seen: list[Outcome] = []

        def note(outcome: Outcome) -> None:
            seen.append(outcome)
            if len(seen) == 10:
                stop.set()

        run = carry(run, stop=stop, on_outcome=note)
        assert run.status == Status.QUEUED
        first = run.results.count()
        assert 10 <= first < 120
        run = carry(run)
        asked = [entry["prompt_sha256"] for entry in endpoint.log()]
    assert run.status == Status.FINISHED
    assert len(asked) == len(set(asked)) == 120
    assert run.requests == 120


def test_a_slice_ends_in_time_and_leaves_the_rest() -> None:
    limits = Limits(heartbeat=5, slice=0.3, drain=30, patience=QUICK.patience)
    with demo(latency_ms=100) as endpoint:
        run = carry(endpoint.run(make_bank(60), concurrency=2), limits)
    assert run.status == Status.QUEUED
    assert 0 < run.results.count() < 60


def test_a_worker_that_lost_its_lease_writes_nothing_more() -> None:
    with demo(latency_ms=50) as endpoint:
        run = endpoint.run(make_bank(40), concurrency=2)
        counts: list[int] = []

        def steal(_: Outcome) -> None:
            if not counts:
                counts.append(
                    in_a_thread(lambda: (Run.objects.cancel(run.pk, seal=sealed_columns), run.results.count())[1])
                )

        run = carry(run, on_outcome=steal)
    assert run.status == Status.CANCELLED
    assert run.results.count() == counts[0]
    assert run.score is None


def test_a_write_with_a_stale_token_is_refused_whole() -> None:
    with demo() as endpoint:
        run = endpoint.run(make_bank(5))
    old = runner.claim(run.pk, run.driver)
    assert old
    Run.objects.filter(pk=run.pk).update(lease_until="2020-01-01T00:00:00Z")
    assert runner.claim(run.pk, run.driver)
    with pytest.raises(LeaseLost):
        store(Lease(run.pk, old.token, 45), [_outcome(run)], {})
    assert not run.results.exists()


def test_a_result_that_is_there_already_is_kept() -> None:
    with demo() as endpoint:
        run = endpoint.run(make_bank(5))
    lease = runner.claim(run.pk, run.driver)
    assert lease
    store(lease, [_outcome(run)], {})
    first = run.results.get()
    store(lease, [_outcome(run, values=(0.0, 0.0, 0.0, 1.0))], {})
    assert run.results.get().answer == first.answer


def _outcome(run: Run, values: tuple[float, ...] = (7, 1, 0, 3)) -> Outcome:
    row = run.bank.items.get(number=1)
    reading = Reading((Answer("first_pass", "official", values),), complete=True)
    fields = result_fields(reading, BENCHMARKS[run.benchmark], as_item(row))
    return Outcome(row.pk, 1, fields, attempts=1, text="reply")


# --- what goes wrong at one item -----------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["always-500:10", "context:10", "null:10", "cut:10", "empty-choices:10"])
def test_bad_items_are_named_and_every_good_item_is_scored(fault: str) -> None:
    bank = make_bank(60)
    with demo("perfect", fault) as endpoint:
        run = carry(endpoint.run(bank, concurrency=8), FEW_BAD_ITEMS)
    bad = run.results.exclude(state=ItemState.READ)
    assert run.status == Status.FINISHED
    assert 0 < bad.count() < 10
    assert run.n_scored == 60 - bad.count()
    assert run.results.count() == 60
    assert all(result.reason for result in bad)
    assert run.score == pytest.approx(100)


def test_every_first_request_refused_still_ends_with_every_item() -> None:
    with demo("perfect", "first-429") as endpoint:
        run = carry(endpoint.run(make_bank(10), concurrency=8))
    assert (run.status, run.n_scored) == (Status.FINISHED, 10)
    assert run.fault_counts == {"endpoint": 10}


def test_p01_unreadable_items_are_none_with_a_reason_and_the_others_stand() -> None:
    with demo("refusing") as endpoint:
        run = carry(endpoint.run(make_bank(5)))
        log = endpoint.log()
    assert {result.reason for result in run.results.all()} == {"no scores found"}
    assert {result.score for result in run.results.all()} == {None}
    assert {result.attempts for result in run.results.all()} == {3}
    assert sorted({entry["temperature"] for entry in log}) == [0.01, 0.16, 0.31]
    assert len(log) == 15


@pytest.mark.parametrize("persona", ["refusing", "all-zero"])
def test_p17_p27_a_run_in_which_nothing_is_read_fails_as_parse_and_keeps_its_replies(persona: str) -> None:
    with demo(persona) as endpoint:
        run = carry(endpoint.run(make_bank(12)))
    assert (run.status, run.failure_kind, run.score, run.parse_share) == (Status.FAILED, FaultKind.PARSE, None, 0)
    assert run.failure_message.lower().startswith("not enough readable items")
    assert Reply.objects.filter(result__run=run).exclude(text="").count() == 12


def test_p07_thinking_that_used_up_the_limit_is_asked_three_times_and_is_no_score() -> None:
    with demo("perfect", "all-reasoning") as endpoint:
        run = carry(endpoint.run(make_bank(3)))
        assert len(endpoint.log()) == 9
    result = run.results.first()
    assert result
    assert result.score is None
    assert result.reason in ("cut off in thinking", "no answer after thinking")
    assert result.reply.reasoning


def test_p05_thinking_is_stored_apart_and_the_answer_after_it_scores() -> None:
    with demo("thinking") as endpoint:
        run = carry(endpoint.run(make_bank(5)))
    assert run.score is not None
    assert run.score > 80
    assert all("<think>" in result.reply.text for result in run.results.all())
    assert all("thinking" in result.flags.split(",") for result in run.results.all())


def test_e22_e23_a_reply_with_nul_and_broken_bytes_is_stored_clean() -> None:
    text, _ = storable("Angry: 3\x00\ud800")
    with demo() as endpoint:
        run = endpoint.run(make_bank(1))
    lease = runner.claim(run.pk, run.driver)
    assert lease
    outcome = _outcome(run)
    store(lease, [Outcome(outcome.item_pk, 1, outcome.fields, 1, text=text)], {})
    assert "\x00" not in run.results.get().reply.text


# --- what ends or stays a run ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "words"),
    [("unauthorised", "key"), ("unknown-model", "model"), ("html", "chat"), ("redirect", "redirect")],
)
def test_a_fault_of_the_whole_run_ends_it_at_once_with_a_sentence(fault: str, words: str) -> None:
    with demo("perfect", fault) as endpoint:
        run = carry(endpoint.run(make_bank(60), concurrency=2))
        assert len(endpoint.log()) <= 4
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.ENDPOINT)
    assert words in run.failure_message.lower()
    assert not run.results.exists()


def test_e09_a_wait_of_a_day_frees_the_slot_for_no_longer_than_the_longest_rest() -> None:
    with demo("perfect", "retry-after:86400") as endpoint:
        run = carry(endpoint.run(make_bank(30), concurrency=2))
    assert run.status == Status.WAITING
    assert run.not_before is not None
    assert run.heartbeat_at is not None
    assert (run.not_before - run.heartbeat_at).total_seconds() == pytest.approx(21600, abs=60)
    assert runner.claim(run.pk, run.driver) is None


def test_e12_a_dead_endpoint_is_given_ever_longer_rests_then_fails_and_can_be_resumed(settings: Any) -> None:
    settings.RUN_BREAKER_WAITS_SECONDS = [300.0, 900.0]
    hasty = replace(QUICK, patience=replace(QUICK.patience, faults_in_a_row=4))
    with demo("perfect", "always-429") as endpoint:
        run = endpoint.run(make_bank(60), concurrency=8)
        waits = []
        for _ in range(2):
            run = carry(run, hasty)
            assert run.status == Status.WAITING
            assert run.not_before is not None
            assert run.heartbeat_at is not None
            waits.append(round((run.not_before - run.heartbeat_at).total_seconds(), -2))
            Run.objects.filter(pk=run.pk).update(not_before="2020-01-01T00:00:00Z")
        run = carry(run, hasty)
    assert waits == [300, 900]
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.ENDPOINT)
    assert Run.objects.resume(run.pk)
    with demo() as endpoint:
        assert run.endpoint
        run.endpoint.base_url = f"{endpoint.address}/v1"
        run.endpoint.save()
        run = carry(Run.objects.get(pk=run.pk))
    assert run.status == Status.FINISHED


def test_faults_of_a_dying_endpoint_are_not_held_against_its_items() -> None:
    with demo("perfect", "dead-after:20") as endpoint:
        run = carry(endpoint.run(make_bank(60), concurrency=2))
    assert run.status == Status.WAITING
    assert {result.state for result in run.results.all()} == {ItemState.READ}


def test_e06_a_prompt_that_seems_cut_is_remarked() -> None:
    with demo("perfect", "short-prompt:10") as endpoint:
        cut = carry(endpoint.run(make_bank(5)))
    with demo() as endpoint:
        whole = carry(endpoint.run(make_bank(5)))
    assert cut.observed["remarks"] == {"prompt cut suspected": 5}
    assert whole.observed["remarks"] == {}


def test_a_stop_in_the_middle_of_an_outage_holds_nothing_against_the_items() -> None:
    stubborn = replace(QUICK, patience=replace(QUICK.patience, tries=2, faults_in_a_row=10_000))
    with demo("perfect", "dead-after:10") as endpoint:
        run = carry(endpoint.run(make_bank(4000), concurrency=2), stubborn, stop=StopOnceAsked(endpoint, 30))
    assert run.status == Status.QUEUED
    assert {result.state for result in run.results.all()} == {ItemState.READ}
    assert run.results.count() == 10


def test_a_partial_run_is_marked_and_scored_over_what_was_asked() -> None:
    with demo() as endpoint:
        run = carry(endpoint.run(make_bank(30), limit=12))
    assert (run.status, run.limit, run.n_items, run.n_scored) == (Status.FINISHED, 12, 12, 12)
    assert run.manifest
    assert run.manifest["partial"] is True


def test_e18_only_the_given_address_is_called() -> None:
    with demo() as endpoint:
        run = carry(endpoint.run(make_bank(3), api_model="gpt-4o", model="gpt-4o"))
        assert {entry["model"] for entry in endpoint.log()} == {"gpt-4o"}
    assert run.status == Status.FINISHED


def test_the_same_request_again_finds_the_open_run_and_another_pace_is_taken_over() -> None:
    bank = make_bank(5)
    with demo() as endpoint:
        run = endpoint.run(bank)
        again = endpoint.run(bank, concurrency=2)
    assert again.pk == run.pk
    assert again.settings["concurrency"] == 2


def test_another_request_on_the_same_endpoint_is_refused_by_name() -> None:
    bank = make_bank(5)
    with demo() as endpoint:
        endpoint.run(bank)
        with pytest.raises(OpenRunDiffers, match="max_tokens 60"):
            endpoint.run(bank, max_tokens=500)


def test_a_run_of_the_command_is_not_a_workers() -> None:
    with demo() as endpoint:
        run = endpoint.run(make_bank(2), driver=Driver.COMMAND)
    assert runner.claim(run.pk, Driver.WORKER) is None


def test_a_run_whose_endpoint_was_deleted_fails_with_a_sentence() -> None:
    with demo() as endpoint:
        run = endpoint.run(make_bank(2))
    assert run.endpoint
    run.endpoint.delete()
    run = carry(Run.objects.get(pk=run.pk))
    assert (run.status, run.failure_kind) == (Status.FAILED, FaultKind.PLATFORM)
