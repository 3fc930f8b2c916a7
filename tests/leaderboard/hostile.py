"""An endpoint whose models answer a prompt of any benchmark, and say its words wherever a word may stand."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from tests.fakes import serve
from tests.leaderboard.closed_board import LABELS, rated
from tests.leaderboard.marked_banks import OPTIONS

SHEET = re.compile(r"^(\d+)\. (\w+)$", re.MULTILINE)
SLOPPY_OF = 3
"""Of a model that is sloppy at times, one prompt of so many."""


def numbers_of(prompt: str) -> int:
    """A number that is the prompt's own."""
    return sum(int(found) for found in re.findall(r"\d+", prompt.partition("as JSON")[2] or prompt)) or 7


def rightly(prompt: str, quoted: str = "") -> str:
    """An answer in the form that is asked for; `quoted` stands behind each name in it."""
    at = numbers_of(prompt)
    if "Yibberdrax" in prompt:
        shared = zip(OPTIONS, (at % 4 + 1, 3, 2, 4 - at % 4), strict=True)
        return json.dumps({"Emotion": [{"name": f"{name}{quoted}", "score": value} for name, value in shared]})
    if sheet := SHEET.findall(prompt):
        return "\n".join(f"{number}. {word}{quoted}: {(int(number) + at) % 5 + 1}" for number, word in sheet)
    if "Barnabus" in prompt:
        return rated(tuple(f"{label}{quoted}" for label in LABELS), at)
    return f"I am sorry. {quoted}"


def line_of(prompt: str) -> str:
    """The prompt in one line, as a header or a reason of an HTTP answer can hold it."""
    return " ".join(prompt.split())


Answer = Callable[[str], web.Response]


def said(content: str | None, prompt: str, *, finish: str = "stop", **message: Any) -> web.Response:
    body = {
        "choices": [{"message": {"content": content, **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 20},
    }
    return web.json_response(body)


def of_itself(prompt: str) -> web.Response:
    body = json.loads(said(rightly(prompt), prompt).text or "")
    own = {"id": prompt, "model": prompt, "system_fingerprint": prompt, "provider": prompt, "object": prompt}
    headers = dict.fromkeys(("Server", "X-Request-Id", "X-Model", "Via", "OpenAI-Organization"), line_of(prompt))
    return web.json_response({**body, **own}, headers=headers)


def called(prompt: str) -> web.Response:
    function = {"name": line_of(prompt), "arguments": json.dumps({"text": prompt})}
    return said(
        None, prompt, finish="tool_calls", tool_calls=[{"id": prompt, "type": "function", "function": function}]
    )


def error(prompt: str, status: int) -> web.Response:
    fault = {"message": f"Cannot rate: {prompt}", "type": prompt, "code": line_of(prompt), "param": prompt}
    return web.json_response({"error": fault}, status=status, headers={"X-Error": line_of(prompt)})


def in_html(prompt: str, status: int) -> web.Response:
    page = f"<html><title>{prompt}</title><h1>{prompt}</h1></html>"
    return web.Response(text=page, status=status, reason=line_of(prompt)[:80], content_type="text/html")


MODELS: Mapping[str, Answer] = {
    "good": lambda prompt: said(rightly(prompt), prompt),
    "echoes": lambda prompt: said(prompt, prompt),
    "quotes-in-names": lambda prompt: said(rightly(prompt, f" ({line_of(prompt)})"), prompt),
    "joins-names": lambda prompt: said(rightly(prompt, line_of(prompt)[:12].replace(" ", "")), prompt),
    "refuses": lambda prompt: said(f"I am sorry, I cannot say how they feel of whom you write: {prompt}", prompt),
    "thinks-aloud": lambda prompt: said(rightly(prompt), prompt, reasoning_content=prompt),
    "never-ends": lambda prompt: said(f"<think>{prompt}", prompt, finish="length"),
    "calls-tools": called,
    "refuses-by-field": lambda prompt: said(None, prompt, refusal=prompt),
    "tells-of-itself": of_itself,
    "faults-in-json": lambda prompt: error(prompt, 400),
    "faults-in-html": lambda prompt: in_html(prompt, 403),
    "faults-beside": lambda prompt: web.json_response({"detail": [{"msg": prompt, "loc": [prompt]}]}, status=422),
    "no-json": lambda prompt: web.Response(text=f"{prompt}", content_type="application/json"),
    "redirects": lambda prompt: web.Response(status=302, headers={"Location": f"/v1/{line_of(prompt)[:60]}"}),
}  # fmt: skip
FAULTY = ("good", "tells-of-itself", "thinks-aloud", "faults-in-json", "faults-in-html", "faults-beside", "no-json")
AT_TIMES = ("echoes", "quotes-in-names", "joins-names", "refuses", "never-ends", "calls-tools", "refuses-by-field")


def answer_of(name: str, prompt: str) -> web.Response:
    """What the model of that name answers; "echoes-at-times" does so to some prompts."""
    kind = name.removesuffix("-at-times")
    is_sloppy = kind == name or numbers_of(prompt) % SLOPPY_OF == 0
    return MODELS[kind if is_sloppy else "good"](prompt)


@contextmanager
def hostile_endpoint() -> Iterator[str]:
    async def answer(request: web.Request) -> web.Response:
        asked = await request.json()
        return answer_of(asked["model"], "\n".join(message["content"] for message in asked["messages"]))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    with serve(app) as address:
        yield f"{address}/v1"
