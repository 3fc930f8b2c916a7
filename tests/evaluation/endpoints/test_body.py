"""Bodies of every odd shape: read, or named, never a traceback."""

import json
from typing import Any

import pytest

from evaluation.endpoints.body import Body, read_body
from evaluation.endpoints.errors import EndpointError
from evaluation.endpoints.json_text import charset_of
from tests.evaluation.endpoints.servers import OK, chat


def read(value: Any) -> Body:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    body = read_body(content)
    assert isinstance(body, Body)
    return body


def code(content: bytes) -> str:
    with pytest.raises(EndpointError) as caught:
        read_body(content)
    assert caught.value.__context__ is None
    return caught.value.code


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read(b"\xef\xbb\xbf" + json.dumps(chat()).encode()).text == OK


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("application/json; charset=iso-8859-1", "latin-1"),
        ('application/json;charset="Windows-1252"', "cp1252"),
        ("application/json; charset=utf-16", "utf-16"),
        ("application/json; charset=UTF-16LE", "utf-16-le"),
        ("application/json; charset=latin1", "utf-8"),
        ("application/json; charset=utf-8", "utf-8"),
        ("application/json", "utf-8"),
    ],
)
def test_a_text_is_read_in_the_charset_that_its_sender_names(content_type: str, charset: str) -> None:
    said = "Wütend: 3\nGleichgültig: 6"
    content = json.dumps({"choices": [{"message": {"content": said}}]}, ensure_ascii=False).encode(charset)
    body = read_body(content, charset_of(content_type))
    assert isinstance(body, Body)
    assert (body.text, body.remarks) == (said, ())


@pytest.mark.parametrize(
    "charset", ["nonsense", "rot13", "utf-7", "idna", "unicode_escape", "gb99", "cp1", "", "utf-8"]
)
def test_a_charset_that_nobody_knows_changes_nothing(charset: str) -> None:
    content = json.dumps({"choices": [{"message": {"content": "Wütend: 3"}}]}, ensure_ascii=False).encode("latin-1")
    body = read_body(content, charset_of(f"application/json; charset={charset}"))
    assert isinstance(body, Body)
    assert (body.text, body.remarks) == ("W\ufffdtend: 3", ("invalid UTF-8",))


def test_nan_and_infinity_are_passed_over() -> None:
    content = json.dumps({**chat(), "usage": {"prompt_tokens": float("nan"), "completion_tokens": float("inf")}})
    body = read(content.encode())
    assert (body.text, body.prompt_tokens, body.completion_tokens) == (OK, None, None)


@pytest.mark.parametrize("deep", [b'{"choices": ' + b"[" * 100_000, b"[" * 100_000, b'{"a":' * 100_000])
def test_nesting_of_a_hundred_thousand_is_a_named_fault(deep: bytes) -> None:
    assert code(deep) == "unreadable-json"


def test_a_number_of_five_thousand_digits_is_a_named_fault() -> None:
    assert code(b'{"choices": [], "n": ' + b"9" * 5000 + b"}") == "unreadable-json"


@pytest.mark.parametrize(
    ("count", "read_as"),
    [(12, 12), (0, 0), (12.0, 12), (True, None), (-1, None), (2**31, None), ("12", None), (None, None), ([], None)],
)
def test_a_token_count_is_a_number_that_a_column_can_hold(count: Any, read_as: int | None) -> None:
    assert read({**chat(), "usage": {"prompt_tokens": count}}).prompt_tokens == read_as


@pytest.mark.parametrize(
    ("read_and_written", "total", "counted"),
    [
        ((12, 500), 512, 500),  # OpenAI: the thinking is among them
        ((32, 9), 135, 103),  # xAI: 94 tokens of thinking
        ((8, 10), 318, 310),  # Gemini
        ((12, 5), None, 5),
        ((None, 5), 517, 5),
        ((12, 5), 3, 5),
        ((12, None), 517, None),
    ],
)
def test_thinking_that_only_the_total_counts_is_counted(
    read_and_written: tuple[int | None, int | None], total: int | None, counted: int | None
) -> None:
    usage = dict(zip(("prompt_tokens", "completion_tokens"), read_and_written, strict=True))
    assert read({**chat(), "usage": {**usage, "total_tokens": total}}).completion_tokens == counted


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ("", "", ""),
        (None, "", ""),
        (7, "", ""),
        ([], "", ""),
        ([None, 7, "Angry: ", {"type": "text", "text": "3"}], "Angry: 3", ""),
        ({"type": "text", "text": "Angry: 3"}, "Angry: 3", ""),
        ([{"type": "output_text", "text": "Angry: 3"}], "Angry: 3", ""),
        ([{"type": "thinking", "thinking": "Hm."}], "", "Hm."),
        ([{"type": "reasoning", "text": "Hm."}, {"type": "image_url"}], "", "Hm."),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}], "", "Hm."),
        (
            [{"type": "reasoning_content", "text": "Angry: 9"}, {"type": "text", "text": "Angry: 3"}],
            "Angry: 3",
            "Angry: 9",
        ),
        ([{"type": "analysis", "text": "Angry: 9"}, {"text": "Angry: 3"}], "Angry: 3", "Angry: 9"),
        ([{"type": "summary_text", "text": "Angry: 9"}, "Angry: 3"], "Angry: 3", "Angry: 9"),
        ([{"text": "Angry: 9", "thought": True}, {"text": "Angry: 3", "thought": False}], "Angry: 3", "Angry: 9"),
    ],
)
def test_a_content_is_text_or_parts_or_nothing(content: Any, text: str, reasoning: str) -> None:
    body = read(chat(content))
    assert (body.text, body.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"reasoning_content": "a", "reasoning": "b"}, "a"),
        ({"reasoning_content": "", "reasoning": "b"}, "b"),
        ({"reasoning_content": {"odd": 1}, "reasoning": [{"text": "b"}, "c"]}, "bc"),
        ({"thinking": "d"}, "d"),
        ({}, ""),
    ],
)
def test_reasoning_is_the_first_field_that_holds_text(message: dict[str, Any], reasoning: str) -> None:
    assert read(chat("x", **message)).reasoning == reasoning


def test_fields_of_the_wrong_type_are_left_out() -> None:
    body = read({**chat(finish_reason=7), "model": ["m"], "system_fingerprint": 3, "usage": "none"})
    assert (body.finish_reason, body.model, body.fingerprint, body.prompt_tokens) == ("", "", "", None)


def test_of_doubled_names_the_last_wins() -> None:
    assert read(b'{"choices": [], "choices": [{"message": {"content": "last"}}]}').text == "last"


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_an_event_stream_may_end_its_lines_in_any_way(line_end: bytes) -> None:
    lines = [
        b"event: message",
        b'data:{"choices":[{"delta":{"content":"a\\u2028b"}}]}',
        b"",
        b'data: {"choices":[{"index":1,"delta":{"content":"other choice"}}]}',
        b"",
        b'data: {"choices":[{"delta":{"content":"c"},"finish_reason":"length"}],"usage":{"completion_tokens":9}}',
        b"",
        b"data: [DONE]",
        b"data: after the end",
    ]
    body = read(line_end.join(lines))
    assert (body.text, body.finish_reason, body.completion_tokens) == ("a\u2028bc", "length", 9)


def test_an_event_stream_with_parts_and_a_tool_call_is_joined() -> None:
    events: list[dict[str, Any]] = [
        {"choices": [{"delta": {"content": [{"type": "thinking", "thinking": "Hm."}]}}]},
        {"choices": [{"delta": {"content": "Angry: 3"}}]},
        {"choices": [{"delta": {"tool_calls": [{"id": "1"}]}, "finish_reason": "tool_calls"}]},
    ]
    body = read("".join(f"data: {json.dumps(event)}\n\n" for event in events).encode())
    assert (body.text, body.reasoning, body.tool_call) == ("Angry: 3", "Hm.", True)


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: [DONE]\n\n", "empty-choices"),
        (b": keep-alive\n\n", "empty-choices"),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', "empty-choices"),
        (b'data: {"choices": [{"delta": {"content": "An', "cut-short"),
        (b"data: hello\n\n", "not-a-chat-api"),
        (b"data: {}\n" * 100_000, "too-large"),
        (b"data: " + b"[" * 100_000 + b"\n\n", "not-a-chat-api"),
    ],
)
def test_an_event_stream_without_a_message_is_a_named_fault(stream: bytes, expected: str) -> None:
    assert code(stream) == expected
