"""Benchmarks of other kinds than EQ-Bench, from the bank's file to the figures of a run, against a real endpoint."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import web

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Ask, Benchmark, Options, Prompt, Retry
from evaluation.benchmarks.chance import order
from evaluation.endpoints.retrying import Patience
from evaluation.importers.banks import BankSource, store_bank
from evaluation.models import ItemBank, Run
from evaluation.runs import runner
from evaluation.runs.asking import seed_of
from evaluation.runs.opening import RunRequest, open_run
from evaluation.runs.private_runs import CannotOpen
from evaluation.runs.recording import Outcome
from evaluation.runs.report import in_words
from evaluation.runs.rescoring import rescore_run
from evaluation.runs.slices import Limits
from evaluation.runs.summaries import item_scores
from evaluation.states import Access, ItemState, Status
from tests.fakes import serve
from tests.kinds.toy import SHUFFLED, TOY_CHOICES, TOY_MINUTES, ToyMinutes

# Results are written from a thread of their own, so each test needs real transactions.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

LIMITS = Limits(heartbeat=5, slice=60, drain=30, patience=Patience(backoff_seconds=0.01, longest_backoff_seconds=0.05))
MINUTES = {"to boil an egg": 8.0, "to walk a mile": 20.0, "to read a page": 2.0}
CHOICES = {
    "people": {"mean": 71},
    "items": {
        f"{group} {number}": {"options": ["ape", "bee", "cat", "dog"], "group": group, "right": "cat"}
        for group in ("plain", SHUFFLED)
        for number in range(1, 7)
    },
}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for benchmark in (TOY_MINUTES, TOY_CHOICES):
        monkeypatch.setitem(BENCHMARKS, benchmark.name, benchmark)


def bank_of(benchmark: Benchmark, content: object) -> ItemBank:
    loaded = benchmark.load({"toy.json": json.dumps(content).encode()})
    source = BankSource(
        slug=benchmark.bank,
        family=benchmark.bank,
        title=benchmark.title,
        language="en",
        version="1",
        sha256=benchmark.name.ljust(64, "0"),
        licence="",
        notice="",
        citation="",
        access=Access.OPEN,
    )
    return store_bank(source, loaded)


@dataclass
class Endpoint:
    """Answers by what it was asked: `said` gives the reply to a prompt's text."""

    said: Any
    address: str = ""
    asked: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    slow: threading.Event = field(default_factory=threading.Event)

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        text = body["messages"][-1]["content"]
        self.asked.append(text)
        self.bodies.append(body)
        if self.slow.is_set():
            await asyncio.sleep(0.3)
        message = {"message": {"content": self.said(text)}, "finish_reason": "stop"}
        return web.json_response({"choices": [message]})


@contextmanager
def answering(said: Any) -> Iterator[Endpoint]:
    endpoint = Endpoint(said)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", endpoint.handle)
    with serve(app) as endpoint.address:
        yield endpoint


def opened(endpoint: Endpoint, benchmark: Benchmark, bank: ItemBank, **changes: Any) -> Run:
    request = {
        "model": "maker/toy",
        "base_url": f"{endpoint.address}/v1",
        "api_model": "toy",
        "benchmark": benchmark,
        "bank": bank,
        "repeats": 1,
        "limit": None,
        "concurrency": 2,
        "max_tokens": 20,
        "timeout_seconds": 60.0,
        "variant": benchmark.variants[0],
        **changes,
    }
    return open_run(RunRequest(**request))[0]


def carried(run: Run, **changes: Any) -> Run:
    lease = runner.claim(run.pk, run.driver)
    assert lease, "the run could not be claimed"
    return runner.carry(lease, stop=changes.pop("stop", threading.Event()), limits=LIMITS, **changes)


def first_but_apes(text: str) -> str:
    """The first option that is shown; nothing to be read where that is the ape."""
    return "hm" if text.splitlines()[1] == "1. ape" and text.startswith(f"Which of {SHUFFLED}") else "1"


def expected(run: Run, item_id: str, repeat: int) -> tuple[int, tuple[int, ...]]:
    """The attempts that the endpoint's answers cost, and the order of the reply that is kept."""
    orders = [order(seed_of(run.seed, item_id, repeat, attempt), 4) for attempt in (1, 2, 3)]
    read = next((number for number, found in enumerate(orders, 1) if found[0] != 0), 0)
    return (read, orders[read - 1]) if read else (3, orders[2])


def check_orders(run: Run) -> None:
    """Each result is what the endpoint chose in the order that the run's seed gives."""
    for row in run.results.select_related("item").filter(item__group=SHUFFLED):
        attempts, shown = expected(run, row.item.item_id, row.repeat)
        assert (row.attempts, row.shown) == (attempts, {"attempt": attempts, "order": list(shown)})
        if shown[0]:
            assert row.answer == [float(label == shown[0]) for label in range(4)]
            assert (row.score, row.values) == (float(shown[0] == 2), [float(shown[0] == 2), shown[0] + 1.0])
        else:
            assert (row.state, row.answer, row.score, row.values) == (ItemState.UNREAD, None, None, [None, None])


def test_lower_is_better_runs_with_its_own_figures() -> None:
    bank = bank_of(TOY_MINUTES, MINUTES)
    with answering(lambda text: "10") as endpoint:
        run = carried(opened(endpoint, TOY_MINUTES, bank, repeats=2))
    assert (run.status, run.n_asks, run.n_scored) == (Status.FINISHED, 6, 3)
    assert run.score == pytest.approx((2 + 10 + 8) / 3)
    assert run.standard_error is not None
    assert (run.figures.keys() & {"strict_score", "strict_share"}, run.parse_share) == (set(), 1.0)
    assert {key: figure["value"] for key, figure in run.figures.items()} == {
        "miss": run.score,
        "close": pytest.approx(100 / 3),
        "longest": 10.0,
    }
    assert run.figures["miss"] == {"value": run.score, "error": run.standard_error, "n": 3}
    assert set(run.results.values_list("shown", "values")) == {(None, None)}
    words = in_words(run, key_variable=None, taken=True)
    assert "mean miss 6.7 ± 10.3 over 3 of 3 items; close 33; longest miss 10.0. 6 requests tried" in words


def test_groups_have_their_own_repeats_and_each_repeat_its_own_order() -> None:
    bank = bank_of(TOY_CHOICES, CHOICES)
    with answering(first_but_apes) as endpoint:
        run = opened(endpoint, TOY_CHOICES, bank, variant="full", switched=frozenset({"politely"}))
        assert (run.variant, run.n_items, run.n_asks) == ("full", 12, 6 + 18)
        run = carried(run)
    assert (run.status, run.results.count()) == (Status.FINISHED, 24)
    assert sorted(set(run.results.filter(item__group=SHUFFLED).values_list("repeat", flat=True))) == [1, 2, 3]
    assert set(run.results.filter(item__group="plain").values_list("repeat", "shown")) == {(1, None)}
    assert len({str(row.shown) for row in run.results.filter(item__group=SHUFFLED)}) > 4
    check_orders(run)
    assert all(text.endswith("Please answer.") for text in endpoint.asked)
    assert {body["top_p"] for body in endpoint.bodies} == {0.9}
    assert run.detail == {"people": {"mean": 71}}
    assert run.score == (run.figures["plain"]["value"] + run.figures[SHUFFLED]["value"]) / 2
    assert run.manifest is not None
    assert run.manifest["figures"] == run.figures
    assert run.manifest["seed"] == run.seed != 0
    assert (run.manifest["variant"], run.manifest["asks"]) == ("full", 24)
    assert run.departures == {"politely": True}


def test_a_run_that_was_stopped_goes_on_with_the_orders_of_its_seed() -> None:
    bank = bank_of(TOY_CHOICES, CHOICES)
    with answering(first_but_apes) as endpoint:
        run, stop, stored = opened(endpoint, TOY_CHOICES, bank, repeats=2), threading.Event(), list[Outcome]()

        def note(outcome: Outcome) -> None:
            stored.append(outcome)
            if len(stored) == 9:
                endpoint.slow.set()  # a stop is looked for now and then: the run must not be through before
                stop.set()

        half = carried(run, stop=stop, on_outcome=note)
        assert half.status == Status.QUEUED
        n_stored = half.results.count()
        assert 9 <= n_stored < run.n_asks == 12 + 24
        endpoint.slow.clear()
        run = carried(run)
    assert (run.status, run.results.count()) == (Status.FINISHED, 36)
    check_orders(run)
    prompts = [text for text in endpoint.asked if text.startswith(f"Which of {SHUFFLED}")]
    attempts = sum(expected(run, row.item.item_id, row.repeat)[0] for row in run.results.filter(item__group=SHUFFLED))
    assert len(prompts) == attempts, "what was answered before the stop is not asked again"


def test_values_of_a_run_come_back_and_replies_are_read_again_by_what_was_shown() -> None:
    bank = bank_of(TOY_CHOICES, CHOICES)
    with answering(first_but_apes) as endpoint:
        run = carried(opened(endpoint, TOY_CHOICES, bank))
    scores = {(score.item_id, score.repeat): score.values for score in item_scores(run)}
    row = run.results.filter(item__group=SHUFFLED, state=ItemState.READ).select_related("item").first()
    assert row is not None
    assert row.values is not None
    assert scores[row.item.item_id, row.repeat] == tuple(row.values)
    assert not rescore_run(run.pk).changed
    run.results.update(answer=None, score=None, state=ItemState.UNREAD, reading="none")
    assert rescore_run(run.pk).changed
    run.refresh_from_db()
    check_orders(run)


@pytest.mark.parametrize(("retry", "attempts"), [("reshuffled", 3), ("hotter", 3), ("same", 1)])
def test_an_attempt_is_made_only_where_it_may_differ(
    monkeypatch: pytest.MonkeyPatch, retry: Retry, attempts: int
) -> None:
    benchmark = replace(TOY_CHOICES, generation=replace(TOY_CHOICES.generation, retry=retry))
    monkeypatch.setitem(BENCHMARKS, benchmark.name, benchmark)
    bank = bank_of(benchmark, CHOICES)
    with answering(lambda text: "hm") as endpoint:
        run = carried(opened(endpoint, benchmark, bank))
    assert (run.status, run.failure_message.partition(".")[0]) == (Status.FAILED, "No reply was a number")
    assert set(run.results.values_list("attempts", flat=True)) == {attempts}


def test_a_run_of_a_benchmark_that_ranks_nothing_finishes_without_a_score(monkeypatch: pytest.MonkeyPatch) -> None:
    gathering = replace(TOY_MINUTES, measures=())
    monkeypatch.setitem(BENCHMARKS, gathering.name, gathering)
    bank = bank_of(gathering, MINUTES)
    with answering(lambda text: "10") as endpoint:
        run = carried(opened(endpoint, gathering, bank))
    assert (run.status, run.score, run.ranks, run.results.count()) == (Status.FINISHED, None, False, 3)


def test_a_benchmark_that_gives_neither_a_score_nor_a_reason_fails_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = replace(TOY_MINUTES, measures=(replace(TOY_MINUTES.measures[0], key="unknown"),))
    monkeypatch.setitem(BENCHMARKS, unknown.name, unknown)
    bank = bank_of(unknown, MINUTES)
    with answering(lambda text: "10") as endpoint:
        run = carried(opened(endpoint, unknown, bank))
    assert (run.status, run.failure_message) == (Status.FAILED, "The benchmark gave no score.")


def test_norms_and_groups_of_a_bank_are_stored_with_it() -> None:
    bank = bank_of(TOY_CHOICES, CHOICES)
    assert bank.facts == {"norms": {"people": {"mean": 71}}}
    assert list(bank.items.values_list("group", flat=True).distinct().order_by("group")) == ["plain", SHUFFLED]


def test_options_that_a_benchmark_has_not_are_refused() -> None:
    bank = bank_of(TOY_CHOICES, CHOICES)
    with pytest.raises(CannotOpen, match="toy-choices has no option revision"):
        opened(Endpoint(str, "http://127.0.0.1:1"), TOY_CHOICES, bank, switched=frozenset({"revision"}))
    with pytest.raises(CannotOpen, match=r"no variant whole\. Known: quick, full"):
        opened(Endpoint(str, "http://127.0.0.1:1"), TOY_CHOICES, bank, variant="whole")


def test_a_benchmark_with_its_own_system_message_takes_no_other() -> None:
    @dataclass(frozen=True)
    class Own(ToyMinutes):
        def prompt(self, ask: Ask, options: Options) -> Prompt:
            if options.system_prompt:
                raise ValueError("This clock has its own system prompt and takes no other")
            return super().prompt(ask, options)

    bank, nowhere = bank_of(Own(), MINUTES), Endpoint(str, "http://127.0.0.1:1")
    with pytest.raises(CannotOpen, match="takes no other"):
        opened(nowhere, Own(), bank, system_prompt="Be brief.")
    assert opened(nowhere, TOY_MINUTES, bank, system_prompt="Be brief.").settings["system_prompt"] == "Be brief."
