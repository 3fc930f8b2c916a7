"""Error reports: what reaches Sentry holds no key, no cookie, no body and no value of a variable."""

import json
from typing import Any

import pytest
import sentry_sdk
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

from leaderboard.operations.error_reports import options, scrub
from leaderboard.operations.logs import REMOVED

CANARY = "canary-0123456789abcdef"


class Collecting(Transport):
    """Keeps what would be sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Any] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.sent += [item.payload.json for item in envelope.items if item.type == "event"]


@pytest.fixture
def transport() -> Collecting:
    return Collecting()


def report(transport: Collecting) -> dict[str, Any]:
    """An error in the middle of a request that holds the canary wherever one can stand."""
    chosen = options("https://public@sentry.example/1", environment="tests", transport=transport)
    with sentry_sdk.isolation_scope() as scope:
        scope.set_client(sentry_sdk.Client(**{**chosen, "default_integrations": False}))
        scope.set_context("endpoint", {"base_url": f"https://u:{CANARY}@host/v1", "api_key": CANARY})
        scope.set_extra("headers", {"Authorization": f"Bearer {CANARY}", "X-Api-Key": CANARY, "Accept": "text/html"})
        scope.set_tag("run", "41")
        sentry_sdk.add_breadcrumb(message=f"asked with Bearer {CANARY}", data={"cookie": CANARY})
        try:
            key = f"Bearer {CANARY}"
            raise ValueError(f"illegal header value '{key}'")
        except ValueError as error:
            sentry_sdk.capture_exception(error)
    (event,) = transport.sent
    found: dict[str, Any] = event
    return found


def test_a_report_holds_the_canary_nowhere(transport: Collecting) -> None:
    event = report(transport)
    text = json.dumps(event)
    assert CANARY not in text
    assert event["exception"]["values"][0]["value"] == f"illegal header value 'Bearer {REMOVED}'"
    assert event["extra"]["headers"] == {"Authorization": REMOVED, "X-Api-Key": REMOVED, "Accept": "text/html"}
    assert event["contexts"]["endpoint"] == {"base_url": f"https://{REMOVED}@host/v1", "api_key": REMOVED}
    assert event["breadcrumbs"]["values"][0]["message"] == f"asked with Bearer {REMOVED}"


def test_a_report_keeps_what_helps(transport: Collecting) -> None:
    event = report(transport)
    assert (event["environment"], event["tags"]) == ("tests", {"run": "41"})
    assert event["release"].startswith("eq-leaderboard@")
    frames = event["exception"]["values"][0]["stacktrace"]["frames"]
    assert frames[-1]["function"] == "report"
    assert not any("vars" in frame for frame in frames)


def test_nothing_personal_is_collected(transport: Collecting) -> None:
    chosen = options("https://public@sentry.example/1", environment="tests", transport=transport)
    resolved = sentry_sdk.Client(**{**chosen, "default_integrations": False}).options
    assert not resolved["data_collection"]["user_info"]
    assert not resolved["data_collection"]["stack_frame_variables"]
    assert (resolved["max_request_body_size"], resolved["traces_sample_rate"]) == ("never", 0.0)


def test_names_of_secrets_hide_their_values_and_others_stay() -> None:
    value = {"ENDPOINT_KEYS": "a,b", "n": 3, "nested": [{"sealed_key": "v1:x"}], "monkeys": None, "text": "plain"}
    assert scrub(value) == {
        "ENDPOINT_KEYS": REMOVED,
        "n": 3,
        "nested": [{"sealed_key": REMOVED}],
        "monkeys": REMOVED,
        "text": "plain",
    }
