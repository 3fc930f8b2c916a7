"""How a completion goes over the wire: whole, as a stream, or spoilt."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from aiohttp import web

from evaluation.demo.faults import Delivery, Payload

DRIP_SECONDS = 0.3
MISSING_BYTES = 500
BOMB_BYTES = 64 * 1024**2
BROKEN_BYTE = b"\xff"  # stands nowhere in UTF-8
_COMMENT, _PLACE = "\n(A comm\x1ant of mine.)", rb"\u001a"
HANG_SECONDS = 3600.0


async def deliver(request: web.Request, payload: Payload, delivery: Delivery) -> web.StreamResponse:
    """The response, sent in the way that was asked for; what a client hangs up on is let go in silence."""
    content = json.dumps(payload).encode()
    if delivery == "json":
        return web.Response(body=content, content_type="application/json")
    if delivery == "broken-bytes":
        return web.Response(body=_with_broken_bytes(payload), content_type="application/json")
    if delivery == "compressed":
        headers = {"Content-Encoding": "gzip"}
        return web.Response(body=bomb(), content_type="application/json", headers=headers)
    return await _spoilt(request, payload, content, delivery)


def _with_broken_bytes(payload: Payload) -> bytes:
    """The completion with a comment line behind its text, in which one byte is broken."""
    choice = payload["choices"][0]
    commented = {**choice, "message": {**choice["message"], "content": choice["message"]["content"] + _COMMENT}}
    return json.dumps({**payload, "choices": [commented]}).encode().replace(_PLACE, BROKEN_BYTE)


async def _spoilt(request: web.Request, payload: Payload, content: bytes, delivery: Delivery) -> web.StreamResponse:
    if delivery in ("hang", "drop"):
        return await _silent(request, HANG_SECONDS if delivery == "hang" else 0)
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    with suppress(ConnectionError):
        if delivery == "event-stream":
            response.content_type = "text/event-stream"
            await _send(request, response, _events(payload), 0)
        elif delivery == "drip":
            response.content_length = len(content)
            await _send(request, response, (content[at : at + 1] for at in range(len(content))), DRIP_SECONDS)
        else:
            response.content_length = len(content) + MISSING_BYTES
            await _send(request, response, iter([content[: len(content) // 2]]), 0)
            _hang_up(request)
    return response


async def _silent(request: web.Request, seconds: float) -> web.StreamResponse:
    await asyncio.sleep(seconds)
    _hang_up(request)
    return web.Response()


def _hang_up(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()


async def _send(request: web.Request, response: web.StreamResponse, pieces: Iterator[bytes], seconds: float) -> None:
    await response.prepare(request)
    for piece in pieces:
        await response.write(piece)
        await asyncio.sleep(seconds)


def _events(payload: Payload) -> Iterator[bytes]:
    """The completion as deltas: role, the text in two halves, the finish reason, the usage, and the end mark."""
    message, finish_reason = payload["choices"][0]["message"], payload["choices"][0]["finish_reason"]
    text = message.get("content") or ""
    half = len(text) // 2
    deltas = [{"role": "assistant"}, {"content": text[:half]}, {"content": text[half:]}]
    if message.get("reasoning_content"):
        deltas.insert(1, {"reasoning_content": message["reasoning_content"]})
    head = {"id": payload.get("id"), "object": "chat.completion.chunk", "model": payload.get("model")}
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish_reason})
    for choice in choices:
        yield _event(json.dumps({**head, "choices": [choice]}))
    yield _event(json.dumps({**head, "choices": [], "usage": payload.get("usage")}))
    yield _event("[DONE]")


def _event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()


@cache
def bomb() -> bytes:
    """About 64 KiB that unpack to 64 MiB."""
    return gzip.compress(bytes(BOMB_BYTES), compresslevel=9)
