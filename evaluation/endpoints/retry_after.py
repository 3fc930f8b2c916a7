"""How long a server asks us to wait, read from whatever it wrote."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MAX_SECONDS = 86_400.0

_NUMBER = re.compile(r"[+-]?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds from `now` (aware), 0 to 86,400, or None where the header is absent or junk.

    `retry-after-ms` comes first, as the finer of the two. A negative number or a date in the past gives 0, a longer
    wait than a day gives a day, NaN counts as junk. `headers` must ignore case or hold lower-case names.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    text = headers.get("retry-after", "").strip()
    seconds = _number(text)
    if seconds is None:
        seconds = _seconds_until(text, now)
    return None if seconds is None else _bounded(seconds)


def _number(text: str) -> float | None:
    stripped = text.strip()
    return float(stripped) if _NUMBER.fullmatch(stripped) else None


def _seconds_until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text[:80])
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (aware - now).total_seconds()
    except (ValueError, OverflowError):
        return None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_SECONDS)
