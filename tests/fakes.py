"""Servers on the loopback interface for tests, each in a thread of its own. They yield their address without a path."""

import asyncio
import json
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

from aiohttp import web

from evaluation.endpoints.guard import Policy
from evaluation.endpoints.passage import Guard

# For clients that are to reach these servers; without it a client calls the public internet only.
ON_LOOPBACK = Guard(Policy.of(["127.0.0.0/8", "::1/128"]))

Handler = Callable[[socket.socket], None]


@contextmanager
def serve(app: web.Application) -> Iterator[str]:
    """Runs an aiohttp application on a free port while the block lasts."""
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]] = Future()
    thread = threading.Thread(target=asyncio.run, args=(_run(app, started),), daemon=True)
    thread.start()
    loop, stop, port = started.result(timeout=120)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(timeout=60)


async def _run(app: web.Application, started: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]]") -> None:
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    stop = asyncio.Event()
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        started.set_result((asyncio.get_running_loop(), stop, runner.addresses[0][1]))
        await stop.wait()
        for _ in range(10):  # lets a connection that is just being accepted arrive, so that it is closed with the rest
            await asyncio.sleep(0)
    finally:
        await runner.cleanup()


def requests_at(address: str) -> list[dict[str, Any]]:
    """What the demo endpoint there has been asked until now, a row each, from the moment of its arrival."""
    with urllib.request.urlopen(f"{address}/log") as response:  # noqa: S310
        requests: list[dict[str, Any]] = json.load(response)["requests"]
    return requests


@contextmanager
def serve_raw(handler: Handler) -> Iterator[str]:
    """Gives each accepted connection to `handler`, in a thread each. A handler may write until the client hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    accepting = threading.Thread(target=_accept, args=(listener, handler), daemon=True)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        # A thread that waits in accept() does not notice a close, but it does notice a shutdown.
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join(timeout=60)


def _accept(listener: socket.socket, handler: Handler) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_handle, args=(connection, handler), daemon=True).start()


def _handle(connection: socket.socket, handler: Handler) -> None:
    with connection, suppress(OSError):
        handler(connection)


def silent(connection: socket.socket) -> None:
    """A handler that takes all and answers nothing until the client hangs up."""
    while connection.recv(65_536):
        pass


def read_request(connection: socket.socket) -> bytes:
    """Head and body of one HTTP request with a Content-Length; for handlers of `serve_raw`."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += received(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += received(connection)
    return head + b"\r\n\r\n" + body


def received(connection: socket.socket) -> bytes:
    """The next bytes. Of a client that has hung up there are none, and its thread would look for them for ever."""
    data = connection.recv(65536)
    if not data:
        raise ConnectionResetError("the client has hung up")
    return data
