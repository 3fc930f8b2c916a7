"""Errors told to Sentry, where SENTRY_DSN names an address: no request bodies, no cookies, no values of variables."""

import re
from typing import Any

import sentry_sdk
from django.core.exceptions import ImproperlyConfigured
from sentry_sdk.transport import Transport
from sentry_sdk.types import Event, Hint
from sentry_sdk.utils import BadDsn

from evaluation import __version__
from leaderboard.operations.logs import REMOVED, scrubbed

# Names whose values never leave this machine, wherever in an event they stand.
_SECRET_NAME = re.compile(r"(?i)auth|cookie|key|token|secret|passw|dsn|session|csrf|credential")


def scrub(value: Any, name: str = "") -> Any:
    """The value without secrets: whole under a telling name, else each text cleaned of what looks like one."""
    if name and _SECRET_NAME.search(name) and not isinstance(value, dict | list):
        return REMOVED
    if isinstance(value, dict):
        return {key: scrub(entry, str(key)) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [scrub(entry, name) for entry in value]
    return scrubbed(value) if isinstance(value, str) else value


def before_send(event: Event, _hint: Hint) -> Event | None:
    cleaned: Event = scrub(event)
    request = cleaned.get("request", {})
    if "/rate/" in str(request.get("url", "")) and "query_string" in request:
        request["query_string"] = REMOVED  # a rater's platform id comes in the link
    return cleaned


def before_breadcrumb(crumb: dict[str, Any], _hint: Hint) -> dict[str, Any] | None:
    cleaned: dict[str, Any] = scrub(crumb)
    return cleaned


def options(dsn: str, *, environment: str, transport: Transport | None = None) -> dict[str, Any]:
    """What the client is made with. `transport` is for tests; None sends over HTTPS.

    `send_default_pii` stays unset, which is off: the SDK warns of its very name.
    """
    return {
        "dsn": dsn,
        "environment": environment,
        "release": f"eq-leaderboard@{__version__}",
        "include_local_variables": False,
        "max_request_body_size": "never",
        "traces_sample_rate": 0.0,
        "before_send": before_send,
        "before_breadcrumb": before_breadcrumb,
        "transport": transport,
    }


def start(dsn: str, *, environment: str) -> None:
    """Raises ImproperlyConfigured for an address that is none."""
    try:
        sentry_sdk.init(**options(dsn, environment=environment))
    except BadDsn as error:
        raise ImproperlyConfigured(f"SENTRY_DSN is no address of a Sentry project: {error}.") from None
