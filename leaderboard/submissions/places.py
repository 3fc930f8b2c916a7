"""How much of a web process may wait for strangers at once: for their servers, and for name servers of their choice.

A web process has four threads, and the pages need some of them whatever strangers do. So no more than PLACES threads
wait, one for each network and each host; look-ups are bounded apart, since one that was given up still holds a thread
of the resolver until the system ends it.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings
from django.core.cache import caches

from evaluation.endpoints.address import locate
from evaluation.endpoints.guard import REFUSAL_SECONDS, check_url
from evaluation.endpoints.resolving import LOOKUP_SECONDS, THREADS, Lookup, system_lookup
from evaluation.outbound import policy_from_settings
from leaderboard.submissions.limits import widest_network

PLACES = 2  # of a process that has four threads
LOOKUPS = THREADS - 2  # of a process
SLACK_SECONDS = 10.0  # of a busy machine, after which the place of a process that died is free again

_places = threading.BoundedSemaphore(PLACES)
_lookups_lock = threading.Lock()
_looking_up: set[str] = set()


@contextmanager
def waiting_place(network: str, host: str) -> Iterator[bool]:
    """Whether the caller may wait for the host now; if so, nobody else may for this network or this host meanwhile.

    An IPv6 network counts as its /48. Networks and hosts are counted over all processes, places in this one.
    """
    names = [f"place:network:{widest_network(network)}", f"place:host:{host}"]
    if not _places.acquire(blocking=False):
        yield False
        return
    try:
        taken = _taken(names)
        try:
            yield len(taken) == len(names)
        finally:
            caches["limits"].delete_many(taken)
    finally:
        _places.release()


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
    with waiting_place(network, location.name) as free:
        try:
            if free:
                check_url(base_url, has_key=has_key, policy=policy_from_settings(), lookup=bounded_lookup(network))
        except ValueError as error:
            return str(error)
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
