"""A body, whatever its shape, into a message or into the server's own error.

Every field is optional. Nothing here edits an answer: cleaning what no database takes is the client's last step.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.benchmarks.base import REFUSAL, JsonValue
from evaluation.endpoints.error_shapes import is_markup, page_title, said_in
from evaluation.endpoints.errors import fault
from evaluation.endpoints.finish_reasons import LENGTH, NONE, STOP, as_written, known_end
from evaluation.endpoints.json_text import JsonError, decoded, parse_json
from evaluation.endpoints.server_errors import SEARCHED_CHARACTERS, ServerError, server_error
from evaluation.endpoints.sse import first_event, is_event_stream, merged_events

JsonObject = Mapping[str, JsonValue]

ERROR_MARK = "[ERROR]"
_LARGEST_COUNT = 2**31 - 1
_TEXT_PARTS = (None, "text", "output_text")


@dataclass(frozen=True, slots=True)
class Body:
    """One reply as it stood in the body. Token counts are None where the server gave none, or nonsense.

    `finish_reason` is one of the four words of `finish_reasons.py`, or "refusal" where the text is a refusal that came
    beside an empty content. `unfinished` is what the server wrote in place of an end that we know, else "".
    """

    text: str
    reasoning: str
    finish_reason: str
    unfinished: str
    tool_call: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    model: str
    fingerprint: str
    remarks: tuple[str, ...]


def read_body(content: bytes, charset: str = "") -> Body | ServerError:
    """The message of a body that came with a status of success, or the error that it holds in its place.

    Args:
        charset: What the sender says that its text is in, if that is not UTF-8.

    Raises:
        EndpointError: "empty-body", "cut-short", "unreadable-json", "empty-choices" or "not-a-chat-api".
    """
    text, remarks = decoded(content, charset)
    streamed = is_event_stream(text)
    payload = merged_events(text) if streamed else _payload(text)
    choice = _first_choice(payload)
    error = server_error(payload, 0) or server_error(choice, 0)
    if error is not None:
        return error
    body = _body(payload, choice, (*remarks, "event stream") if streamed else remarks)
    marked = body.text.lstrip().startswith(ERROR_MARK)
    return ServerError(0, message=body.text.strip()[:SEARCHED_CHARACTERS]) if marked else body


def read_error(content: bytes, status: int, charset: str = "") -> ServerError:
    """What a body says that came with a status of failure: its JSON of whatever shape, a page's title, or its text."""
    text, _ = decoded(content, charset)
    try:
        payload = first_event(text) if is_event_stream(text) else parse_json(text)
    except JsonError:
        payload = None
    known, is_json = server_error(payload, status), payload is not None
    message = "" if known else _said_as_text(text, is_json=is_json)
    return known or ServerError(status, message=message, searchable=text[:SEARCHED_CHARACTERS].lower(), is_json=is_json)


def _said_as_text(text: str, *, is_json: bool) -> str:
    """The title of a page, or a plain text; nothing of JSON without a word, or of bytes that are no text."""
    if is_markup(text):
        return page_title(text)
    plain = " ".join(text[:SEARCHED_CHARACTERS].split())
    return plain if plain.isprintable() and "\ufffd" not in plain and not is_json else ""


def _payload(text: str) -> JsonObject:
    stripped = text.strip()
    if not stripped:
        raise fault("empty-body", status=200)
    try:
        value = parse_json(stripped)
    except JsonError as error:
        code, words = _json_fault(stripped, cut=error.cut), page_title(stripped) if is_markup(stripped) else ""
    else:
        if isinstance(value, Mapping) and "choices" in value:
            return value
        if server_error(value, 0):
            return value if isinstance(value, Mapping) else {"error": value}
        said = said_in(value) if isinstance(value, Mapping) else None
        code, words = "not-a-chat-api", said.message if said else ""
    raise fault(code, status=200, excerpt=words)


def _json_fault(text: str, *, cut: bool) -> str:
    if not cut:
        return "unreadable-json"
    return "cut-short" if text.startswith("{") else "not-a-chat-api"


def _first_choice(payload: JsonObject) -> JsonObject:
    choices = payload.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def _body(payload: JsonObject, choice: JsonObject, remarks: tuple[str, ...]) -> Body:
    message = choice.get("message") or choice.get("delta")
    if not isinstance(message, Mapping):
        raise fault("empty-choices", status=200)
    text, thinking = _content(message.get("content"))
    reasoning = _first_text(message, "reasoning_content", "reasoning", "thinking") or thinking
    tool_call = bool(message.get("tool_calls") or message.get("function_call"))
    given = choice.get("finish_reason")
    end = known_end(given)
    if refusal := _refusal(message) if end in (STOP, LENGTH, NONE) and not (text.strip() or tool_call) else None:
        text, end = refusal, REFUSAL
    return Body(
        text=text,
        reasoning=reasoning,
        finish_reason=end or "",
        unfinished=as_written(given) if end is None else "",
        tool_call=tool_call,
        prompt_tokens=_count(payload.get("usage"), "prompt_tokens"),
        completion_tokens=_written(payload.get("usage")),
        model=_string(payload.get("model")),
        fingerprint=_string(payload.get("system_fingerprint")),
        remarks=remarks,
    )


def _content(content: JsonValue) -> tuple[str, str]:
    """Text and thinking of a content that is a string, a part, a list of parts, or nothing."""
    if isinstance(content, str):
        return content, ""
    parts = content if isinstance(content, list) else [content]
    pieces = [_part(part) for part in parts]
    return "".join(text for text, _ in pieces), "".join(thinking for _, thinking in pieces)


def _part(part: JsonValue) -> tuple[str, str]:
    """Text and thinking of a part. One of a type that we do not know is kept with the thinking: it may be some."""
    if isinstance(part, str):
        return part, ""
    if not isinstance(part, Mapping):
        return "", ""
    if part.get("type") in _TEXT_PARTS and part.get("thought") is not True:  # Gemini marks its thinking so
        return _string(part.get("text")), ""
    return "", _first_text(part, "thinking", "reasoning", "text", "summary")


def _refusal(message: JsonObject) -> str:
    """What stands in `refusal`, or in parts of that type, in place of a content."""
    content = message.get("content")
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    said = [message, *(part for part in parts if part.get("type") == "refusal")]
    return "".join(_first_text(part, "refusal") for part in said)


def _first_text(fields: JsonObject, *names: str) -> str:
    """The first of the fields that holds text, itself or as a list of text parts (one level deep)."""
    for name in names:
        value = fields.get(name)
        parts = value if isinstance(value, list) else [value]
        text = "".join(_string(part.get("text")) if isinstance(part, Mapping) else _string(part) for part in parts)
        if text:
            return text
    return ""


def _string(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _written(usage: JsonValue) -> int | None:
    """The tokens of a reply, its thinking among them: Gemini and xAI count thinking in the total alone."""
    read, written, total = (_count(usage, f"{part}_tokens") for part in ("prompt", "completion", "total"))
    return written if written is None or read is None or total is None else max(written, total - read)


def _count(usage: JsonValue, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LARGEST_COUNT
    return int(value) if usable and isinstance(value, int | float) else None
