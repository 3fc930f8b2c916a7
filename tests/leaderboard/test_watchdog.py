"""A worker that hears no messages ends itself with a status of its own; one that hears or has no free slot does not.
One that cannot go on gives its runs back and ends at once.
"""

import time
from pathlib import Path

import pytest
from celery import Celery

from evaluation.models import Status
from leaderboard.operations.watchdog import DEAF_STATUS, Ear
from tests.chaos.arena import demo_endpoint, queued, results_of, status_of, wait_for_results
from tests.factories import make_bank
from tests.processes import PATIENCE_SECONDS, Worker, environment, redis_server, wait_for, worker

TASK = "evaluation.tasks.purge_keys"


def looks(*states: tuple[float, int, int, bool]) -> list[bool]:
    """What is judged at each look: time, tasks taken so far, messages waiting, whether a slot is free."""
    ear = Ear(silence_seconds=180)
    return [ear.is_deaf(now, taken=taken, waiting=waiting, free=free) for now, taken, waiting, free in states]


def test_messages_that_wait_while_none_is_taken_tell_a_deaf_worker() -> None:
    assert looks((0, 5, 1, True), (30, 5, 1, True), (209, 5, 2, True), (210, 5, 2, True)) == [False, False, False, True]


@pytest.mark.parametrize(
    "middle",
    [(100, 6, 1, True), (100, 5, 0, True), (100, 5, 1, False)],
    ids=["a task was taken", "nothing waited", "no slot was free"],
)
def test_any_sign_of_hearing_starts_the_silence_anew(middle: tuple[float, int, int, bool]) -> None:
    taken = middle[1]
    ends = looks((0, 5, 1, True), (30, 5, 1, True), middle, (220, taken, 1, True), (390, taken, 1, True))
    assert ends == [False] * 5


@pytest.mark.thorough
@pytest.mark.processes
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_no_longer_hears_its_queue_ends_within_the_allowed_silence(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis") as broker:
        sender = Celery(broker=broker, set_as_current=False)
        with worker(tmp_path, broker, beat=False, READY_SILENCE_SECONDS="3", RUN_DRAIN_SECONDS="2") as deaf:
            wait_for(lambda: bool(sender.control.ping(timeout=0.5)), what="a worker that is up")
            sender.send_task(TASK)
            wait_for(lambda: TASK in deaf.log.read_text(), what="a task taken")
            time.sleep(3.5)
            assert deaf.process.poll() is None, "an idle worker was taken for a deaf one"
            # What a lost reconnect leaves: the process lives, its queue is not listened to.
            # Only once it has said so: what is sent before that it would still take.
            wait_for(lambda: told_to_be_deaf(sender), what="the worker no longer listens")
            sender.send_task(TASK)
            assert deaf.process.wait(timeout=PATIENCE_SECONDS) == DEAF_STATUS
            assert "hears no messages" in deaf.log.read_text()


def told_to_be_deaf(sender: Celery) -> bool:
    return bool(sender.control.cancel_consumer("celery", reply=True, timeout=5))


@pytest.mark.processes
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_cannot_go_on_gives_its_runs_back_and_ends_instead_of_waiting_for_them(tmp_path: Path) -> None:
    """The run at work would last for 100 s, in which the worker would take up nothing."""
    words = environment("", BREAK_FILE=str(tmp_path / "break"), RUN_LEASE_SECONDS="60", RUN_DRAIN_SECONDS="3")
    with (
        redis_server(tmp_path / "redis") as broker,
        demo_endpoint("--persona", "random", "--latency-ms", "1000") as address,
    ):
        run = queued(address, make_bank(200), concurrency=2)
        breaking = Worker(tmp_path, {**words, "REDIS_URL": broker}, app="tests.breakable_worker")
        try:
            wait_for_results(run, 2)
            (tmp_path / "break").touch()
            assert breaking.process.wait(timeout=PATIENCE_SECONDS) == 1
        finally:
            breaking.stop()
        assert status_of(run) == Status.QUEUED, "its lease was given back, not left to run out"
        assert results_of(run) < 100
    said = breaking.log.read_text()
    assert "this worker cannot go on: it gives its runs back and ends with status 1" in said
    assert "broken by a test" in said
