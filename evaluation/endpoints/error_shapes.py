"""Where a body of any shape says what went wrong. What that means is in `server_errors.py`.

Servers put their words into `error`, `errors`, `detail`, `message` and a dozen other fields, as a text, an object, a
list of either, or JSON inside of a text. All names are looked up without regard to case.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.benchmarks.base import JsonValue
from evaluation.endpoints.json_text import JsonError, parse_json

LONGEST_WORDS = 2000

_DEEPEST = 4
_MOST_ENTRIES = 5
_ERRORS = ("error", "errors")
_MESSAGES = (
    "message", "msg", "error_message", "errormessage", "error_msg", "errormsg", "error_description", "status_msg",
    "detail", "details", "description", "title", "reason",
)  # fmt: skip
_NAMED_ERRORS = ("error_message", "errormessage", "error_msg", "errormsg", "error_code", "errorcode")
_CODES = ("code", "error_code", "errorcode", "status_code", "statuscode", "status")
_TYPES = ("type", "__type", "status")
_EMPTY_WORDS = frozenset({
    "", "success", "succeeded", "successful", "request successful", "ok", "none", "null", "nil", "undefined", "n/a",
    "-", "no error", "no_error", "noerror", "成功", "操作成功", "请求成功",
})  # fmt: skip
_EMPTY_CODES = _EMPTY_WORDS | {"0", "200"}
_FAILED_WORDS = frozenset({"error", "fail", "failed", "failure"})
_TITLE = re.compile(r"<(title|h1)[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
_SEARCHED_FOR_TITLE = 8000


@dataclass(frozen=True, slots=True)
class Said:
    """What a server says: its message, and the code, type and parameter beside it, as texts."""

    message: str = ""
    code: str = ""
    type: str = ""
    param: str = ""

    @property
    def is_nothing(self) -> bool:
        """An error object that names no error: some gateways send one with every reply."""
        return (
            self.message.strip(" .!").lower() in _EMPTY_WORDS
            and self.code.lower() in _EMPTY_CODES
            and self.type.lower() in _EMPTY_WORDS
        )


def error_in(payload: JsonValue) -> Said | None:
    """The error that a body says it is, whatever its status; None where it says none or an empty one."""
    if isinstance(payload, list):
        found = (error_in(entry) for entry in payload[:_MOST_ENTRIES] if isinstance(entry, Mapping))
        return next((said for said in found if said is not None), None)
    if not isinstance(payload, Mapping):
        return None
    fields = _lowered(payload)
    if fields.get("error") is True:
        return _said(payload)
    if any(not _is_empty(fields.get(name)) for name in _ERRORS) or _calls_itself_failed(fields):
        return _unless_nothing(_said(payload))
    return None


def said_in(payload: JsonValue) -> Said | None:
    """All that a body says, to be read where its status is one of failure."""
    return _unless_nothing(_said(payload))


def page_title(text: str) -> str:
    """The title, or else the first heading, of a web page."""
    found = {name.lower(): words for name, words in reversed(_TITLE.findall(text[:_SEARCHED_FOR_TITLE]))}
    return html.unescape(found.get("title") or found.get("h1") or "").strip()


def is_markup(text: str) -> bool:
    return text.lstrip()[:1] == "<"


def _unless_nothing(said: Said) -> Said | None:
    return None if said.is_nothing else said


def _is_empty(error: JsonValue) -> bool:
    if error is None or error is False or error in (0, "", {}, []):
        return True
    return isinstance(error, str | list | Mapping) and _said(error).is_nothing


def _calls_itself_failed(fields: Mapping[str, JsonValue]) -> bool:
    """A body without choices and without `error` that is one all the same."""
    if fields.get("choices"):
        return False
    base = fields.get("base_resp")  # MiniMax
    said = _own(_lowered(base) if isinstance(base, Mapping) else fields)
    marks = {said.type.lower(), _text(fields.get("object")).lower(), _text(fields.get("status")).lower()}
    failing = re.fullmatch(r"-?\d{3,9}", said.code) is not None and said.code not in _EMPTY_CODES
    named = any(fields.get(name) for name in _NAMED_ERRORS)
    return fields.get("success") is False or bool(marks & _FAILED_WORDS) or named or (failing and bool(said.message))


def _said(value: JsonValue, depth: int = 0) -> Said:
    """What a value says: a text, an object, or a list of either."""
    if depth > _DEEPEST:
        return Said()
    if isinstance(value, str):
        return _of_text(value, depth)
    if isinstance(value, list):
        return _of_list(value, depth)
    if isinstance(value, Mapping):
        return _of_object(value, depth)
    return Said(code=_text(value))


def _of_text(text: str, depth: int) -> Said:
    if text.lstrip()[:2] in ('{"', "[{", "{'"):
        try:
            inner = _said(parse_json(text), depth + 1)
        except JsonError:
            inner = Said()
        if inner.message:
            return inner
    title = page_title(text) if is_markup(text) else ""  # gateways put the page of a server behind them into JSON
    return Said(message=title or text.strip()[:LONGEST_WORDS])


def _of_list(entries: list[JsonValue], depth: int) -> Said:
    found = [_said(entry, depth + 1) for entry in entries[:_MOST_ENTRIES] if isinstance(entry, str | list | Mapping)]
    message = "; ".join(said.message for said in found if said.message)
    code = next((said.code for said in found if said.code), "")
    kind = next((said.type for said in found if said.type), "")
    return Said(message[:LONGEST_WORDS], code, kind)


def _of_object(value: Mapping[str, JsonValue], depth: int) -> Said:
    fields = _lowered(value)
    if "loc" in fields and "msg" in fields:  # FastAPI's form of a refused field
        return Said(f"{_last(fields['loc'])}: {_text(fields['msg'])}")
    own = _own(fields, depth)
    within = [fields[name] for name in (*_ERRORS, "base_resp", "metadata") if not _is_bare(fields.get(name))]
    if "raw" in fields:  # OpenRouter: what the provider said, beside "Provider returned error"
        within.append(fields["raw"])
    inner = [_of_named(entry, depth + 1) for entry in within]
    messages = [said.message for said in [*inner, own] if said.message]
    return Said(
        ": ".join(dict.fromkeys(messages))[:LONGEST_WORDS],
        next((said.code for said in [*inner, own] if said.code), ""),
        next((said.type for said in [*inner, own] if said.type), ""),
        next((said.param for said in [*inner, own] if said.param), ""),
    )


def _of_named(value: JsonValue, depth: int) -> Said:
    """An error's value. An object without a word of its own may hold a list a field, as form checks send it."""
    said = _said(value, depth)
    if said.message or not isinstance(value, Mapping):
        return said
    lists = [f"{name}: {_said(entry, depth + 1).message}" for name, entry in value.items() if isinstance(entry, list)]
    return Said("; ".join(lists[:_MOST_ENTRIES])[:LONGEST_WORDS], said.code, said.type, said.param)


def _own(fields: Mapping[str, JsonValue], depth: int = 0) -> Said:
    messages = (_said(fields[name], depth + 1).message for name in _MESSAGES if name in fields)
    codes = (_text(fields.get(name)) for name in _CODES)
    types = (fields.get(name) for name in _TYPES)
    return Said(
        next((message for message in messages if message), ""),
        next((code for code in codes if code), ""),
        next((kind for kind in types if isinstance(kind, str) and kind), ""),
        _text(fields.get("param")),
    )


def _is_bare(value: JsonValue) -> bool:
    return value is None or isinstance(value, bool)


def _lowered(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name.lower(): value for name, value in fields.items()}


def _last(location: JsonValue) -> str:
    return _text(location[-1]) if isinstance(location, list) and location else ""


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value[:LONGEST_WORDS]
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 10**12:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
