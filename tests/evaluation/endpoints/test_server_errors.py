"""Which fault a server's own words stand for."""

from typing import Any

import pytest

from evaluation.endpoints.body import read_body, read_error
from evaluation.endpoints.errors import FAULTS, Cause, EndpointError, Kind, fault
from evaluation.endpoints.server_errors import ServerError, fault_code
from tests.evaluation.endpoints.servers import Answer, chat


def code(error: Any, status: int = 400, api_model: str = "acme/small-1") -> str:
    content = Answer({"error": error} if error is not None else {}).response().body
    assert isinstance(content, bytes)
    if status == 200:
        read = read_body(content)
        assert isinstance(read, ServerError)
        return fault_code(read, api_model)
    return fault_code(read_error(content, status), api_model)


@pytest.mark.parametrize(
    ("error", "status", "expected"),
    [
        ({"message": "busy", "code": 429}, 200, "rate-limited"),
        ({"message": "busy", "code": "429"}, 200, "rate-limited"),
        ({"message": "busy", "code": "rate_limit_exceeded"}, 400, "rate-limited"),
        ({"message": "busy", "type": "rate_limit_error"}, 200, "rate-limited"),
        ({"message": "pay", "code": "insufficient_quota"}, 429, "quota-used-up"),
        ({"message": "no", "code": "invalid_api_key"}, 200, "unauthorised"),
        ({"message": "over", "type": "overloaded_error"}, 200, "server-error"),
        ({"message": "odd", "code": 1261}, 200, "upstream-error"),
        ("something broke", 200, "upstream-error"),
        ({"message": "odd", "code": 1261}, 400, "refused"),
        ({"message": "This model's maximum context length is 512 tokens."}, 400, "context-length"),
        ({"message": "too long", "code": "context_length_exceeded"}, 400, "context-length"),
        ({"message": "the request exceeds the available context size"}, 400, "context-length"),
        ({"message": "The model `acme/small-1` does not exist."}, 404, "unknown-model"),
        ({"message": 'model "acme/small-1" not found, try pulling it first'}, 404, "unknown-model"),
        ({"message": "Invalid model name passed in model=acme/small-1."}, 400, "unknown-model"),
        ({"message": "acme/small-1 is not a valid model ID"}, 400, "unknown-model"),
        ({"message": "The API deployment does not exist.", "code": "DeploymentNotFound"}, 404, "unknown-model"),
        ({"message": "Not Found"}, 404, "not-a-chat-api"),
        ({"message": "Method Not Allowed"}, 405, "not-a-chat-api"),
        ({"message": "This model does not support logprobs."}, 400, "refused"),
        ({"message": "filtered", "code": "content_filter"}, 400, "content-filter"),
        ({"message": "Your input was flagged by moderation."}, 403, "content-filter"),
        ({"message": "no entry"}, 403, "unauthorised"),
        ({"message": ["a", "b"]}, 422, "refused"),
        ("Unexpected endpoint or method. (POST /chat/completions)", 200, "not-a-chat-api"),
        ({"message": "no route for acme/small-10"}, 404, "not-a-chat-api"),
        (None, 418, "refused"),
    ],
)
def test_words_and_status_stand_for_one_fault(error: Any, status: int, expected: str) -> None:
    assert code(error, status) == expected


@pytest.mark.parametrize("body", [b'{"detail": "Not Found"}', b"<h1>Not Found</h1>", b'{"message": "no route"}'])
def test_a_404_that_names_no_model_is_about_the_address(body: bytes) -> None:
    assert fault_code(read_error(body, 404), "acme/small-1") == "not-a-chat-api"


def test_the_flat_form_of_an_error_is_read_too() -> None:
    body = b'{"object": "error", "message": "The model `m` does not exist.", "type": "NotFoundError", "code": 404}'
    assert fault_code(read_error(body, 404), "m") == "unknown-model"


def test_a_list_of_refused_fields_becomes_one_message() -> None:
    body = b"""{"detail": [{"loc": ["body", "top_q"], "msg": "Extra inputs are not permitted"}, 7,
        {"loc": [], "msg": "Odd"}]}"""
    assert read_error(body, 422).message == "top_q: Extra inputs are not permitted; : Odd"


@pytest.mark.parametrize("nothing", [None, {}, "", False])
def test_a_false_or_empty_error_beside_a_message_is_none(nothing: Any) -> None:
    content = Answer({**chat("Angry: 3"), "error": nothing}).response().body
    assert isinstance(content, bytes)
    read = read_body(content)
    assert not isinstance(read, ServerError)
    assert read.text == "Angry: 3"


def test_an_error_inside_a_choice_is_found() -> None:
    content = Answer({"choices": [{"error": {"code": 502, "message": "gone"}, "message": None}]}).response().body
    assert isinstance(content, bytes)
    read = read_body(content)
    assert isinstance(read, ServerError)
    assert fault_code(read, "m") == "server-error"


@pytest.mark.parametrize("slug", sorted(FAULTS))
def test_every_fault_has_a_sentence_a_kind_and_a_cause(slug: str) -> None:
    error = fault(slug)
    assert isinstance(error, EndpointError)
    assert error.message.endswith(".")
    assert error.kind in Kind
    assert error.cause in Cause
    assert str(error) == error.message
