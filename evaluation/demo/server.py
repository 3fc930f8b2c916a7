"""The demo endpoint as an aiohttp application: chat completions, the list of models, and a log of what was asked."""

import asyncio
import math
import re
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from aiohttp import web

from evaluation.demo.catalogue import parse_fault
from evaluation.demo.delivery import deliver
from evaluation.demo.empathy import said_of_feelings
from evaluation.demo.faults import Call, Delivery, Fault, Payload, Refusal
from evaluation.demo.moods import FEELINGS, NO_MOODS, NO_QUESTIONNAIRE, Moods, fill_in, read_sheet
from evaluation.demo.personas import PERSONAS, Says, answer
from evaluation.demo.questions import References, no_references, read_question

LOG_LENGTH = 100_000
LIMIT_WHEN_NONE_IS_SENT = 5

EVERY_PERSONA = (*PERSONAS, *FEELINGS)

_TOKEN = re.compile(r"\s*\S{1,8}")


def make_app(
    *,
    persona: str = "perfect",
    latency_ms: int = 0,
    faults: Sequence[str] = (),
    seed: int = 0,
    references: References = no_references,
    moods: Moods = NO_MOODS,
) -> web.Application:
    """The application, to be run on a loopback port.

    A request whose `model` names a persona gets that one, any other gets `persona`. `latency_ms` is from the arrival
    of a request to its completion; refusals come at once. `faults` are as `parse_fault` reads them.

    Raises:
        ValueError: for a persona or a fault that there is not.
    """
    if persona not in EVERY_PERSONA:
        raise ValueError(f"There is no persona {persona!r}. There are: {', '.join(EVERY_PERSONA)}.")
    built = [parse_fault(fault) for fault in faults]
    demo = _Demo(persona=persona, latency_ms=latency_ms, faults=built, seed=seed, references=references, moods=moods)
    app = web.Application(client_max_size=4 * 1024**2)
    app.router.add_post("/v1/chat/completions", demo.complete)
    app.router.add_get("/v1/models", demo.models)
    app.router.add_get("/log", demo.show_log)
    app.router.add_post("/log/reset", demo.reset_log)
    return app


class _Demo:
    def __init__(
        self,
        *,
        persona: str,
        latency_ms: int,
        faults: Sequence[Fault],
        seed: int,
        references: References,
        moods: Moods,
    ) -> None:
        self._persona = persona
        self._latency_seconds = latency_ms / 1000
        self._faults = faults
        self._seed = seed
        self._references = references
        self._moods = moods
        self._started = time.monotonic()
        self._forget()

    def _forget(self) -> None:
        self._log: deque[dict[str, Any]] = deque(maxlen=LOG_LENGTH)
        self._asked: Counter[str] = Counter()
        self._order = 0
        self._in_flight = 0
        self._most_in_flight = 0

    async def complete(self, request: web.Request) -> web.StreamResponse:
        arrived = asyncio.get_running_loop().time()
        self._in_flight += 1
        self._most_in_flight = max(self._most_in_flight, self._in_flight)
        try:
            return await self._complete(request, arrived)
        finally:
            self._in_flight -= 1

    async def _complete(self, request: web.Request, arrived: float) -> web.StreamResponse:
        body = await _json_object(request)
        prompt = _prompt(body)
        call = self._call(request, body, prompt)
        refusal = self._refusal(call)
        self._note(call, refusal)
        if refusal is not None:
            return _response(refusal)
        payload = self._payload(call, prompt)
        await _until(arrived + self._latency_seconds)
        return await deliver(request, payload, self._delivery(call))

    def _call(self, request: web.Request, body: dict[str, Any], prompt: str) -> Call:
        digest = sha256(prompt.encode("utf-8", "replace")).hexdigest()
        call = Call(
            prompt_sha256=digest,
            order=self._order,
            asked_before=self._asked[digest],
            now=time.monotonic(),
            body=body,
            key=request.headers.get("Authorization", "").removeprefix("Bearer "),
            seed=self._seed,
        )
        self._order += 1
        self._asked[digest] += 1
        return call

    def _refusal(self, call: Call) -> Refusal | None:
        refusals = (fault.refuse(call) for fault in self._faults if fault.refuse is not None)
        return next((refusal for refusal in refusals if refusal is not None), None)

    def _delivery(self, call: Call) -> Delivery:
        deliveries = (fault.deliver(call) for fault in self._faults if fault.deliver is not None)
        return next((delivery for delivery in deliveries if delivery != "json"), "json")

    def _payload(self, call: Call, prompt: str) -> Payload:
        model = call.body.get("model")
        said = self._said(model if isinstance(model, str) and model in EVERY_PERSONA else self._persona, prompt)
        payload = _completion(call, prompt, _limited(said, call.body))
        for fault in self._faults:
            if fault.bend is not None and payload["choices"]:
                fault.bend(call, payload)
        return payload

    def _said(self, persona: str, prompt: str) -> Says:
        sheet = read_sheet(prompt)
        filled = None if sheet is None else fill_in(persona, sheet, self._moods, self._seed)
        if filled is not None or persona in FEELINGS:
            return Says(filled or NO_QUESTIONNAIRE)
        said = said_of_feelings(persona, prompt, self._seed)
        return said if said is not None else answer(persona, read_question(prompt), self._references, self._seed)

    def _note(self, call: Call, refusal: Refusal | None) -> None:
        self._log.append(
            {
                "order": call.order,
                "time": round(call.now - self._started, 4),
                "prompt_sha256": call.prompt_sha256,
                "model": call.body.get("model"),
                "temperature": call.body.get("temperature"),
                "max_tokens": call.body.get("max_tokens") or call.body.get("max_completion_tokens"),
                "status": 200 if refusal is None else refusal.status,
            }
        )

    async def models(self, _: web.Request) -> web.Response:
        rows = [{"id": name, "object": "model", "owned_by": "demo"} for name in EVERY_PERSONA]
        return web.json_response({"object": "list", "data": rows})

    async def show_log(self, _: web.Request) -> web.Response:
        return web.json_response({"requests": list(self._log), "most_in_flight": self._most_in_flight})

    async def reset_log(self, _: web.Request) -> web.Response:
        self._forget()
        return web.Response(status=204)


async def _until(moment: float) -> None:
    """A timer of the loop is late by a millisecond or more, so the last two are waited for turn by turn."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(moment - loop.time() - 0.002)
    while loop.time() < moment:
        await asyncio.sleep(0)


async def _json_object(request: web.Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise web.HTTPBadRequest(text='{"error": {"message": "A JSON object is wanted."}}')
    return body


def _prompt(body: dict[str, Any]) -> str:
    """The last message's text. A list of parts is refused in plain text, as some servers do."""
    messages = body.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) else None
    if not isinstance(content, str):
        raise web.HTTPInternalServerError(text="content must be a string")
    return content


def _limited(said: Says, body: Mapping[str, Any]) -> Says:
    """The answer within the limit that was sent, or within five tokens where none was, as one server does."""
    limit = body.get("max_tokens") or body.get("max_completion_tokens")
    tokens = _TOKEN.findall(said.text)
    most = limit if isinstance(limit, int) else LIMIT_WHEN_NONE_IS_SENT
    if len(tokens) <= most:
        return said
    return Says("".join(tokens[:most]), said.reasoning, "length")


def _completion(call: Call, prompt: str, said: Says) -> Payload:
    message = {"role": "assistant", "content": said.text}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    prompt_tokens, completion_tokens = math.ceil(len(prompt) / 4), math.ceil(len(said.text + said.reasoning) / 4)
    return {
        "id": f"demo-{call.order}",
        "object": "chat.completion",
        "model": call.body.get("model"),
        "system_fingerprint": "demo",
        "choices": [{"index": 0, "message": message, "finish_reason": said.finish_reason}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


def _response(refusal: Refusal) -> web.Response:
    return web.Response(
        status=refusal.status, text=refusal.text, content_type=refusal.content_type, headers=dict(refusal.headers)
    )
