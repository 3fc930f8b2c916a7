"""Which addresses belong to the public internet, by the special-purpose registries of IANA and a few rows of our own.

The standard library's `is_global` is no guard: it calls metadata services, multicast and wrapped loopback addresses
global. Here an address is public only if no row covers it and, for IPv6, if it is global unicast at all.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# https://www.iana.org/assignments/iana-ipv4-special-registry; rows that IANA calls reachable are refused as well,
# since none of them (AS112, tunnels, relays) is a place where a model answers.
_IPV4 = """
    0.0.0.0/8        this network
    10.0.0.0/8       private
    100.64.0.0/10    shared by carriers; metadata of one cloud
    127.0.0.0/8      loopback
    169.254.0.0/16   link-local; metadata of most clouds
    172.16.0.0/12    private
    192.0.0.0/24     protocol assignments; metadata of one cloud at .192
    192.0.2.0/24     documentation
    192.31.196.0/24  AS112
    192.52.193.0/24  AMT
    192.88.99.0/24   6to4 relays
    192.168.0.0/16   private
    192.175.48.0/24  AS112
    198.18.0.0/15    benchmarking
    198.51.100.0/24  documentation
    203.0.113.0/24   documentation
    224.0.0.0/4      multicast
    240.0.0.0/4      reserved, and the broadcast address
    168.63.129.16/32 by hand: the wire server of one cloud, on an address that is public by every table
"""

# https://www.iana.org/assignments/iana-ipv6-special-registry, and the address space registry for the rest. 64:ff9b::/96
# and 2002::/16 are not here: they are judged by the IPv4 address inside.
_IPV6 = """
    ::/96              unspecified, loopback, and IPv4-compatible
    ::ffff:0:0/96      IPv4-mapped
    ::ffff:0:0:0/96    by hand: IPv4-translated (SIIT)
    64:ff9b:1::/48     translation inside a network
    100::/64           discard
    100:0:0:1::/64     dummy
    2001::/23          protocol assignments: Teredo, ORCHID, AMT, benchmarking
    2001:db8::/32      documentation
    2620:4f:8000::/48  AS112
    3fff::/20          documentation
    5f00::/16          segment routing
    fc00::/7           unique local
    fe80::/10          link-local
    fec0::/10          site-local
    ff00::/8           multicast
"""

_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_LAST_FOUR_BYTES = (_NAT64, *map(IPv6Network, ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96")))
_GLOBAL_UNICAST = (IPv6Network("2000::/3"), _NAT64)


def _networks(table: str) -> tuple[Network, ...]:
    return tuple(ip_network(line.split()[0]) for line in table.strip().splitlines())


SPECIAL: tuple[Network, ...] = _networks(_IPV4) + _networks(_IPV6)


def is_public(address: Address) -> bool:
    """Whether the address, and every IPv4 address that is wrapped in it, is an ordinary one of the internet."""
    return _is_ordinary(address) and all(_is_ordinary(inner) for inner in inner_addresses(address))


def inner_addresses(address: Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that an IPv6 address carries: mapped, compatible, translated, NAT64, 6to4, Teredo (two)."""
    if isinstance(address, IPv4Address):
        return
    packed = address.packed
    if any(address in network for network in _LAST_FOUR_BYTES):
        yield IPv4Address(packed[12:])
    elif address in _SIX_TO_FOUR:
        yield IPv4Address(packed[2:6])
    elif address in _TEREDO:
        yield IPv4Address(packed[4:8])
        # The client's address stands inverted in the packet.
        yield IPv4Address(bytes(byte ^ 0xFF for byte in packed[12:]))


def _is_ordinary(address: Address) -> bool:
    if isinstance(address, IPv6Address) and not any(address in network for network in _GLOBAL_UNICAST):
        return False
    return not any(address in network for network in SPECIAL)
