"""Looking up a name: in a few threads of our own, for five seconds at most, every answer handed on. No Django.

The event loop's own resolver has no limit of time, and its threads keep a loop from closing while one of them hangs.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from ipaddress import ip_address
from typing import Any

from evaluation.endpoints.ranges import Address

LOOKUP_SECONDS = 5.0
THREADS = 8

Lookup = Callable[[str], Sequence[str]]
"""A name to all its addresses, as texts; blocks. Raises OSError where there are none."""

_pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="lookup")


class NoAnswer(OSError):
    """The name is not known, or nobody said so in time."""


def system_lookup(name: str) -> list[str]:
    """Every address that the system knows for the name, of both families, each once."""
    rows = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def addresses_of(
    name: str, lookup: Lookup, *, seconds: float = LOOKUP_SECONDS, leaving: Future[None] | None = None
) -> list[Address]:
    """The addresses of the name, at least one. Raises NoAnswer, also once `leaving` is done."""
    found = _pool.submit(_look_up, name, lookup)
    either: list[Future[Any]] = [found, leaving] if leaving else [found]
    wait(either, timeout=seconds, return_when=FIRST_COMPLETED)
    if found.done():
        return found.result()
    found.cancel()
    raise NoAnswer("the lookup took too long")


async def addresses_of_async(name: str, lookup: Lookup, *, seconds: float = LOOKUP_SECONDS) -> list[Address]:
    """The same without holding up the event loop. Raises NoAnswer."""
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.wrap_future(_pool.submit(_look_up, name, lookup))
    except TimeoutError:
        raise NoAnswer("the lookup took too long") from None


def _look_up(name: str, lookup: Lookup) -> list[Address]:
    try:
        found = [ip_address(text) for text in lookup(name)]
    except (OSError, ValueError):
        # ValueError: a name that cannot be encoded, or an answer that is no address.
        found = []
    if not found:
        raise NoAnswer("the name is not known")
    return found
