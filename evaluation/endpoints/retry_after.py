"""How long a server asks us to wait, read from whatever it wrote.

A number is doubted before it is obeyed: servers write seconds, milliseconds, and the moment itself in either.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MAX_SECONDS = 86_400.0
LONGEST_PLAUSIBLE = 31 * 86_400.0  # a quota of a month; who asks for more has written something else
_NEAR = 366 * 86_400.0  # how far from now a number may lie to be a moment
_UNITS_OF_A_MOMENT = (1.0, 1e3, 1e6, 1e9)  # a second: seconds, milliseconds, microseconds, nanoseconds

_NUMBER = re.compile(r"[+-]?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds from `now` (aware), 0 to 86,400, or None where the header is absent or junk.

    `retry-after-ms` comes first, as the finer of the two. A number near the present, as seconds since 1970 or
    thousandths of them, is a moment. A negative number or a moment in the past gives 0, a wait of more than a day gives
    a day. Junk is what is no number and no date, and a wait of more than a month, or than a day in milliseconds.
    `headers` must ignore case or hold lower-case names.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    seconds = None if milliseconds is None else _wait(milliseconds, 1000, now, longest=MAX_SECONDS)
    if seconds is None:
        text = headers.get("retry-after", "").strip()
        number = _number(text)
        seconds = _seconds_until(text, now) if number is None else _wait(number, 1, now, longest=LONGEST_PLAUSIBLE)
    return None if seconds is None else min(max(seconds, 0.0), MAX_SECONDS)


def _number(text: str) -> float | None:
    stripped = text.strip()
    return float(stripped) if _NUMBER.fullmatch(stripped) else None


def _wait(number: float, a_second: int, now: datetime, *, longest: float) -> float | None:
    """Seconds to wait for a number of which so many make a second, unless it is a moment; None where it is neither."""
    present = now.timestamp()
    moments = (number / unit - present for unit in _UNITS_OF_A_MOMENT)
    until = next((seconds for seconds in moments if abs(seconds) <= _NEAR), None)
    if until is not None:
        return _plausible(until)
    return number / a_second if number / a_second <= longest else None


def _seconds_until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text[:80])
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return _plausible((aware - now).total_seconds())
    except (ValueError, OverflowError):
        return None


def _plausible(seconds: float) -> float | None:
    return seconds if seconds <= LONGEST_PLAUSIBLE else None
