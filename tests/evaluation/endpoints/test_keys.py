"""A submitter's key never comes back: not in a text that is stored, not in an error, not in a log."""

import base64
import json
import logging
import traceback
from urllib.parse import quote

import pytest

from evaluation.endpoints.client import Completion, Target
from evaluation.endpoints.errors import EndpointError, Kind
from evaluation.endpoints.keys import checked_key, scrub
from tests.counting import Copied
from tests.evaluation.endpoints.servers import (
    OK,
    REQUEST,
    Answer,
    answering,
    ask,
    ask_all,
    chat,
    refusal,
    refused,
    reply_to,
)

KEY = 'sk-CANARY/7f"Qm+29xLtZ0vKpW4=='


@pytest.mark.parametrize("text", ["", "   ", KEY, f" {KEY}\r\n", "k" * 512])
def test_a_printable_key_is_taken_without_its_outer_white_space(text: str) -> None:
    assert checked_key(text) == text.strip()


@pytest.mark.parametrize(
    "text", ["sk-canary\nX-Header: 1", "sk canary", "sk-canäry", "sk-canary\x7f", "sk-\u200bcanary", "k" * 513]
)
def test_another_key_is_refused_with_a_sentence_that_does_not_quote_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"^The key .*\.$") as caught:
        Target("http://127.0.0.1:9", "m", api_key=text)
    assert "can" not in str(caught.value).replace("may contain", "")
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        quote(KEY, safe=""),
        json.dumps(KEY)[1:-1],
        KEY.encode().hex(),
        base64.b64encode(KEY.encode()).decode(),
        base64.urlsafe_b64encode(KEY.encode()).decode(),
        base64.b64encode(f"user:{KEY}".encode()).decode(),
        base64.b64encode(f"ab{KEY}cd".encode()).decode(),
        KEY[3:15],
        f"{KEY[:14]}...{KEY[-12:]}",
    ],
)
def test_every_form_of_the_key_and_every_run_of_twelve_is_taken_out(written: str) -> None:
    cleaned = scrub(f"Incorrect key {written} given", KEY)
    assert cleaned.startswith("Incorrect key ")
    assert cleaned.endswith(" given")
    assert "[key removed]" in cleaned
    forms = (KEY, KEY.encode().hex(), base64.b64encode(KEY.encode()).decode(), quote(KEY, safe=""))
    assert not any(form[at : at + 12] in cleaned for form in forms for at in range(len(form) - 11))


def test_what_is_not_the_key_stays_as_it_was() -> None:
    text = f"{KEY[:11]} is eleven signs; Angry: 3"
    assert scrub(text, KEY) == text
    assert scrub(text, "") == text


@pytest.mark.parametrize(
    ("key", "text", "cleaned"),
    [
        ("3", "Angry: 3", "Angry: 3"),
        ("none", "none of it, nonetheless", "[key removed] of it, nonetheless"),
        ("abcd1234", "xabcd1234x", "x[key removed]x"),
    ],
)
def test_a_short_key_does_not_eat_into_a_reply(key: str, text: str, cleaned: str) -> None:
    assert scrub(text, key) == cleaned


def test_scrubbing_a_megabyte_of_the_key_s_own_pieces_copies_each_character_a_few_times() -> None:
    text = Copied.of((KEY[:6] + KEY[6:12] + "-") * 80_000)
    assert scrub(text, KEY) == "[key removed]-" * 80_000
    assert text.seen[0] <= 13 * len(text), "twelve for the window at each character, and one for what is kept"


def test_a_key_echoed_in_a_reply_is_taken_out_of_every_text() -> None:
    body = {**chat(f"{OK}\n{KEY}", reasoning_content=KEY), "model": KEY, "system_fingerprint": KEY}
    reply = reply_to(body, api_key=KEY)
    assert reply.text == f"{OK}\n[key removed]"
    assert reply.remarks == ("key removed",)
    assert "CANARY" not in repr(reply)


def whole_trace(error: BaseException) -> str:
    """The error with everything that hangs on it, locals of its frames included."""
    lines = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    return "".join(lines) + repr(vars(error))


@pytest.mark.parametrize(
    "answer",
    [
        refusal(401, f"Incorrect API key provided: {KEY}."),
        refusal(400, f"Bad request with {KEY}"),
        Answer({"error": {"message": f"failed for {KEY}", "code": 500}}),
        Answer("", 302, {"Location": f"/?key={quote(KEY)}"}),
        Answer(f"<html>{quote(KEY)}"),
        Answer(f"[{KEY}", 500),
    ],
)
def test_a_key_echoed_in_a_failure_hangs_nowhere_on_the_error(answer: Answer) -> None:
    with answering(answer) as server:
        error = refused(server.url, api_key=KEY)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert "CANARY" not in error.message + repr(error) + whole_trace(error)


def test_a_request_that_was_refused_quotes_the_server_within_bounds_and_without_the_key() -> None:
    with answering(refusal(400, f"Field 'top_q'\n is unknown to {KEY}. " + "x" * 500)) as server:
        error = refused(server.url, api_key=KEY)
    assert (error.kind, error.code) == (Kind.ITEM, "refused")
    assert error.message.startswith(
        "The endpoint refused this request. It said: “Field 'top_q' is unknown to [key removed]. xxx"
    )
    assert len(error.message) < 360


def test_a_connection_that_fails_leaves_no_header_on_the_error() -> None:
    error = refused("http://127.0.0.1:9", api_key=KEY)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert "CANARY" not in whole_trace(error)


def test_a_deadline_that_passes_leaves_no_header_on_the_error() -> None:
    with answering(Answer(chat())) as server:
        error = refused(server.url, api_key=KEY, timeout_seconds=0.0001)
    assert error.code == "timeout"
    assert error.__context__ is None
    assert "CANARY" not in whole_trace(error)


def test_neither_target_nor_log_shows_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with answering(refusal(401, f"no: {KEY}"), chat()) as server:
        outcomes, _ = ask_all(server.url, REQUEST, REQUEST, api_key=KEY)
    assert [type(outcome) for outcome in outcomes] == [EndpointError, Completion]
    assert "CANARY" not in caplog.text
    assert "CANARY" not in repr(Target(server.url, "m", api_key=KEY))


def test_the_key_reaches_the_server_in_full() -> None:
    with answering(chat()) as server:
        ask(server.url, api_key=KEY)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
