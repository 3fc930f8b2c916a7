"""A run ends with one scorer: that of its end, also where earlier slices were scored by another one."""

import asyncio
import random
import threading
from typing import Any

import pytest
from aiohttp import web

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Answer, Options
from evaluation.benchmarks.base import Reply as GivenReply
from evaluation.models import ItemState, Reply, Run, Status
from evaluation.runs import runner
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.recording import Outcome
from evaluation.runs.rescoring import rescore_run
from evaluation.runs.summaries import as_item
from tests.evaluation.benchmarks.by_item import points_by, read_by
from tests.evaluation.test_runner import EXACT, Demo, carry, demo, in_a_thread
from tests.factories import make_bank
from tests.fakes import serve

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
N_ITEMS = 60
LATENCY_MS = 40  # long enough that the runner looks for a stop before the last item


def answers_by_chance() -> web.Application:
    chance = random.Random(3)

    async def complete(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][0]["content"]
        names = next(labels for labels in EXACT if all(f"\n{label}\n" in prompt for label in labels))
        await asyncio.sleep(LATENCY_MS / 1000)
        text = "\n".join(f"{name}: {chance.randint(0, 10)}" for name in names)
        return web.json_response({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    return app


def stopped_in_the_middle(endpoint: Demo, **changes: Any) -> Run:
    """A run that is stopped after about a third of its items, one after another, and queued again."""
    stop, seen = threading.Event(), list[Outcome]()

    def note(outcome: Outcome) -> None:
        seen.append(outcome)
        if len(seen) == N_ITEMS // 3:
            stop.set()

    run = carry(endpoint.run(make_bank(N_ITEMS), concurrency=1, **changes), stop=stop, on_outcome=note)
    assert run.status == Status.QUEUED
    assert 0 < run.results.count() < N_ITEMS
    return run


def assert_is_of_one_scorer(run: Run) -> None:
    """Each stored score is what the benchmark makes of the stored reply, and the run's is their mean."""
    benchmark, points = BENCHMARKS[run.benchmark], []
    for result in run.results.select_related("item", "reply").exclude(state=ItemState.FAULT):
        item = as_item(result.item)
        given = GivenReply(result.reply.text, result.reply.reasoning, result.reply.finish_reason)
        answer: Answer = read_by(benchmark, item, given, Options()).answers[0]
        assert (result.score, result.reading) == (points_by(benchmark, item, answer), answer.reading)
        points.append(result.score)
    known = [value for value in points if value is not None]
    assert run.score == pytest.approx(10 * sum(known) / len(known))
    assert run.scorer_version == benchmark.scorer_version
    assert (run.manifest or {})["benchmark"]["scorer_version"] == benchmark.scorer_version
    assert not rescore_run(run.pk).changed


def test_a_run_that_began_under_another_scorer_is_scored_by_that_of_its_end() -> None:
    """The first third of the items is scored by the code rule, all others by that of the README."""
    with serve(answers_by_chance()) as address:
        run = stopped_in_the_middle(Demo(address), benchmark=BENCHMARKS["eq-bench-v2-code"])
        by_the_code = dict(run.results.values_list("pk", "score"))
        Run.objects.filter(pk=run.pk).update(benchmark="eq-bench-v2")
        run.refresh_from_db()
        run = carry(run)
    assert run.status == Status.FINISHED
    assert_is_of_one_scorer(run)
    moved = [pk for pk, score in run.results.values_list("pk", "score") if by_the_code.get(pk, score) != score]
    assert moved, "no answer of the first third is one that the two scorers tell apart"


@pytest.mark.parametrize(
    "as_stored_before",
    [
        {"score": -20.0, "answer": [9.0, 9.0, 9.0, 9.0], "reading": "tolerant"},
        {"score": None, "answer": None, "reading": "none", "reason": "no scores found", "state": ItemState.UNREAD},
        {"flags": "other scale"},
    ],
)
def test_what_an_older_reader_made_of_a_reply_is_read_anew_at_the_end(as_stored_before: dict[str, Any]) -> None:
    with demo(latency_ms=LATENCY_MS) as endpoint:
        run = stopped_in_the_middle(endpoint)
        asked = run.requests
        run.results.update(**as_stored_before)
        run = carry(run)
        assert len(endpoint.log()) == N_ITEMS, "no item is asked again"
    assert (run.status, run.score, run.n_scored) == (Status.FINISHED, 100.0, N_ITEMS)
    assert asked < run.requests == N_ITEMS
    assert_is_of_one_scorer(run)


def test_a_run_that_the_older_reader_left_unread_gets_its_score() -> None:
    """All items are stored as unread, and nothing is left to ask: what the end reads counts, not what was stored."""
    with demo() as endpoint:
        run = carry(endpoint.run(make_bank(5)))
        run.results.update(score=None, answer=None, reading="none", state=ItemState.UNREAD)
        Run.objects.filter(pk=run.pk).update(status=Status.QUEUED, score=None, manifest=None)
        run = carry(run)
    assert (run.status, run.score, run.n_scored) == (Status.FINISHED, 100.0, 5)


def test_items_without_a_stored_reply_keep_their_answers() -> None:
    with demo(latency_ms=LATENCY_MS) as endpoint:
        run = stopped_in_the_middle(endpoint)
        Reply.objects.filter(result__run=run).delete()
        run.results.update(score=1.0)
        run = carry(run)
    assert (run.status, run.score) == (Status.FINISHED, 100.0)


def test_who_has_lost_the_lease_ends_nothing_and_writes_over_no_result() -> None:
    with demo() as endpoint:
        run = carry(endpoint.run(make_bank(5)))
    run.results.update(score=1.0)
    Run.objects.filter(pk=run.pk).update(status=Status.QUEUED, score=None)
    lease = runner.claim(run.pk, run.driver)
    assert lease
    in_a_thread(lambda: Run.objects.cancel(run.pk, seal=sealed_columns))
    runner.finish(run, lease, {})
    run.refresh_from_db()
    assert (run.status, run.score) == (Status.CANCELLED, None)
    assert set(run.results.values_list("score", flat=True)) == {1.0}
