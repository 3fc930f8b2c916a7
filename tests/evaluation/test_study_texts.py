"""Files of prompts and of replies for a study: what is read, and how each fault is named with a way out."""

import pytest

from evaluation.importers.study_lines import StudyFileError
from evaluation.importers.study_texts import PromptLine, ReplyLine, read_prompts, read_replies

PROMPTS = "item_id,emotion,situation,utterance"


def prompts(*lines: str) -> list[PromptLine]:
    return read_prompts("p.csv", "\n".join(lines).encode())


def replies(*lines: str) -> list[ReplyLine]:
    return read_replies("r.csv", "\n".join(lines).encode(), ["a", "b"])


def test_prompts_are_read_in_their_order_with_texts_of_several_lines() -> None:
    found = prompts(PROMPTS, 'b,Sad,"Rain, and\nmore rain",I am wet.', "a,joyful,Sun,I am dry.")
    assert found == [
        PromptLine("b", "sad", "Rain, and\nmore rain", "I am wet."),
        PromptLine("a", "joyful", "Sun", "I am dry."),
    ]


@pytest.mark.parametrize(
    ("reason", "lines"),
    [
        ('p.csv, line 2, emotion: "blue" is not one of the 32 labels', (PROMPTS, "a,blue,s,u")),
        ("p.csv, line 3, item_id: is in line 2 already", (PROMPTS, "a,sad,s,u", "a,sad,s,u")),
        ("p.csv, line 2, valence: sad is negative", (f"{PROMPTS},valence", "a,sad,s,u,positive")),
        ("p.csv, line 2, utterance: is empty", (PROMPTS, "a,sad,s, ")),
        ("p.csv, line 2: there is no prompt", (PROMPTS,)),
        ("p.csv, line 1, header: the cells are separated by semicolons", (PROMPTS.replace(",", ";"), "a;sad;s;u")),
        ("p.csv, line 1, header: the cells are separated by tabs", (PROMPTS.replace(",", "\t"), "a\tsad\ts\tu")),
        ("p.csv, line 1, note: is no column", (f"{PROMPTS},note", "a,sad,s,u,n")),
        ("holds a sign that cannot be seen", (PROMPTS, "a,sad,s,u\u202e")),
    ],
)
def test_a_fault_of_prompts_names_line_field_and_fix(reason: str, lines: tuple[str, ...]) -> None:
    with pytest.raises(StudyFileError) as refused:
        prompts(*lines)
    assert reason in str(refused.value)
    assert "Fix: " in str(refused.value)


def test_replies_come_in_the_order_of_the_prompts_and_an_empty_one_stays_empty() -> None:
    found = replies("item_id,reply,tokens,finish_reason", "b,,0,content_filter", "a,I hear you.,4,stop")
    assert found == [ReplyLine("a", "I hear you.", 4, "stop"), ReplyLine("b", "", 0, "content_filter")]


@pytest.mark.parametrize(
    ("reason", "lines"),
    [
        ("line 2, item_id: after this line there is no reply to b", ("item_id,reply", "a,x")),
        ('line 3, item_id: "c" is no prompt of the study', ("item_id,reply", "a,x", "c,x")),
        ("line 1, header: the cells are separated by semicolons", ("item_id;reply", "a;x, y")),
        ("line 2, tokens: is no whole number", ("item_id,reply,tokens", "a,x,some")),
    ],
)
def test_a_fault_of_replies_names_line_field_and_fix(reason: str, lines: tuple[str, ...]) -> None:
    with pytest.raises(StudyFileError) as refused:
        replies(*lines)
    assert reason in str(refused.value)
    assert "Fix: " in str(refused.value)


def test_a_file_that_is_too_large_is_refused_unread() -> None:
    with pytest.raises(StudyFileError, match="larger than 20 MB"):
        read_prompts("p.csv", b"x" * 20_000_001)
