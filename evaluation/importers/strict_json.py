"""JSON read strictly: no doubled keys, no NaN, no Infinity, also not as text in a number's place."""

import json
import math
import re
from typing import Any

from evaluation.importers.refusals import Refusal

# The closing quote may be missing: a text that ends within a string is then still passed over once only.
_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"?|-?(?:Infinity|NaN|\d[\d.eE+-]*)', re.DOTALL)
_NOT_FINITE_TEXT = re.compile(r'"\s*[+-]?(?:nan|inf|infinity)\s*"', re.IGNORECASE)
_NAMED_KEYS = 5


class JsonError(ValueError):
    """A file that is no sound JSON; the text says where and why."""

    def __init__(self, text: str, refusal: Refusal) -> None:
        super().__init__(text)
        self.refusal = refusal


class _NotFiniteError(ValueError):
    """Raised inside the parser, which does not tell where it stands."""


def parse_strictly(content: bytes) -> Any:
    """The parsed value of UTF-8 JSON.

    Raises:
        JsonError: broken, too deep or not UTF-8; a key that stands twice in one object (named); NaN or Infinity, or a
            number too large to be finite (with its line).
    """
    try:
        text = content.decode("utf-8-sig")
        doubled: dict[str, None] = {}
        value = json.loads(
            text,
            object_pairs_hook=lambda pairs: _object(pairs, doubled),
            parse_constant=_refuse,
            parse_float=_finite,
        )
    except _NotFiniteError as error:
        raise JsonError(
            f"line {_line_of_not_finite(text)} holds {error}, which is not a finite number", Refusal.NOT_FINITE
        ) from error
    except json.JSONDecodeError as error:
        raise JsonError(f"broken JSON at line {error.lineno}: {error.msg}", Refusal.EDITED_FILE) from error
    except UnicodeDecodeError as error:
        raise JsonError("not UTF-8 text", Refusal.NOT_UTF8) from error
    except (RecursionError, ValueError) as error:
        raise JsonError("JSON nested too deeply, or with a number too long to read", Refusal.TOO_DEEP) from error
    if doubled:
        raise JsonError(f"listed twice (doubled JSON key): {_some(list(doubled))}", Refusal.DOUBLED_KEY)
    return value


def _object(pairs: list[tuple[str, Any]], doubled: dict[str, None]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                doubled[key] = None
            seen.add(key)
    return found


def _some(keys: list[str]) -> str:
    shown = ", ".join(key[:40] for key in keys[:_NAMED_KEYS])
    return f"{shown} and {len(keys) - _NAMED_KEYS} more" if len(keys) > _NAMED_KEYS else shown


def _refuse(constant: str) -> float:
    raise _NotFiniteError(constant)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _NotFiniteError(text[:20])
    return value


def _line_of_not_finite(text: str) -> int:
    """The 1-based line of the first number outside strings that is not finite."""
    for match in _STRING_OR_NUMBER.finditer(text):
        if not match[0].startswith('"') and _is_not_finite(match[0]):
            return text.count("\n", 0, match.start()) + 1
    return 1


def _is_not_finite(token: str) -> bool:
    try:
        return not math.isfinite(float(token))
    except ValueError:
        return False


def line_of_not_finite_text(content: bytes) -> int | None:
    """The 1-based line of the first string that reads as NaN or Infinity; None if there is none."""
    text = content.decode("utf-8-sig")
    match = _NOT_FINITE_TEXT.search(text)
    return text.count("\n", 0, match.start()) + 1 if match else None
