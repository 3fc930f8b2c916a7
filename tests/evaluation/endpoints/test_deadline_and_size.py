"""A hostile server gets neither more time nor more memory than it was given."""

import asyncio
import gzip
import socket
import time
import tracemalloc
import zlib
from collections.abc import Callable

import pytest

from evaluation.endpoints.client import ChatClient, Target
from evaluation.endpoints.errors import EndpointError, Kind
from tests.evaluation.endpoints.servers import OK, REQUEST, Answer, answering, ask, ask_all, chat, error_of, refused
from tests.fakes import ON_LOOPBACK, Handler, read_request, serve_raw, silent

DEADLINE_SECONDS = 0.5
SOCKET_BUFFERS = 16_000_000  # what the kernel may hold of what nobody reads
HEAD = b"HTTP/1.1 200 OK\r\n"


def endless(head: bytes, piece: bytes, pause_seconds: float, sent: list[int] | None = None) -> Handler:
    """Writes the head, then the piece for ever; `sent` gets the length of each piece."""

    def handle(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(head)
        while True:
            connection.sendall(piece)
            if sent is not None:
                sent.append(len(piece))
            time.sleep(pause_seconds)

    return handle


@pytest.mark.parametrize(
    ("handler", "code"),
    [
        pytest.param(endless(HEAD + b"Content-Length: 100\r\n\r\n", b"x", 0.03), "timeout", id="drip"),
        pytest.param(endless(HEAD, b"X", 0.03), "timeout", id="one header that never ends"),
        pytest.param(endless(HEAD, b"X: y\r\n", 0.03), "timeout", id="headers that never end"),
        pytest.param(
            endless(HEAD + b"Content-Type: text/event-stream\r\n\r\n", b": keep-alive\n\n", 0.03),
            "timeout",
            id="comments of an event stream that never end",
        ),
        pytest.param(silent, "timeout", id="silence"),
    ],
)
def test_the_deadline_holds_against(handler: Handler, code: str) -> None:
    """The server never ends: without a deadline neither did the test."""
    with serve_raw(handler) as url:
        error = refused(url, timeout_seconds=DEADLINE_SECONDS)
    assert (error.kind, error.code) == (Kind.RETRY, code)


def test_the_deadline_counts_from_the_call_and_covers_the_wait_for_a_connection() -> None:
    """The one connection is never free, so that calls whose time began with a connection would all reach the server."""
    reached: list[int] = []

    def count(connection: socket.socket) -> None:
        reached.append(1)
        silent(connection)

    async def run() -> list[object]:
        target = Target(url, "m", timeout_seconds=DEADLINE_SECONDS)
        async with ChatClient(target, max_connections=1, guard=ON_LOOPBACK) as client:
            return list(await asyncio.gather(*(client.complete(REQUEST) for _ in range(20)), return_exceptions=True))

    with serve_raw(count) as url:
        errors = asyncio.run(run())
    assert [error.code for error in errors if isinstance(error, EndpointError)] == ["timeout"] * 20
    assert len(reached) < 10


@pytest.mark.parametrize(
    "head", [HEAD + b"\r\n", HEAD + b"Content-Type: text/event-stream\r\n\r\n"], ids=["plain", "event stream"]
)
def test_a_flood_is_cut_at_the_limit_at_once(head: bytes) -> None:
    sent: list[int] = []
    with serve_raw(endless(head, b": comment\n" * 6000, 0, sent)) as url:
        error = refused(url, timeout_seconds=30, max_bytes=1_000_000)
    assert (error.kind, error.code, error.status) == (Kind.ITEM, "too-large", 200)
    assert sum(sent) < 1_000_000 + SOCKET_BUFFERS


def test_a_flood_of_headers_is_no_valid_http() -> None:
    with serve_raw(endless(HEAD, b"X: " + b"y" * 60_000 + b"\r\n", 0)) as url:
        assert refused(url).code == "bad-http"


def test_a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not() -> None:
    body = Answer(chat()).response().body
    assert isinstance(body, bytes)
    with answering(Answer(body)) as server:
        assert ask(server.url, max_bytes=len(body)).text == OK
        assert refused(server.url, max_bytes=len(body) - 1).code == "too-large"


@pytest.mark.parametrize("headers", [{}, {"Content-Encoding": "br"}, {"Content-Encoding": "gzip"}])
def test_a_bad_body_of_a_failure_never_hides_its_status(headers: dict[str, str]) -> None:
    error = error_of(b"x" * 500_000, 429, {**headers, "Retry-After": "9"}, max_bytes=1000)
    assert (error.code, error.status, error.retry_after_seconds) == ("rate-limited", 429, 9.0)


def test_a_failure_that_breaks_off_keeps_its_status() -> None:
    def cut(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 900\r\n\r\nno")

    with serve_raw(cut) as url:
        assert refused(url).code == "unauthorised"


def bomb(compress: Callable[[bytes], bytes]) -> bytes:
    return compress(bytes(64 * 1024**2))


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [("gzip", gzip.compress), ("deflate", zlib.compress)],
)
def test_64_kib_that_unpack_to_64_mib_cost_less_than_20_mb_of_memory(
    encoding: str, compress: Callable[[bytes], bytes]
) -> None:
    packed = bomb(compress)
    assert len(packed) < 70_000
    with answering(Answer(packed, headers={"Content-Encoding": encoding})) as server:
        tracemalloc.start()
        try:
            error = refused(server.url)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert error.code == "too-large"
    assert peak < 20_000_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "x-gzip", "identity", ""])
def test_encodings_that_were_asked_for_are_unpacked(encoding: str) -> None:
    body = Answer(chat()).response().body
    assert isinstance(body, bytes)
    packed = {
        "gzip": gzip.compress(body, mtime=0),
        "x-gzip": gzip.compress(body, mtime=0),
        "deflate": zlib.compress(body),
    }
    with answering(Answer(packed.get(encoding, body), headers={"Content-Encoding": encoding})) as server:
        assert ask(server.url).text == OK
        assert server.requests[0].headers["Accept-Encoding"] == "gzip, deflate"


def test_a_deflate_stream_without_its_header_is_unpacked_too() -> None:
    body = Answer(chat()).response().body
    assert isinstance(body, bytes)
    with answering(Answer(zlib.compress(body)[2:-4], headers={"Content-Encoding": "deflate"})) as server:
        assert ask(server.url).text == OK


def test_another_encoding_is_a_fault_of_the_set_up() -> None:
    error = error_of(b"packed", headers={"Content-Encoding": "br"})
    assert (error.kind, error.code) == (Kind.CONFIG, "unknown-encoding")


@pytest.mark.parametrize("packed", [gzip.compress(b'{"choices": []}', mtime=0)[:-12], b"not gzip at all"])
def test_a_packed_body_that_breaks_off_or_is_none_is_cut_short(packed: bytes) -> None:
    assert error_of(packed, headers={"Content-Encoding": "gzip"}).code == "cut-short"


def test_an_event_stream_that_stays_open_after_its_end_mark_is_read_at_once() -> None:
    stream = b'data: {"choices": [{"delta": {"content": "Angry: 3"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'

    def handle(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(HEAD + b"\r\n" + stream)
        silent(connection)

    with serve_raw(handle) as url:
        reply = ask(url, timeout_seconds=30)
    assert reply.text == "Angry: 3"


def test_a_failed_request_leaves_the_client_fit_for_the_next() -> None:
    answers = [Answer(b"x" * 2000), Answer(chat())]
    with answering(*answers) as server:
        (error, reply), client = ask_all(server.url, REQUEST, REQUEST, max_bytes=1000)
    assert isinstance(error, EndpointError)
    assert not isinstance(reply, EndpointError)
    assert client.requests_sent == 2
