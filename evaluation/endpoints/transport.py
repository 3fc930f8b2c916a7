"""One HTTP request under our rules: nothing followed, nothing remembered, decoded bytes counted as they come.

The deadline stands round the whole call in `client.py`: a time-out of each read would never end on a drip.
"""

import asyncio
import re
import ssl
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import aiohttp

from evaluation.endpoints.errors import EndpointError, fault
from evaluation.endpoints.passage import GuardedConnector, Passage, refused_by_us

CONNECT_SECONDS = 10.0
MAX_FAILURE_BYTES = 65_536
FAILURE_BODY_SECONDS = 5.0
_END_OF_STREAM = re.compile(rb"(?:^|[\r\n])data:[ \t]*\[DONE\]")
_TAIL_BYTES = 32


@dataclass(frozen=True, slots=True)
class RawReply:
    """What came over the wire, decoded. `headers` ignores case; `latency_ms` runs to the last byte read."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    latency_ms: int


class Transport:
    """One aiohttp session, for one run: keep-alive inside it, certificates verified, no proxy, no cookie, no redirect.

    It has one way out, the passage, which judges each address before a socket opens. The text of a failure is waited
    for no longer than `failure_body_seconds`. An endpoint that sends nothing for `silence_seconds` has timed out.
    """

    def __init__(
        self,
        *,
        api_key: str,
        max_bytes: int,
        max_connections: int,
        passage: Passage,
        silence_seconds: float | None = None,
        failure_body_seconds: float = FAILURE_BODY_SECONDS,
    ) -> None:
        self._max_bytes = max_bytes
        self._max_connections = max_connections
        self._passage = passage
        self._silence_seconds = silence_seconds
        self._failure_body_seconds = failure_body_seconds
        self._headers = _headers(api_key)
        self._session: aiohttp.ClientSession | None = None
        self.requests_sent = 0

    async def open(self) -> None:
        """Opens the session, which must happen inside the running loop."""
        self._session = aiohttp.ClientSession(
            connector=GuardedConnector(self._passage, limit=self._max_connections),
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=self._silence_seconds),
            auto_decompress=False,
            trust_env=False,
        )

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(self, url: str, content: bytes) -> RawReply:
        """The reply to what is sent, as `_asked` gives it."""
        return await self._asked("POST", url, content)

    async def get(self, url: str) -> RawReply:
        """What stands at the address, as `_asked` gives it."""
        return await self._asked("GET", url, None)

    async def _asked(self, method: str, url: str, content: bytes | None) -> RawReply:
        """The reply, whatever its status.

        Raises:
            EndpointError: for a connection that fails or an answer that ends early, is too large or wrongly encoded.
        """
        if self._session is None:
            raise RuntimeError("The client must be entered with 'async with' before it is asked.")
        self.requests_sent += 1
        try:
            return await self._reply(self._session, method, url, content)
        except (aiohttp.ClientError, aiohttp.ServerTimeoutError, ssl.SSLError, zlib.error) as error:
            code = _code(error)
        # Raised out here: an exception of aiohttp carries the request's headers, and a context would keep it alive.
        raise fault(code)

    async def _reply(self, session: aiohttp.ClientSession, method: str, url: str, content: bytes | None) -> RawReply:
        started = time.perf_counter()
        async with session.request(method, url, data=content, allow_redirects=False) as response:
            success = 200 <= response.status < 300
            body = await (self._body(response) if success else _failure_body(response, self._failure_body_seconds))
            latency_ms = round((time.perf_counter() - started) * 1000)
            return RawReply(response.status, response.headers, body, latency_ms)

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        decoder = _decoder(response.headers.get("Content-Encoding", ""))
        body = bytearray()
        async for chunk in response.content.iter_any():
            piece = decoder.piece(chunk, self._max_bytes + 1)
            body += piece
            if len(body) > self._max_bytes:
                raise fault("too-large", status=response.status)
            if _END_OF_STREAM.search(body, max(0, len(body) - len(piece) - _TAIL_BYTES)):
                return bytes(body)
        if not decoder.complete:
            raise fault("cut-short", status=response.status)
        return bytes(body)


async def _failure_body(response: aiohttp.ClientResponse, seconds: float) -> bytes:
    """As much as explains a failure. What is wrong with this body, or how slowly it comes, never hides the status."""
    body = bytearray()
    with suppress(EndpointError, aiohttp.ClientPayloadError, zlib.error, TimeoutError):
        decoder = _decoder(response.headers.get("Content-Encoding", ""))
        async with asyncio.timeout(seconds):
            async for chunk in response.content.iter_any():
                body += decoder.piece(chunk, MAX_FAILURE_BYTES)
                if len(body) > MAX_FAILURE_BYTES:
                    break
    return bytes(body[:MAX_FAILURE_BYTES])


def _headers(api_key: str) -> dict[str, str]:
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
        "Content-Type": "application/json",
        "User-Agent": "eq-leaderboard",
    }
    return headers | {"Authorization": f"Bearer {api_key}"} if api_key else headers


_CODES: tuple[tuple[type[Exception], str], ...] = (
    # In this order: a certificate error is also a connector error, and this is also an operating system error; a
    # silent server's error is also a server timeout, as that of a connection that does not open.
    (aiohttp.SocketTimeoutError, "timeout"),
    (aiohttp.ClientConnectorCertificateError, "bad-certificate"),
    (ssl.SSLCertVerificationError, "bad-certificate"),
    (aiohttp.ClientConnectorError, "unreachable"),
    (aiohttp.ServerTimeoutError, "unreachable"),
    (aiohttp.ClientPayloadError, "cut-short"),
    (zlib.error, "cut-short"),
    (aiohttp.ClientResponseError, "bad-http"),
)


def _code(error: Exception) -> str:
    if refused_by_us(error):
        return "address-refused"
    return next((code for kind, code in _CODES if isinstance(error, kind)), "disconnected")


class _Decoder(Protocol):
    @property
    def complete(self) -> bool: ...

    def piece(self, chunk: bytes, max_length: int) -> bytes: ...


class _Plain:
    complete = True

    def piece(self, chunk: bytes, max_length: int) -> bytes:
        return chunk


class _Inflating:
    """Gives at most `max_length` bytes a chunk, so that 64 KiB on the wire never become 64 MiB in memory."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        self._begun = False

    @property
    def complete(self) -> bool:
        return self._zlib.eof or not self._begun

    def piece(self, chunk: bytes, max_length: int) -> bytes:
        try:
            piece = self._zlib.decompress(chunk, max_length)
        except zlib.error:
            if self._begun:
                raise
            # Some servers call a bare deflate stream "deflate"; the standard means one with a zlib header.
            self._zlib = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
            piece = self._zlib.decompress(chunk, max_length)
        self._begun = True
        return piece


def _decoder(encoding: str) -> _Decoder:
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return _Plain()
    if name in ("gzip", "x-gzip", "deflate"):
        return _Inflating()
    raise fault("unknown-encoding")
