"""The reaper of a worker's main process: its timer, its clock, and a database that is away."""

import logging
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from celery.signals import before_task_publish
from django.utils import timezone

from evaluation.models import Run, Status
from evaluation.runs import pulses
from evaluation.tasks import requeue_stalled_runs
from leaderboard.celery import app
from leaderboard.operations.reaping import Reaper
from leaderboard.operations.steady import SteadyScheduler
from tests.factories import make_run


@dataclass
class Timer:
    """Keeps what it was told to call."""

    calls: list[tuple[float, Callable[..., None], tuple[Any, ...]]] = field(default_factory=list)
    cancelled: bool = False

    def call_repeatedly(self, seconds: float, function: Callable[..., None], arguments: tuple[Any, ...]) -> "Timer":
        self.calls.append((seconds, function, arguments))
        return self

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Clock:
    alive: bool

    def is_alive(self) -> bool:
        return self.alive


@dataclass
class WorkerLike:
    timer: Timer = field(default_factory=Timer)
    beat: Clock | None = None


def test_the_reaper_is_a_step_of_each_worker_and_ticks_by_the_setting(settings: Any) -> None:
    settings.RUN_REAPER_SECONDS = 7
    assert "leaderboard.operations.reaping:Reaper" in app.steps["worker"]
    worker = WorkerLike()
    reaper = Reaper(worker)
    reaper.start(worker)
    assert [(seconds, arguments) for seconds, _, arguments in worker.timer.calls] == [(7, (worker,))]
    reaper.stop(worker)
    assert worker.timer.cancelled


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_a_tick_gives_the_run_of_a_dead_worker_back_to_the_queue() -> None:
    run = make_run(status=Status.RUNNING, lease_until=timezone.now() - timedelta(seconds=1))
    worker = WorkerLike(beat=Clock(alive=True))
    Reaper(worker).tick(worker)
    assert Run.objects.get(pk=run.pk).status == Status.QUEUED


@pytest.fixture
def no_broker(settings: Any) -> Iterator[None]:
    """Celery's calls go to a port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    calling = Celery("calling", broker=f"redis://127.0.0.1:{port}/0")
    calling.conf.broker_transport_options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    try:
        yield
    finally:
        calling.close()
        app.set_current()


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_after_the_first_call_that_fails_no_other_worker_is_called_in_this_tick(
    no_broker: None, caplog: pytest.LogCaptureFixture
) -> None:
    """A broker that accepts and never answers takes seconds a call, in the loop that also renews the worker's life."""
    tried: list[str] = []

    def note(sender: str, **_: object) -> None:
        tried.append(sender)

    for _ in range(3):
        make_run(status=Status.QUEUED)
    before_task_publish.connect(note, weak=False)
    try:
        Reaper(WorkerLike()).tick(WorkerLike())
    finally:
        before_task_publish.disconnect(note)
    assert tried == ["evaluation.tasks.evaluate_run"]
    (line,) = [record.getMessage() for record in caplog.records if record.name == "evaluation.tasks"]
    assert "the broker cannot be reached" in line


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_a_worker_without_a_clock_of_its_own_gets_none() -> None:
    worker = WorkerLike()
    reaper = Reaper(worker)
    reaper.tick(worker)
    assert reaper.clock is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_a_tick_of_the_clock_is_noted_and_one_of_the_worker_alone_is_not() -> None:
    """Otherwise a dead clock would show nowhere."""
    worker = WorkerLike()
    Reaper(worker).tick(worker)
    assert pulses.REAPER not in pulses.beats()
    requeue_stalled_runs()
    assert pulses.beats()[pulses.REAPER].count == 1


def test_a_clock_starts_in_a_fresh_checkout_where_no_folder_holds_its_file_yet(tmp_path: Path) -> None:
    """`celery beat` as docs/deployment.md has it, without `make setup`."""
    calling = Celery("calling", set_as_current=False)
    scheduler = SteadyScheduler(calling, schedule_filename=str(tmp_path / "var" / "schedule"))
    scheduler.close()
    calling.close()
    assert list((tmp_path / "var").iterdir())


def test_a_clock_without_a_broker_leaves_one_line_a_call(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    calling = Celery("calling", broker=f"redis://127.0.0.1:{port}/0", set_as_current=False)
    calling.conf.update(broker_transport_options={"max_retries": 0}, task_publish_retry=False)
    calling.conf.beat_schedule = {"one": {"task": "some.task", "schedule": 1.0}}
    scheduler = SteadyScheduler(calling, schedule_filename=str(tmp_path / "schedule"), Producer=lambda *_, **__: None)
    with caplog.at_level(logging.ERROR, logger="celery.beat"):
        scheduler.apply_entry(scheduler.schedule["one"])
    scheduler.close()
    calling.close()
    (line,) = caplog.records
    assert "the clock calls again later: Couldn't apply scheduled task one" in line.getMessage()
    assert line.exc_info is None
