"""How often a stranger may make this server work: counted in the database, so that all processes count together."""

from ipaddress import ip_address, ip_network

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest

WINDOW_SECONDS = 600
IPV6_PREFIX = 64  # what one customer of a provider has at the least


def take_turn(kind: str, who: str, most: int) -> bool:
    """Whether this is one of the `most` turns that `who` has within ten minutes of the first; takes it if so.

    A turn is one row that can be added only once, so two requests at once never get the same. Those that are taken are
    looked up first, so that a refusal costs one query and writes nothing.
    """
    turns = caches["limits"]
    keys = [f"{kind}:{who}:{number}" for number in range(most)]
    taken = turns.get_many(keys)
    return any(turns.add(key, 1, WINDOW_SECONDS) for key in keys if key not in taken)


def network_of(request: HttpRequest) -> str:
    """Whom a request counts for: its IPv4 address, or the /64 of its IPv6 address; "unknown" without any."""
    try:
        address = ip_address(_client(request).partition("%")[0])
    except ValueError:
        return "unknown"
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((address, IPV6_PREFIX), strict=False))


def _client(request: HttpRequest) -> str:
    """The address before our own proxies; each of them appends the one that it was called from."""
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    proxies = settings.TRUSTED_PROXIES
    if proxies and len(forwarded) >= proxies:
        return str(forwarded[-proxies])
    return str(request.META.get("REMOTE_ADDR", ""))
