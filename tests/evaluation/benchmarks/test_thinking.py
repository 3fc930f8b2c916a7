"""Thinking aloud is taken off a reply before anything is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.benchmarks.thinking import Spoken, take_off_thinking
from tests.evaluation.benchmarks.standard import unhurried


def test_a_text_without_tags_is_left_as_it_is() -> None:
    assert take_off_thinking("a < b, </thinker> and <thin>") == Spoken("a < b, </thinker> and <thin>")


def test_an_empty_text_holds_no_thinking() -> None:
    assert take_off_thinking("") == Spoken("", None, False)


@pytest.mark.parametrize("tag", ["think", "thinking", "THINK", "Thinking"])
def test_blocks_go_in_either_spelling_and_any_case(tag: str) -> None:
    assert take_off_thinking(f"<{tag}>hm</{tag}>answer") == Spoken("\nanswer", "hm", False)


def test_all_before_a_first_closing_tag_is_thinking() -> None:
    assert take_off_thinking("hm, so</think>answer") == Spoken("answer", "hm, so", False)


def test_text_around_several_blocks_is_joined_by_newlines() -> None:
    spoken = take_off_thinking("1<think>a</think>2<think>b</think>3")
    assert (spoken.text, spoken.thinking) == ("1\n2\n3", "a\nb")


def test_a_block_that_never_closes_takes_the_rest() -> None:
    assert take_off_thinking("answer<think>more <think> and more") == Spoken("answer", "more <think> and more", True)


def test_text_between_two_closing_tags_is_thinking_unless_nothing_stands_behind() -> None:
    assert take_off_thinking("<think>a</think>b</think>c") == Spoken("c", "a\nb", False)
    assert take_off_thinking("<think>a</think>b</think>") == Spoken("\nb", "a", False)


def test_an_empty_block_is_thinking_all_the_same() -> None:
    assert take_off_thinking("<think>\n\n</think>\n\nanswer").thinking == "\n\n"


_PIECES = st.lists(st.sampled_from(["<think>", "</think>", "<THINKING>", "</thinking>", "a", "\n", "<", "think>"]))


@unhurried
@given(_PIECES.map("".join))
def test_no_word_is_lost_and_a_closed_text_keeps_no_opening_tag(text: str) -> None:
    spoken = take_off_thinking(text)
    assert text.count("a") == spoken.text.count("a") + (spoken.thinking or "").count("a")
    assert "<think>" not in spoken.text
    assert "<thinking>" not in spoken.text.lower()
