"""JSON files read without the leniences of a plain reader: no name twice, no NaN, no surprise from depth. Pure."""

import json
from typing import NoReturn


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


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    result = JsonObject()
    for name, value in pairs:
        if name in result:
            result.doubled = name
        result[name] = value
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}")
