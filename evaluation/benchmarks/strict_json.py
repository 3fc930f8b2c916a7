"""JSON files read without the leniences of a plain reader: no name twice, no NaN, no surprise from depth. Pure."""

import json
import re
from typing import NamedTuple, NoReturn

MOST_STARTS = 200
"""How many brackets of a text are tried as the beginning of a JSON value."""

_BEGIN = re.compile(r"[{\[]")
_COMMENT = re.compile(r"(?:^|[\s,])(//)")


class JsonObject(dict[str, object]):
    """A JSON object that remembers a name that stood in it twice; a plain reader would let the last one win."""

    doubled: str | None = None


def read_object(content: bytes, *, max_bytes: int) -> JsonObject:
    """The JSON object that a file holds, with or without a byte order mark. Whether a name is doubled in it or further
    in is left to the caller.

    Raises:
        ValueError: with a sentence without its full stop, for a file that is too large, no UTF-8, no JSON or no object.
    """
    if len(content) > max_bytes:
        raise ValueError(f"the file is larger than {max_bytes // 1_000_000} MB")
    try:
        parsed = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("the file is not valid JSON: it is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"the file is not valid JSON: {error}") from error
    if not isinstance(parsed, JsonObject):
        raise ValueError("the file is not a JSON object")
    return parsed


class JsonInText(NamedTuple):
    """A JSON object or list of a text, which takes `start` to `end` of it."""

    start: int
    end: int
    value: object


def json_in_text(text: str, *, comments: bool = False) -> list[JsonInText]:
    """The outermost valid JSON objects and lists of a text, in order. A doubled name is kept as in `read_object`, and
    a number may be infinite or none (NaN). With `comments`, what stands behind `//` is passed over where the JSON is
    not valid with it.

    Raises:
        ValueError: the text has more brackets that begin no JSON than a reply can need.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=float, parse_int=_whole)
    texts = [text]
    if comments and "//" in text:
        texts.append("\n".join(map(_without_comment, text.split("\n"))))
    found: list[JsonInText] = []
    at = failed = 0
    while begin := _BEGIN.search(text, at):
        if failed >= MOST_STARTS:
            raise ValueError("too many brackets")
        for each in texts:
            try:
                value, at = decoder.raw_decode(each, begin.start())
            except (ValueError, RecursionError):
                continue
            found.append(JsonInText(begin.start(), at, value))
            break
        else:
            at, failed = begin.end(), failed + 1
    return found


def _without_comment(line: str) -> str:
    """The line with blanks in place of its comment, so that all places stay as they are."""
    comment = _COMMENT.search(line)
    return line[: comment.start(1)].ljust(len(line)) if comment else line


def _whole(digits: str) -> int | float:
    """Python refuses to read thousands of digits as an int; as a float they are only large."""
    return int(digits) if len(digits) <= 20 else float(digits)


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    result = JsonObject()
    for name, value in pairs:
        if name in result:
            result.doubled = name
        result[name] = value
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}")
