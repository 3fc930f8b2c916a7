"""How much of a web process may wait for strangers at once: for their servers, and for name servers of their choice.

A web process has four threads, and the pages need some of them whatever strangers do. So no more than PLACES threads
wait, one for each network and each host. Where all are taken, the network that has waited longest lately gives way to
one that has not (`giving_way.py`). Look-ups are bounded apart, since one that was given up still holds a thread of the
resolver until the system ends it.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings
from django.core.cache import caches

from evaluation.endpoints.address import locate
from evaluation.endpoints.guard import REFUSAL_SECONDS, check_url
from evaluation.endpoints.resolving import LOOKUP_SECONDS, THREADS, Lookup, system_lookup
from evaluation.outbound import policy_from_settings
from leaderboard.submissions.giving_way import Places, Waiting
from leaderboard.submissions.limits import widest_network

PLACES = 2  # of a process that has four threads
LOOKUPS = THREADS - 2  # of a process
SLACK_SECONDS = 10.0  # of a busy machine, after which the place of a process that died is free again

HALVED_SECONDS = 300.0  # in which the time that a network has taken counts for half
FORGOTTEN_SECONDS = 3600

_places = Places(PLACES)
_lookups_lock = threading.Lock()
_looking_up: set[str] = set()


@contextmanager
def waiting_place(network: str, host: str) -> Iterator[Waiting | None]:
    """Lets the caller wait for the host now, or gives None; nobody else may for this network or this host meanwhile.

    The caller ends its waiting as soon as `leaving` is done. An IPv6 network counts as its /48. Networks and hosts are
    counted over all processes, places in this one.
    """
    who = widest_network(network)
    names = [f"place:network:{who}", f"place:host:{host}"]
    taken = _taken(names)
    try:
        mine = Waiting(who, _spent_seconds(who))
        if len(taken) == len(names) and _places.take(mine, settings.DRY_RUN_TURN_SECONDS):
            try:
                yield mine
            finally:
                _places.give_back(mine)
                _note_spent(mine)
        else:
            yield None
    finally:
        caches["limits"].delete_many(taken)


def bounded_lookup(network: str, lookup: Lookup = system_lookup) -> Lookup:
    """The look-up on behalf of a network: one at a time for it, LOOKUPS in this process; one too many finds nothing."""
    who = widest_network(network)

    def look_up(name: str) -> Sequence[str]:
        with _lookups_lock:
            if who in _looking_up or len(_looking_up) >= LOOKUPS:
                raise OSError("too many look-ups are under way")
            _looking_up.add(who)
        try:
            return lookup(name)
        finally:
            with _lookups_lock:
                _looking_up.discard(who)

    return look_up


def name_refusal(base_url: str, network: str, *, has_key: bool) -> str:
    """Why the name in the address may not be called, in a sentence; "" where it may.

    Also "" where no place is free to wait for the answer: what holds is the judgement at each connection, and a form
    that comes while others wait is not turned away.
    """
    location = locate(base_url)
    if location.address:
        return ""
    with waiting_place(network, location.name) as place:
        return address_refusal(base_url, network, place, has_key=has_key) if place else ""


def address_refusal(base_url: str, network: str, place: Waiting, *, has_key: bool) -> str:
    """Why the address may not be called, in a sentence; "" where it may, and where the place had to be left before
    that was known."""
    try:
        check_url(
            base_url,
            has_key=has_key,
            policy=policy_from_settings(),
            lookup=bounded_lookup(network),
            pause=place.pause,
            leaving=place.leaving,
        )
    except ValueError as error:
        return "" if place.has_to_leave else str(error)
    return ""


def _taken(names: Sequence[str]) -> list[str]:
    """Those of the names, in their order, that were free and are the caller's now; ends at the first that was not."""
    seconds = settings.DRY_RUN_SECONDS + LOOKUP_SECONDS + REFUSAL_SECONDS + SLACK_SECONDS
    taken: list[str] = []
    for name in names:
        if not caches["limits"].add(name, 1, seconds):
            break
        taken.append(name)
    return taken


def _spent_seconds(network: str) -> float:
    """How long the network has waited lately, over all processes; what is HALVED_SECONDS old counts for half."""
    seconds, at = caches["limits"].get(_spent_key(network), (0.0, 0.0))
    return float(seconds * 0.5 ** (max(0.0, time.time() - at) / HALVED_SECONDS))


def _note_spent(waiting: Waiting) -> None:
    """No other process writes for the network meanwhile, since it has one place in all."""
    spent = waiting.spent_seconds + waiting.seconds()
    caches["limits"].set(_spent_key(waiting.network), (spent, time.time()), FORGOTTEN_SECONDS)


def _spent_key(network: str) -> str:
    return f"place:seconds:{network}"
