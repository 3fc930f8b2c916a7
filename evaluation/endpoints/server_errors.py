"""What a server says went wrong, and which of our faults that is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.benchmarks.base import JsonValue

SEARCHED_CHARACTERS = 2000

_STATUS_OF_WORD = {
    "authentication_error": 401,
    "content_filter": 400,
    "context_length_exceeded": 400,
    "deploymentnotfound": 404,
    "insufficient_quota": 429,
    "invalid_api_key": 401,
    "invalid_request_error": 400,
    "model_not_found": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "server_error": 500,
}
_CODE_OF_STATUS = {
    401: "unauthorised",
    402: "payment-required",
    403: "unauthorised",
    408: "timeout",
    409: "server-error",
    425: "server-error",
    429: "rate-limited",
}
_NO_SUCH_ADDRESS = (404, 405, 410)
_CONTEXT = re.compile(
    r"context.?(?:length|window|size)|maximum context|too many tokens|prompt is too long|max_model_len"
    r"|available context|\d tokens? (?:remain|are left|left)"
)
_UNKNOWN_MODEL = re.compile(
    r"does not exist|doesn't exist|not found|no such model|unknown model|invalid model|not a valid model"
)
_FILTERED = re.compile(r"content.?filter|content management policy|moderation|flagged")


@dataclass(frozen=True, slots=True)
class ServerError:
    """What a server says went wrong. `status` is the HTTP status, or what the error's own code stands for; 0 where an
    error inside a success names none.

    `message` is the parsed message, empty where there was none; `searchable` the lower-case text to look for reasons
    in, which may be a raw body and is never shown. Neither is in the repr, since a server may echo the key.
    """

    status: int
    code: str = ""
    param: str = ""
    message: str = field(default="", repr=False)
    searchable: str = field(default="", repr=False)


def server_error(payload: Mapping[str, JsonValue], status: int) -> ServerError | None:
    """The error that a JSON object holds, or None. `status` is the HTTP status, 0 for one of success.

    Reads `{"error": {...}}`, `{"error": "text"}`, and beside a status of failure also the flat forms with `message` or
    `detail` that some servers use.
    """
    error = payload.get("error")
    if error is None or error is False or error in ("", {}):
        return _from_fields(payload, status) if status and ("message" in payload or "detail" in payload) else None
    if isinstance(error, Mapping):
        return _from_fields(error, status)
    return _from_fields({"message": error}, status)


def fault_code(error: ServerError, api_model: str) -> str:
    """The key of `FAULTS` for an error; `api_model` is the name that was asked for."""
    special = _special_code(error)
    if special or error.status in _CODE_OF_STATUS:
        return special or _CODE_OF_STATUS[error.status]
    if error.status in _NO_SUCH_ADDRESS:
        return "unknown-model" if _names_model(error, api_model) else "not-a-chat-api"
    if error.status >= 500:
        return "server-error"
    return _refusal_code(error, api_model) if error.status else "upstream-error"


def _special_code(error: ServerError) -> str:
    """What the words say against the status, or ""."""
    if error.status == 429 and error.code == "insufficient_quota":
        return "quota-used-up"
    if "unexpected endpoint" in error.searchable:
        return "not-a-chat-api"  # LM Studio answers so, with status 200, on a path that it does not serve
    filtered = error.code == "content_filter" or _FILTERED.search(error.message.lower())
    return "content-filter" if error.status in (400, 403) and filtered else ""


def _refusal_code(error: ServerError, api_model: str) -> str:
    if error.status < 400:
        return "redirected"
    if error.code == "context_length_exceeded" or _CONTEXT.search(error.searchable):
        return "context-length"
    if _names_model(error, api_model) and _UNKNOWN_MODEL.search(error.message.lower()):
        return "unknown-model"
    return "refused"


def _names_model(error: ServerError, api_model: str) -> bool:
    message = error.message.lower()
    name = re.escape(api_model.lower())
    known = error.code in ("model_not_found", "deploymentnotfound")
    return known or "model" in message or re.search(rf"(?<!\w){name}(?!\w)", message) is not None


def _from_fields(fields: Mapping[str, JsonValue], status: int) -> ServerError:
    message = _text(fields.get("message")) or _detail(fields.get("detail"))
    code = _text(fields.get("code")).lower()
    return ServerError(
        status=_own_status(fields, status),
        code=code,
        param=_text(fields.get("param")),
        message=message,
        searchable=f"{code} {message}".lower(),
    )


def _own_status(fields: Mapping[str, JsonValue], status: int) -> int:
    """What the error's code stands for, else the HTTP status, else what its type stands for."""
    code = _text(fields.get("code")).lower()
    if re.fullmatch(r"[45]\d\d", code, re.ASCII):
        return int(code)
    return _STATUS_OF_WORD.get(code) or status or _STATUS_OF_WORD.get(_text(fields.get("type")).lower(), 0)


def _detail(value: JsonValue) -> str:
    """A text, or the list of `{"loc": ["body", FIELD], "msg": TEXT}` that FastAPI gives for a body it refuses."""
    entries = [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []
    found = "; ".join(f"{_last(entry.get('loc'))}: {_text(entry.get('msg'))}" for entry in entries[:5])
    return found[:SEARCHED_CHARACTERS] or _text(value)


def _last(location: JsonValue) -> str:
    return _text(location[-1]) if isinstance(location, list) and location else ""


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value[:SEARCHED_CHARACTERS]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9 else ""
