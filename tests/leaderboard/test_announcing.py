"""How the board hears of a run that has ended: once it is stored that it ended, nothing that happens can lose that."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from celery.signals import before_task_publish
from django.conf import settings as board
from django.db import connection
from django.utils import timezone
from django.utils.module_loading import import_string

from evaluation.demo.server import make_app
from evaluation.models import Driver, FaultKind, Pulse, Run, Status
from evaluation.runs import pulses
from evaluation.runs.announcing import leave_to_workers, reaper_ticks
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.runner import claim_by_hand
from evaluation.tasks import requeue_stalled_runs
from leaderboard.celery import app
from leaderboard.models import Mail, Note, Standing, StatisticsSection
from leaderboard.operations.reaping import Reaper
from tests.factories import make_bank, make_endpoint, make_result, make_run
from tests.fakes import serve
from tests.instruments import signal_at
from tests.leaderboard.test_reaping import WorkerLike, no_broker
from tests.processes import manage, redis_server, wait_for, worker

__all__ = ["no_broker"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def evaluate(address: str, **changes: str) -> int:
    return manage("evaluate", "--model", "maker/demo", "--base-url", address, **changes).returncode


def ended_run(**fields: Any) -> Run:
    """A listed run of six items that has just ended, and of which nobody was told."""
    run = make_run(
        bank=make_bank(6), driver=Driver.COMMAND,
        **{"status": Status.FINISHED, "unannounced_since": timezone.now(), "finished_at": timezone.now(), **fields},
    )  # fmt: skip
    for number in range(1, run.n_items + 1):
        make_result(run, str(number))
    return run


@pytest.fixture
def sent() -> Iterator[list[tuple[str, int]]]:
    """(task, run id) of each message, in its order, by a broker within this process."""
    messages: list[tuple[str, int]] = []

    def note(sender: str, body: Any, **_: object) -> None:
        messages.append((sender, body[0][0]))

    before_task_publish.connect(note)
    calling = Celery("calling", broker="memory://")  # Celery makes it the current application
    try:
        yield messages
    finally:
        calling.close()
        app.set_current()
        before_task_publish.disconnect(note)


@pytest.mark.processes
def test_a_command_that_is_killed_between_result_and_announcement_loses_nothing(tmp_path: Path) -> None:
    make_bank(6, slug="eq-bench-v2")
    with serve(make_app(persona="random")) as address:
        status = evaluate(address, **signal_at(tmp_path, "call announcing.py:leave_to_workers", "SIGKILL"))
    run = Run.objects.get()
    assert status == -9
    assert run.status == Status.FINISHED
    assert run.unannounced_since is not None
    assert not Standing.objects.exists(), "it was killed before anything was told"
    with redis_server(tmp_path / "redis") as broker, worker(tmp_path, broker):
        wait_for(lambda: Run.objects.get().unannounced_since is None, what="the announcement")
        wait_for(lambda: Standing.objects.filter(run=run).exists(), what="the row in the ranking")
        wait_for(StatisticsSection.objects.exists, what="the statistics")


@pytest.mark.processes
def test_beside_a_worker_the_command_leaves_the_rest_to_it_and_the_board_shows_the_run(tmp_path: Path) -> None:
    make_bank(6, slug="eq-bench-v2")
    with redis_server(tmp_path / "redis") as broker, worker(tmp_path, broker):
        wait_for(lambda: pulses.REAPER in pulses.beats(), what="a tick")
        with serve(make_app(persona="random")) as address:
            assert evaluate(address, RUN_REAPER_SECONDS="60") == 0
        wait_for(Standing.objects.exists, what="the row in the ranking")
        wait_for(lambda: Run.objects.get().unannounced_since is None, what="the note of it")


@pytest.mark.parametrize("tick", [requeue_stalled_runs, lambda: Reaper(WorkerLike()).tick(WorkerLike())])
def test_a_tick_calls_the_tasks_of_each_unannounced_run_once(tick: Callable[[], None], sent: list[Any]) -> None:
    first, second = ended_run(), ended_run(status=Status.FAILED, failure_kind=FaultKind.PARSE)
    told = ended_run(unannounced_since=None)
    tick()
    tick()
    wanted = [(task, run.pk) for run in (first, second) for task in board.RUN_FINISHED_TASKS]
    assert sent == wanted
    assert told.pk not in {run for _, run in sent}
    assert not Run.objects.filter(unannounced_since__isnull=False).exists()


def test_without_a_broker_the_run_stays_unannounced_until_there_is_one(no_broker: None) -> None:
    run = ended_run()
    requeue_stalled_runs()
    run.refresh_from_db()
    assert run.unannounced_since is not None


def test_a_run_that_has_ended_once_more_since_then_stays_unannounced() -> None:
    run = ended_run()
    earlier = timezone.now() - timedelta(hours=1)
    assert Run.objects.announced(run.pk, earlier) is False
    run.refresh_from_db()
    assert run.unannounced_since is not None
    assert Run.objects.announced(run.pk, run.unannounced_since) is True
    assert Run.objects.unannounced(10) == []


def test_every_ending_leaves_the_run_unannounced_and_going_on_takes_that_back() -> None:
    run = make_run(driver=Driver.COMMAND, endpoint=make_endpoint())
    lease = claim_by_hand(run.pk, now=True)
    assert lease is not None
    assert Run.objects.end(
        run.pk, lease.token, status=Status.FAILED, seal=sealed_columns, failure_kind=FaultKind.ENDPOINT
    )
    ((ended, since),) = Run.objects.unannounced(10)
    assert ended == run.pk
    assert Run.objects.resume(run.pk)
    assert Run.objects.unannounced(10) == []
    Run.objects.filter(pk=run.pk).update(idle_claims=99)
    assert Run.objects.fail_stuck(20, seal=sealed_columns) == 1
    assert Run.objects.announced(run.pk, since) is False, "that was the ending before"
    ((ended, since),) = Run.objects.unannounced(10)
    assert Run.objects.announced(ended, since) is True, "also by the database's own time"


def test_an_end_at_a_whole_second_of_the_database_is_announced_once() -> None:
    ended_run()
    with connection.cursor() as cursor:  # as SQLite's own clock writes it
        cursor.execute("UPDATE evaluation_run SET unannounced_since = '2026-11-29 16:40:08.000'")
    ((ended, since),) = Run.objects.unannounced(10)
    assert Run.objects.announced(ended, since) is True
    assert Run.objects.unannounced(10) == []


def test_the_oldest_are_announced_first_and_a_tick_takes_only_so_many() -> None:
    times = [timezone.now() - timedelta(minutes=minutes) for minutes in (1, 3, 2)]
    new, old, middle = (ended_run(unannounced_since=at) for at in times)
    assert [run for run, _ in Run.objects.unannounced(2)] == [old.pk, middle.pk]
    assert new.pk not in dict(Run.objects.unannounced(2))


def test_a_run_that_is_announced_twice_changes_nothing_the_second_time() -> None:
    run = ended_run()

    def told() -> tuple[Any, ...]:
        return (
            list(Standing.objects.order_by("pk").values()), list(StatisticsSection.objects.order_by("pk").values()),
            Mail.objects.count(), Note.objects.count(),
        )  # fmt: skip

    states = []
    for _ in range(2):
        for name in board.RUN_FINISHED_TASKS:
            import_string(name)(run.pk)
        states.append(told())
    assert len(states[0][0]) == 1
    assert states[0] == states[1]


@pytest.mark.parametrize(
    ("age", "ticks"),
    [(None, False), (timedelta(0), True), (timedelta(minutes=59), True), (timedelta(minutes=61), False),
     (timedelta(hours=-3), False)],
    ids=["never", "now", "lately", "an hour ago", "by a clock that was set back"],
)  # fmt: skip
def test_a_command_does_the_standings_itself_where_no_reaper_ticked_for_four_times_its_interval(
    age: timedelta | None, ticks: bool, settings: Any
) -> None:
    settings.RUN_REAPER_SECONDS = 900  # so long that "lately" is not over before a busy machine has looked
    if age is not None:
        Pulse.objects.create(name=pulses.REAPER, at=timezone.now() - age, count=1)
    run = ended_run()
    assert reaper_ticks() is ticks
    leave_to_workers(run)
    run.refresh_from_db()
    assert Standing.objects.filter(run=run).exists() is not ticks
    assert run.unannounced_since is not None, "the rest is for a worker"


@pytest.mark.parametrize("fields", [{"published": False}, {"limit": 6}, {"status": Status.FAILED}])
def test_a_run_that_stands_nowhere_costs_no_standings(fields: dict[str, Any], django_assert_num_queries: Any) -> None:
    run = ended_run(**fields)
    with django_assert_num_queries(0):
        leave_to_workers(run)
