"""A loopback proxy before the demo endpoint that can be told to misbehave, and counts what it spoilt.

One request a connection: what it lets through it copies byte by byte, the rest it answers or breaks itself.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from tests.fakes import read_request, serve_raw

MODES = ("429", "503", "reset", "drip", "hang")
PATIENCE_SECONDS = 30.0
DRIP_SECONDS = 0.05


def refusal(status: str, headers: str = "") -> bytes:
    body = b'{"error": {"message": "The proxy was told to refuse."}}'
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{headers}"
    return head.encode() + b"Connection: close\r\n\r\n" + body


REFUSALS = {
    "429": refusal("429 Too Many Requests", "Retry-After: 1\r\n"),
    "503": refusal("503 Service Unavailable"),
}


class Proxy:
    """`mode` is "" for well, or one of MODES. `forwarded_and_spoilt` counts replies that the endpoint gave in vain."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._lock = threading.Lock()
        self.mode = ""
        self.forwarded_and_spoilt = 0
        self.address = ""

    def handle(self, client: socket.socket) -> None:
        """One connection from its first byte to its end."""
        client.settimeout(PATIENCE_SECONDS)
        with suppress(IndexError):  # a client that closes without asking
            while request := _one_request(client):
                if not self._answer(client, request):
                    return

    def _answer(self, client: socket.socket, request: bytes) -> bool:
        """Whether the connection goes on."""
        mode = self.mode
        if mode in REFUSALS:
            client.sendall(REFUSALS[mode])
            return False
        if mode == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            return False
        reply = self._forward(request)
        if mode in ("drip", "hang"):
            self._spoil(client, reply, mode)
            return False
        client.sendall(reply)
        return True

    def _forward(self, request: bytes) -> bytes:
        with socket.create_connection(self._target, timeout=PATIENCE_SECONDS) as upstream:
            upstream.sendall(request)
            return read_reply(upstream)

    def _spoil(self, client: socket.socket, reply: bytes, mode: str) -> None:
        with self._lock:
            self.forwarded_and_spoilt += 1
        if mode == "hang":
            client.recv(1)  # until the client gives up
            return
        for at in range(len(reply)):
            client.sendall(reply[at : at + 1])
            time.sleep(DRIP_SECONDS)


def _one_request(client: socket.socket) -> bytes:
    """The next request, or b"" when the client has closed."""
    if not client.recv(1, socket.MSG_PEEK):
        return b""
    return read_request(client)


def read_reply(connection: socket.socket) -> bytes:
    """A whole reply with a Content-Length; cut where the endpoint hangs up."""
    data = b""
    while not _is_whole(data):
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
    return data


def _is_whole(data: bytes) -> bool:
    head, found, body = data.partition(b"\r\n\r\n")
    lengths = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return bool(found) and len(body) >= int(lengths[0] if lengths else 0)


@contextmanager
def proxy(target: str) -> Iterator[Proxy]:
    """A proxy before `target`, an address without a path."""
    started = Proxy(target)
    with serve_raw(started.handle) as address:
        started.address = address
        yield started
