"""Where all places are taken by those who wait for strangers: who gives way to whom, and how it ends."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from time import time
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connections
from django.test import Client, override_settings

from evaluation.demo.server import make_app
from evaluation.endpoints.resolving import NoAnswer, addresses_of
from leaderboard.pages.submit.views import BUSY, GAVE_WAY
from leaderboard.submissions import giving_way
from leaderboard.submissions.giving_way import Places, Waiting
from leaderboard.submissions.places import PLACES, waiting_place
from tests.fakes import serve, serve_raw, silent
from tests.leaderboard.sending import filled
from tests.leaderboard.test_waiting_for_strangers import HTMX, Names, names

__all__ = ["names"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.usefixtures("bank_on_offer")]
TURN = 15.0


@pytest.fixture(autouse=True)
def _time_to_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is asked to leave does so in milliseconds, for which a busy machine may take more than the usual second."""
    monkeypatch.setattr(giving_way, "HAND_OVER_SECONDS", 60.0)


def leaves_when_asked(places: Places, waiting: Waiting) -> None:
    waiting.leaving.add_done_callback(
        lambda _: threading.Thread(target=places.give_back, args=(waiting,), daemon=True).start()
    )


def full(*spent: float) -> tuple[Places, list[Waiting]]:
    """Places that are all held by networks that took these seconds lately, each of which leaves when it has to."""
    places = Places(len(spent))
    held = [Waiting(f"198.51.100.{at}", seconds) for at, seconds in enumerate(spent)]
    for waiting in held:
        assert places.take(waiting, TURN)
        leaves_when_asked(places, waiting)
    return places, held


def test_the_network_that_waited_longest_lately_gives_way_to_one_that_did_not() -> None:
    places, held = full(20.0, 100.0)
    newcomer = Waiting("203.0.113.1")
    assert places.take(newcomer, TURN)
    assert [waiting.has_to_leave for waiting in held] == [False, True]


@pytest.mark.parametrize(
    ("spent", "own", "gets"), [(14.0, 0, False), (16.0, 0, True), (100.0, 86, False), (100.0, 84, True)]
)
def test_a_turn_is_kept_and_what_the_newcomer_has_had_counts_too(spent: float, own: float, gets: bool) -> None:
    places, held = full(spent, spent)
    assert places.take(Waiting("203.0.113.1", own), TURN) is gets
    assert any(waiting.has_to_leave for waiting in held) is gets


def test_few_networks_cannot_hold_all_places_though_they_come_back_at_once() -> None:
    """Four that have had their turn hold both places of a process, one after another; who comes for the first time
    always gets one, and those whom it sent away do not get it back from it."""
    places, held = full(60.0, 60.0)
    for at in range(10):
        newcomer = Waiting(f"203.0.113.{at}")
        assert places.take(newcomer, TURN)
        gone = next(waiting for waiting in held if waiting.has_to_leave)
        back = Waiting(gone.network, gone.spent_seconds)
        assert not places.take(back, TURN), "the newcomer keeps its turn, and the other one has had as much"
        places.give_back(newcomer)
        assert places.take(back, TURN)
        leaves_when_asked(places, back)
        held = [*(waiting for waiting in held if waiting is not gone), back]


def test_who_does_not_leave_in_time_keeps_the_place_and_the_newcomer_is_told_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(giving_way, "HAND_OVER_SECONDS", 0.0)
    places = Places(1)
    stuck = Waiting("198.51.100.1", 100.0)
    assert places.take(stuck, TURN)
    newcomer, other = Waiting("203.0.113.1"), Waiting("203.0.113.2")
    assert not places.take(newcomer, TURN)
    assert not places.take(other, TURN), "only one waits for the same"
    places.give_back(stuck)
    assert places.take(other, TURN), "nobody inherits who has gone away"


def test_the_time_of_a_network_is_kept_for_the_next_one_and_fades(settings: Any) -> None:
    settings.DRY_RUN_TURN_SECONDS = TURN
    caches["limits"].set("place:seconds:203.0.113.1", (80.0, time() - 600), 3600)
    with waiting_place("203.0.113.1", "a.example") as place:
        assert place is not None
        assert 19 < place.spent_seconds < 21, "a half of a half"
        place.since -= 100
    with waiting_place("203.0.113.1", "a.example") as place:
        assert place is not None
        assert 119 < place.spent_seconds < 122


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as made:
        yield made


def dry_run(number: int, address: str, **changes: Any) -> str:
    """The panel that a browser of a network of its own gets."""
    form, remote = filled(address, **changes), f"203.0.113.{number}"
    try:
        return Client().post("/submit/dry-run/", form, headers=HTMX, REMOTE_ADDR=remote).content.decode()
    finally:
        connections.close_all()


class Asked:
    """A server that takes a request and never answers; it counts those that came."""

    def __init__(self) -> None:
        self.came = threading.Semaphore(0)

    def __call__(self, connection: Any) -> None:
        connection.recv(65_536)
        self.came.release()
        silent(connection)


def has_spent(number: int, seconds: float) -> None:
    caches["limits"].set(f"place:seconds:203.0.113.{number}", (seconds, time()), 3600)


@override_settings(DRY_RUN_TURN_SECONDS=TURN, DRY_RUN_SECONDS=300, DRY_RUN_SILENCE_SECONDS=300)
@pytest.mark.parametrize("watch", ["", "0" * 32])
def test_a_dry_run_that_hangs_ends_for_a_newcomer_and_says_why(pool: ThreadPoolExecutor, watch: str) -> None:
    asked = Asked()
    has_spent(1, 1000.0)
    with serve_raw(asked) as hangs, serve(make_app()) as works, ExitStack() as stack:
        for at in range(PLACES - 1):
            assert stack.enter_context(waiting_place(f"198.51.100.{at}", f"h{at}.example"))
        hanging = pool.submit(dry_run, 1, hangs, watch=watch)
        assert asked.came.acquire(timeout=60)
        assert "Passed" in dry_run(2, works.replace("127.0.0.1", "localhost"))
        assert GAVE_WAY in hanging.result(timeout=60)


@override_settings(DRY_RUN_TURN_SECONDS=TURN, DRY_RUN_SECONDS=300, DRY_RUN_SILENCE_SECONDS=300)
def test_within_their_turn_those_who_wait_are_left_in_peace(pool: ThreadPoolExecutor) -> None:
    with ExitStack() as stack:
        for at in range(PLACES):
            assert stack.enter_context(waiting_place(f"198.51.100.{at}", f"h{at}.example"))
        assert BUSY in dry_run(99, "http://127.0.0.1:9/v1")


@override_settings(DRY_RUN_TURN_SECONDS=TURN)
def test_a_look_up_that_hangs_is_left_for_a_newcomer(pool: ThreadPoolExecutor, names: Names) -> None:
    has_spent(1, 1000.0)
    with serve(make_app()) as works, ExitStack() as stack:
        for at in range(PLACES - 1):
            assert stack.enter_context(waiting_place(f"198.51.100.{at}", f"h{at}.example"))
        hanging = pool.submit(dry_run, 1, "https://n1.example/v1")
        assert names.asked.wait(timeout=60)
        panel = dry_run(2, works)
        names.let_go.set()
        assert "Passed" in panel
        assert GAVE_WAY in hanging.result(timeout=60)


def test_an_address_is_not_waited_for_once_the_place_is_to_be_left(names: Names) -> None:
    waiting = Waiting("203.0.113.1")
    waiting.leaving.set_result(None)
    waiting.pause(600)
    with pytest.raises(NoAnswer):
        addresses_of("n1.example", lambda name: names(name, None), seconds=600, leaving=waiting.leaving)
