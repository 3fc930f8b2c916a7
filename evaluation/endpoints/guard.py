"""Which addresses may be called. A stranger types them, so nothing inside our network may be reached by one. No Django.

`check_text` and `check_url` are the courtesy in a form. What holds is the same judgement at each connection
(`passage.py`), since the answer for a name may change at any moment.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Self

from evaluation.endpoints.address import Location, locate, normalise_base_url
from evaluation.endpoints.errors import FAULTS
from evaluation.endpoints.ranges import Address, Network, is_public
from evaluation.endpoints.resolving import Lookup, NoAnswer, addresses_of, system_lookup
from evaluation.endpoints.sockets import has_address

REFUSAL = FAULTS["address-refused"].sentence
REFUSAL_SECONDS = 1.0
USUAL_PORTS = frozenset({80, 443, 1234, 8000, 8080, 8443, 11434})

_LOCAL_NAMES = ("localhost", "local", "internal", "svc")


class AddressRefused(OSError):
    """The address may not be called. The message is the same for every reason."""

    def __init__(self) -> None:
        super().__init__(REFUSAL)


@dataclass(frozen=True, slots=True)
class Policy:
    """What the operator decides. Without arguments: only the public internet, on the usual ports.

    An address inside `allowed_networks` is free of the rules on ports, names, addresses and https. `own_hosts` are the
    names of this site; one that begins with a dot means everything below it too. `is_own` knows this machine's own
    addresses.
    """

    allowed_networks: tuple[Network, ...] = ()
    ports: frozenset[int] = USUAL_PORTS
    own_hosts: frozenset[str] = frozenset()
    is_own: Callable[[Address], bool] = has_address

    @classmethod
    def of(cls, networks: Iterable[str] = (), ports: Iterable[int] = USUAL_PORTS, hosts: Iterable[str] = ()) -> Self:
        """From texts as settings hold them. Raises ValueError for a network that is none."""
        return cls(
            allowed_networks=tuple(ip_network(text) for text in networks),
            ports=frozenset(ports),
            own_hosts=frozenset(host.lower().removesuffix(".") for host in hosts),
        )

    def allows(self, address: Address) -> bool:
        return any(address in network for network in self.allowed_networks)


STRICT = Policy()


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """An address that may be called now. `remarks` are sentences on how it differs from what was typed."""

    base_url: str
    location: Location
    remarks: tuple[str, ...] = ()


def check_text(text: str, *, has_key: bool, policy: Policy = STRICT) -> CheckedUrl:
    """The address as it will be stored, judged without a look-up. It takes no time: a web thread may call it freely.

    A host that is an address is judged in full, a name only as far as the text goes.

    Raises:
        ValueError: with a sentence for the submitter: what is wrong with the text, or `REFUSAL`.
    """
    base_url = normalise_base_url(text)
    location = locate(base_url)
    refused = hopeless(location, has_key=has_key, policy=policy)
    if location.address and not refused:
        refused = not admits(location, [location.address], has_key=has_key, policy=policy)
    if refused:
        raise ValueError(REFUSAL)
    return CheckedUrl(base_url, location, _remarks(text.strip(), base_url, location))


def _hold(seconds: float) -> None:
    time.sleep(seconds)


def check_url(
    text: str,
    *,
    has_key: bool,
    policy: Policy = STRICT,
    lookup: Lookup = system_lookup,
    refusal_seconds: float = REFUSAL_SECONDS,
    pause: Callable[[float], None] = _hold,
    leaving: Future[None] | None = None,
) -> CheckedUrl:
    """As `check_text`, and a name is looked up as well: call it where there is a bound on how many wait at once.

    A name that was looked up is refused no sooner than `refusal_seconds` after the question: how long the look-up took
    would tell which names our own name server knows. `pause` waits for the rest of that time. The other refusals
    depend on the text alone, and come at once. Once `leaving` is done, an answer is no longer waited for: the name
    counts as refused, which the caller must not tell as if it were.

    Raises:
        ValueError: as `check_text` does.
    """
    checked = check_text(text, has_key=has_key, policy=policy)
    began = time.monotonic()
    if checked.location.address is None and not _name_may_be_called(checked.location, has_key, policy, lookup, leaving):
        pause(max(0.0, began + refusal_seconds - time.monotonic()))
        raise ValueError(REFUSAL)
    return checked


def hopeless(location: Location, *, has_key: bool, policy: Policy) -> bool:
    """Whether no address whatever would make this location callable, so that it need not be looked up."""
    if location.is_number:
        return True
    return not policy.allowed_networks and not keeps_the_rules(location, has_key=has_key, policy=policy)


def admits(location: Location, addresses: Sequence[Address], *, has_key: bool, policy: Policy) -> bool:
    """Whether a location that is not hopeless may be called at these addresses, all that it has: one bad refuses it."""
    if not addresses:
        return False
    if all(policy.allows(address) for address in addresses):
        return True
    good = all(policy.allows(address) or (is_public(address) and not policy.is_own(address)) for address in addresses)
    return good and keeps_the_rules(location, has_key=has_key, policy=policy)


def keeps_the_rules(location: Location, *, has_key: bool, policy: Policy) -> bool:
    """Whether port, name and scheme are those of a public endpoint."""
    if location.port not in policy.ports or (has_key and location.scheme != "https"):
        return False
    return not _is_own_host(location.name, policy) and (location.address is not None or _is_public_name(location.name))


def name_to_look_up(location: Location, policy: Policy) -> str:
    """With the final dot, which keeps the search domains of a cluster out. Inner networks may need those."""
    return location.host if policy.allowed_networks else location.name + "."


def _name_may_be_called(
    location: Location, has_key: bool, policy: Policy, lookup: Lookup, leaving: Future[None] | None
) -> bool:
    try:
        addresses = addresses_of(name_to_look_up(location, policy), lookup, leaving=leaving)
    except NoAnswer:
        return False
    return admits(location, addresses, has_key=has_key, policy=policy)


def _is_public_name(name: str) -> bool:
    labels = name.split(".")
    return len(labels) > 1 and labels[-1] not in _LOCAL_NAMES


def _is_own_host(name: str, policy: Policy) -> bool:
    return any(
        name == host.lstrip(".").strip("[]") or (host.startswith(".") and name.endswith(host))
        for host in policy.own_hosts
    )


def _remarks(text: str, base_url: str, location: Location) -> tuple[str, ...]:
    remarks = []
    if base_url.endswith("/v1") and "/v1" not in text:
        remarks.append("The path /v1 was added to the address.")
    if not text.isascii():
        remarks.append(f"The host is called by its name in ASCII: {location.host}.")
    return tuple(remarks)
