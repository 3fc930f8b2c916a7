"""Faults that answer in place of the model."""

import json
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from evaluation.demo.faults import Call, Fault, Refusal, always, first_asks, one_in

RIGHT_KEY = "sk-right"  # the one that "wrong-key" accepts


def error(status: int, message: str, headers: Mapping[str, str] | None = None, **fields: object) -> Refusal:
    return Refusal(status, json.dumps({"error": {"message": message, **fields}}), headers=headers or {})


def refuse_with(refusal: Refusal, when: Callable[[Call], bool] = always) -> Fault:
    return Fault(refuse=lambda call: refusal if when(call) else None)


def rate_limit(per_second: int) -> Fault:
    accepted: deque[float] = deque()

    def refuse(call: Call) -> Refusal | None:
        while accepted and accepted[0] <= call.now - 1:
            accepted.popleft()
        if len(accepted) >= per_second:
            return too_many({"Retry-After": "1"})
        accepted.append(call.now)
        return None

    return Fault(refuse=refuse)


def too_many(headers: Mapping[str, str] | None = None) -> Refusal:
    return error(429, "Rate limit reached. Please slow down.", headers, code="rate_limit_exceeded")


def date_ahead(seconds: int) -> Fault:
    """An HTTP date, in whole seconds, that far ahead; refuses the first request of each prompt."""

    def refuse(call: Call) -> Refusal | None:
        moment = datetime.now(UTC) + timedelta(seconds=seconds)
        return None if call.asked_before else too_many({"Retry-After": format_datetime(moment, usegmt=True)})

    return Fault(refuse=refuse)


def epoch_ahead(seconds: int, unit: int) -> Fault:
    """The moment in seconds, or `unit` of a second, in place of a wait; refuses the first request of each prompt."""

    def refuse(call: Call) -> Refusal | None:
        moment = (datetime.now(UTC).timestamp() + seconds) * unit
        return None if call.asked_before else too_many({"Retry-After": f"{moment:.0f}"})

    return Fault(refuse=refuse)


def denied_once(number: int) -> Fault:
    """Refuses the key at one request, the one of that number, and at no other."""
    return Fault(refuse=lambda call: _incorrect_key(call) if call.order == number - 1 else None)


def denied_prompts(number: int) -> Fault:
    """Refuses the key for about one prompt in `number`, each time."""
    hit = one_in("denied", number)
    return Fault(refuse=lambda call: _incorrect_key(call) if hit(call) else None)


def unauthorised(_: int) -> Fault:
    return Fault(refuse=_incorrect_key)


def wrong_key(_: int) -> Fault:
    return Fault(refuse=lambda call: None if call.key == RIGHT_KEY else _incorrect_key(call))


def _incorrect_key(call: Call) -> Refusal:
    # Quotes the key, as some servers do: what stores this text must have taken the key out.
    return error(401, f"Incorrect API key provided: {call.key}.", code="invalid_api_key")


def redirect(_: int) -> Fault:
    return Fault(refuse=lambda call: Refusal(302, "", headers={"Location": f"/elsewhere?key={call.key}"}))


def context_limit(permitted: int) -> Fault:
    return refuse_with(_tokens_remain(permitted), lambda call: _limit(call) > permitted)


def context_full(promised: int) -> Fault:
    """Says that so many tokens remain, and refuses also those."""
    return refuse_with(_tokens_remain(promised))


def _tokens_remain(tokens: int) -> Refusal:
    return error(400, f"This model's context is too small: at most {tokens} tokens remain for the answer.")


def _limit(call: Call) -> int:
    limit = call.body.get("max_tokens") or call.body.get("max_completion_tokens")
    return limit if isinstance(limit, int) else 0


def max_completion_tokens(_: int) -> Fault:
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    refusal = error(400, words, param="max_tokens", code="unsupported_parameter")
    return refuse_with(refusal, lambda call: "max_tokens" in call.body)


def no_temperature(_: int) -> Fault:
    words = "Unsupported value: 'temperature' does not support this value. Only the default (1) value is supported."
    refusal = error(400, words, param="temperature", code="unsupported_value")
    return refuse_with(refusal, lambda call: call.body.get("temperature", 1) != 1)


def unknown_in_a_list(_: int) -> Fault:
    """As Gemini's chat completions say it: an error in a list."""
    words = "models/x is not found for API version v1main, or is not supported for generateContent."
    return refuse_with(Refusal(404, json.dumps([{"error": {"code": 404, "message": words, "status": "NOT_FOUND"}}])))


def error_in_200(number: int) -> Fault:
    body = {"choices": None, "error": {"code": 429, "message": "The provider upstream limits the rate."}}
    return refuse_with(Refusal(200, json.dumps(body)), first_asks(number))
