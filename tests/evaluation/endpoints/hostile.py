"""Addresses that no stranger may make us call, and those that must pass; with a name server of our own.

The names here stand in no DNS: `look_up` knows them all.
"""

import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from evaluation.endpoints.guard import Policy

POLICY = Policy.of(hosts=["board.example", ".boards.example", "[2606:4700::5]"])

_ANSWERS: dict[str, Sequence[str]] = {
    "api.example.com": ["93.184.216.34", "2606:2800:220:1::34"],
    "xn--mnchen-3ya.example": ["93.184.216.35"],
    "two-faced.example": ["93.184.216.34", "10.0.0.7"],
    "two-families.example": ["93.184.216.34", "::1"],
    "mapped.example": ["::ffff:93.184.216.34"],
    "metadata.example": ["169.254.169.254"],
    "loopback.example": ["127.0.0.1"],
    "nat64.example": ["64:ff9b::7f00:1"],
    "scoped.example": ["fe80::1%lo"],
    "no-address.example": ["not an address"],
    "good.example": ["93.184.216.34"],
    "board.example": ["93.184.216.36"],
    "www.boards.example": ["93.184.216.36"],
    "boards.example": ["93.184.216.36"],
    "localhost": ["127.0.0.1", "::1"],
    "metadata.google.internal": ["169.254.169.254"],
    "api.prod.svc": ["93.184.216.34"],
    "printer.local": ["93.184.216.34"],
    "vault": ["93.184.216.34"],
    "app.localhost": ["93.184.216.34"],
    "gpu": ["10.20.0.7"],
}


def look_up(name: str) -> Sequence[str]:
    answers = _ANSWERS.get(name.removesuffix("."))
    if answers is None:
        raise OSError("unknown name")
    return answers


_HOSTS = (
    # numbers that some parser takes for an address
    "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0x7f.1", "0177.0.0.1", "017700000001", "0", "00",
    "127.0.0.1.", "1.2.3.4.5", "256.256.256.256", "0xa9fea9fe", "2852039166", "good.example.0x7f", "8.8.8.8.",
    # IPv4 that is not of the internet
    "0.0.0.0",  # noqa: S104
    "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
    "168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
    "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250",
    "240.0.0.1", "255.255.255.255",
    # IPv6 that is not, and wrappers round IPv4
    "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:93.184.216.34]", "[::7f00:1]", "[::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]", "[2002:a9fe:a9fe::]", "[2002:7f00:1::]",
    "[2001:0:a9fe:a9fe::]", "[::ffff:0:127.0.0.1]", "[fe80::1]", "[fe80::1%25eth0]", "[fec0::1]", "[fd00:ec2::254]",
    "[fc00::1]", "[ff02::1]", "[100::1]", "[100:0:0:1::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]", "[4000::1]",
    "[2606:4700::5]",
    # names
    "localhost", "localhost.", "LOCALHOST", "app.localhost", "ⓛocalhost", "①27.0.0.1", "127。0。0。1", "１２７.0.0.1",
    "metadata.google.internal", "METADATA.google.internal.", "printer.local", "api.prod.svc", "vault", "gpu",
    "board.example", "BOARD.example.", "boards.example", "www.boards.example", "unknown.example",
    "two-faced.example", "two-families.example", "mapped.example", "metadata.example", "loopback.example",
    "nat64.example", "scoped.example", "no-address.example",
)  # fmt: skip

_URLS = (
    "http://good.example@127.0.0.1/", "http://127.0.0.1#@good.example/", "http://good.example\\@127.0.0.1/",
    "http://good.example:6379/", "http://good.example:22/", "http://good.example:25/", "http://good.example:0/",
    "https://good.example:5432/v1", "http://93.184.216.34:9200/", "http://127.0.0.1:11434/v1", "file:///etc/passwd",
    "gopher://good.example/", "ftp://good.example/", "//good.example/v1", "http:/127.0.0.1/", "http:///127.0.0.1/",
    "http://good.example/\r\nHost: 127.0.0.1", "http://good.example%2f@127.0.0.1/", "http://[::1].good.example/",
    "http://[127.0.0.1]/", "http://good.example /", "unix:///var/run/docker.sock", "http://[good.example]/",
    "http://\u30001.1.1.1/",
)  # fmt: skip

REFUSED = tuple(f"http://{host}/v1" for host in _HOSTS) + _URLS

# The text, the address as it is stored, and where the socket opens.
PASSING = (
    ("https://api.example.com/v1", "https://api.example.com/v1", "93.184.216.34", 443),
    ("https://api.example.com/v1/", "https://api.example.com/v1", "93.184.216.34", 443),
    ("https://api.example.com", "https://api.example.com/v1", "93.184.216.34", 443),
    ("https://münchen.example/v1", "https://xn--mnchen-3ya.example/v1", "93.184.216.35", 443),
    ("https://[2606:4700::1111]/v1", "https://[2606:4700::1111]/v1", "2606:4700::1111", 443),
    ("https://api.example.com:8443/v1", "https://api.example.com:8443/v1", "93.184.216.34", 8443),
)

_opened: list[list[object]] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.__new__" and _opened:
        _, family, kind, _ = arguments
        if family in (socket.AF_INET, socket.AF_INET6) and kind == socket.SOCK_STREAM:
            _opened[-1].append(arguments)


sys.addaudithook(_note)


@contextmanager
def stream_sockets() -> Iterator[list[object]]:
    """Every TCP socket that Python makes while the block lasts, in any thread: without one nothing can connect."""
    _opened.append([])
    try:
        yield _opened[-1]
    finally:
        _opened.pop()
