"""The base address as it is stored: one spelling for every way in which people write it.

Which hosts, ports and networks may be called is not decided here (see `guard.py`).
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from yarl import URL

MAX_LENGTH = 2048
MAX_HOST_LENGTH = 253
ROUTE = "/chat/completions"

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\\]")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
# How the standard for web addresses tells a number from a name: by the last label. Such hosts are never interpreted.
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


@dataclass(frozen=True, slots=True)
class Location:
    """Where a base address leads: the host in lower case and punycode, as written with or without a trailing dot."""

    scheme: str
    host: str
    port: int

    @property
    def name(self) -> str:
        """The host for comparing: without the trailing dot."""
        return self.host.removesuffix(".")

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The host as an IP address in its one usual spelling; None for a name or a number."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None

    @property
    def is_number(self) -> bool:
        """Whether the host spells an address in another way: `127.1`, `2130706433`, `0x7f.1`, `127.0.0.1.`."""
        return self.address is None and _NUMBER.fullmatch(self.name.rpartition(".")[2]) is not None


def locate(base_url: str) -> Location:
    """The parts of a base address that `normalise_base_url` gave."""
    url = URL(base_url)
    return Location(url.scheme, (url.raw_host or "").lower(), url.port or 0)


def normalise_base_url(text: str) -> str:
    """The base address without a trailing slash, ending in `/v1` where only a host was given; host in punycode.

    `https://h`, `https://h/v1`, `https://h/v1/` and `https://h/v1/chat/completions` give the same. A path of another
    form is kept. Applying it twice changes nothing.

    Raises:
        ValueError: with a sentence for the submitter, which never quotes the text.
    """
    stripped = text.strip()
    _refuse_doubtful(stripped)
    _refuse_parts(stripped)
    url = _parsed(stripped)
    return str(url.with_path(_base_path(url.raw_path), encoded=True))


def other_base_url(base_url: str) -> str:
    """The same address with `/v1` taken off, or put on where it lacks: the second guess of a wrong address."""
    return base_url.removesuffix("/v1") if base_url.endswith("/v1") else f"{base_url}/v1"


def chat_url(base_url: str) -> str:
    return base_url + ROUTE


def final_address(location: str, base_url: str) -> str:
    """Where a redirect of a chat request leads, as a base address to be entered; "" where it names none.

    A query, a fragment and a user name are left out: they may hold the key.
    """
    try:
        target = URL(chat_url(base_url)).join(URL(location.strip()[:MAX_LENGTH]))
        if not location.strip() or target.scheme not in ("http", "https") or not target.raw_host:
            return ""
        bare = target.with_user(None).with_query(None).with_fragment(None)
    except ValueError:
        return ""
    return str(bare).removesuffix("/").removesuffix(ROUTE)


def _refuse_doubtful(text: str) -> None:
    if not text:
        raise ValueError("Enter the address of the endpoint.")
    if len(text) > MAX_LENGTH:
        raise ValueError(f"The address is longer than {MAX_LENGTH:,} characters.")
    if _FORBIDDEN.search(text):
        raise ValueError("The address must not contain spaces, control characters or backslashes.")
    if not text.lower().startswith(("http://", "https://")):
        raise ValueError("The address must begin with http:// or https://.")


def _parsed(text: str) -> URL:
    try:
        url = URL(text)
        url.port  # noqa: B018 - yarl reads the port, and refuses a bad one, only when asked
    except ValueError:
        url = URL()
    if not _plausible_host(url.raw_host or "", bracketed="[" in _authority(text)):
        raise ValueError("The address cannot be read as a web address.")
    return url


def _plausible_host(host: str, *, bracketed: bool) -> bool:
    if bracketed:
        return ":" in host and "%" not in host
    labels = host.removesuffix(".").split(".")
    return _NAME.fullmatch(host) is not None and len(host) <= MAX_HOST_LENGTH and all(0 < len(x) <= 63 for x in labels)


def _refuse_parts(text: str) -> None:
    """Looked for in the text itself: a parser passes over an empty query or an empty user name."""
    if "?" in text or "#" in text:
        raise ValueError("The address must not contain a query or a fragment.")
    if "@" in _authority(text):
        raise ValueError("The address must not contain a user name or password. Use the field for the key.")


def _authority(text: str) -> str:
    return text.partition("://")[2].partition("/")[0]


def _base_path(path: str) -> str:
    segments = [segment for segment in path.removesuffix("/").removesuffix(ROUTE).split("/") if segment]
    while segments[-2:] == ["v1", "v1"]:
        segments.pop()
    return "/" + "/".join(segments or ["v1"])
