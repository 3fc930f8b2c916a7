"""Replies that did not end by themselves: the true reason with a flag beside it, and numbers that may be cut."""

import pytest

from evaluation.benchmarks.base import Item, Options, Reply
from tests.evaluation.benchmarks.by_item import read_by
from tests.evaluation.benchmarks.standard import ITEM, OK, V2, first, four, read

BOLD = four("**{name}**: {value}")
CUT = ("length", "content_filter")


@pytest.mark.parametrize("reason", CUT)
@pytest.mark.parametrize(
    "reply", [OK, BOLD, four("{name} = {value}"), "3\n6\n0\n8",
              '{"Angry": 3, "Hopeful": 6, "Relieved": 0, "Ashamed": 8', four("{name} → {value}"),
              f"[THINK]hm[/THINK]{OK}"]
)  # fmt: skip
def test_10_a_rating_at_the_very_end_of_a_cut_reply_is_flagged(reply: str, reason: str) -> None:
    answer = first(Reply(reply, finish_reason=reason))
    assert answer.values == ITEM.reference
    assert "cut number" in answer.flags


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (OK, "stop"), (OK, ""), (f"{OK}\n", "length"), (f"{OK}.", "length"), (f"{OK}/10", "length"),
        (f"{BOLD}**", "length"), (f"{OK}\nThat is all", "length"), (f"{OK}\nOf 8 feelings, 8", "length"),
        (four("**{name}: {value}**"), "content_filter"), (four("- {name} = {value}\n"), "length"),
    ],
)  # fmt: skip
def test_a_number_that_is_whole_brings_no_such_flag(reply: str, reason: str) -> None:
    assert "cut number" not in first(Reply(reply, finish_reason=reason)).flags


def test_only_the_pass_that_was_cut_is_flagged() -> None:
    cut = Reply(f"First pass scores:\n{OK}\n\nCritique: fine.\n\nRevised scores:\n{OK}", finish_reason="length")
    assert [answer.flags for answer in read(cut, revision=True).answers] == [(), ("cut number",)]


LINE = "Mia: I never thought that you would come back to this house."
PROMPT = f"{LINE}\nPredict how Mia will feel, from 0 to 10, at the end.\n"
LOOP = "Bored: 10 Condescending: 5 Triumphant: 15 Confined: 10 "
TRUE_REASONS = {
    "nothing yet": ("Let me think about each of them in turn.", "cut off"),
    "on its way": ("Angry: 3\nHopeful: 6\nRel", "cut off"),
    "empty": ("", "cut off"),
    "placeholder": ("Angry: <score>\nHopeful: <score>\nRelieved: <sco", "placeholder"),
    "placeholder in square brackets": ("**Angry**: [score]\n**Hopeful**: [sc", "placeholder"),
    "all zero": (four("{name}: 0"), "all zero"),
    "all zero in bold": (four("**{name}**: 0"), "all zero"),
    "other names": (
        f"Angry: 3\nHopeful: 6\n{LOOP}",
        "Relieved, Ashamed missing (saw Bored, Condescending, Triumphant)",
    ),
    "a misspelt name": ("Angry: 3\nHopeful: 6\nReliefed: 0\nAshamed: 8\nAnd so", "Relieved missing (saw Reliefed)"),
    "zeros without end": ("0\n" * 30, "repeats itself"),
    "a sentence without end": ("He is sad. " * 12 + "He is", "repeats itself"),
    "a name without end": ("Angry, " * 20, "repeats itself"),
    "the prompt": (PROMPT, "prompt repeated"),
    "the prompt with a word": (f"Sure.\n{PROMPT}Predict how", "prompt repeated"),
    "the prompt without its end": (PROMPT[:90], "prompt repeated"),
    "a line of the prompt quoted": (
        f"{PROMPT[:60]} is what she says, and from this {'it is ' * 3}plain to me that",
        "cut off",
    ),
    "ranges": (four("{name} = 1-2"), "Angry missing (saw 1-2)"),
}


@pytest.mark.parametrize(("reply", "reason"), TRUE_REASONS.values(), ids=TRUE_REASONS)
def test_5_cut_off_is_a_flag_beside_the_true_reason(reply: str, reason: str) -> None:
    item = Item("1", PROMPT, ITEM.labels, ITEM.reference)
    (answer,) = read_by(V2, item, Reply(reply, finish_reason="length"), Options()).answers
    assert (answer.values, answer.reason) == (None, reason)
    assert answer.flags == (("cut off",) if reply else ())
    (ended,) = read_by(V2, item, Reply(reply, finish_reason="stop"), Options()).answers
    assert "cut off" not in (ended.reason, *ended.flags)
