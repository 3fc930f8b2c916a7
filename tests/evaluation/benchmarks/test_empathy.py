"""Gathered and judged replies: the bank, both prompts, the median of three, shares and coverage."""

import json
from itertools import product
from statistics import median
from typing import Any

import pytest

from evaluation.benchmarks import BENCHMARKS, JUDGES_OF
from evaluation.benchmarks.base import REFUSAL, Ask, Bank, BankError, Item, ItemScore, Options, Reply
from evaluation.benchmarks.empathy.scoring import certain_median
from evaluation.importers.banks import DATA_FOLDER, bank_sources, checked_bank

REPLIES, JUDGED = BENCHMARKS["empathy-replies"], BENCHMARKS["empathy-judged"]
NO_OPTIONS = Options()
HEAD = "item_id,emotion,valence,situation,utterance\n"


def row(number: int, emotion: str = "sad", valence: str = "negative") -> str:
    return f"p{number},{emotion},{valence},I lost my glove {number}.,It was the left one.\n"


def bank_of(*rows: str) -> Bank:
    return REPLIES.load({"own.csv": (HEAD + "".join(rows)).encode()})


BANK = bank_of(row(1), row(2), row(3, "joyful", "positive"), row(4, "joyful", "positive"))


def ask(item: Item, *subjects: str, attempt: int = 1) -> Ask:
    return Ask(item, 1, attempt, 0, subjects)


def judged(ratings: dict[str, tuple[Any, ...]]) -> list[ItemScore]:
    """Item id -> its ratings from 1 to 3, None for one that was not read."""
    return [
        ItemScore(item_id, repeat, "first_pass", "JSON", values_of(rating))
        for item_id, of_item in ratings.items()
        for repeat, rating in enumerate(of_item, 1)
    ]


def values_of(rating: int | None) -> tuple[float | None, ...]:
    return (None, None, None) if rating is None else (float(rating == 3), float(rating), 10.0)


# The bank


def test_the_shipped_bank_holds_two_prompts_for_each_of_32_emotions() -> None:
    source = bank_sources()["empathy"]
    bank = checked_bank(REPLIES, source, (DATA_FOLDER / source.path).read_bytes())
    groups = [item.group for item in bank.items]
    assert (len(bank.items), len(set(groups))) == (64, 32)
    assert all(groups.count(group) == 2 for group in groups)
    valences = {item.group: item.extra["valence"] for item in bank.items}
    assert list(valences.values()).count("positive") == 14
    assert valences["nostalgic"] == valences["sentimental"] == "negative"


def test_a_table_and_json_give_the_same_bank() -> None:
    rows = [dict(zip(HEAD.strip().split(","), row(1).strip().split(","), strict=True))]
    assert REPLIES.load({"own.json": json.dumps({"prompts": rows}).encode()}) == bank_of(row(1))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (HEAD, "no prompts"),
        ("item_id,emotion\n1,sad\n", "columns are missing: valence, situation, utterance"),
        (HEAD + row(1) + row(1), "prompt 2: its item_id stands in the file twice"),
        (HEAD + row(1, "sad", "mixed"), "prompt 1: valence has to be positive or negative"),
        (HEAD + row(1) + row(2, "sad", "positive"), "prompt 2: its emotion is positive in one prompt"),
        (HEAD + "p1,sad,negative,,It was the left one.\n", "prompt 1: situation is missing or empty"),
        (HEAD + f"{'x' * 41},sad,negative,a,b\n", "prompt 1: item_id has more than 40 signs"),
        ('{"prompts": []}', "prompts is missing or no list"),
        (HEAD + '"', "no CSV table"),
    ],
)
def test_a_faulty_file_is_refused_by_the_number_of_the_prompt(content: str, words: str) -> None:
    with pytest.raises(BankError, match=words):
        REPLIES.load({"own.csv": content.encode()})


# Replies


def test_the_prompt_holds_situation_and_message_and_braces_stay_as_they_are() -> None:
    (item,) = bank_of("p1,sad,negative,A {utterance} in braces.,Hello {situation}.\n").items
    (message,) = REPLIES.prompt(ask(item), NO_OPTIONS).messages
    assert message.content.endswith("Situation: A {utterance} in braces.\nMessage: Hello {situation}.\nReply:")


@pytest.mark.parametrize(
    ("reply", "words", "flags"),
    [
        (Reply("I am here for you."), 5, ()),
        (Reply("  "), 0, ("empty",)),
        (Reply("I cannot help.", finish_reason=REFUSAL), 3, ("refusal",)),
        (Reply("one " * 98), 98, ("too long",)),
        (Reply("I feel", finish_reason="length"), 2, ("cut",)),
        (Reply("<think>They are sad.</think>Oh no."), 2, ("thinking",)),
    ],
)
def test_every_reply_is_kept_with_its_length(reply: Reply, words: int, flags: tuple[str, ...]) -> None:
    item = BANK.items[0]
    reading = REPLIES.read(ask(item), None, reply, NO_OPTIONS)
    (answer,) = reading.answers
    assert reading.complete
    assert (answer.values, answer.flags) == ((None, words), flags)
    assert REPLIES.score(item, answer) == (words,)


def test_replies_never_rank_and_empty_ones_count_as_replies() -> None:
    assert REPLIES.measures == ()
    lengths = zip(BANK.items, (0.0, 4.0, 6.0, 10.0), strict=True)
    scores = [ItemScore(item.id, 1, "first_pass", "text", (length,)) for item, length in lengths]
    summary = REPLIES.summarise(scores, BANK, repeats=1, variant="")
    assert (summary.coverage, summary.reason, summary.figures["mean_length"].value) == (1.0, "", 5.0)
    assert summary.detail == {"replies": 4, "empty": 1, "longest": 10.0}


def test_too_few_replies_are_a_reason() -> None:
    scores = [ItemScore("p1", 1, "first_pass", "text", (4.0,))]
    assert REPLIES.summarise(scores, BANK, repeats=1, variant="").reason == "only 1 of 4 prompts have a reply"


# Judging


def test_the_judge_sees_the_reply_without_its_thinking_and_not_who_wrote_it() -> None:
    item = BANK.items[0]
    prompt = JUDGED.prompt(ask(item, "<think>secret</think>Poor you {x}."), NO_OPTIONS)
    system, user = prompt.messages
    assert (system.role, prompt.shown) == ("system", {"words": 3})
    assert "-----\nPoor you {x}.\n-----" in user.content
    assert "secret" not in user.content
    assert user.content.endswith('{"rating": "Good"}, {"rating": "Okay"} or {"rating": "Bad"}.')


def test_each_further_attempt_asks_in_other_words() -> None:
    texts = {JUDGED.prompt(ask(BANK.items[0], "Oh.", attempt=n), NO_OPTIONS).messages[1].content for n in (1, 2, 3)}
    assert len(texts) == 3
    assert JUDGED.generation.attempts == 3


def test_no_judgement_is_asked_for_without_a_reply_or_under_another_system_prompt() -> None:
    with pytest.raises(ValueError, match="one reply"):
        JUDGED.prompt(ask(BANK.items[0]), NO_OPTIONS)
    with pytest.raises(ValueError, match="own system prompt"):
        JUDGED.prompt(ask(BANK.items[0], "Oh."), Options("You are strict."))


def test_a_judgement_is_scored_as_good_rating_and_length() -> None:
    item = BANK.items[0]
    reading = JUDGED.read(ask(item), {"words": 7}, Reply('{"rating": "Good"}'), NO_OPTIONS)
    assert JUDGED.score(item, reading.answers[0]) == (1.0, 3.0, 7.0)
    unread = JUDGED.read(ask(item), {"words": 7}, Reply("Good"), NO_OPTIONS)
    assert not unread.complete
    assert JUDGED.score(item, unread.answers[0]) == (None, None, None)


@pytest.mark.parametrize("ratings", list(product((1, 2, 3, None), repeat=3)))
def test_the_median_of_three_counts_only_where_unread_ones_cannot_change_it(ratings: tuple[Any, ...]) -> None:
    read = [rating for rating in ratings if rating is not None]
    possible = {median(filled) for filled in product(*((rating,) if rating else (1, 2, 3) for rating in ratings))}
    expected = possible.pop() if len(possible) == 1 else None
    assert certain_median(read, 3) == expected
    if len(read) == 2:
        assert (expected is not None) == (read[0] == read[1])


def test_unread_judgements_count_in_coverage_and_never_as_bad() -> None:
    ratings = {"p1": (3, 3, 1), "p2": (1, 1, None), "p3": (3, 2, None), "p4": (2, 2, 2)}
    summary = JUDGED.summarise(judged(ratings), BANK, repeats=3, variant="judge-a")
    figures = {key: figure.value for key, figure in summary.figures.items()}
    assert figures == {
        "good": pytest.approx(100 / 3), "okay": pytest.approx(100 / 3), "bad": pytest.approx(100 / 3),
        "n": 3, "mean_length": 10, "coverage": 75,
    }  # fmt: skip
    assert (summary.n_scored, summary.coverage) == (3, 0.75)
    assert summary.reason == "only 3 of 4 replies have a judgement that could be read"
    detail: Any = summary.detail
    assert detail["medians"] == {"p1": 3, "p2": 1, "p4": 2}
    assert detail["judgements"] == {"asked": 12, "read": 10}
    assert detail["scopes"]["negative"] == {"asked": 2, "n": 2, "bad": 1, "okay": 0, "good": 1, "share": 0.5}
    assert detail["scopes"]["positive"] == {"asked": 2, "n": 1, "bad": 0, "okay": 1, "good": 0, "share": 0.0}


def test_a_judge_that_reads_nothing_has_no_share() -> None:
    summary = JUDGED.summarise([], BANK, repeats=3, variant="judge-a")
    assert (summary.figures["good"].value, summary.coverage, summary.n_scored) == (None, 0.0, 0)
    assert summary.reason


def test_the_registry_knows_what_a_judge_rates() -> None:
    assert JUDGES_OF[JUDGED.name] == REPLIES.name
