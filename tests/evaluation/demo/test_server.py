"""The demo endpoint through the product's own client: personas, log, latency, and every fault by name."""

import asyncio
import json
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from evaluation.benchmarks.base import Message
from evaluation.demo.catalogue import FAULTS, parse_fault
from evaluation.demo.faults import Call
from evaluation.demo.questions import references_from
from evaluation.demo.server import EVERY_PERSONA, make_app
from evaluation.endpoints.client import ChatClient, ChatRequest, Completion, Target
from evaluation.endpoints.errors import EndpointError
from tests.evaluation.demo.prompts import NAMES, english
from tests.evaluation.endpoints.servers import ask, ask_all, refused
from tests.fakes import ON_LOOPBACK, serve

REFERENCES = references_from([(english(), dict(zip(NAMES, (3.0, 6.0, 0.0, 8.0), strict=True)))])
PLAIN = "Angry: 3\nHopeful: 6\nRelieved: 0\nAshamed: 8"


def question(number: int | None = None, *, max_tokens: int = 200, temperature: float = 0.01) -> ChatRequest:
    prompt = english() if number is None else english(f"Story {number}.")
    return ChatRequest([Message("user", prompt)], temperature, max_tokens)


def app(*faults: str, **options: Any) -> Any:
    return make_app(faults=faults, references=REFERENCES, **options)


def fetch(url: str, *, method: str = "GET") -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=60) as response:  # noqa: S310
        content = response.read()
    return json.loads(content) if content else None


def test_the_model_that_is_asked_for_chooses_the_persona() -> None:
    with serve(app(persona="refusing")) as url:
        assert ask(url, question(), api_model="perfect").text == PLAIN
        assert "rather not" in ask(url, question(), api_model="some-model").text
        listed = [row["id"] for row in fetch(url + "/v1/models")["data"]]
    assert listed == list(EVERY_PERSONA)


def test_the_log_tells_how_often_and_how_each_prompt_was_asked() -> None:
    with serve(app("first-429")) as url:
        outcomes, _ = ask_all(url, question(1), question(1, temperature=0.16), question(2))
        log = fetch(url + "/log")["requests"]
        fetch(url + "/log/reset", method="POST")
        assert fetch(url + "/log") == {"requests": [], "most_in_flight": 0}
    assert [isinstance(outcome, Completion) for outcome in outcomes] == [False, True, False]
    assert [(row["order"], row["temperature"], row["status"]) for row in log] == [
        (0, 0.01, 429),
        (1, 0.16, 200),
        (2, 0.01, 429),
    ]
    assert log[0]["prompt_sha256"] == log[1]["prompt_sha256"] != log[2]["prompt_sha256"]


def test_a_limit_is_obeyed_and_five_tokens_are_all_there_is_without_one() -> None:
    with serve(app(persona="prose")) as url:
        reply = ask(url, question(max_tokens=5))
        longer = ask(url, question(max_tokens=7))
        body = json.dumps({"messages": [{"role": "user", "content": english()}]}).encode()
        with urllib.request.urlopen(f"{url}/v1/chat/completions", body, timeout=60) as response:  # noqa: S310
            bare = json.load(response)["choices"][0]
    assert (reply.text, reply.finish_reason) == ("This is a tense moment,", "length")
    assert longer.text == "This is a tense moment, and here"
    assert (bare["message"]["content"], bare["finish_reason"]) == ("This is a tense moment,", "length")


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"messages": [{"role": "user", "content": [{"type": "text"}]}]}'])
def test_a_body_that_is_no_chat_request_is_refused(body: bytes) -> None:
    with serve(app()) as url, pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{url}/v1/chat/completions", body, timeout=60)  # noqa: S310
    caught.value.close()
    assert caught.value.code in (400, 500)


def test_64_are_in_flight_at_once_since_each_waits_as_long_as_it_was_told() -> None:
    async def run(url: str) -> list[Completion]:
        async with ChatClient(Target(url, "noisy"), max_connections=64, guard=ON_LOOPBACK) as client:
            return await asyncio.gather(*(client.complete(question(number)) for number in range(64)))

    with serve(app(latency_ms=5000)) as url:
        asyncio.run(run(url))
        assert fetch(url + "/log")["most_in_flight"] == 64


def test_an_unknown_persona_or_fault_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="perfect"):
        make_app(persona="nobody")
    with pytest.raises(ValueError, match="rate-limit"):
        make_app(faults=["nonsense"])
    with pytest.raises(ValueError, match="whole number"):
        parse_fault("rate-limit:often")


def test_a_rate_limit_lets_that_many_through_in_a_second() -> None:
    """By the times of the calls themselves: on a busy machine 25 requests may take longer than a second."""
    refuse = parse_fault("rate-limit:20").refuse
    assert refuse
    call = Call(prompt_sha256="", order=0, asked_before=0, now=10.0, body={}, key="", seed=0)
    refused_at_once = [refuse(call) is not None for _ in range(25)]
    assert refused_at_once == [False] * 20 + [True] * 5
    assert refuse(replace(call, now=10.99)) is not None
    assert refuse(replace(call, now=11.0)) is None


def test_who_is_over_the_rate_limit_is_told_to_come_again_in_a_second() -> None:
    with serve(app("rate-limit:1")) as url:
        outcomes, _ = ask_all(url, *map(question, range(25)), together=True)
    refusals = {(each.code, each.retry_after_seconds) for each in outcomes if isinstance(each, EndpointError)}
    assert refusals == {("rate-limited", 1.0)}
    assert any(isinstance(each, Completion) for each in outcomes)


def test_one_in_forty_is_about_that_and_always_the_same() -> None:
    with serve(app("always-500:40")) as url:
        first, _ = ask_all(url, *map(question, range(400)))
        second, _ = ask_all(url, *map(question, range(400)))
    failed = [number for number, outcome in enumerate(first) if isinstance(outcome, EndpointError)]
    assert 3 <= len(failed) <= 20
    assert failed == [number for number, outcome in enumerate(second) if isinstance(outcome, EndpointError)]


def test_an_endpoint_that_dies_stops_answering_after_so_many() -> None:
    with serve(app("dead-after:2")) as url:
        outcomes, _ = ask_all(url, *map(question, range(4)))
    assert [getattr(outcome, "code", "reply") for outcome in outcomes] == ["reply", "reply", *["disconnected"] * 2]


# What the client gives for a first request under each fault: the code of an error, or fields of the reply.
FIRST_OUTCOMES: Mapping[str, str | dict[str, Any]] = {
    "rate-limit:1": {"text": PLAIN},
    "first-429": "rate-limited",
    "always-429": "rate-limited",
    "retry-after": "rate-limited",
    "429-after:1": {"text": PLAIN},
    "retry-after-ms": "rate-limited",
    "retry-after-date": "rate-limited",
    "retry-after-past": "rate-limited",
    "retry-after-junk": "rate-limited",
    "retry-after-epoch": "rate-limited",
    "retry-after-epoch-ms": "rate-limited",
    "busy": "server-error",
    "quota:1": "quota-used-up",
    "web-page-502:1": "server-error",
    "always-500:1": "server-error",
    "context:1": "context-length",
    "context-limit": {"text": PLAIN},
    "context-full": "context-length",
    "unauthorised": "unauthorised",
    "wrong-key": "unauthorised",
    "unknown-model": "unknown-model",
    "unknown-in-a-list": "unknown-model",
    "denied-once:1": "unauthorised",
    "denied-prompts:1": "unauthorised",
    "redirect": "redirected",
    "html": "not-a-chat-api",
    "bare-string": "not-a-chat-api",
    "empty-body": "empty-body",
    "max-completion-tokens": {"text": PLAIN},
    "no-temperature": {"text": PLAIN},
    "error-in-200": "rate-limited",
    "error-mark": "upstream-error",
    "unfinished": "unfinished",
    "filtered:1": "filtered-reply",
    "end-turn": {"text": PLAIN, "finish_reason": "stop"},
    "empty-error": {"text": PLAIN},
    "refusal:1": {"text": "I can't help with that.", "finish_reason": "refusal"},
    "null:1": {"text": "", "reasoning": ""},
    "all-reasoning": {"text": "", "reasoning": PLAIN, "finish_reason": "length"},
    "answer-as-reasoning": {"text": "", "reasoning": PLAIN, "finish_reason": "stop"},
    "reasoning-field": {"text": "", "reasoning": PLAIN, "finish_reason": "stop"},
    "empty-choices:1": "empty-choices",
    "empty-choice:1": "empty-choices",
    "tool-call:1": {"text": "", "tool_call": True},
    "parts": {"text": PLAIN, "reasoning": "A first guess."},
    "no-usage": {"text": PLAIN, "prompt_tokens": None},
    "bare": {"text": PLAIN, "finish_reason": "", "model": ""},
    "other-model": {"text": PLAIN, "model": "another-model"},
    "nul": {"text": PLAIN, "remarks": ("NUL removed", "lone surrogate removed")},
    "broken-bytes": {"text": PLAIN + "\n(A comm\ufffdnt of mine.)", "remarks": ("invalid UTF-8",)},
    "token-echo": {"text": PLAIN + "\n[key removed]", "reasoning": "[key removed]", "model": "[key removed]"},
    "short-prompt": {"text": PLAIN, "prompt_tokens": 50},
    "event-stream": {"text": PLAIN, "remarks": ("event stream",), "finish_reason": "stop"},
    "drip": "timeout",
    "cut:1": "cut-short",
    "first-cut": "cut-short",
    "compressed": "too-large",
    "hang": "timeout",
    "dead-after:1": {"text": PLAIN},
}


@pytest.mark.parametrize("fault", FIRST_OUTCOMES)
def test_each_fault_gives_what_its_name_says(fault: str) -> None:
    expected = FIRST_OUTCOMES[fault]
    seconds = 0.4 if expected == "timeout" else 20
    options = {"api_model": "perfect", "api_key": "sk-canary-0123456789", "timeout_seconds": seconds}
    with serve(app(fault)) as url:
        if isinstance(expected, str):
            error = refused(url, question(), **options)
            assert error.code == expected
            assert "canary" not in error.message
        else:
            reply = ask(url, question(), **options)
            assert {name: getattr(reply, name) for name in expected} == expected


def test_every_fault_is_tried_above() -> None:
    assert {fault.partition(":")[0] for fault in FIRST_OUTCOMES} == set(FAULTS)


def test_faults_combine() -> None:
    with serve(app("first-429", "max-completion-tokens", "parts", "event-stream", "no-usage")) as url:
        outcomes, client = ask_all(url, question(), question())
    assert getattr(outcomes[0], "code", "") == "rate-limited"
    assert isinstance(outcomes[1], Completion)
    assert outcomes[1].text == PLAIN
    assert client.negotiated.as_settings()["token_field"] == "max_completion_tokens"
