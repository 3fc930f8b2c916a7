"""A chat endpoint that says what a test wrote, and the client pointed at it."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from evaluation.benchmarks.base import Message
from evaluation.endpoints.client import ChatClient, ChatRequest, Completion, Negotiated, Target
from evaluation.endpoints.errors import EndpointError
from tests.fakes import ON_LOOPBACK, serve

OK = "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 8"
REQUEST = ChatRequest(messages=[Message("user", "How does she feel?")], temperature=0.01, max_tokens=60)
ROUTE = "/v1/chat/completions"


@dataclass(frozen=True)
class Answer:
    """One answer of the server. A body that is no bytes or string is sent as JSON."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        body = self.body if isinstance(self.body, str | bytes) else json.dumps(self.body)
        content = body.encode() if isinstance(body, str) else body
        return web.Response(body=content, status=self.status, headers={"Content-Type": "text/plain", **self.headers})


def chat(content: Any = OK, *, finish_reason: Any = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion whose message has these fields."""
    return {"choices": [{"message": {"content": content, **message}, "finish_reason": finish_reason}]}


def refusal(status: int, message: str, **fields: Any) -> Answer:
    return Answer({"error": {"message": message, **fields}}, status)


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass
class Scripted:
    url: str = ""
    requests: list[Seen] = field(default_factory=list)


@contextmanager
def answering(*answers: Answer | dict[str, Any], routes: Sequence[str] = (ROUTE,)) -> Iterator[Scripted]:
    """Gives the answers in order, then the last one for ever. Other routes than these are answered with 404 in HTML."""
    script = [answer if isinstance(answer, Answer) else Answer(answer) for answer in answers]
    scripted = Scripted()

    async def handle(request: web.Request) -> web.Response:
        scripted.requests.append(Seen(request.path, dict(request.headers), json.loads(await request.read())))
        if request.path not in routes:
            return web.Response(status=404, text="<h1>Not Found</h1>", content_type="text/html")
        return script.pop(0).response() if len(script) > 1 else script[0].response()

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    with serve(app) as scripted.url:
        yield scripted


def ask_all(
    url: str, *requests: ChatRequest, together: bool = False, negotiated: Negotiated | None = None, **target: Any
) -> tuple[list[Completion | EndpointError], ChatClient]:
    """What one client makes of the requests, one after the other or all at once; and the client, closed."""
    options = {"api_model": "test-model", "timeout_seconds": 60.0, **target}

    async def run() -> tuple[list[Completion | EndpointError], ChatClient]:
        client = ChatClient(Target(url, **options), max_connections=16, guard=ON_LOOPBACK, negotiated=negotiated)
        async with client:
            if together:
                return list(await asyncio.gather(*(_outcome(client, request) for request in requests))), client
            return [await _outcome(client, request) for request in requests], client

    return asyncio.run(run())


async def _outcome(client: ChatClient, request: ChatRequest) -> Completion | EndpointError:
    try:
        return await client.complete(request)
    except EndpointError as error:
        return error


def ask(url: str, request: ChatRequest = REQUEST, **target: Any) -> Completion:
    """The reply to one request of a new client; fails the test where there is none."""
    (outcome,), _ = ask_all(url, request, **target)
    if isinstance(outcome, EndpointError):
        pytest.fail(f"no reply but {outcome.code}: {outcome.message}")
    return outcome


def refused(url: str, request: ChatRequest = REQUEST, **target: Any) -> EndpointError:
    """The error of one request of a new client; fails the test where there is a reply."""
    (outcome,), _ = ask_all(url, request, **target)
    if isinstance(outcome, Completion):
        pytest.fail(f"a reply where an error was due: {outcome.text!r}")
    return outcome


def reply_to(body: Any, **target: Any) -> Completion:
    """What the client makes of one answer with status 200."""
    with answering(Answer(body)) as server:
        return ask(server.url, **target)


def error_of(body: Any, status: int = 200, headers: Mapping[str, str] | None = None, **target: Any) -> EndpointError:
    with answering(Answer(body, status, headers or {})) as server:
        return refused(server.url, **target)
