"""What a server does not take is renamed, dropped or lowered once, and remembered for the run.

Requests in flight negotiate without a lock: each keeps what it sent, and sends again when the run has moved on or when
its refusal moves it. Every move goes one way, so that two requests refused at once move it once.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from evaluation.benchmarks.base import JsonValue
from evaluation.endpoints.server_errors import ServerError

USUAL_LIMIT_FIELD = "max_tokens"
NEWER_LIMIT_FIELD = "max_completion_tokens"

_NEGOTIABLE = (400, 413, 422, 500)
# The word of refusal must stand near: some servers quote the whole request in whatever they refuse.
_REFUSAL = "(?:unsupported|n[o']t support|only|must be|invalid|not allow|deprecated|not permit|unknown)"
_TEMPERATURE_REFUSED = re.compile(rf"temperature[^\n]{{0,60}}?{_REFUSAL}|{_REFUSAL}[^\n{{}}]{{0,40}}temperature")
_CONTEXT = re.compile(r"context (?:length|window) (?:is|of) (?:only )?(\d{1,7})")
_PROMPT = re.compile(
    r"(\d{1,7})(?: tokens)? in (?:the|your) (?:messages|prompt|input)"
    r"|(?:has|contains|passed|with) (?:at least )?(\d{1,7}) (?:input|prompt) tokens"
)
# TGI: what prompt and answer may have together, and what the prompt has.
_TOGETHER = re.compile(r"max_new_tokens`? must be <= (\d{1,7})\. given: (\d{1,7}) `?inputs")
_LIMITS = (
    re.compile(r"range of max_tokens (?:is|should be) \[\d{1,7}, ?(\d{1,7})\]"),
    re.compile(r"at most `?(\d{1,7})"),
    re.compile(r"up to `?(\d{1,7})"),
    re.compile(r"less than or equal to `?(\d{1,7})"),
    re.compile(r"(\d{1,7})`?, which is the maximum"),
    re.compile(r"(?:only )?(\d{1,7}) tokens? (?:remain|are left|left)"),
    re.compile(r"(?:maximum|limit) (?:value )?(?:is|of) `?(\d{1,7})"),
)


@dataclass(slots=True)
class Negotiated:
    """What the run has settled on. `max_tokens` is None while the server takes what is asked for.

    `sends_temperature` False means "provider's own temperature": a hotter second try would then change nothing.
    `base_url` is the address that is used, which may differ from the one given by `/v1`.
    """

    token_field: str = USUAL_LIMIT_FIELD
    sends_temperature: bool = True
    max_tokens: int | None = None
    base_url: str = ""

    def as_settings(self) -> dict[str, JsonValue]:
        """The same as JSON, for the manifest and for the next slice of the run."""
        return {
            "token_field": self.token_field,
            "sends_temperature": self.sends_temperature,
            "max_tokens": self.max_tokens,
            "base_url": self.base_url,
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, JsonValue]) -> Self:
        """The inverse of `as_settings`; what is absent or of another type is left as at the start."""
        found = cls()
        if settings.get("token_field") == NEWER_LIMIT_FIELD:
            found.token_field = NEWER_LIMIT_FIELD
        found.sends_temperature = settings.get("sends_temperature") is not False
        limit, base_url = settings.get("max_tokens"), settings.get("base_url")
        found.max_tokens = limit if isinstance(limit, int) and limit > 0 else None
        found.base_url = base_url if isinstance(base_url, str) else ""
        return found


@dataclass(frozen=True, slots=True)
class Sent:
    """What one request carried, as far as it is open to negotiation."""

    base_url: str
    token_field: str
    max_tokens: int
    temperature: float | None


def planned(negotiated: Negotiated, *, max_tokens: int, temperature: float | None) -> Sent:
    """What to send now, under what the run has settled on."""
    return Sent(
        base_url=negotiated.base_url,
        token_field=negotiated.token_field,
        max_tokens=min(max_tokens, negotiated.max_tokens or max_tokens),
        temperature=temperature if negotiated.sends_temperature else None,
    )


def adapt(negotiated: Negotiated, sent: Sent, error: ServerError, *, may_lower: bool) -> bool:
    """Whether the refusal was about a field that can be changed; changes `negotiated` accordingly.

    Never true twice for one field of one request: what was renamed or dropped is not sent again, and `may_lower` is
    False once the limit of this request has been lowered.
    """
    if error.status not in _NEGOTIABLE:
        return False
    text = error.searchable
    if sent.temperature is not None and _refuses_temperature(error, text):
        negotiated.sends_temperature = False
        return True
    permitted = permitted_tokens(text)
    if permitted is not None and permitted < sent.max_tokens:
        if not may_lower:
            return False
        negotiated.max_tokens = min(permitted, negotiated.max_tokens or permitted)
        return True
    if sent.token_field == USUAL_LIMIT_FIELD and _refuses_max_tokens(error, text):
        negotiated.token_field = NEWER_LIMIT_FIELD
        return True
    return False


def permitted_tokens(text: str) -> int | None:
    """How many tokens of reply a lower-case message of a server permits; None where it names no number above zero."""
    if "token" not in text and "context" not in text:
        return None
    context, prompt = _CONTEXT.search(text), _PROMPT.search(text)
    if context and prompt:
        return _positive(int(context[1]) - int(prompt[1] or prompt[2]))
    if both := _TOGETHER.search(text):
        return _positive(int(both[1]) - int(both[2]))
    found = next((match for match in (limit.search(text) for limit in _LIMITS) if match), None)
    return _positive(int(found[1])) if found else None


def _positive(number: int) -> int | None:
    return number if number > 0 else None


def _refuses_temperature(error: ServerError, text: str) -> bool:
    return error.param == "temperature" or _TEMPERATURE_REFUSED.search(text) is not None


def _refuses_max_tokens(error: ServerError, text: str) -> bool:
    return NEWER_LIMIT_FIELD in text or (error.param == USUAL_LIMIT_FIELD and error.code == "unsupported_parameter")
