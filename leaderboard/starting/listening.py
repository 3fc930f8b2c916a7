"""Where the web server of a board on one machine listens, checked so that a wrong HOST or PORT gets a sentence."""

import errno
import socket
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address

from evaluation.command_line import command_line

LOOPBACK = {4: "127.0.0.1", 6: "::1"}
ANYWHERE = {4: "0.0.0.0", 6: "::"}  # noqa: S104
# Addresses for documentation: to "connect" a UDP socket there sends nothing, and shows which own address would be used.
FAR_AWAY = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


class CannotListen(ValueError):
    """The host or the port cannot be used; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    """An IP address of this machine, or 0.0.0.0 or :: for all of them, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET

    @property
    def is_loopback(self) -> bool:
        return ip_address(self.host).is_loopback

    @property
    def from_here(self) -> "Address":
        """The same for a client on this machine: loopback where all addresses are meant."""
        version = ip_address(self.host).version
        return Address(LOOPBACK[version], self.port) if self.host == ANYWHERE[version] else self

    @property
    def url(self) -> str:
        return f"http://{self.from_here}"


def checked_address(host: str, port: str) -> Address:
    """Raises CannotListen. A name stands for its first address."""
    number = int(port) if port.isascii() and port.isdecimal() and len(port) <= 5 else 0
    if not 0 < number < 65536:
        raise CannotListen(f"{port!r} is no port. Choose a number from 1024 to 65535, as in: make run PORT=8001")
    with suppress(ValueError):
        return Address(str(ip_address(host.strip("[]"))), number)
    try:
        found = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        found = []
    if not host or not found:
        raise CannotListen(
            f"{host!r} is no address of this machine. Use HOST=0.0.0.0 to let other machines in, or leave HOST out."
        )
    return Address(str(found[0][4][0]), number)


def check_free(address: Address) -> None:
    """Raises CannotListen where nothing can listen there now."""
    with socket.socket(address.family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise CannotListen(_reason(address, error)) from None


def _reason(address: Address, error: OSError) -> str:
    port = address.port
    if error.errno == errno.EACCES:
        return f"Port {port} is for root alone, as all below 1024 are. Choose another: make run PORT={port + 8000}"
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else 8001
        return (
            f"Port {port} is taken. Choose another: make run PORT={other}, or {command_line('serve', '--port', other)}"
        )
    return (
        f"{address.host} is no address of this machine. Use HOST=0.0.0.0 to let other machines in, or leave HOST out "
        f"({error.strerror})."
    )


def accepts(address: Address) -> bool:
    with socket.socket(address.family) as probe:
        probe.settimeout(1)
        here = address.from_here
        return probe.connect_ex((here.host, here.port)) == 0


def own_names(address: Address) -> list[str]:
    """The names and addresses, as a browser writes them, by which other machines can ask for what listens there."""
    if address.is_loopback:
        return []
    version = ip_address(address.host).version
    if address.host == ANYWHERE[version]:
        name = socket.gethostname()
        return [name.lower(), *dict.fromkeys([*_outward(), *_looked_up(name)])]
    return [_bracketed(address.host)]


def _outward() -> list[str]:
    """The addresses that this machine shows to others, as far as it has a route to them."""
    found = []
    for family, far in FAR_AWAY.items():
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            found.append(_bracketed(str(probe.getsockname()[0])))
    return found


def _looked_up(name: str) -> list[str]:
    with suppress(OSError):
        return [_bracketed(str(entry[4][0])) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)]
    return []


def _bracketed(host: str) -> str:
    return f"[{host.partition('%')[0]}]" if ":" in host else host
