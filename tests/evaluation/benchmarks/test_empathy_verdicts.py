"""Judgements as judges write them: each is read, or is not, and never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.benchmarks.base import REFUSAL, Reply
from evaluation.benchmarks.empathy.verdicts import (
    CUT_IN_THINKING,
    DIFFER,
    NO_VERDICT,
    OTHER_LABEL,
    REASONS,
    REFUSED,
    TWICE,
    read_verdict,
)

OBJECT = '{"rating": "Good"}'
READ = {
    "as asked for": (OBJECT, 3, "JSON"),
    "okay": ('{"rating": "Okay"}', 2, "JSON"),
    "bad": ('{"rating": "Bad"}', 1, "JSON"),
    "other case and blanks": ('\n {"rating" : "  gOOD "}\n', 3, "JSON"),
    "name in another case": ('{"Rating": "Okay"}', 2, "JSON"),
    "a fence": (f"```json\n{OBJECT}\n```", 3, "in text"),
    "prose around it": (f"The reply shares the worry. {OBJECT} That is why.", 3, "in text"),
    "reasons within it": ('{"reason": "warm [and] {kind}", "rating": "Bad"}', 1, "JSON"),
    "twice the same": (f"{OBJECT}\n\n{OBJECT}", 3, "in text"),
    "after thinking": ('<think>It is {"rating": "Bad"}, no.</think>{"rating": "Good"}', 3, "JSON"),
    "a list beside it": (f"[1, 2] {OBJECT}", 3, "in text"),
    "an object of something else beside it": ('{"tone": "warm"} {"rating": "Okay"}', 2, "in text"),
    "a zero-width space": ('{"rating": "\u200bGood"}', 3, "JSON"),
    "labels in the words around it": (
        f"Understanding: Okay. Care: Good. {OBJECT} It is not Bad, since it cares; a good reply. Okay, next?",
        3,
        "in text",
    ),
    "its own label again": (f"{OBJECT}\n\n**Rating:** Good. It is Good.", 3, "in text"),
}
UNREAD = {
    "nothing": ("", NO_VERDICT),
    "a bare word": ("Good", NO_VERDICT),
    "a bare number": ("3", NO_VERDICT),
    "prose": ("I would call this reply good.", NO_VERDICT),
    "a number as rating": ('{"rating": 3}', OTHER_LABEL),
    "another label": ('{"rating": "Excellent"}', OTHER_LABEL),
    "a label with a full stop": ('{"rating": "Good."}', OTHER_LABEL),
    "two labels in one": ('{"rating": "Good/Okay"}', OTHER_LABEL),
    "a list of labels": ('{"rating": ["Good"]}', OTHER_LABEL),
    "no label": ('{"rating": null}', OTHER_LABEL),
    "the words of another language": ('{"rating": "Gut"}', OTHER_LABEL),
    "one good and one other": (f'{OBJECT} {{"rating": "Fine"}}', OTHER_LABEL),
    "verdicts that differ": ('{"rating": "Good"} {"rating": "Bad"}', DIFFER),
    "the question said again": ('{"rating": "Good"}, {"rating": "Okay"} or {"rating": "Bad"}', DIFFER),
    "a name twice": ('{"rating": "Good", "rating": "Bad"}', TWICE),
    "a name twice in two cases": ('{"rating": "Good", "Rating": "Bad"}', DIFFER),
    "another name": ('{"score": "Good"}', NO_VERDICT),
    "a verdict within an object": ('{"result": {"rating": "Good"}}', NO_VERDICT),
    "a list of verdicts": ('[{"rating": "Good"}]', NO_VERDICT),
    "no valid JSON": ("{'rating': 'Good'}", NO_VERDICT),
    "cut off": ('{"rating": "Go', NO_VERDICT),
    "only thought": ('<think>{"rating": "Good"}', CUT_IN_THINKING),
    "a refusal in words": ("I am sorry, I cannot rate what people feel.", NO_VERDICT),
    "brackets without end": ("[" * 5000, NO_VERDICT),
    "another verdict that is cut off": (f'{OBJECT} On reflection: {{"rating": "Bad"', DIFFER),
    "another verdict in other quotes": (f"{OBJECT} Correction: {{'rating': 'Bad'}}", DIFFER),
    "another verdict without quotes": (f"{OBJECT} Correction: {{rating: Bad}}", DIFFER),
    "another verdict with a comma too many": (f'{OBJECT} Correction: {{"rating": "Bad",}}', DIFFER),
    "another verdict on a line": (f"{OBJECT}\nRating: Bad", DIFFER),
    "another verdict within an object": (f'{OBJECT} {{"final": {{"rating": "Bad"}}}}', DIFFER),
    "another verdict within the same object": ('{"rating": "Good", "revised": {"rating": "Bad"}}', DIFFER),
    "another verdict in a list": (f'{OBJECT} [{{"rating": "Bad"}}]', DIFFER),
    "another verdict under a longer name": ('{"rating": "Good", "final_rating": "Bad"}', DIFFER),
    "another verdict under another name": (f'{OBJECT} {{"verdict": "Bad"}}', DIFFER),
    "the form said again, and a verdict in words": (f"You asked for {OBJECT}. My rating is Bad.", DIFFER),
    "a change in words": (f"{OBJECT}\nActually, Bad.", DIFFER),
    "a change behind a colon": (f"{OBJECT} Correction: **Bad**", DIFFER),
    "a change in a sentence": (f"{OBJECT}; no, it is Okay.", DIFFER),
}


@pytest.mark.parametrize("name", READ)
def test_a_verdict_is_read(name: str) -> None:
    text, rating, reading = READ[name]
    found = read_verdict(Reply(text))
    assert (found.rating, found.reading, found.reason) == (rating, reading, "")


@pytest.mark.parametrize("name", UNREAD)
def test_anything_else_is_not_read_and_says_why(name: str) -> None:
    text, reason = UNREAD[name]
    found = read_verdict(Reply(text))
    assert (found.rating, found.reading, found.reason) == (None, "none", reason)


def test_a_refusal_filed_apart_is_no_verdict_whatever_it_holds() -> None:
    assert read_verdict(Reply(OBJECT, finish_reason=REFUSAL)).reason == REFUSED


def test_thinking_that_the_limit_cut_is_no_verdict() -> None:
    found = read_verdict(Reply(f"<think>I lean to {OBJECT}", finish_reason="length"))
    assert (found.rating, found.reason) == (None, CUT_IN_THINKING)


@given(st.text(alphabet='{}[]":,ratingGoodBadOkay 3\\\n<think>/', max_size=80))
def test_no_text_breaks_it_and_each_is_read_or_has_a_reason(text: str) -> None:
    found = read_verdict(Reply(text))
    assert (found.rating in (1, 2, 3)) != (found.reason in REASONS)
