"""Checked values from the files of a bank. Pure: every fault becomes a BankError that names the place."""

from collections.abc import Mapping, Sequence
from math import isfinite

from evaluation.benchmarks.base import BankError
from evaluation.benchmarks.strict_json import JsonObject, read_object

MAX_BYTES = 20_000_000


def json_file(files: Mapping[str, bytes], name: str) -> JsonObject:
    """The JSON object in one of the files. Raises BankError where the file is missing or is none."""
    if name not in files:
        raise BankError(f"{name} is missing")
    try:
        found = read_object(files[name], max_bytes=MAX_BYTES)
    except ValueError as error:
        raise BankError(f"{name}: {error}") from error
    return object_of(found, name)


def json_list(files: Mapping[str, bytes], name: str) -> Sequence[object]:
    """The JSON list in one of the files, as strictly read as an object is."""
    if name not in files:
        raise BankError(f"{name} is missing")
    wrapped = b'{"list": ' + files[name].removeprefix(b"\xef\xbb\xbf") + b"}"
    return list_of(json_file({name: wrapped}, name).get("list"), name)


def object_of(value: object, place: str) -> JsonObject:
    if not isinstance(value, JsonObject):
        raise BankError(f"{place} is missing or no JSON object")
    if value.doubled is not None:
        raise BankError(f"{place}: {value.doubled} stands in it twice")
    return value


def within(value: object, place: str, *keys: str) -> JsonObject:
    """The object that lies under these keys, one in the other."""
    found = object_of(value, place)
    for number, key in enumerate(keys, 1):
        found = object_of(found.get(key), f"{place}: {'.'.join(keys[:number])}")
    return found


def list_of(value: object, place: str) -> Sequence[object]:
    if not isinstance(value, list) or not value:
        raise BankError(f"{place} is missing or no list")
    return value


def text_of(value: object, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BankError(f"{place} is missing or empty")
    return value


def number_of(value: object, place: str, *, low: float | None = None, high: float | None = None) -> float:
    """A finite number of JSON, or of a CSV cell, within the bounds."""
    number = finite_number(value)
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        bounds = "" if low is None or high is None else f" from {low:g} to {high:g}"
        raise BankError(f"{place} is not a number{bounds}")
    return number


def finite_number(value: object) -> float | None:
    """The finite number that an int, a float or a numeric string stands for, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def numbers_of(value: object, place: str, *, low: float | None = None, high: float | None = None) -> tuple[float, ...]:
    return tuple(number_of(entry, place, low=low, high=high) for entry in list_of(value, place))
