"""Asking the kernel which addresses are this machine's own. No packet leaves. No Django."""

import socket
from functools import cache
from ipaddress import IPv4Address

from evaluation.endpoints.ranges import Address

_NOBODYS = IPv4Address("192.0.2.1")  # documentation: no machine has it


def has_address(address: Address) -> bool:
    """Whether an interface of this machine has the address: only then can a socket be bound to it.

    False throughout where the kernel lets sockets bind to any address at all (`ip_nonlocal_bind`).
    """
    return _binds(address) and not _binds_to_anything()


@cache
def _binds_to_anything() -> bool:
    return _binds(_NOBODYS)


def _binds(address: Address) -> bool:
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
