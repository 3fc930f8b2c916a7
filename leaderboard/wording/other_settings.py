"""How a run asked otherwise than its benchmark's standard, in a few words that stand beside its score. Pure."""

import re
from collections.abc import Iterator, Mapping

from evaluation.benchmarks.base import JsonValue
from evaluation.runs.departures import EXTRA_FIELDS
from leaderboard.rounding import MINUS, count, counted

NAMED_FIELDS = 4
LARGEST_SHOWN = 10**12  # a stranger may send a number of thousands of digits
PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")


def in_words(departures: Mapping[str, JsonValue]) -> str:
    """ "system prompt, max tokens 1,024"; "" for the standard asking.

    Names and values come from strangers: a text is never shown, and neither is a name that is no plain one.
    """
    return ", ".join(parts(departures))


def parts(departures: Mapping[str, JsonValue]) -> Iterator[str]:
    own = {name: value for name, value in departures.items() if name != EXTRA_FIELDS}
    if "system_prompt" in own:
        yield "system prompt"
    for name, value in sorted(own.items()):
        if name != "system_prompt":
            yield "the endpoint’s own temperature" if (name, value) == ("temperature", None) else named(name, value)
    extra = departures.get(EXTRA_FIELDS)
    yield from extra_fields(extra if isinstance(extra, Mapping) else {})


def extra_fields(fields: Mapping[str, JsonValue]) -> Iterator[str]:
    """The first fields that have plain names, and how many more there are."""
    plain = sorted(name for name in fields if PLAIN_NAME.fullmatch(name))[:NAMED_FIELDS]
    for name in plain:
        yield named(name, fields[name], spaced=False)
    if more := len(fields) - len(plain):
        yield counted(more, "more field" if plain else "extra field")


def named(name: str, value: JsonValue, *, spaced: bool = True) -> str:
    """ "max tokens 1,024"; the name alone for a text, and for what has parts."""
    words = name.replace("_", " ") if spaced else name
    match value:
        case True | False:
            return words if value and spaced else f"{words} {str(value).lower()}"
        case int() if abs(value) < LARGEST_SHOWN:
            return f"{words} {count(value)}"
        case float():
            return f"{words} {value:g}".replace("-", MINUS)
        case _:
            return words
