"""The wait that a server asks for, from whatever it wrote."""

from datetime import UTC, datetime

import pytest

from evaluation.endpoints.retry_after import retry_after_seconds

NOW = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("3", 3.0),
        (" 0.5 ", 0.5),
        ("0", 0.0),
        ("-5", 0.0),
        ("86400", 86400.0),
        ("1e9", 86400.0),
        ("1000000000", 86400.0),
        ("Fri, 27 Nov 2026 12:00:03 GMT", 3.0),
        ("Fri, 27 Nov 2026 13:00:03 +0100", 3.0),
        ("Fri, 27 Nov 2026 12:00:03 -0000", 3.0),
        ("Fri, 27 Nov 2026 11:00:00 GMT", 0.0),
        ("Fri, 27 Nov 2099 11:00:00 GMT", 86400.0),
        ("soon", None),
        ("", None),
        ("NaN", None),
        ("inf", None),
        ("1_000", None),
        ("٣", None),
        ("9" * 5000, None),
        ("Fri, 99 Nov 2026 12:00:03 GMT", None),
        ("Fri, 27 Nov 99999 12:00:03 GMT", None),
        ("1, 2", None),
    ],
)
def test_the_header_is_read_as_seconds_or_date_and_junk_is_none(written: str, seconds: float | None) -> None:
    assert retry_after_seconds({"retry-after": written}, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after-ms": "-1"}, 0.0),
        ({"retry-after-ms": "1e99"}, 86400.0),
    ],
)
def test_milliseconds_come_first_where_they_can_be_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, NOW) == seconds
