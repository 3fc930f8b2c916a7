"""Requests a second over kept connections, with as little work on the client's side as Python allows."""

import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

CLIENTS = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request brought: the bytes of its body as they were sent, and the header's names and values."""

    status: int
    headers: dict[str, str]
    body: bytes


class Kept:
    """One HTTP/1.1 connection that is opened anew when the server closes it."""

    def __init__(self, port: int) -> None:
        self._address = ("127.0.0.1", port)
        self._socket: socket.socket | None = None

    def get(self, path: str) -> Answer:
        words = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        for _ in range(3):
            with suppress(ConnectionError):
                return self._asked(words)
            self.close()
        raise ConnectionError("the server closes every connection")

    def close(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket = None

    def _asked(self, words: bytes) -> Answer:
        if self._socket is None:
            self._socket = socket.create_connection(self._address, timeout=30)
        self._socket.sendall(words)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._received()
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers["content-length"]):
            body += self._received()
        if headers.get("connection") == "close":
            self.close()
        return Answer(int(first.split()[1]), headers, body)

    def _received(self) -> bytes:
        assert self._socket
        data = self._socket.recv(1 << 18)
        if not data:
            raise ConnectionError
        return data


def requests_per_second(port: int, path: str, seconds: float = 4.0) -> float:
    """How many answers came in a second to `CLIENTS` clients at once."""
    until = time.perf_counter() + seconds
    counts = [0] * CLIENTS

    def ask(at: int) -> None:
        connection = Kept(port)
        while time.perf_counter() < until:
            assert connection.get(path).status == 200
            counts[at] += 1
        connection.close()

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds
