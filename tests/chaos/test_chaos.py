"""The short part, seeded: the same functions as `make chaos`, each with less of everything."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.chaos import brokers, endpoints, kills, lost_brokers, storms, writers
from tests.chaos.figures import Figure, exactly
from tests.chaos.proxy import proxy
from tests.evaluation.endpoints.servers import answering, chat, refused
from tests.processes import wait_for

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.processes,
    pytest.mark.thorough,
]
SEED = 20261128
PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "r1 r2 r5 four kills of one run": partial(kills.killed_at_random, SEED, 4, 60),
    "r1 to r5 and r11 in a storm of every kind of harm": partial(storms.storm, SEED, 12, None, 40, 1),
    "r4 a worker that slept past its lease": kills.frozen_past_its_lease,
    "r5 q11 a clock that was killed": kills.clock_killed,
    "r3 q09 flushall in mid-run": partial(brokers.trouble_in_mid_run, "FLUSHALL", 0, 30),
    "r3 redis restarted with a run at work and a slot free": partial(lost_brokers.lost_and_found, "procfile-2"),
    "r6 q15 eight writer processes": partial(writers.many_writers, 1_000),
    "r7 faults of endpoints": partial(endpoints.fault_matrix, endpoints.FEW, ("drip",), 4),
    "q14 a far wait is one time in one row": endpoints.far_wait,
    "q16 repeats of an endpoint that answers at random": endpoints.repeats_by_chance,
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_what_is_promised_holds_under_fire(part: Callable[[], Iterator[Figure]]) -> None:
    # How long a thing took is for `make chaos`: a test asserts no time. What never happens fails at its deadline.
    missed = [str(figure) for figure in part() if not figure.holds and figure.unit not in {"s", "ms"}]
    assert missed == []


def test_a_figure_that_is_off_by_one_does_not_hold() -> None:
    assert exactly("R1", "results", 171, 171).holds
    assert not exactly("R1", "results", 170, 171).holds
    assert not exactly("R1", "results", 172, 171).holds
    assert "MISSED" in str(Figure("R3", "extra", 91, 90, "s"))
    assert "skipped" in str(Figure("R3", "extra", skipped="no cluster"))


@pytest.mark.parametrize(
    ("mode", "code"), [("429", "rate-limited"), ("503", "server-error"), ("reset", "disconnected")]
)
def test_the_proxy_refuses_as_it_is_told(mode: str, code: str) -> None:
    with answering(chat()) as well, proxy(well.url) as between:
        between.mode = mode
        assert refused(between.address, timeout_seconds=60).code == code
        assert between.forwarded_and_spoilt == 0


@pytest.mark.parametrize("mode", ["drip", "hang"])
def test_the_proxy_spoils_what_it_has_forwarded_and_counts_it(mode: str) -> None:
    with answering(chat()) as well, proxy(well.url) as between:
        between.mode = mode
        assert refused(between.address, timeout_seconds=0.5).code == "timeout"
        # The client may have given up before the proxy had its reply.
        wait_for(lambda: between.forwarded_and_spoilt > 0, what="it counts the reply")
        assert between.forwarded_and_spoilt == 1
