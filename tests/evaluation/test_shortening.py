"""Sentences that are too long for their column."""

import pytest

from evaluation.asking import FAULT_REASON
from evaluation.endpoints.errors import FAULTS, Kind
from evaluation.shortening import shortened
from evaluation.summaries import REASON_LENGTH


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
    reason = f"{FAULT_REASON}: {FAULTS[code].sentence}"
    assert shortened(reason, REASON_LENGTH) == reason
