"""Fields that are sent beside ours because a server needs them: what they may be, in a form and in the admin alike."""

import json
from math import isinf

from evaluation.benchmarks.base import JsonValue

MOST_BYTES = 4096
MOST_DEPTH = 4
OUR_FIELDS = ("model", "messages", "stream", "n")


def read_extra_body(text: str) -> dict[str, JsonValue]:
    """The fields to send beside ours; {} for a blank text.

    Raises:
        ValueError: with a sentence that names what is wrong.
    """
    if not text.strip():
        return {}
    if len(text.encode()) > MOST_BYTES:
        raise ValueError("The extra fields are longer than 4 KB.")
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once)
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        raise ValueError('The extra fields cannot be read as JSON. Write an object like {"top_p": 0.9}.') from None
    if "\\u0000" in json.dumps(value):
        raise ValueError("The extra fields hold the character U+0000, which no database takes.")
    if not isinstance(value, dict):
        raise ValueError('The extra fields must be one JSON object, like {"top_p": 0.9}.')
    if ours := [name for name in OUR_FIELDS if name in value]:
        raise ValueError(f"The extra fields must not set {' or '.join(ours)}: we set these ourselves.")
    if _deeper_than(value, MOST_DEPTH):
        raise ValueError(f"The extra fields are nested deeper than {MOST_DEPTH} levels.")
    return value


def _no_number(constant: str) -> None:
    raise ValueError(constant)


def _finite(text: str) -> float:
    if isinf(value := float(text)):
        raise ValueError(text)
    return value


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _deeper_than(value: JsonValue, levels: int) -> bool:
    """Whether objects and lists stand in each other more than so many deep; goes no deeper itself."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper_than(part, levels - 1) for part in inner)
