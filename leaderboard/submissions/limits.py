"""How often a stranger may make this server work: counted in the database, so that all processes count together."""

from ipaddress import IPv6Network, ip_address, ip_network

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest

WINDOW_SECONDS = 600
IPV6_PREFIX = 64  # what one customer of a provider has at the least
# What one customer may have at the most: prefix -> how many times the limit of a /64 it may use up.
WIDER = {56: 2, 48: 3}
WIDEST = min(WIDER)


def take_turn(kind: str, who: str, most: int) -> bool:
    """Whether this is one of the `most` turns that `who` has within ten minutes of the first; takes it if so.

    The /64 of an IPv6 address also takes a turn of each wider network, which has a larger number of them.

    A turn is one row that can be added only once, so two requests at once never get the same. Those that are taken are
    looked up first, so that a refusal costs one query and writes nothing.
    """
    turns = caches["limits"]
    for network, times in counted_networks(who):
        keys = [f"{kind}:{network}:{number}" for number in range(most * times)]
        taken = turns.get_many(keys)
        if not any(turns.add(key, 1, WINDOW_SECONDS) for key in keys if key not in taken):
            return False
    return True


def counted_networks(who: str) -> list[tuple[str, int]]:
    """Each network that counts what `who` does, the narrowest first, with how many times the limit it may use up.

    Only a /64 lies in wider networks that count; an IPv4 address, a host or "unknown" counts for itself alone.
    """
    network = ipv6_network(who)
    wider = [(str(network.supernet(new_prefix=prefix)), times) for prefix, times in WIDER.items()] if network else []
    return [(who, 1), *wider]


def widest_network(who: str) -> str:
    """The widest network that counts what `who` does: the /48 of a /64, else `who`."""
    return counted_networks(who)[-1][0]


def ipv6_network(who: str) -> IPv6Network | None:
    """The /64 that `network_of` gave as a text, or None for anything else."""
    if not who.endswith(f"/{IPV6_PREFIX}"):
        return None
    try:
        network = ip_network(who)
    except ValueError:
        return None
    return network if isinstance(network, IPv6Network) else None


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
