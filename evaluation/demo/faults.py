"""What a fault of the demo endpoint is: it refuses a request, bends the reply, or spoils its delivery."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

Delivery = Literal["json", "event-stream", "drip", "cut", "broken-bytes", "compressed", "hang", "drop"]
Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One request as a fault sees it. `order` and `asked_before` count from 0; `now` is in seconds."""

    prompt_sha256: str
    order: int
    asked_before: int
    now: float
    body: Mapping[str, object]
    key: str
    seed: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer in place of a completion."""

    status: int
    text: str
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """`refuse` gives a refusal or None; `bend` changes a finished completion; `delivery` says how it is sent."""

    refuse: Callable[[Call], Refusal | None] | None = None
    bend: Callable[[Call, Payload], None] | None = None
    deliver: Callable[[Call], Delivery] | None = None


def always(_: Call) -> bool:
    return True


def one_in(name: str, number: int) -> Callable[[Call], bool]:
    """True for about one prompt in `number`, always the same ones of a seed."""

    def hit(call: Call) -> bool:
        digest = sha256(f"{call.seed}|{name}|{call.prompt_sha256}".encode()).digest()
        return int.from_bytes(digest[:8]) % number == 0

    return hit


def first_asks(number: int) -> Callable[[Call], bool]:
    """True for the first `number` requests of each prompt."""
    return lambda call: call.asked_before < number
