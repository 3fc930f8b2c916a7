"""Sentences that are too long for their column."""

import pytest

from evaluation.endpoints.errors import FAULTS, Kind, code_told, fault
from evaluation.runs.summaries import REASON_LENGTH
from evaluation.shortening import shortened, shortened_around_numbers


@pytest.mark.parametrize(
    ("text", "length", "short"),
    [
        ("", 10, ""),
        ("as it is", 8, "as it is"),
        ("one two three", 12, "one two…"),
        ("one two three", 11, "one two…"),
        ("one two, three", 12, "one two…"),
        ("It said: “one two three”", 20, "It said: “one two…”"),
        ("It said: “one two three”", 17, "It said: “one…”"),
        ("He said “yes”, then no more of it", 20, "He said “yes”…"),
        ("abcdefghijklmnop", 8, "abcdef…"),
        ("It “abcdefghijklmnop”", 10, "It “abcd…”"),
    ],
)
def test_whole_words_are_kept_and_a_cut_quotation_is_closed(text: str, length: int, short: str) -> None:
    assert shortened(text, length) == short


@pytest.mark.parametrize("length", range(3, 40))
def test_the_limit_holds(length: int) -> None:
    assert len(shortened("It said: “the value of this one field is not allowed”", length)) <= length


@pytest.mark.parametrize("code", [code for code, fault in FAULTS.items() if fault.kind in (Kind.RETRY, Kind.ITEM)])
def test_what_is_kept_of_an_item_without_a_reply_is_a_whole_sentence(code: str) -> None:
    assert fault(code).in_brief(REASON_LENGTH) == f"{FAULTS[code].cause} fault: {FAULTS[code].sentence}"


@pytest.mark.parametrize(
    ("text", "length", "short"),
    [
        ("a" * 8 + "12345678", 14, "a" * 8 + "…"),
        ("limit:4,096,tokens", 10, "limit…"),
        ("limit:4.5", 9, "limit:4.5"),
        ("99999999999", 8, "999999…"),
    ],
)
def test_no_number_is_cut_in_two_unless_it_is_all_there_is(text: str, length: int, short: str) -> None:
    assert shortened(text, length) == short


@pytest.mark.parametrize(
    "text",
    [
        "The context is 512 tokens.",
        "Please be so kind as to send less than 512 tokens in a prompt.",
        "'max_tokens' is too large: 60. The context is 512 tokens, the prompt 498.",
        "x" * 80 + " 512",
    ],
)
def test_where_numbers_matter_the_part_that_holds_them_is_kept(text: str) -> None:
    kept = shortened_around_numbers(text, 50)
    assert len(kept) <= 50
    assert "512" in kept


def test_the_reason_of_an_item_keeps_the_number_of_the_server() -> None:
    words = (
        "This model's maximum context length is 512 tokens. However, you requested 612 tokens (552 in the messages)."
    )
    reason = fault("context-length", excerpt=words).in_brief(REASON_LENGTH)
    assert reason.startswith("model fault: prompt and answer do not fit into the model's context: “")
    assert len(reason) <= REASON_LENGTH
    assert "512 tokens" in reason
    assert code_told(reason) == code_told(fault("context-length", excerpt=words).message) == "context-length"
