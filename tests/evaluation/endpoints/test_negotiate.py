"""What a server does not take is changed once for the run, by however many requests it is refused."""

import pytest
from aiohttp import web

from evaluation.benchmarks.base import JsonValue
from evaluation.endpoints.client import ChatRequest, Completion, Negotiated
from evaluation.endpoints.errors import EndpointError
from evaluation.endpoints.negotiate import permitted_tokens
from tests.evaluation.endpoints.servers import REQUEST, answering, ask_all, chat, refusal, refused
from tests.fakes import serve

LONG = ChatRequest(REQUEST.messages, 0.01, 4000)


@pytest.mark.parametrize(
    ("message", "permitted"),
    [
        ("at most 100 tokens remain", 100),
        (
            "maximum context length is 2048 tokens. you requested 4096 tokens (96 in the messages, 4000 in the reply)",
            1952,
        ),
        (
            "the maximum context length is 2048 tokens and your request has 96 input tokens (4000 > 2048 - 96)",
            1952,
        ),
        ("invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192),
        ("range of max_tokens should be [1, 8192]", 8192),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. given: 500 `inputs` tokens and 4000 more", 3596),
        ("max_tokens is too large: 4000. this model supports at most 1024 completion tokens", 1024),
        ("max_tokens: 4000 > 1024, which is the maximum allowed number of output tokens", 1024),
        ("`max_tokens` must be less than or equal to `1024`, the maximum value for this model", 1024),
        ("this model's maximum context length is 512 tokens. however, your messages resulted in 700 tokens.", None),
        ("this model's maximum context length is 512 tokens and your request has 600 input tokens", None),
        ("at most 0 tokens remain", None),
        ("temperature must be at most 1", None),
        ("", None),
    ],
)
def test_the_permitted_number_of_tokens_is_read_from_the_server_s_words(message: str, permitted: int | None) -> None:
    assert permitted_tokens(message) == permitted


def test_a_message_that_names_both_fields_and_a_limit_lowers_and_does_not_rename() -> None:
    words = (
        "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 2048 "
        "tokens and your request has 96 input tokens."
    )
    with answering(refusal(400, words), chat()) as server:
        _, client = ask_all(server.url, LONG)
    assert client.negotiated == Negotiated("max_tokens", True, 1952, client.negotiated.base_url)


def test_all_three_can_be_negotiated_in_one_call() -> None:
    with answering(
        refusal(400, "Unsupported parameter", param="max_tokens", code="unsupported_parameter"),
        refusal(400, "Unsupported value", param="temperature"),
        refusal(400, "too large: this model supports at most 1024 completion tokens"),
        chat(),
    ) as server:
        (outcome,), client = ask_all(server.url, LONG)
    assert isinstance(outcome, Completion)
    body = server.requests[-1].body
    assert ("max_tokens" in body, "temperature" in body, body["max_completion_tokens"]) == (False, False, 1024)
    assert client.requests_sent == 4


def test_a_server_that_refuses_for_ever_is_asked_a_bounded_number_of_times() -> None:
    words = "temperature is not supported, max_completion_tokens is not supported, at most 7 tokens remain"
    with answering(refusal(400, words)) as server:
        error = refused(server.url, LONG)
    assert error.status == 400
    assert len(server.requests) <= 4


def strict_server() -> web.Application:
    """Refuses max_tokens and temperature, answers what lacks both."""

    async def handle(request: web.Request) -> web.Response:
        body = await request.json()
        for field in ("max_tokens", "temperature"):
            if field in body:
                error = {"message": f"'{field}' is unsupported", "param": field, "code": "unsupported_parameter"}
                return web.json_response({"error": error}, status=400)
        return web.json_response(chat())

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    return app


def test_requests_refused_at_once_change_each_field_once_and_all_come_through() -> None:
    with serve(strict_server()) as url:
        outcomes, client = ask_all(url, *[REQUEST] * 16, together=True)
        assert all(isinstance(outcome, Completion) for outcome in outcomes)
        assert client.requests_sent <= 16 * 3
        before = client.requests_sent
        outcomes, client = ask_all(url, *[REQUEST] * 4, negotiated=client.negotiated)
    assert before > 16
    assert client.requests_sent == 4


def test_a_wrong_address_is_left_by_all_requests_together() -> None:
    with answering(chat(), routes=["/chat/completions"]) as server:
        outcomes, client = ask_all(server.url, *[REQUEST] * 8, together=True)
    assert all(isinstance(outcome, Completion) for outcome in outcomes)
    assert client.negotiated.base_url == server.url
    assert client.requests_sent <= 16


@pytest.mark.parametrize(
    ("words", "dropped"),
    [
        ("Unsupported value: 'temperature' does not support 0.01", True),
        ("`temperature` is deprecated for this model.", True),
        ("invalid temperature: only 1 is allowed for this model", True),
        ("temperature must be strictly positive", True),
        ("temperature: Extra inputs are not permitted", True),
        ('Bad field top_q in {"temperature": 0.01, "top_q": 3}', False),
        ('Invalid request: {"model": "m", "temperature": 0.01}', False),
        ("The room's temperature rose.", False),
    ],
)
def test_the_temperature_is_dropped_only_where_it_is_what_was_refused(words: str, dropped: bool) -> None:
    with answering(refusal(400, words)) as server:
        _, client = ask_all(server.url, REQUEST)
    assert client.negotiated.sends_temperature is not dropped


def test_a_refused_key_is_no_reason_to_try_another_address() -> None:
    with answering(refusal(401, "no")) as server:
        error = refused(server.url)
    assert error.code == "unauthorised"
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [404, 400])
def test_an_unknown_model_ends_the_run_without_another_try(status: int) -> None:
    with answering(refusal(status, "The model `test-model` does not exist.")) as server:
        (error,), _ = ask_all(server.url, REQUEST)
    assert isinstance(error, EndpointError)
    assert (error.kind, error.code) == ("run", "unknown-model")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "negotiated",
    [Negotiated(), Negotiated("max_completion_tokens", False, 100, "http://h/v1")],
)
def test_what_was_settled_survives_as_settings(negotiated: Negotiated) -> None:
    assert Negotiated.from_settings(negotiated.as_settings()) == negotiated


def test_settings_of_another_shape_are_left_out() -> None:
    settings: dict[str, JsonValue] = {"token_field": "x", "max_tokens": -1, "base_url": None, "sends_temperature": 0}
    assert Negotiated.from_settings(settings) == Negotiated()
