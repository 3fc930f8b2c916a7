"""An event stream that came although none was asked for, joined into the object that should have come."""

import re
from collections.abc import Iterator, Mapping

from evaluation.benchmarks.base import JsonValue
from evaluation.endpoints.errors import fault
from evaluation.endpoints.json_text import JsonError, parse_json
from evaluation.endpoints.server_errors import server_error

JsonObject = Mapping[str, JsonValue]

MAX_EVENTS = 20_000

_STARTS = ("data:", "event:", "id:", "retry:", ":")
_LINE_END = re.compile(r"\r\n|\n|\r")
_DONE = "[DONE]"
_TEXT_FIELDS = ("content", "reasoning_content", "reasoning", "refusal")


def is_event_stream(text: str) -> bool:
    return text.lstrip().startswith(_STARTS)


def merged_events(text: str) -> JsonObject:
    """One chat completion made of the deltas of the first choice, in order; an error event is returned as it stands.

    Raises:
        EndpointError: "cut-short" where the stream breaks off, "not-a-chat-api" where it holds no events of ours,
            "too-large" for more events than a megabyte of real ones holds.
    """
    events: list[JsonObject] = []
    for data in _data_lines(text):
        if data == _DONE:
            return _merged(events)
        event = _event(data)
        if server_error(event, 0) is not None:
            return event
        events.append(event)
        if len(events) > MAX_EVENTS:
            raise fault("too-large", status=200)
    merged = _merged(events)
    if events and not any(_finish_reason(event) for event in events):
        raise fault("cut-short", status=200)
    return merged


def first_event(text: str) -> JsonValue:
    """The value of the first event that has one. Raises: JsonError."""
    return parse_json(next(_data_lines(text), ""))


def _data_lines(text: str) -> Iterator[str]:
    for line in _LINE_END.split(text):
        if line.startswith("data:") and line[5:].strip():
            yield line[5:].strip()


def _event(data: str) -> JsonObject:
    try:
        value = parse_json(data)
    except JsonError:
        value = None
    if not isinstance(value, Mapping):
        raise fault("cut-short" if data.startswith("{") else "not-a-chat-api", status=200)
    return value


def _choice(event: JsonObject) -> JsonObject:
    choices = event.get("choices")
    if not isinstance(choices, list):
        return {}
    first = (choice for choice in choices if isinstance(choice, Mapping) and choice.get("index") in (0, None))
    return next(first, {})


def _delta(event: JsonObject) -> JsonObject:
    choice = _choice(event)
    delta = choice.get("delta") or choice.get("message")
    return delta if isinstance(delta, Mapping) else {}


def _finish_reason(event: JsonObject) -> JsonValue:
    return _choice(event).get("finish_reason")


def _merged(events: list[JsonObject]) -> JsonObject:
    deltas = [_delta(event) for event in events]
    if not any(deltas):
        return {"choices": []} if events else {"error": None, "choices": None}
    message: dict[str, JsonValue] = {name: _joined(deltas, name) for name in _TEXT_FIELDS}
    message["tool_calls"] = next((delta["tool_calls"] for delta in deltas if delta.get("tool_calls")), None)
    reasons = [reason for event in events if (reason := _finish_reason(event))]
    last = {name: value for event in events for name, value in event.items() if value is not None}
    return last | {"choices": [{"message": message, "finish_reason": reasons[-1] if reasons else None}]}


def _joined(deltas: list[JsonObject], name: str) -> JsonValue:
    """The pieces joined where all are strings; else all parts in one list, as the content reader takes them."""
    pieces = [piece for delta in deltas if (piece := delta.get(name))]
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(str(piece) for piece in pieces)
    return [part for piece in pieces for part in (piece if isinstance(piece, list) else [piece])]
