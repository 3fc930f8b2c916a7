"""Refusals as vendors word them: whose fault each is, so that the advice beside it can be followed."""

from typing import Any

import pytest

from evaluation.endpoints.errors import EndpointError, Kind
from leaderboard.wording.fault_fixes import FIXES
from tests.evaluation.endpoints.servers import REQUEST, Answer, answering, ask_all, chat, error_of

CLOUDFLARE = "<!DOCTYPE html><html><head><title>{}</title></head><body>x</body></html>"


def said(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


TOLD: list[tuple[str, int, Any]] = [
    ("blocked", 403, CLOUDFLARE.format("Attention Required! | Cloudflare")),
    ("blocked", 403, CLOUDFLARE.format("Just a moment...")),
    ("blocked", 403, "error code: 1010"),
    ("blocked", 403, "<html><head><title>403 Forbidden</title></head></html>"),
    ("blocked", 403, "RBAC: access denied"),
    ("blocked", 403, ""),
    ("blocked", 403, said("Country, region, or territory not supported", code="unsupported_country_region_territory")),
    ("blocked", 403, said("Access denied due to Virtual Network/Firewall rules.", code="AccessDenied")),
    ("blocked", 403, said("Access denied. Please check your network settings.")),
    ("blocked", 400, said("User location is not supported for the API use.", status="FAILED_PRECONDITION")),
    ("blocked", 400, said("Model test-model is not available in your region.")),
    ("unauthorised", 403, said("no entry")),
    ("unauthorised", 403, {"message": "Forbidden"}),
    ("unauthorised", 401, "<html><head><title>401 Authorization Required</title></head></html>"),
    ("unauthorised", 200, {"base_resp": {"status_code": 1004, "status_msg": "login fail: Please carry the key"}}),
    ("not-a-chat-model", 404, said("This is not a chat model and thus not supported in this endpoint.", param="model")),
    ("not-a-chat-model", 404, said("This model is only supported in v1/responses and not in v1/chat/completions.")),
    ("not-a-chat-model", 400, said("The model does not support Chat Completions API")),
    ("not-a-chat-model", 400, said('"test-model" does not support chat')),
    ("not-a-chat-model", 501, said("This server does not support chat completions. Start it without `--embedding`")),
    ("not-a-chat-model", 400, said("'test-model' is not a chat model.", code="model_not_supported")),
    ("refused", 400, said("test-model does not support chat templates of that name")),
    ("refused", 400, said("Parameter 'top_k' is not supported for this model.")),
    ("refused", 400, said("response_format json is not available for this model")),
    ("refused", 400, said("logit_bias is deprecated; use another model")),
    ("refused", 422, said("enable_thinking is not supported by model test-model")),
    ("unknown-model", 400, said("Unavailable model: test-model", code="unavailable_model")),
    ("unknown-model", 400, said("Invalid model: test-model", type="invalid_model")),
    ("quota-used-up", 400, said("You have reached your specified API usage limits. You will regain access on 1 May.")),
    ("quota-used-up", 403, said("Key limit exceeded (total limit). Manage it using the settings", code=403)),
    ("quota-used-up", 429, {"errors": [{"message": "you have used up your daily free allocation of 10,000 neurons"}]}),
    ("quota-used-up", 403, said("Stop.", code="AllocationQuota.FreeTierOnly")),
    ("quota-used-up", 403, said("The free tier of the model has been exhausted.")),
    ("quota-used-up", 403, {"code": "no", "error": "Your new team doesn't have any credits or licenses yet."}),
    ("quota-used-up", 403, said("该令牌额度已用尽")),
    ("server-error", 424, {"error": "Request failed during generation", "error_type": "generation"}),
    ("server-error", 498, said("Flex tier capacity exceeded. Try again later.", code="capacity_exceeded")),
    ("server-error", 499, ""),
    ("server-error", 400, {"error": "The model has crashed without additional information. (Exit code: 1)"}),
    ("server-error", 400, {"error": 'Failed to load model "test-model". Error: insufficient system resources'}),
    ("rate-limited", 200, {"error": "Too Many Requests"}),
    ("rate-limited", 200, said("Rate limit exceeded: free-models-per-min.")),
    ("rate-limited", 200, {"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}),
    ("context-length", 400, {"message": "Input is too long for requested model."}),
    ("context-length", 422, {"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 1102"}),
    ("context-length", 413, said("Request body too large for gpt-4.1 model. Max size: 8000 tokens.")),
    ("context-length", 400, said("max_tokens must be at least 1, got -51.")),
    ("content-filter", 400, said("Input data may contain inappropriate content.", code="data_inspection_failed")),
    ("content-filter", 403, said("Stopped by the prompt firewall: the prompt was flagged.")),
    ("not-a-chat-api", 400, CLOUDFLARE.format("400 The plain HTTP request was sent to HTTPS port")),
    ("not-a-chat-api", 400, "Client sent an HTTP request to an HTTPS server.\n"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "status", "body"), TOLD, ids=str)
def test_a_refusal_is_told_as_what_it_is(code: str, status: int, body: Any) -> None:
    assert error_of(body, status).code == code


def test_what_refuses_every_item_alike_ends_the_run_and_a_gate_after_replies_may_pass() -> None:
    page = Answer(CLOUDFLARE.format("Just a moment..."), 403)
    assert error_of(page.body, page.status).kind is Kind.RUN
    assert error_of(said("The model does not support Chat Completions API"), 400).kind is Kind.RUN
    with answering(chat(), page) as server:
        outcomes, _ = ask_all(server.url, REQUEST, REQUEST)
    assert isinstance(outcomes[1], EndpointError)
    assert (outcomes[1].code, outcomes[1].kind) == ("blocked", Kind.RETRY)


def test_a_limit_that_comes_with_status_200_slows_the_run_like_any_other() -> None:
    assert error_of({"error": "Too Many Requests"}).meant_status == 429


def test_the_advice_for_a_gate_is_not_about_the_key_alone() -> None:
    assert "server or its firewall" in FIXES["blocked"][1]


KEY = "sk-proj-0123456789abcdWXYZ"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Received API Key = sk-...WXYZ, Key Hash", "Received API Key = [key removed], Key Hash"),
        ("Incorrect: sk-pr*****WXYZ.", "Incorrect: [key removed]."),
        ("key sk-proj…WXYZ", "key [key removed]"),
        ("key ••••••WXYZ bad", "key [key removed] bad"),
        ("Please wait... then come back", "Please wait... then come back"),
    ],
)
def test_what_a_server_shows_of_a_masked_key_is_taken_out(words: str, shown: str) -> None:
    assert error_of(said(words), 401, api_key=KEY).message.endswith(f"It said: “{shown}”")
