"""Bytes into text and text into JSON: the one place where hostile input of either sort is caught."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from evaluation.benchmarks.base import JsonValue

_BOM = "\ufeff"
_CHARSET = re.compile(r"charset\s{0,4}+=\s{0,4}+[\"']?([\w.:-]{2,30})", re.IGNORECASE)
_USUAL = re.compile(
    r"(?:iso[_-]?8859|latin|windows|cp|utf[_-]?(?:16|32)|gb|big5|shift|euc|koi8|us-ascii)[\w.:-]{0,20}", re.IGNORECASE
)
_WIDE = ("utf-16", "utf-32", "utf16", "utf32", "utf_16", "utf_32")
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonError(ValueError):
    """Text that is no JSON (`cut`), or JSON that Python cannot hold, such as 100,000 nested lists."""

    def __init__(self, *, cut: bool) -> None:
        super().__init__()
        self.cut = cut


def charset_of(content_type: str) -> str:
    """The charset that a Content-Type names, if it is one of the usual ones besides UTF-8; else an empty text."""
    named = _CHARSET.search(content_type)
    return named[1] if named and _USUAL.fullmatch(named[1]) else ""


def decoded(body: bytes, charset: str = "") -> tuple[str, tuple[str, ...]]:
    """The body as text without a byte order mark, and the remark "invalid UTF-8" where bytes had to be replaced.

    What is no UTF-8 is read in the `charset` that its sender names, and UTF-16 and UTF-32 at once: their bytes may be
    UTF-8 by chance.
    """
    if charset and (charset.lower().startswith(_WIDE) or not _is_utf8(body)):
        with suppress(UnicodeDecodeError, LookupError):
            return body.decode(charset).removeprefix(_BOM), ()
    try:
        return body.decode().removeprefix(_BOM), ()
    except UnicodeDecodeError:
        return body.decode(errors="replace").removeprefix(_BOM), ("invalid UTF-8",)


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def parse_json(text: str) -> JsonValue:
    """The value of a JSON text; NaN and Infinity are let through, of doubled names the last one wins.

    Raises:
        JsonError: whatever is wrong with it.
    """
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        cut = isinstance(error, json.JSONDecodeError)
    else:
        return value
    raise JsonError(cut=cut)


def storable(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` without NUL and lone surrogates, which no database takes, and a remark for each sort that went."""
    remarks = []
    if "\0" in text:
        text = text.replace("\0", "")
        remarks.append("NUL removed")
    if _SURROGATE.search(text):
        # Two halves that came in two pieces of a stream are joined here; only lone ones go.
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
        remarks += ["lone surrogate removed"] if joined != text else []
    return text, tuple(remarks)


def storable_json(value: JsonValue) -> JsonValue:
    """A JSON value with each text in it made `storable`, names of fields as well."""
    if isinstance(value, str):
        return storable(value)[0]
    if isinstance(value, Mapping):
        return {storable(name)[0]: storable_json(inner) for name, inner in value.items()}
    if isinstance(value, Sequence):
        return [storable_json(inner) for inner in value]
    return value
