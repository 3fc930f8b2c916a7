"""What a section comes to. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from evaluation.benchmarks.base import JsonValue
from evaluation.statistics.intervals import Interval

Value = dict[str, JsonValue]
DIGITS = 9


@dataclass(frozen=True, slots=True)
class Outcome:
    """`n` models stand behind `value`; a section without anything to say has an empty value.

    `files` are stored beside the section: name -> content.
    """

    n: int
    value: Value
    files: Mapping[str, bytes] = field(default_factory=dict)


def stored(value: object) -> JsonValue:
    """The value as JSON takes it: nine decimals, None for what is not finite, an interval as [low, high]."""
    if type(value) is float:  # most of a large table
        return round(value, DIGITS) if isfinite(value) else None
    if isinstance(value, Interval):
        return [stored(value.low), stored(value.high)]
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return round(value, DIGITS) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): stored(entry) for key, entry in value.items()}
    if isinstance(value, Sequence):
        return [stored(entry) for entry in value]
    raise TypeError(f"cannot store {type(value).__name__}")


def outcome(n: int, **value: object) -> Outcome:
    return Outcome(n, {key: stored(entry) for key, entry in value.items()})


def ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """Both ends for two columns of a table."""
    return (interval.low, interval.high) if interval else (None, None)
