"""What is asked of an endpoint and what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.benchmarks.base import JsonValue, Message
from evaluation.endpoints.address import normalise_base_url
from evaluation.endpoints.keys import checked_key

OWN_TEMPERATURE = "provider's own temperature"  # none was sent, since the endpoint refuses it


@dataclass(frozen=True, slots=True)
class Target:
    """Whom to ask. The address is normalised and the key checked on the way in.

    `timeout_seconds` bounds one `complete` from connecting to the last byte, renegotiations included; `max_bytes` the
    decoded body. `silence_seconds` bounds the wait for the first byte, and for each next one; None sets no such bound.
    `extra_body` is sent beside our fields and never in place of one.

    Raises:
        ValueError: with a sentence, for an address or a key that cannot be one; neither is quoted.
    """

    base_url: str
    api_model: str
    api_key: str = field(default="", repr=False)
    timeout_seconds: float = 120.0
    max_bytes: int = 1_000_000
    silence_seconds: float | None = None
    extra_body: Mapping[str, JsonValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", normalise_base_url(self.base_url))
        object.__setattr__(self, "api_key", checked_key(self.api_key))


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question. A temperature of None leaves it to the provider.

    `extra` is sent beside our other fields and never in place of one; fields of the target win over it.
    """

    messages: Sequence[Message]
    temperature: float | None
    max_tokens: int
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply, free of NUL, lone surrogates and traces of the key, else as it came; all texts may be empty.

    `reasoning` is what the server filed apart, never part of `text`. `finish_reason` is "stop", "length", "tool_calls"
    or "", whatever the server's word for it; "refusal" where the text is one that the server filed apart from an empty
    answer. `model`, `fingerprint` and `server` are what the reply says of itself. `latency_ms` is that of the exchange
    that gave the reply. `remarks` says what was unusual: "invalid UTF-8", "event stream", "NUL removed", "lone
    surrogate removed", "key removed", "provider's own temperature".
    """

    text: str
    reasoning: str
    finish_reason: str
    tool_call: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    model: str
    fingerprint: str
    server: str
    latency_ms: int
    remarks: tuple[str, ...] = ()
