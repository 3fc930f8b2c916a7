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
        ("86401", 86400.0),
        ("1209600", 86400.0),
        ("Fri, 27 Nov 2026 12:00:03 GMT", 3.0),
        ("Fri, 27 Nov 2026 13:00:03 +0100", 3.0),
        ("Fri, 27 Nov 2026 12:00:03 -0000", 3.0),
        ("Fri, 27 Nov 2026 11:00:00 GMT", 0.0),
        ("Fri, 27 Nov 2099 11:00:00 GMT", None),
        ("Fri, 11 Dec 2026 11:00:00 GMT", 86400.0),
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
        ({"retry-after-ms": "1e99"}, None),
        ({"retry-after-ms": "1e99", "retry-after": "1"}, 1.0),
    ],
)
def test_milliseconds_come_first_where_they_can_be_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, NOW) == seconds


EPOCH = round(NOW.timestamp())


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (f"{EPOCH + 5}", 5.0),
        (f"{EPOCH + 5}.25", 5.25),
        (f"{(EPOCH + 5) * 1000}", 5.0),
        (f"{(EPOCH + 5) * 1000 + 250}.0", 5.25),
        (f"{(EPOCH + 5) * 10**6}", 5.0),
        (f"{(EPOCH + 5) * 10**9}", 5.0),
        (f"{EPOCH}", 0.0),
        (f"{EPOCH - 3600}", 0.0),
        (f"{(EPOCH - 3600) * 1000}", 0.0),
        (f"{EPOCH + 2 * 86_400}", 86400.0),
        (f"{EPOCH + 200 * 86_400}", None),
        (f"{EPOCH - 400 * 86_400}", None),
        ("1000000000", None),
        ("1e9", None),
        ("99999999999999999999999999", None),
        ("9e200", None),
    ],
)
def test_a_number_near_the_present_is_a_moment_and_an_implausible_one_is_junk(
    written: str, seconds: float | None
) -> None:
    for name in ("retry-after", "retry-after-ms"):
        found = retry_after_seconds({name: written}, NOW)
        assert found == seconds, name
