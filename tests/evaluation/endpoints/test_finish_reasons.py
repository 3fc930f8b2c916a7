"""Which replies are whole: the ends that servers name, plain and streamed, and what becomes of all others."""

import json
from typing import Any

import pytest

from evaluation.endpoints.client import Completion
from evaluation.endpoints.errors import Cause, EndpointError, Kind
from evaluation.endpoints.finish_reasons import SYNONYMS
from tests.evaluation.endpoints.servers import OK, REQUEST, Answer, answering, ask_all, chat

ENDS = [
    *((word, ours) for ours, words in SYNONYMS.items() for word in words),
    ("STOP", "stop"),
    ("END_TURN", "stop"),
    ("end-turn", "stop"),
    (" Stop ", "stop"),
    ("FinishReason.STOP", "stop"),
    ("FinishReason.MAX_TOKENS", "length"),
    ("MAX_TOKENS", "length"),
    ("TOOL_CALL", "tool_calls"),
    ({"type": "stop", "matched": 128009}, "stop"),
    ({"type": "length", "length": 60}, "length"),
    ({"reason": "endoftext"}, "stop"),
    (None, ""),
    (False, ""),
    ({}, ""),
    ([], ""),
    (0, ""),
    (1, "stop"),
    (2, "length"),
    (1.0, "stop"),
]
UNFINISHED = [
    "abort", "ABORT", "aborted", "error", "cancelled", "canceled", "timeout", "time_limit", "pause_turn", "other",
    "unknown", "insufficient_system_resource", "network_error", "not_finished", "incomplete", "malformed_function_call",
    "FinishReason.OTHER", "load", "language", "failed", "eos" * 50, "最大", "stop!", "-", {"type": "abort"}, [1],
    ["stop"], True, 3, 5, -1, 1.5, 128009,
]  # fmt: skip
FILTERED = [
    "content_filter", "CONTENT_FILTER", "content-filter", "content_filtered", "SAFETY", "FinishReason.SAFETY",
    "RECITATION", "guardrail_intervened", "refusal", "PROHIBITED_CONTENT",
]  # fmt: skip


def plain(finish_reason: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return {**chat(OK), "choices": [{"message": {"content": OK}, "finish_reason": finish_reason}], "usage": usage}


def streamed(finish_reason: Any) -> str:
    """Deltas, then the end with its reason, then the usage, as vLLM sends them."""
    choices = [{"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in (OK[:7], OK[7:])]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish_reason})
    events: list[dict[str, Any]] = [{"choices": [choice]} for choice in choices]
    events.append({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}})
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def outcome_of(body: Any, **target: Any) -> Completion | EndpointError:
    with answering(Answer(body)) as server:
        (outcome,), _ = ask_all(server.url, REQUEST, **target)
    return outcome


@pytest.mark.parametrize("shape", [plain, streamed], ids=["plain", "streamed"])
@pytest.mark.parametrize(("written", "ours"), ENDS, ids=str)
def test_an_end_that_vendors_name_is_read_as_ours(written: Any, ours: str, shape: Any) -> None:
    outcome = outcome_of(shape(written))
    assert isinstance(outcome, Completion), outcome
    assert (outcome.text, outcome.finish_reason) == (OK, ours)


@pytest.mark.parametrize("shape", [plain, streamed], ids=["plain", "streamed"])
@pytest.mark.parametrize("written", UNFINISHED, ids=str)
def test_a_reply_that_the_endpoint_calls_unfinished_is_its_fault_and_asked_again(written: Any, shape: Any) -> None:
    outcome = outcome_of(shape(written))
    assert isinstance(outcome, EndpointError), outcome
    assert (outcome.kind, outcome.cause, outcome.code) == (Kind.RETRY, Cause.ENDPOINT, "unfinished")
    assert outcome.spent == (100, 20), "its tokens were spent all the same"


@pytest.mark.parametrize("shape", [plain, streamed], ids=["plain", "streamed"])
@pytest.mark.parametrize("written", FILTERED)
def test_a_reply_that_a_filter_stopped_says_so(written: str, shape: Any) -> None:
    outcome = outcome_of(shape(written))
    assert isinstance(outcome, EndpointError), outcome
    assert (outcome.kind, outcome.cause, outcome.code) == (Kind.RETRY, Cause.ENDPOINT, "filtered-reply")
    assert outcome.message.endswith(f"It gave as finish_reason: “{written}”")


def test_the_word_of_the_server_is_shown_cut_and_without_the_key() -> None:
    outcome = outcome_of(plain("abort sk-0123456789abcdef " + "x" * 900), api_key="sk-0123456789abcdef")
    assert isinstance(outcome, EndpointError)
    assert "abort [key removed]" in outcome.message
    assert len(outcome.message) < 420


@pytest.mark.parametrize("last", [{"finish_reason": "abort"}, {"finish_reason": "error"}, {"finish_reason": 9}])
def test_of_several_ends_in_one_stream_the_last_one_counts(last: dict[str, Any]) -> None:
    choices = [{"delta": {"content": OK}, "finish_reason": "stop"}, {"delta": {}, **last}]
    body = "".join(f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices) + "data: [DONE]\n\n"
    outcome = outcome_of(body)
    assert isinstance(outcome, EndpointError)
    assert outcome.code == "unfinished"


REFUSAL = "I'm sorry, but I can't help with that."


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "refusal": REFUSAL},
        {"content": "", "refusal": REFUSAL},
        {"content": "  \n", "refusal": REFUSAL},
        {"refusal": REFUSAL},
        {"content": [{"type": "refusal", "refusal": REFUSAL}]},
        {"content": None, "refusal": [{"type": "text", "text": REFUSAL}]},
        {"content": [], "refusal": REFUSAL, "reasoning_content": "Hm."},
    ],
)
@pytest.mark.parametrize("end", ["stop", None, "length", "end_turn"])
def test_a_refusal_beside_an_empty_content_is_kept_with_its_words(message: dict[str, Any], end: str | None) -> None:
    outcome = outcome_of({"choices": [{"message": message, "finish_reason": end}]})
    assert isinstance(outcome, Completion), outcome
    assert (outcome.text, outcome.finish_reason) == (REFUSAL, "refusal")


@pytest.mark.parametrize("refusal", [None, "", [], {}, False, 0])
def test_an_empty_refusal_is_none(refusal: Any) -> None:
    outcome = outcome_of({"choices": [{"message": {"content": None, "refusal": refusal}, "finish_reason": "stop"}]})
    assert isinstance(outcome, Completion), outcome
    assert (outcome.text, outcome.finish_reason) == ("", "stop")


def test_a_content_beside_a_refusal_is_what_the_model_said() -> None:
    outcome = outcome_of({"choices": [{"message": {"content": OK, "refusal": REFUSAL}, "finish_reason": "stop"}]})
    assert isinstance(outcome, Completion), outcome
    assert (outcome.text, outcome.finish_reason) == (OK, "stop")


def test_a_refusal_in_a_stream_is_joined() -> None:
    deltas = [{"role": "assistant", "refusal": ""}, {"refusal": REFUSAL[:9]}, {"refusal": REFUSAL[9:]}, {}]
    choices = [{"delta": delta, "finish_reason": None} for delta in deltas[:3]] + [
        {"delta": deltas[3], "finish_reason": "stop"}
    ]
    body = "".join(f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices) + "data: [DONE]\n\n"
    outcome = outcome_of(body)
    assert isinstance(outcome, Completion), outcome
    assert (outcome.text, outcome.finish_reason) == (REFUSAL, "refusal")
