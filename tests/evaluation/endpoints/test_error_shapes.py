"""Errors in unusual shapes: what counts as one, whose words are shown, and which fault it is."""

import json
import re
from typing import Any

import pytest

from evaluation.benchmarks.base import Message
from evaluation.endpoints.client import ChatRequest, Completion
from evaluation.endpoints.errors import EndpointError, Kind
from tests.evaluation.endpoints.servers import OK, REQUEST, Answer, answering, ask_all, chat, error_of, reply_to

EMPTY = [
    {"message": "", "type": "", "param": "", "code": None},
    {"code": 0, "message": "success"},
    {"code": "0", "message": "OK"},
    {"code": 200, "message": "Success."},
    {"code": "success", "message": ""},
    {"message": None, "type": None, "code": None},
    {"error": {"message": "", "type": ""}},
    {"message": [], "details": []},
    [{"message": "", "code": None}],
    "success",
    "null",
    None,
    {},
    [],
    "",
    False,
    0,
    {"code": "0", "msg": "成功"},
    {"code": "NO_ERROR", "message": ""},
    {"type": "success", "message": "Request successful"},
    "N/A",
]


@pytest.mark.parametrize("error", EMPTY, ids=str)
def test_an_error_that_names_none_is_none(error: Any) -> None:
    assert reply_to({**chat(), "error": error}).text == OK
    assert reply_to({"choices": [{**chat()["choices"][0], "error": error}]}).text == OK


@pytest.mark.parametrize("error", EMPTY, ids=str)
def test_nor_is_it_one_in_a_stream(error: Any) -> None:
    events = [
        {"choices": [{"delta": {"content": OK}, "finish_reason": None}], "error": error},
        {"choices": [{"delta": {}, "finish_reason": "stop"}], "error": error},
    ]
    assert reply_to("".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n").text == OK


@pytest.mark.parametrize(
    "error",
    [
        {"message": "", "type": "", "code": 500},
        {"message": "", "type": "server_error", "code": None},
        {"code": 0, "message": "The upstream is gone."},
        {"error": {"message": "The upstream is gone."}},
        ["The upstream is gone."],
        True,
        7,
    ],
    ids=str,
)
def test_an_error_that_names_anything_is_one_even_beside_a_message(error: Any) -> None:
    assert error_of({**chat(), "error": error}).kind is Kind.RETRY


WORDS = "Tensor cores are on strike"
SHAPES = [
    {"error": {"message": WORDS}},
    {"error": WORDS},
    {"error": {"error": {"message": WORDS}}},
    {"error": {"error": WORDS}},
    {"error": [{"message": WORDS}]},
    {"error": {"message": {"message": WORDS}}},
    {"error": {"msg": WORDS}},
    {"error": {"detail": WORDS}},
    {"error": json.dumps({"error": {"message": WORDS}})},
    {"errors": [{"code": 7003, "message": WORDS}], "success": False},
    {"errors": {"model": [WORDS]}},
    [{"error": {"code": 500, "message": WORDS}}],
    [{"message": WORDS}],
    [WORDS],
    WORDS,
    {"detail": WORDS},
    {"detail": {"message": WORDS}},
    {"detail": {"error": {"message": WORDS}}},
    {"detail": [{"loc": ["body", "top_q"], "msg": WORDS, "type": "extra_forbidden"}]},
    {"detail": [WORDS]},
    {"message": WORDS},
    {"Message": WORDS},
    {"msg": WORDS},
    {"error_msg": WORDS, "error_code": 18},
    {"errorMessage": WORDS},
    {"error_description": WORDS, "error": "server_error"},
    {"title": WORDS, "status": 500, "type": "about:blank"},
    {"error": "Internal Server Error", "message": WORDS, "statusCode": 500},
    {"object": "error", "message": WORDS, "type": "X", "param": None, "code": 500},
    {"type": "error", "error": {"type": "api_error", "message": WORDS}},
    {"base_resp": {"status_code": 1004, "status_msg": WORDS}},
    {"error": {"message": "Provider returned error", "code": 500, "metadata": {"raw": WORDS}}},
    {"error": {"message": f"<html>\r\n<head><title>{WORDS}</title></head><body>x</body></html>"}},
    {"error": {"code": WORDS}},
    {"error": {"message": "", "type": WORDS, "code": 500}},
    {"code": WORDS},
    f"<html><head><title>{WORDS}</title></head><body>x</body></html>",
    f"<!DOCTYPE html>\n<html><body><h1 class='a'>{WORDS}</h1></body></html>",
    f"\n{WORDS}\n",
    f'data: {{"error": {{"message": "{WORDS}"}}}}\n\n',
]


@pytest.mark.parametrize("status", [400, 422, 500, 503])
@pytest.mark.parametrize("body", SHAPES, ids=lambda body: str(body)[:60])
def test_the_words_of_a_server_are_shown_whatever_their_shape(body: Any, status: int) -> None:
    content = json.dumps(body) if isinstance(body, str) and body == WORDS else body
    error = error_of(content, status)
    assert error.code in ("server-error", "refused")
    assert error.status == status
    assert WORDS in error.message


@pytest.mark.parametrize("status", [401, 402, 403, 408, 409, 429, 418])
def test_the_words_are_shown_with_every_fault(status: int) -> None:
    assert WORDS in error_of({"error": {"message": WORDS}}, status).message


@pytest.mark.parametrize(
    "body",
    [
        {"success": False, "message": WORDS},
        {"error_code": 17, "error_msg": WORDS},
        {"errorType": "X", "errorMessage": WORDS},
        {"code": 1113, "message": WORDS},
        {"status": "error", "message": WORDS},
        {"object": "error", "message": WORDS, "code": 50000},
        {"base_resp": {"status_code": 1004, "status_msg": WORDS}, "choices": None},
        [{"error": {"message": WORDS}}],
        {"type": "error", "error": {"message": WORDS}},
    ],
    ids=str,
)
def test_a_body_that_calls_itself_failed_is_an_error_also_with_status_200(body: Any) -> None:
    error = error_of(body)
    assert (error.kind, error.code) == (Kind.RETRY, "upstream-error")
    assert WORDS in error.message


def test_a_web_page_with_status_200_is_named_by_its_title_and_with_its_own_status() -> None:
    page = Answer("<html><title>Welcome to nginx!</title></html>")
    with answering(page, Answer("<h1>Not Found</h1>", 404)) as server:
        (error,), _ = ask_all(server.url, REQUEST)
    assert isinstance(error, EndpointError)
    assert (error.code, error.status) == ("not-a-chat-api", 200)
    assert error.message == "There is no chat completions API at this address. It said: “Welcome to nginx!”"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "error", "meant"),
    [
        (503, {"message": "busy", "code": "server_error"}, 503),
        (503, {"message": "busy", "code": 500}, 503),
        (502, {"message": "busy", "code": "502"}, 502),
        (529, {"message": "busy", "code": "overloaded_error"}, 529),
        (500, {"message": "slow down", "code": 429}, 429),
        (400, {"message": "slow down", "code": "rate_limit_exceeded"}, 429),
        (429, {"message": "odd", "code": "invalid_request_error"}, 429),
    ],
    ids=str,
)
def test_the_status_that_was_sent_is_the_one_that_is_told(status: int, error: Any, meant: int) -> None:
    found = error_of({"error": error}, status)
    assert (found.status, found.meant_status) == (status, meant)
    assert found.code == ("rate-limited" if meant == 429 else "server-error")


UNKNOWN = [
    (404, [{"error": {"code": 404, "message": "models/x is not found for API version v1beta"}}]),
    (404, {"error": {"message": "No endpoints found for acme/test-model."}}),
    (404, {"type": "error", "error": {"type": "not_found_error", "message": "model: test-model"}}),
    (404, {"detail": "Model test-model not found"}),
    (400, {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}),
    (400, {"error": {"message": "The model `test-model` has been decommissioned", "code": "model_decommissioned"}}),
    (500, {"error": {"message": "unknown model 'test-model'"}}),
    (503, {"error": {"message": "No available channel for model test-model under group default"}}),
    (422, {"detail": "The model `test-model` does not exist."}),
    (401, {"error": {"message": "test-model is not a valid model ID"}}),
    (403, {"error": {"message": "Project p has no access", "code": "model_not_found"}}),
    (400, {"message": "The provided model identifier is invalid."}),
    (400, {"error": {"message": "Unable to access non-serverless model test-model. Please visit the site."}}),
    (400, {"error": {"message": "Not supported by any provider", "code": "model_not_supported"}}),
    (400, {"message": "Invocation of model ID test-model with on-demand throughput isn’t supported."}),
    (200, {"error": {"message": "model 'test-model' not found, try pulling it first"}}),
    (200, {"error": "The requested model 'test-model' does not exist"}),
]


@pytest.mark.parametrize(("status", "body"), UNKNOWN, ids=str)
def test_an_unknown_model_is_told_as_such_whatever_the_status(status: int, body: Any) -> None:
    error = error_of(body, status)
    assert (error.kind, error.code) == (Kind.RUN, "unknown-model")
    assert error.message.startswith("The endpoint does not know this model name. It said: “")


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, "server-error"),
        (500, {"error": "the model runner has terminated: template not found"}, "server-error"),
        (429, {"error": {"message": "Rate limit reached for test-model: not found in cache"}}, "rate-limited"),
        (400, {"error": {"message": "This model does not support logprobs."}}, "refused"),
        (400, {"error": {"message": "Unsupported parameter: 'top_q' for this model."}}, "refused"),
        (
            429,
            {"error": {"message": "No deployments available for selected model, Try again in 5 seconds"}},
            "rate-limited",
        ),
        (404, {"error": {"message": "no route for /chat"}}, "not-a-chat-api"),
    ],
    ids=str,
)
def test_a_model_that_is_only_mentioned_is_not_unknown(status: int, body: Any, code: str) -> None:
    assert error_of(body, status).code == code


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, {"error": {"message": "You exceeded your current quota, please check your plan.", "code": None}}),
        (429, {"error": {"message": "pay", "type": "insufficient_quota", "code": None}}),
        (402, {"error": {"message": "Insufficient Balance"}}),
        (402, {"error": {"message": "Insufficient credits. Add more.", "code": 402}}),
        (400, {"error": {"message": "Your credit balance is too low to access the API."}}),
        (403, {"error": {"message": "token quota", "code": "insufficient_user_quota"}}),
        (403, {"detail": "Monthly spending limit reached"}),
        (403, {"error": "Your team has either used all available credits or reached its monthly spending limit."}),
        (403, {"error": {"message": "The request failed because your account has an overdue balance."}}),
        (412, {"error": {"message": "Account x is suspended, possibly due to reaching the monthly spending limit"}}),
        (403, {"code": 403, "reason": "NOT_ENOUGH_BALANCE", "message": "not enough balance"}),
        (400, {"error": {"message": "ExceededBudget: User=u over budget. Spend=10.1", "type": "budget_exceeded"}}),
        (429, {"error": "you have reached your weekly usage limit, please upgrade to continue"}),
        (200, {"code": 1113, "message": "余额不足"}),
        (200, {"error": {"message": "You have run out of credits: quota exceeded"}}),
        (400, {"code": "Arrearage", "message": "Access denied."}),
    ],
    ids=str,
)
def test_a_quota_that_is_used_up_is_told_as_such(status: int, body: Any) -> None:
    error = error_of(body, status)
    assert (error.kind, error.code) == (Kind.RETRY, "quota-used-up")
    assert error.message.startswith("The provider says that the quota of this key is used up. It said: “")


@pytest.mark.parametrize(
    "body",
    [
        [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}],
        {"error": {"code": 400, "message": "Missing or invalid Authorization header."}},
        {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: xa***."},
    ],
    ids=str,
)
def test_a_key_that_is_refused_with_400_is_told_as_such(body: Any) -> None:
    error = error_of(body, 400)
    assert (error.kind, error.code) == (Kind.RUN, "unauthorised")


@pytest.mark.parametrize(
    "words",
    [
        "Quota exceeded for requests per minute. Please retry in 20 s.",
        "You exceeded your current quota of tokens per minute, try again in 6s",
        "Rate limit reached: RPM quota exceeded",
    ],
)
def test_a_quota_a_minute_is_a_limit_of_the_rate(words: str) -> None:
    assert error_of({"error": {"message": words}}, 429).code == "rate-limited"


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions?key=CANARY-0123456789#x", "https://api.example.com/v1"),
        ("//other.example/v1/", "http://other.example/v1"),
        ("https://user:pass@api.example.com/login", "https://api.example.com/login"),
        ("/de/v1/chat/completions", "/de/v1"),
    ],
)
def test_a_redirect_shows_where_it_leads(location: str, shown: str) -> None:
    error = error_of("", 308, {"Location": location}, api_key="CANARY-0123456789")
    assert "It leads to: “" in error.message
    assert error.message.endswith(f"{shown}”")
    assert "CANARY" not in error.message
    assert "pass" not in error.message


@pytest.mark.parametrize(
    "headers", [{}, {"Location": ""}, {"Location": "javascript:alert(1)"}, {"Location": "ftp://x/y"}]
)
def test_a_redirect_to_nowhere_shows_no_target(headers: dict[str, str]) -> None:
    assert error_of("", 302, headers).message.endswith("Enter the final address.")


@pytest.mark.parametrize("location", ["/v1/chat/completions/", "/v1/chat/completions", "?session=1"])
def test_a_redirect_to_the_same_address_does_not_ask_to_enter_it(location: str) -> None:
    error = error_of("", 307, {"Location": location}, api_key="CANARY-0123456789")
    assert (error.kind, error.code) == (Kind.CONFIG, "not-a-chat-api")
    assert "It said: “redirects to" in error.message
    assert "session" not in error.message


def test_a_key_is_taken_out_of_every_shape() -> None:
    key = "sk-0123456789abcdefghij"
    for shape in (f"Incorrect key {key}", {"detail": [key]}, [{"error": {"error": key}}], f"<title>{key}</title>"):
        assert key not in error_of(shape, 401, api_key=key).message
    masked = error_of({"error": {"message": "Incorrect API key provided: sk-01234*********ghij."}}, 401, api_key=key)
    assert masked.message.endswith("It said: “Incorrect API key provided: [key removed].”")


@pytest.mark.parametrize("status", [401, 402, 403, 404])
@pytest.mark.parametrize("message", ["The model `test-model` does not exist.", "no"])
def test_after_a_reply_a_refusal_of_the_key_or_the_name_is_tried_again(status: int, message: str) -> None:
    with answering(chat(), Answer({"error": {"message": message}}, status), chat()) as server:
        outcomes, _ = ask_all(server.url, REQUEST, REQUEST, REQUEST)
    assert isinstance(outcomes[1], EndpointError)
    assert outcomes[1].kind is Kind.RETRY
    assert isinstance(outcomes[2], Completion)


@pytest.mark.parametrize(
    "body", [b"\x00\x01\x02\xff\xfe", b"PK\x03\x04 zip", b"\x1b[31mred", b"{}", b"[]", b"17", b"<html>"]
)
def test_bytes_that_are_no_words_are_not_shown(body: bytes) -> None:
    assert error_of(body, 500).message == "The endpoint reported an error of its own."


def test_long_words_are_cut_at_their_end_and_no_number_in_two() -> None:
    message = error_of({"error": {"message": "context length 512, " + "x" * 247 + "1234567890" * 4}}, 400).message
    assert "context length 512, " in message
    assert len(message) < 420
    assert not re.search(r"\d…", message)


SECRET = "She found the letter in the drawer,\n and read it twice before she spoke."


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": {"message": f"Cannot parse the input: {SECRET}"}}, 400),
        ({"detail": [{"loc": ["body"], "msg": f"Cannot parse the input: {SECRET[:40]}"}]}, 422),
        (f"Cannot parse the input: {SECRET}", 500),
        ({"error": f"Cannot parse the input: {SECRET}"}, 200),
    ],
    ids=str,
)
def test_a_server_that_repeats_the_prompt_is_quoted_without_it(body: Any, status: int) -> None:
    with answering(Answer(body, status)) as server:
        (error,), _ = ask_all(server.url, ChatRequest([Message("user", f"Rate this. {SECRET}")], 0.0, 60))
    assert isinstance(error, EndpointError)
    assert "Cannot parse the input: [prompt removed]" in error.message
    assert "letter" not in error.message
