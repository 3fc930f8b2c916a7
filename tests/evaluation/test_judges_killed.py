"""Judges as processes: replies are gathered, the judge's run opens by itself, and its worker is killed five times."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from evaluation.models import Run, Status
from evaluation.runs.judging import open_judge_runs
from evaluation.runs.opening import RunRequest, open_run
from tests.evaluation.judged import REPLIES, make_judge, prompt_bank
from tests.evaluation.test_worker import KILLED, demo_endpoint, has_more_than, status_of
from tests.fakes import requests_at
from tests.processes import Worker, environment, redis_server, wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.database,
    pytest.mark.processes,
]

PROMPTS, KILLS, CONCURRENCY = 64, 5, 2
SECONDS = 300  # that anything may take on a busy machine


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    with redis_server(tmp_path / "redis") as address:
        yield address


def gathering(address: str) -> Run:
    request = RunRequest(
        model="maker/demo",
        base_url=f"{address}/v1",
        api_model="noisy",
        benchmark=REPLIES,
        bank=prompt_bank(PROMPTS),
        repeats=1,
        limit=None,
        concurrency=8,
        max_tokens=256,
        timeout_seconds=30.0,
        published=True,
        judging=True,
    )
    return open_run(request)[0]


def ended(run: Run) -> bool:
    return status_of(run) == Status.FINISHED


def calls(address: str) -> Counter[str]:
    """How often each judgement was asked for, by its prompt; three repeats have the same one."""
    return Counter(entry["prompt_sha256"] for entry in requests_at(address) if entry["model"] == "judge")


def test_a_judge_killed_five_times_asks_no_finished_reply_again_and_finds_the_same_medians(
    tmp_path: Path, broker: str
) -> None:
    chance = random.Random(20261128)
    with demo_endpoint("--latency-ms", "250") as address:
        make_judge("killed", base_url=f"{address}/v1", api_model="judge", concurrency=CONCURRENCY)
        subject = gathering(address)
        current = Worker(tmp_path, environment(broker, **KILLED))
        try:
            judged = Run.objects.filter(subject=subject)
            wait_for(judged.exists, seconds=SECONDS, what="the judge's run is open")
            run = judged.get()
            for _ in range(KILLS):
                wait_for(partial(has_more_than, run, run.results.count()), seconds=SECONDS, what="a new result")
                time.sleep(chance.uniform(0.1, 0.8))
                assert status_of(run) == Status.RUNNING, "the run was over before the last kill"
                current.kill()
                stored = dict(run.results.values_list("pk", "created_at"))
                current = Worker(tmp_path, environment(broker, **KILLED))
            wait_for(partial(ended, run), seconds=SECONDS, what="the judge's run finished")
            requests = calls(address)
            assert dict(run.results.filter(pk__in=stored).values_list("pk", "created_at")) == stored
            unhurt = make_judge("unhurt", base_url=f"{address}/v1", api_model="judge", concurrency=8)
            (again,) = Run.objects.filter(pk__in=open_judge_runs(judge=unhurt))
            wait_for(partial(ended, again), seconds=SECONDS, what="the other judge's run finished")
        finally:
            current.stop()
    assert run.results.count() == again.results.count() == 3 * PROMPTS
    assert 0 <= sum(requests.values()) - 3 * PROMPTS <= KILLS * CONCURRENCY, "at most what was in flight is asked again"
    for each in (run, again):
        each.refresh_from_db()
    medians = [(each.detail or {})["medians"] for each in (run, again)]
    assert medians[0] == medians[1]
    assert len(medians[0]) == PROMPTS
    assert run.figures == again.figures
    assert (run.variant, again.variant) == ("judge-killed", "judge-unhurt")
