"""The fair queue: whose run starts next, on both databases; the page's forecast plays the same order."""

import random
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from evaluation.models import Driver, ItemBank, LanguageModel, Origin, Run, Status
from evaluation.runs.manifest import sealed_columns
from evaluation.runs.opening import place_in_line
from evaluation.runs.queueing import NO_LIMITS, Entry, Line, Shares, start_of
from tests.factories import make_bank, make_endpoint, make_model, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def bank() -> ItemBank:
    return make_bank(1)


@pytest.fixture
def model() -> LanguageModel:
    return make_model()


def queue(bank: ItemBank, model: LanguageModel, *lines: tuple[str, str], **fields: Any) -> list[Run]:
    """Queued runs of (owner, host), in this order. Without an endpoint, of which only one run may be open."""
    same = {"model": model, "bank": bank, "benchmark": bank.benchmark, "origin": Origin.MEASURED, "n_items": 1}
    return Run.objects.bulk_create(Run(owner=owner, host=host, **{**same, **fields}) for owner, host in lines)


def start_next(shares: Shares = NO_LIMITS) -> tuple[int, uuid.UUID] | None:
    token = uuid.uuid4()
    run_id = Run.objects.claim_next(token, lease_seconds=45, most_idle_claims=20, shares=shares)
    return None if run_id is None else (run_id, token)


def end(started: tuple[int, uuid.UUID]) -> None:
    assert Run.objects.end(*started, status=Status.FAILED, seal=sealed_columns)


def order_of_work(most: int, shares: Shares = NO_LIMITS) -> list[str]:
    """The owners in the order in which one worker takes up their runs."""
    owners: list[str] = []
    while len(owners) < most and (started := start_next(shares)):
        owners.append(Run.objects.values_list("owner", flat=True).get(pk=started[0]))
        end(started)
    return owners


def test_owners_take_turns_and_within_one_the_oldest_run_is_first(bank: ItemBank, model: LanguageModel) -> None:
    runs = queue(bank, model, ("a", "h1"), ("a", "h2"), ("a", "h3"), ("b", "h4"), ("c", "h5"), ("b", "h6"))
    started = []
    while taken := start_next():
        started.append(taken[0])
        end(taken)
    assert started == [runs[at].pk for at in (0, 3, 4, 1, 5, 2)]


def test_an_owner_who_had_a_turn_comes_after_one_who_had_none(bank: ItemBank, model: LanguageModel) -> None:
    queue(bank, model, ("a", "h1"), ("a", "h2"))
    assert order_of_work(1) == ["a"]
    queue(bank, model, ("late", "h3"))
    assert order_of_work(9) == ["late", "a"]


def test_a_run_that_an_administrator_prefers_is_first(bank: ItemBank, model: LanguageModel) -> None:
    queue(bank, model, ("a", "h1"), ("b", "h2"))
    queue(bank, model, ("c", "h3"), priority=5)
    assert order_of_work(9) == ["c", "a", "b"]


def test_one_host_bears_one_run_at_a_time_and_others_go_on(bank: ItemBank, model: LanguageModel) -> None:
    first, second, other = queue(bank, model, ("a", "same"), ("b", "same"), ("c", "other"))
    shares = Shares(per_host=1)
    at_work = start_next(shares)
    assert at_work
    assert at_work[0] == first.pk
    elsewhere = start_next(shares)
    assert elsewhere
    assert elsewhere[0] == other.pk, "the fairest run that may start, not the next in line"
    assert start_next(shares) is None
    end(at_work)
    taken = start_next(shares)
    assert taken
    assert taken[0] == second.pk


@pytest.mark.parametrize(("per_host", "together"), [(0, 3), (1, 1), (2, 2)])
def test_the_limit_of_a_host_is_a_setting_and_0_sets_none(
    bank: ItemBank, model: LanguageModel, per_host: int, together: int
) -> None:
    queue(bank, model, ("a", "same"), ("b", "same"), ("c", "same"))
    assert sum(start_next(Shares(per_host=per_host)) is not None for _ in range(3)) == together


def test_one_owner_has_two_runs_at_a_time(bank: ItemBank, model: LanguageModel) -> None:
    queue(bank, model, ("a", "h1"), ("a", "h2"), ("a", "h3"))
    assert [start_next(Shares(per_owner=2)) is not None for _ in range(3)] == [True, True, False]


def test_a_run_that_waits_or_whose_worker_is_dead_keeps_no_place(bank: ItemBank, model: LanguageModel) -> None:
    first, second, third = queue(bank, model, ("a", "same"), ("b", "same"), ("c", "same"))
    shares = Shares(per_host=1, per_owner=1)
    waiting = start_next(shares)
    assert waiting
    assert Run.objects.wait(first.pk, waiting[1], seconds=3600)
    dead = Run.objects.claim_next(uuid.uuid4(), lease_seconds=-1, most_idle_claims=20, shares=shares)
    assert dead == second.pk
    taken = start_next(shares)
    assert taken
    assert taken[0] == third.pk


def test_a_worker_that_names_a_run_is_held_to_the_same_limits(bank: ItemBank, model: LanguageModel) -> None:
    first, second = queue(bank, model, ("a", "same"), ("b", "same"))
    limits: dict[str, Any] = {"lease_seconds": 45, "driver": Driver.WORKER, "most_idle_claims": 20}
    assert Run.objects.claim(first.pk, uuid.uuid4(), **limits, shares=Shares(per_host=1))
    assert not Run.objects.claim(second.pk, uuid.uuid4(), **limits, shares=Shares(per_host=1))
    assert Run.objects.claim(second.pk, uuid.uuid4(), **limits, shares=Shares(per_host=2))


def test_only_runs_that_may_start_are_rung_in_their_order(bank: ItemBank, model: LanguageModel) -> None:
    runs = queue(bank, model, ("a", "same"), ("a", "other"), ("b", "same"), ("c", "third"))
    assert start_next(Shares(per_host=1)) is not None
    rung = Run.objects.to_ring(again_after_seconds=60, most=9, shares=Shares(per_host=1))
    assert rung == [runs[3].pk, runs[1].pk]


def test_our_own_runs_stand_on_no_host_and_have_no_owner() -> None:
    endpoint = make_endpoint(base_url="http://Models.Example.:8000/v1", owner="team@models.example")
    assert place_in_line(endpoint, Driver.WORKER, Origin.MEASURED) == {
        "host": "models.example",
        "owner": "team@models.example",
    }
    for driver, origin in ((Driver.COMMAND, Origin.MEASURED), (Driver.WORKER, Origin.DEMO)):
        assert place_in_line(endpoint, driver, origin) == {"host": "", "owner": ""}


def test_without_a_host_and_an_owner_there_is_no_limit(bank: ItemBank, model: LanguageModel) -> None:
    queue(bank, model, *[("", "")] * 4)
    assert sum(start_next(Shares(per_host=1, per_owner=1)) is not None for _ in range(4)) == 4


def test_r13_fifty_runs_of_one_owner_delay_the_first_of_another_by_at_most_one(
    bank: ItemBank, model: LanguageModel
) -> None:
    """1,000 queued: one sends 50 at once, then 95 owners send ten each. Without the 50, owner k starts at place k."""
    others = [f"owner-{number}" for number in range(95)]
    many = [("greedy", f"greedy-{number}") for number in range(50)]
    queue(bank, model, *many, *[(owner, owner) for owner in others for _ in range(10)])
    assert Run.objects.count() == 1000
    places = order_of_work(len(others) + 1, Shares(per_host=1, per_owner=2))
    assert [places.index(owner) - at for at, owner in enumerate(others)] == [1] * len(others)


@pytest.mark.parametrize("seed", range(6))
def test_the_forecast_plays_the_order_that_the_database_keeps(bank: ItemBank, model: LanguageModel, seed: int) -> None:
    """Runs of random owners and hosts, all of one length, on three slots: each starts where it was foretold."""
    chance = random.Random(seed)
    shares = Shares(per_host=1, per_owner=2)
    lines = [(chance.choice("abcd"), f"h{chance.randrange(6)}") for _ in range(30)]
    runs = queue(bank, model, *lines)
    for run in runs:
        run.priority = chance.choice((0, 0, 0, 3))
    Run.objects.bulk_update(runs, ["priority"])
    waiting = [Entry(run.pk, run.host, run.owner, 1.0, run.priority) for run in runs]
    line = Line(waiting, [], {}, shares, slots=3)
    foretold = {run.pk: start_of(run.pk, line, most=99) for run in runs}
    for at, run_id in enumerate(started_on(3, shares)):
        start = foretold[run_id]
        assert start
        assert start.ahead == at


def started_on(slots: int, shares: Shares) -> list[int]:
    """The runs in the order of their start on so many slots, which end in the same order."""
    started: list[int] = []
    at_work: list[tuple[int, uuid.UUID]] = []
    while True:
        while len(at_work) < slots and (taken := start_next(shares)):
            started.append(taken[0])
            at_work.append(taken)
        if not at_work:
            return started
        # All that began together end together; the oldest of them first, as in the forecast.
        end(at_work.pop(0))


def test_the_forecast_counts_what_must_end_and_what_starts_before() -> None:
    at_work = [Entry(1, "busy", "a", 5.0), Entry(2, "h2", "b", 50.0)]
    waiting = [Entry(3, "busy", "c", 10.0), Entry(4, "free", "c", 10.0), Entry(5, "busy", "d", 10.0)]
    line = Line(waiting, at_work, {"a": 1, "b": 2}, Shares(per_host=1), slots=2)
    first, later, last = (start_of(run_id, line, most=99) for run_id in (3, 4, 5))
    assert first
    assert later
    assert last
    assert (first.ahead, first.work, first.host_busy) == (1, 5.0, True)
    # At 15 run 3 ends and its host is free: d had no turn yet, so it goes before the second of c.
    assert (last.ahead, last.work) == (2, 15.0)
    assert (later.ahead, later.work, later.host_busy) == (3, 25.0, False)


def test_a_run_behind_more_than_are_played_has_no_forecast() -> None:
    waiting = [Entry(number, f"h{number}", "a", 1.0) for number in range(1, 12)]
    line = Line(waiting, [], {}, Shares(), slots=1)
    assert start_of(11, line, most=10) is None
    assert start_of(10, line, most=10)


@pytest.fixture
def in_threads() -> Callable[[Callable[[], Any], int], list[Any]]:
    """Calls a function in so many threads at the same instant, each with a connection of its own."""

    def call(function: Callable[[], Any], threads: int) -> list[Any]:
        barrier = threading.Barrier(threads)

        def one() -> Any:
            try:
                barrier.wait()
                return function()
            finally:
                connections.close_all()

        with ThreadPoolExecutor(threads) as executor:
            return [job.result() for job in [executor.submit(one) for _ in range(threads)]]

    return call


@pytest.mark.django_db(transaction=True)
def test_workers_that_claim_at_the_same_instant_never_share_a_host(
    bank: ItemBank, model: LanguageModel, in_threads: Callable[[Callable[[], Any], int], list[Any]]
) -> None:
    for _ in range(10):
        Run.objects.all().delete()
        queue(bank, model, *[(f"owner-{number}", f"host-{number % 2}") for number in range(8)])
        taken = in_threads(lambda: start_next(Shares(per_host=1)), 6)
        hosts = sorted(Run.objects.filter(status=Status.RUNNING).values_list("host", flat=True))
        assert hosts == ["host-0", "host-1"]
        assert sum(one is not None for one in taken) == 2


@pytest.mark.django_db(transaction=True)
def test_workers_that_claim_at_the_same_instant_take_different_runs_and_turns(
    bank: ItemBank, model: LanguageModel, in_threads: Callable[[Callable[[], Any], int], list[Any]]
) -> None:
    queue(bank, model, *[(f"owner-{number}", f"host-{number}") for number in range(6)])
    in_threads(start_next, 6)
    assert list(Run.objects.order_by("turn").values_list("turn", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert not Run.objects.exclude(status=Status.RUNNING).exists()


def test_try_now_makes_only_a_waiting_run_due() -> None:
    run = make_run(endpoint=make_endpoint())
    taken = start_next()
    assert taken
    assert not Run.objects.try_now(run.pk)
    assert Run.objects.wait(run.pk, taken[1], seconds=3600)
    assert start_next() is None
    assert Run.objects.try_now(run.pk)
    assert not Run.objects.try_now(run.pk), "it is due, so a second press finds nothing to do"
    assert start_next()
