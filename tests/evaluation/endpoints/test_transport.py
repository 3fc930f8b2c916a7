"""Connections: what is followed, kept, verified, and how each way of failing is told."""

import asyncio
import socket
import ssl
import subprocess
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from evaluation.endpoints.client import ChatClient, Target
from evaluation.endpoints.errors import Cause, EndpointError, Kind
from evaluation.endpoints.passage import Guard, Passage
from evaluation.endpoints.transport import RawReply, Transport
from tests.evaluation.endpoints.servers import OK, REQUEST, Answer, answering, ask, ask_all, chat, error_of, refused
from tests.fakes import ON_LOOPBACK, Handler, read_request, serve, serve_raw, silent
from tests.tools import needs


def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_has_a_sentence_of_its_own(status: int) -> None:
    with answering(chat()) as elsewhere, answering(Answer("", status, {"Location": elsewhere.url + "/v1"})) as server:
        error = refused(server.url)
    assert (error.kind, error.code, error.status) == (Kind.CONFIG, "redirected", status)
    assert error.message == (
        "The endpoint answered with a redirect, which is not followed. Enter the final address. "
        f"It leads to: “{elsewhere.url}/v1”"
    )
    assert (len(server.requests), len(elsewhere.requests)) == (1, 0)


def test_a_closed_port_is_unreachable() -> None:
    error = refused(closed_port())
    assert (error.kind, error.cause, error.code) == (Kind.RETRY, Cause.ENDPOINT, "unreachable")


def test_a_socket_that_cannot_be_opened_reads_like_a_closed_port() -> None:
    seen = []

    def refuse(address: aiohttp.AddrInfoType) -> socket.socket:
        seen.append(address[4][:2])
        raise OSError("no more sockets")

    guard = Guard(ON_LOOPBACK.policy, open_socket=refuse)

    async def run(url: str) -> EndpointError:
        async with ChatClient(Target(url, "m"), max_connections=1, guard=guard) as client:
            with pytest.raises(EndpointError) as caught:
                await client.complete(REQUEST)
            return caught.value

    with answering(chat()) as server:
        error = asyncio.run(run(server.url))
    assert seen == [("127.0.0.1", int(server.url.rpartition(":")[2]))]
    assert server.requests == []
    assert (error.code, error.message) == ("unreachable", refused(closed_port()).message)


def closing(answer: bytes) -> Handler:
    def handle(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(answer)

    return handle


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (b"", "disconnected"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "disconnected"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "bad-http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "bad-http"),
        (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"cho', "cut-short"),
    ],
)
def test_what_a_broken_server_sends_is_a_named_fault_to_retry(answer: bytes, code: str) -> None:
    with serve_raw(closing(answer)) as url:
        error = refused(url)
    assert (error.kind, error.code) == (Kind.RETRY, code)


def test_one_connection_is_kept_for_all_requests_of_a_run_and_no_cookie() -> None:
    connections, cookies = set(), []

    async def handle(request: web.Request) -> web.Response:
        assert request.transport is not None
        connections.add(request.transport.get_extra_info("peername"))
        cookies.append(request.headers.get("Cookie"))
        return web.json_response(chat(), headers={"Set-Cookie": "session=1"})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    with serve(app) as url:
        # By name: a jar, if there were one, would ignore cookies from a bare address.
        ask_all(url.replace("127.0.0.1", "localhost"), *[REQUEST] * 5)
    assert len(connections) == 1
    assert cookies == [None] * 5


@pytest.fixture
def self_signed(tmp_path: Path) -> ssl.SSLContext:
    """A server's side of TLS with a certificate that nobody vouches for."""
    needs("openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make_key = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    command = [*make_key.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def test_a_certificate_that_nobody_vouches_for_is_refused(self_signed: ssl.SSLContext) -> None:
    def handle(connection: socket.socket) -> None:
        with self_signed.wrap_socket(connection, server_side=True) as wrapped:
            closing(b"HTTP/1.1 200 OK\r\n\r\n")(wrapped)

    with serve_raw(handle) as url:
        error = refused(url.replace("http://", "https://"))
    assert (error.kind, error.code) == (Kind.CONFIG, "bad-certificate")


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (401, Kind.RUN, "unauthorised"),
        (402, Kind.RUN, "payment-required"),
        (403, Kind.RUN, "blocked"),
        (408, Kind.RETRY, "timeout"),
        (500, Kind.RETRY, "server-error"),
        (503, Kind.RETRY, "server-error"),
        (529, Kind.RETRY, "server-error"),
    ],
)
def test_a_status_without_json_is_a_fault_of_its_own(status: int, kind: Kind, code: str) -> None:
    error = error_of("Something is wrong", status, {"Retry-After": "2"})
    assert (error.kind, error.code, error.status, error.retry_after_seconds) == (kind, code, status, 2.0)


def test_what_the_server_says_of_itself_is_kept_within_bounds() -> None:
    body = {**chat(), "model": "m" * 500, "system_fingerprint": "fp_1"}
    with answering(Answer(body, headers={"Server": "uvicorn"})) as server:
        reply = ask(server.url)
    assert (reply.model, reply.fingerprint, reply.server) == ("m" * 200, "fp_1", "uvicorn")


def test_extra_fields_are_sent_and_never_replace_ours() -> None:
    extra = {"top_p": 0.5, "model": "other", "stream": True, "max_tokens": 1}
    with answering(chat()) as server:
        ask(server.url, extra_body=extra)
    body = server.requests[0].body
    assert (body["top_p"], body["model"], body["stream"], body["max_tokens"]) == (0.5, "test-model", False, 60)


def test_asking_before_the_client_is_open_says_so() -> None:
    client = ChatClient(Target("http://127.0.0.1:9", "m"), max_connections=1)
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(client.complete(REQUEST))


def test_no_key_means_no_authorization_header() -> None:
    with answering(chat()) as server:
        assert ask(server.url).text == OK
        ask(server.url, api_key=" sk-1 \n")
    assert [seen.headers.get("Authorization") for seen in server.requests] == [None, "Bearer sk-1"]


@pytest.mark.parametrize("status", [401, 429])
def test_a_failure_whose_text_never_ends_is_known_by_its_status_and_headers(status: int) -> None:
    def drip(connection: socket.socket) -> None:
        read_request(connection)
        # In one piece: what came only after the head would be waited for for a moment only.
        connection.sendall(f'HTTP/1.1 {status} No\r\nRetry-After: 7\r\nContent-Length: 100\r\n\r\n{{"error"'.encode())
        silent(connection)

    async def ask_once(url: str) -> RawReply:
        passage = Passage(ON_LOOPBACK, url, has_key=False)
        transport = Transport(api_key="", max_bytes=1000, max_connections=1, passage=passage, failure_body_seconds=0.05)
        await transport.open()
        try:
            async with asyncio.timeout(120):
                return await transport.post(f"{url}/v1/chat/completions", b"{}")
        finally:
            await transport.close()

    with serve_raw(drip) as url:
        reply = asyncio.run(ask_once(url))
    assert (reply.status, reply.headers["retry-after"], reply.body) == (status, "7", b'{"error"')


def test_a_server_of_these_tests_lets_a_client_go_that_hangs_up_in_the_midst_of_its_request() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf")
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(ConnectionError):
            read_request(ours)
