"""Part 2 of the case list: what the client returns or raises. What a run makes of it is tested with the runner."""

import json
import socket
from typing import Any

import pytest

from evaluation.benchmarks.base import Message
from evaluation.endpoints.client import ChatRequest, Completion
from evaluation.endpoints.errors import Cause, EndpointError, Kind
from tests.evaluation.endpoints.servers import (
    OK,
    REQUEST,
    ROUTE,
    Answer,
    answering,
    ask,
    ask_all,
    chat,
    error_of,
    refusal,
    refused,
    reply_to,
)
from tests.fakes import read_request, serve_raw


def test_e01_null_content_with_stop_gives_an_empty_text_and_the_reasoning_apart() -> None:
    reply = reply_to(chat(None, reasoning_content="Angry: 3"))
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("", "Angry: 3", "stop")


@pytest.mark.parametrize("spelling", ["reasoning", "reasoning_content"])
def test_e02_text_under_either_spelling_of_reasoning_is_kept_apart(spelling: str) -> None:
    reply = reply_to(chat("", finish_reason="length", **{spelling: OK}))
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("", OK, "length")


def test_e03_a_whole_answer_filed_as_reasoning_is_not_made_the_text() -> None:
    reply = reply_to(chat("", reasoning_content=OK))
    assert (reply.text, reply.reasoning, reply.tool_call) == ("", OK, False)


def test_e04_a_tool_call_without_content_is_a_reply_that_says_so() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "rate", "arguments": "{}"}}
    reply = reply_to(chat(None, tool_calls=[call], finish_reason="tool_calls"))
    assert (reply.text, reply.tool_call) == ("", True)


def test_e05_a_limit_above_what_the_server_permits_is_lowered_once_and_remembered() -> None:
    request = ChatRequest(REQUEST.messages, 0.01, 4000)
    with answering(refusal(400, "The context is too small: at most 100 tokens remain."), chat()) as server:
        outcomes, client = ask_all(server.url, request, request)
    assert [isinstance(outcome, Completion) for outcome in outcomes] == [True, True]
    assert [seen.body["max_tokens"] for seen in server.requests] == [4000, 100, 100]
    assert client.negotiated.max_tokens == 100


def test_e05_a_limit_that_is_refused_again_ends_in_a_plain_sentence_about_the_context() -> None:
    first = refusal(400, "The context is too small: at most 100 tokens remain.")
    second = refusal(400, "The context is too small: at most 50 tokens remain.")
    with answering(first, second) as server:
        error = refused(server.url, ChatRequest(REQUEST.messages, 0.01, 4000))
    assert len(server.requests) == 2
    assert (error.kind, error.cause, error.code, error.status) == (Kind.ITEM, Cause.MODEL, "context-length", 400)
    assert error.message.startswith("The prompt and the room for the answer do not fit into the model's context.")


def test_e06_the_prompt_tokens_that_the_server_counted_are_handed_on() -> None:
    reply = reply_to({**chat(), "usage": {"prompt_tokens": 50, "completion_tokens": 12}})
    assert (reply.prompt_tokens, reply.completion_tokens) == (50, 12)


def test_e07_every_request_carries_a_limit_no_stream_and_no_tools() -> None:
    with answering(chat()) as server:
        ask(server.url)
    assert server.requests[0].body == {
        "model": "test-model",
        "messages": [{"role": "user", "content": "How does she feel?"}],
        "temperature": 0.01,
        "max_tokens": 60,
        "stream": False,
    }


def test_e08_an_error_429_inside_a_200_is_to_be_retried() -> None:
    body = {"choices": None, "error": {"code": 429, "message": "upstream is busy"}}
    error = error_of(body, headers={"Retry-After": "7"})
    assert (error.kind, error.code, error.status, error.retry_after_seconds) == (Kind.RETRY, "rate-limited", 429, 7.0)


def test_e08_the_client_itself_does_not_repeat_it() -> None:
    body = {"choices": None, "error": {"code": 429, "message": "upstream is busy"}}
    with answering(body, chat()) as server:
        outcomes, client = ask_all(server.url, REQUEST, REQUEST)
    assert isinstance(outcomes[0], EndpointError)
    assert isinstance(outcomes[1], Completion)
    assert client.requests_sent == 2


def test_e09_a_wait_of_a_day_is_reported_in_full() -> None:
    error = error_of("", 429, {"Retry-After": "86400"})
    assert (error.kind, error.code, error.retry_after_seconds) == (Kind.RETRY, "rate-limited", 86400.0)


def test_e10_a_wait_in_milliseconds_is_read() -> None:
    assert error_of("", 429, {"retry-after-ms": "250"}).retry_after_seconds == 0.25


def test_e11_a_wait_that_is_no_number_leaves_the_wait_to_us() -> None:
    assert error_of("", 429, {"Retry-After": "soon"}).retry_after_seconds is None


def test_e12_a_429_without_headers_is_a_fault_to_retry_without_a_named_wait() -> None:
    error = error_of("", 429)
    assert (error.kind, error.cause, error.retry_after_seconds) == (Kind.RETRY, Cause.ENDPOINT, None)


def test_e13_text_parts_are_joined_and_thinking_parts_go_into_the_reasoning() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Angry: 3\n"},
        {"type": "text", "text": "Hopeful: 6"},
    ]
    reply = reply_to(chat(parts))
    assert (reply.text, reply.reasoning) == ("Angry: 3\nHopeful: 6", "Hm.")


def test_e14_contents_are_sent_as_plain_strings() -> None:
    request = ChatRequest([Message("system", "Be brief."), Message("user", "Rate it.")], 0.5, 10)
    with answering(chat()) as server:
        ask(server.url, request)
    assert [message["content"] for message in server.requests[0].body["messages"]] == ["Be brief.", "Rate it."]


def event_stream(*deltas: dict[str, str], finish_reason: str | None = "stop", end: str = "data: [DONE]\n\n") -> str:
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    events += [{"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]}]
    return ": keep-alive\n\n" + "".join(f"data: {json.dumps(event)}\n\n" for event in events) + end


def test_e15_an_event_stream_that_was_not_asked_for_is_joined() -> None:
    body = event_stream(
        {"role": "assistant"},
        {"reasoning_content": "Hm"},
        {"reasoning_content": "."},
        {"content": OK[:9]},
        {"content": OK[9:]},
    )
    reply = reply_to(body)
    assert (reply.text, reply.reasoning, reply.finish_reason, reply.model) == (OK, "Hm.", "stop", "m")
    assert reply.remarks == ("event stream",)


def test_e15_a_stream_that_ends_without_its_mark_but_with_a_finish_reason_is_whole() -> None:
    assert reply_to(event_stream({"content": OK}, end="")).text == OK


def test_e15_a_stream_that_breaks_off_is_cut_short() -> None:
    assert error_of(event_stream({"content": OK}, finish_reason=None, end="")).code == "cut-short"


def test_e15_an_error_in_the_middle_of_a_stream_is_an_error() -> None:
    body = 'data: {"choices": [{"delta": {"content": "An"}}]}\n\ndata: {"error": {"code": 503, "message": "gone"}}\n\n'
    error = error_of(body)
    assert (error.kind, error.code, error.status) == (Kind.RETRY, "server-error", 503)


@pytest.mark.parametrize("body", ["<html>Welcome", '"hello"', "hello", "[]", "17", '{"hello": "world"}'])
def test_e16_a_body_that_is_no_completion_means_that_the_address_is_wrong(body: str) -> None:
    error = error_of(body)
    assert (error.kind, error.code) == (Kind.CONFIG, "not-a-chat-api")
    assert error.message == "There is no chat completions API at this address."


def test_e16_once_the_address_has_answered_a_web_page_is_an_outage() -> None:
    with answering(chat(), Answer("<html>Back soon")) as server:
        (_, error), _ = ask_all(server.url, REQUEST, REQUEST)
    assert isinstance(error, EndpointError)
    assert (error.kind, error.code) == (Kind.RETRY, "not-a-chat-api")
    assert len(server.requests) == 2


@pytest.mark.parametrize("form", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_e17_every_form_of_the_address_reaches_the_same_path_with_one_request(form: str) -> None:
    with answering(chat()) as server:
        ask(server.url + form)
    assert [seen.path for seen in server.requests] == [ROUTE]


@pytest.mark.parametrize(("given", "right"), [("/api", "/api/v1"), ("", ""), ("/v1", ""), ("/api/v1", "/api")])
def test_e17_an_address_that_is_wrong_by_v1_is_tried_the_other_way_once_and_remembered(given: str, right: str) -> None:
    route = f"{right}/chat/completions"
    with answering(chat(), routes=[route]) as server:
        outcomes, client = ask_all(server.url + given, REQUEST, REQUEST)
    assert [isinstance(outcome, Completion) for outcome in outcomes] == [True, True]
    assert [seen.path == route for seen in server.requests] == [False, True, True]
    assert client.negotiated.base_url == server.url + right


def test_e17_an_address_that_is_wrong_both_ways_is_said_to_be_so_after_two_requests() -> None:
    with answering(chat(), routes=[]) as server:
        error = refused(server.url)
    assert (error.kind, error.code, error.status) == (Kind.CONFIG, "not-a-chat-api", 404)
    assert len(server.requests) == 2


def test_e18_only_the_given_address_is_called_whatever_the_model_and_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with answering(chat()) as server:
        ask(server.url, api_model="gpt-4o")
    assert [(seen.path, seen.body["model"]) for seen in server.requests] == [(ROUTE, "gpt-4o")]


WANTS_THE_NEW_NAME = refusal(
    400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens"
)


def test_e19_a_refused_max_tokens_is_renamed_once_and_remembered() -> None:
    with answering(WANTS_THE_NEW_NAME, chat()) as server:
        _, client = ask_all(server.url, REQUEST, REQUEST)
    limits = [(seen.body.get("max_tokens"), seen.body.get("max_completion_tokens")) for seen in server.requests]
    assert limits == [(60, None), (None, 60), (None, 60)]
    assert client.negotiated.as_settings()["token_field"] == "max_completion_tokens"


@pytest.mark.parametrize("status", [400, 422, 500])
def test_e20_a_refused_temperature_is_dropped_and_remembered(status: int) -> None:
    words = "Unsupported value: 'temperature' does not support 0.01 with this model. Only the default (1) is supported."
    with answering(refusal(status, words), chat()) as server:
        _, client = ask_all(server.url, REQUEST, REQUEST)
    assert ["temperature" in seen.body for seen in server.requests] == [True, False, False]
    assert client.negotiated.sends_temperature is False


def test_e21_a_body_shorter_than_announced_is_cut_short() -> None:
    def cut(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + b'{"choices": [' + b" " * 387)

    with serve_raw(cut) as url:
        error = refused(url)
    assert (error.kind, error.code, error.message) == (
        Kind.RETRY,
        "cut-short",
        "The endpoint's answer was cut short.",
    )


def test_e21_json_that_ends_in_the_middle_is_cut_short() -> None:
    assert error_of(json.dumps(chat())[:40]).code == "cut-short"


def test_e22_invalid_utf8_is_replaced_and_remarked() -> None:
    body = json.dumps(chat("Note: X\n" + OK)).encode().replace(b"X", b"\xff")
    reply = reply_to(body)
    assert reply.text == "Note: \ufffd\n" + OK
    assert reply.remarks == ("invalid UTF-8",)


@pytest.mark.parametrize("body", ["", " \n"])
def test_e22_an_empty_body_is_to_be_retried(body: str) -> None:
    error = error_of(body)
    assert (error.kind, error.code) == (Kind.RETRY, "empty-body")


def test_e23_nul_and_lone_surrogates_are_taken_out_and_remarked() -> None:
    reply = reply_to(chat(OK + "\0\ud800", reasoning_content="\0"))
    assert (reply.text, reply.reasoning) == (OK, "")
    assert reply.remarks == ("NUL removed", "lone surrogate removed")


def test_e23_a_pair_of_surrogates_split_over_two_events_is_one_sign() -> None:
    assert reply_to(event_stream({"content": "\ud83d"}, {"content": "\ude42"})).text == "🙂"


def test_e24_a_reply_without_role_index_usage_and_finish_reason_is_read() -> None:
    reply = reply_to({"choices": [{"message": {"content": OK}, "finish_reason": None}], "usage": None})
    assert (reply.text, reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == (OK, "", None, None)


@pytest.mark.parametrize("choices", [None, [], [{}], [None], [{"message": None}], ["text"], {}, "text"])
def test_e25_choices_without_a_message_are_to_be_retried(choices: object) -> None:
    error = error_of({"choices": choices})
    assert (error.kind, error.code) == (Kind.RETRY, "empty-choices")


def test_p10_a_content_that_begins_with_the_error_mark_is_a_fault_and_never_a_reply() -> None:
    error = error_of(chat(" [ERROR] 429: Angry: 3"))
    assert (error.kind, error.cause, error.code) == (Kind.RETRY, Cause.ENDPOINT, "upstream-error")
