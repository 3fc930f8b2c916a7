"""The guard at the connection: aiohttp's resolver, socket factory and connector, each judging again. No Django.

A resolver alone would be no guard, since addresses written as numbers pass it by; the socket factory sees every one.
"""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from evaluation.endpoints.address import locate
from evaluation.endpoints.guard import STRICT, AddressRefused, Policy, admits, hopeless, name_to_look_up
from evaluation.endpoints.ranges import Address
from evaluation.endpoints.resolving import Lookup, addresses_of_async, system_lookup

ADDRESSES_OF_A_FAMILY = 2  # that are tried, of a name with many

OpenSocket = Callable[[aiohttp.AddrInfoType], socket.socket]


def plain_socket(address: aiohttp.AddrInfoType) -> socket.socket:
    return socket.socket(address[0], address[1], address[2])


@dataclass(frozen=True, slots=True)
class Guard:
    """The policy, and the two ways to the outside that it stands before. Without arguments the strict one."""

    policy: Policy = STRICT
    lookup: Lookup = system_lookup
    open_socket: OpenSocket = plain_socket


STRICT_GUARD = Guard()


class Passage(AbstractResolver):
    """One client's way to one location: nothing else can be reached by it.

    `_known` are the addresses at which the location stands, `_approved` those to which a socket was let open; a
    connection to any other is dropped before a byte of the request leaves.
    """

    def __init__(self, guard: Guard, base_url: str, *, has_key: bool) -> None:
        self._guard = guard
        self._location = locate(base_url)
        self._has_key = has_key
        address = self._location.address
        self._known: set[Address] = {address} if address else set()
        self._approved: set[Address] = set()

    @property
    def is_hopeless(self) -> bool:
        return hopeless(self._location, has_key=self._has_key, policy=self._guard.policy)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Where the name stands, if it may be called at every one of its addresses.

        Raises: AddressRefused, NoAnswer.
        """
        name = name_to_look_up(self._location, self._guard.policy)
        addresses = await addresses_of_async(name, self._guard.lookup)
        if host != self._location.host or not self._admits(addresses):
            raise AddressRefused
        self._known.update(addresses)
        return [_result(host, port, address) for address in _first_of_each_family(addresses)]

    async def close(self) -> None:
        """There is nothing to close."""

    def open_socket(self, info: aiohttp.AddrInfoType) -> socket.socket:
        """A socket for one address, judged once more. Raises AddressRefused."""
        address = ip_address(info[4][0])
        here = address in self._known and info[4][1] == self._location.port
        if not here or not self._admits([address]):
            raise AddressRefused
        self._approved.add(address)
        return self._guard.open_socket(info)

    def leads_to(self, peer: str) -> bool:
        """Whether a connection ends where a socket was let open: the belt over the braces."""
        return ip_address(peer) in self._approved

    def _admits(self, addresses: Sequence[Address]) -> bool:
        return admits(self._location, addresses, has_key=self._has_key, policy=self._guard.policy)


class GuardedConnector(aiohttp.TCPConnector):
    """Opens connections through one passage. A name is looked up anew for each; requests at once share one look-up."""

    def __init__(self, passage: Passage, *, limit: int) -> None:
        super().__init__(
            resolver=passage, socket_factory=passage.open_socket, limit=limit, use_dns_cache=True, ttl_dns_cache=0
        )
        self._passage = passage

    async def connect(self, req: aiohttp.ClientRequest, traces: Any, timeout: aiohttp.ClientTimeout) -> Any:
        """A connection to where the passage leads, new or kept. Nothing of the request has been sent on it yet.

        Raises: ClientConnectorError with AddressRefused inside, or ServerDisconnectedError for one that is gone again.
        """
        if self._passage.is_hopeless:
            raise aiohttp.ClientConnectorError(req.connection_key, AddressRefused())
        connection = await super().connect(req, traces, timeout)
        peer = connection.transport and connection.transport.get_extra_info("peername")
        if peer and self._passage.leads_to(peer[0]):
            return connection
        connection.close()
        if peer:
            raise aiohttp.ClientConnectorError(req.connection_key, AddressRefused())
        raise aiohttp.ServerDisconnectedError


def refused_by_us(error: Exception) -> bool:
    return isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, AddressRefused)


def _result(host: str, port: int, address: Address) -> ResolveResult:
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(
        hostname=host, host=str(address), port=port, family=family, proto=socket.IPPROTO_TCP, flags=flags
    )


def _first_of_each_family(addresses: Sequence[Address]) -> list[Address]:
    fours = [address for address in addresses if isinstance(address, IPv4Address)]
    sixes = [address for address in addresses if not isinstance(address, IPv4Address)]
    return [*sixes[:ADDRESSES_OF_A_FAMILY], *fours[:ADDRESSES_OF_A_FAMILY]]
