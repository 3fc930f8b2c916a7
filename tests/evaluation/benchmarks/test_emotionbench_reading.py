"""How filled-in questionnaires are read: forms, the five reasons, and random replies that never give a wrong number."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.benchmarks.base import REFUSAL as REFUSED
from evaluation.benchmarks.base import Reply
from evaluation.benchmarks.emotionbench.reading import (
    INCOMPLETE,
    OUT_OF_RANGE,
    PROVIDER_ERROR,
    REASONS,
    REFUSAL,
    UNREADABLE,
    Ratings,
    read_ratings,
)
from tests.evaluation.benchmarks.emotion_files import WORDS, numbered

VALUES = (3, 1, 4, 1, 5, 2, 2, 5, 3, 5, 4, 4, 1, 2, 3, 3, 2, 1, 4, 5)
ALL = numbered(VALUES)


def each(form: str) -> str:
    return "\n".join(form.format(n=n, word=word, v=v) for n, (word, v) in enumerate(zip(WORDS, VALUES, strict=True), 1))


def changed(place: int, line: str) -> str:
    """The reply with another line at that number from 1."""
    lines = ALL.splitlines()
    return "\n".join([*lines[: place - 1], *line.split("\n"), *lines[place:]]).replace("\n\n", "\n")


def read(text: str, order: Sequence[int] | None = None, finish_reason: str = "stop") -> Ratings:
    return read_ratings(Reply(text, finish_reason=finish_reason), WORDS, order)


LEGEND = "1 = very slightly or not at all, 2 = a little, 3 = moderately, 4 = quite a bit, 5 = extremely"
WORDED = {str(word): value for word, value in zip(WORDS, VALUES, strict=True)}
NUMBERED = {str(number): value for number, value in enumerate(VALUES, 1)}
FORMS = {
    "asked for": ALL,
    "full stops": each("{n}. {word}: {v}."),
    "of five": each("{n}. {word}: {v}/5"),
    "out of five": each("{n}. {word}: {v} out of 5"),
    "out of five in brackets": each("{n}. {word}: {v} (out of 5)"),
    "explained": each("{n}. {word}: {v} (moderately)"),
    "greeting and farewell": f"Sure! Here are my answers (1 to 5):\n\n{ALL}\n\nI hope this helps.",
    "numbers only": each("{n}. {v}"),
    "brackets": each("({n}) {v}"),
    "colons": each("{n}: {v}"),
    "dashes": each("{n} - {v}"),
    "words only": each("{word}: {v}"),
    "words without a colon": each("{word} {v}"),
    "dash behind the word": each("{n}. {word} - {v}"),
    "arrow": each("{n}. {word} -> {v}"),
    "equals": each("{word} = {v}"),
    "bold": each("**{n}. {word}:** {v}"),
    "bullets": each("- {word}: {v}"),
    "lower case": ALL.lower(),
    "table": "| # | Word | Score |\n|---|---|---|\n" + each("| {n} | {word} | {v} |"),
    "item words": each("Item {n}: {v}"),
    "one line of pairs": ", ".join(ALL.splitlines()),
    "one line of numbers and scores": each("{n}: {v}").replace("\n", ", "),
    "one line of integers": ", ".join(map(str, VALUES)),
    "blanks": " ".join(map(str, VALUES)),
    "a line each": "\n".join(map(str, VALUES)),
    "a full stop at the end": ", ".join(map(str, VALUES)) + ".",
    "two columns": each("{n} {v}"),
    "JSON by number": json.dumps(NUMBERED),
    "JSON by word": json.dumps(WORDED),
    "JSON of strings": json.dumps({key: str(value) for key, value in WORDED.items()}),
    "JSON of both": json.dumps({f"{n}. {word}": v for n, (word, v) in enumerate(WORDED.items(), 1)}),
    "JSON list": json.dumps(VALUES),
    "JSON list of objects": json.dumps([{"item": word, "score": value} for word, value in WORDED.items()]),
    "JSON of objects": json.dumps({word: {"score": value} for word, value in WORDED.items()}),
    "JSON within": json.dumps({"answers": NUMBERED}),
    "fenced": f"```json\n{json.dumps(NUMBERED, indent=1)}\n```",
    "JSON list of number and word": json.dumps(
        [{"number": n, "word": str(word), "score": v} for n, (word, v) in enumerate(zip(WORDS, VALUES, strict=True), 1)]
    ),
    "JSON list of id and emotion": json.dumps(
        [{"rating": v, "id": n, "emotion": str(word)} for n, (word, v) in enumerate(zip(WORDS, VALUES, strict=True), 1)]
    ),
    "JSON list of question and answer": json.dumps([{"question": n, "answer": v} for n, v in enumerate(VALUES, 1)]),
    "JSON with comments": json.dumps(WORDED, indent=1).replace(",\n", ", // 5 is most\n"),
    "fenced lines": f"```\n{ALL}\n```",
    "thinking": f"<think>1. {WORDS[0]}: 5? Or 2.</think>\n{ALL}",
    "mixed order": "\n".join(reversed(ALL.splitlines())),
    "questionnaire repeated first": "\n".join(f"{n}. {word}" for n, word in enumerate(WORDS, 1)) + f"\n\n{ALL}",
    "scale at the end": each("{n}. {word}: {v} on a scale of 1 to 5"),
    "what numbers mean, on one line": f"{LEGEND}\n\n{ALL}",
    "what numbers mean, below": f"{ALL}\n\n({LEGEND.replace(' = ', ': ')})",
    "what the ends mean": f"**1 = not at all / 5 = extremely**\n{each('{n}. {v}')}",
    "what numbers mean, above integers": f"{LEGEND.replace(', ', '; ')}.\n" + "\n".join(map(str, VALUES)),
    "what numbers mean, above JSON": f"{LEGEND.replace(' = ', ' - ')}\n{json.dumps(NUMBERED)}",
}  # fmt: skip

UNANSWERED = {
    "empty": ("", UNREADABLE),
    "blank": (" \n\t", UNREADABLE),
    "endpoint's error": ("[ERROR] status 500, try in 5 s", PROVIDER_ERROR),
    "refusal": ("I'm sorry, but as an AI I do not have feelings.", REFUSAL),
    "another refusal": ("I can’t rate emotions.", REFUSAL),
    "chatter": ("What a day!", UNREADABLE),
    "nineteen of twenty": ("\n".join(ALL.splitlines()[:-1]), INCOMPLETE),
    "nineteen integers": (" ".join(map(str, VALUES[:-1])), INCOMPLETE),
    "three integers": ("3, 2, 4", INCOMPLETE),
    "nineteen in JSON": (json.dumps({key: value for key, value in NUMBERED.items() if key != "7"}), INCOMPLETE),
    "nineteen and a refusal": (changed(7, "I cannot rate this one."), INCOMPLETE),
    "twenty-one integers": (" ".join(map(str, [*VALUES, 3])), UNREADABLE),
    "ten": (changed(1, "1. Sunny: 10"), OUT_OF_RANGE),
    "zero": (changed(1, "1. Sunny: 0"), OUT_OF_RANGE),
    "minus": (changed(1, "1. Sunny: -3"), OUT_OF_RANGE),
    "six among integers": (" ".join(map(str, [6, *VALUES[1:]])), OUT_OF_RANGE),
    "six in JSON": (json.dumps(NUMBERED | {"4": 6}), OUT_OF_RANGE),
    "ten before nineteen": ("\n".join(changed(1, "1. Sunny: 10").splitlines()[:-1]), OUT_OF_RANGE),
    "ten beside a half": (changed(1, "1. Sunny: 10").replace("2. Gloomy: 1", "2. Gloomy: 1.5"), OUT_OF_RANGE),
    "a half": (changed(1, "1. Sunny: 3.5"), UNREADABLE),
    "three point nought": (changed(1, "1. Sunny: 3.0"), UNREADABLE),
    "three point nought in JSON": (json.dumps(NUMBERED | {"4": 3.0}), UNREADABLE),
    "a decimal comma": (changed(1, "1. Sunny: 3,5"), UNREADABLE),
    "a range": (changed(1, "1. Sunny: 3-4"), UNREADABLE),
    "a range in words": (changed(1, "1. Sunny: 3 or 4"), UNREADABLE),
    "of ten": (changed(1, "1. Sunny: 3/10"), UNREADABLE),
    "per cent": (changed(1, "1. Sunny: 3%"), UNREADABLE),
    "a second number": (changed(1, "1. Sunny: 3 (4)"), UNREADABLE),
    "dash or minus": (changed(1, "1. Sunny -3"), UNREADABLE),
    "in words": (changed(1, "1. Sunny: moderately"), UNREADABLE),
    "all in words": ("\n".join(f"{n}. {word}: a little" for n, word in enumerate(WORDS, 1)), UNREADABLE),
    "not the word": (changed(1, "1. Not sunny: 3"), UNREADABLE),
    "two words": (changed(1, "1. Sunny and Bold: 3"), UNREADABLE),
    "an item twice": (ALL + "\n1. Sunny: 3", UNREADABLE),
    "an item twice instead of another": (changed(2, "2. Sunny: 1"), UNREADABLE),
    "a draft and a final set": (f"{ALL}\n\nFinal:\n{ALL}", UNREADABLE),
    "a draft in lines and a final set in JSON": (f"{ALL}\n{json.dumps(NUMBERED)}", UNREADABLE),
    "a key twice": ('{"1": 3, ' + json.dumps(NUMBERED)[1:], UNREADABLE),
    "a change in words": (f"{ALL}\nOn reflection item 4 is a 5.", UNREADABLE),
    "a change by word": (f"{ALL}\nOn reflection I am less Sunny, so 2.", UNREADABLE),
    "a number beside": (f"{ALL}\n4", UNREADABLE),
    "changes in words on one line": (f"{ALL}\n4 = a little, 2 = extremely", UNREADABLE),
    "changes in number words": (f"{ALL}\n1 = five, 2 = four", UNREADABLE),
    "what numbers mean, with a number beside": (f"{ALL}\n{LEGEND}, 3", UNREADABLE),
    "number of no item": (ALL + "\n21. 3", UNREADABLE),
    "a sum beside them in JSON": (json.dumps({**WORDED, "total": sum(VALUES)}), UNREADABLE),
    "numbers of unknown names in JSON": (
        json.dumps([{"place": n, "points": v} for n, v in enumerate(VALUES, 1)]),
        UNREADABLE,
    ),
    "null": (json.dumps(NUMBERED | {"4": None}), UNREADABLE),
    "the questionnaire alone": ("\n".join(f"{n}. {word}" for n, word in enumerate(WORDS, 1)), UNREADABLE),
    "thinking that never ends": (f"<think>{ALL}", UNREADABLE),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_all_answers_are_read(form: str) -> None:
    found = read(FORMS[form])
    assert found.values == VALUES, found.reason
    assert found.reason == ""


@pytest.mark.parametrize("case", UNANSWERED)
def test_an_unanswered_questionnaire_has_its_reason(case: str) -> None:
    text, reason = UNANSWERED[case]
    found = read(text)
    assert (found.values, found.reason, found.reading) == (None, reason, "none")


def test_every_reason_is_one_of_five() -> None:
    assert {reason for _, reason in UNANSWERED.values()} == set(REASONS)


def test_a_reply_that_the_endpoint_filed_as_a_refusal_is_one() -> None:
    assert read("", finish_reason=REFUSED).reason == REFUSAL


ORDER = (*range(10, 20), *range(9, -1, -1))


def test_numbers_are_those_shown() -> None:
    by_number = "\n".join(f"{place}. {VALUES[label]}" for place, label in enumerate(ORDER, 1))
    shown = [VALUES[label] for label in ORDER]
    in_json = json.dumps({str(place): value for place, value in enumerate(shown, 1)})
    for text in (numbered(VALUES, ORDER), by_number, " ".join(map(str, shown)), json.dumps(shown), in_json):
        assert read(text, ORDER).values == VALUES


def test_a_word_wins_over_its_number() -> None:
    assert read(ALL, ORDER).values == VALUES
    swapped = ALL.replace("1. Sunny", "x").replace("2. Gloomy", "1. Gloomy").replace("x", "2. Sunny", 1)
    assert read(swapped).values == VALUES
    in_json = json.dumps({f"{n}. {word}": VALUES[WORDS.index(word)] for n, word in enumerate(reversed(WORDS), 1)})
    assert read(in_json).values == VALUES
    within = {str(n): {"word": word, "score": VALUES[WORDS.index(word)]} for n, word in enumerate(reversed(WORDS), 1)}
    assert read(json.dumps(within)).values == VALUES


answer = st.integers(1, 5)
SPOILS = ("", "drop", "repeat", "zero", "six", "half", "range", "other word", "change")


@settings(max_examples=400)
@given(
    values=st.lists(answer, min_size=20, max_size=20),
    order=st.permutations(range(20)),
    form=st.sampled_from(("{n}. {word}: {v}", "{n}. {v}", "{word} - {v}", "{n}) {word} = {v}/5", "|{n}|{word}|{v}|")),
    lead=st.sampled_from(("", "Here you go (1 to 5):\n", "<think>1. Sunny: 2</think>", "I have 3 cats.\n")),
    spoil=st.sampled_from(SPOILS),
    at=st.integers(0, 19),
)  # fmt: skip
def test_replies_made_at_random_give_the_right_numbers_or_none(
    values: list[int], order: list[int], form: str, lead: str, spoil: str, at: int
) -> None:
    def line(place: int, value: object, word: str = "") -> str:
        return form.format(n=place + 1, word=word or WORDS[order[place]], v=value)

    lines = [line(place, values[order[place]]) for place in range(20)]
    spoiled = {"zero": 0, "six": 6, "half": "2.5", "range": "2-3"}.get(spoil)
    if spoiled is not None:
        lines[at] = line(at, spoiled)
    elif spoil == "drop":
        del lines[at]
    elif spoil == "repeat":
        lines.append(lines[at])
    elif spoil == "other word":
        lines[at] = line(at, values[order[at]], word=WORDS[order[(at + 1) % 20]])
    elif spoil == "change":
        lines.append(f"Change {WORDS[order[at]]} to 3, please.")
    found = read(lead + "\n".join(lines), order)
    if spoil and not (spoil == "other word" and "{word}" not in form):
        assert found.values is None
        assert found.reason in REASONS
    else:
        assert found.values == tuple(values), found.reason


@settings(max_examples=300)
@given(
    values=st.lists(answer, min_size=20, max_size=20),
    order=st.permutations(range(20)),
    shape=st.sampled_from(("number", "word", "both", "objects", "list")),
    written=st.sampled_from((int, str)),
    spoil=st.sampled_from(("", "drop", "repeat", "six", "half", "null", "true", "rest")),
    at=st.integers(0, 19),
)  # fmt: skip
def test_json_made_at_random_gives_the_right_numbers_or_none(
    values: list[int], order: list[int], shape: str, written: type, spoil: str, at: int
) -> None:
    scores: list[object] = [written(values[label]) for label in order]
    if spoil in ("six", "half", "null", "true"):
        scores[at] = {"six": 6, "half": 2.5, "null": None, "true": True}[spoil]
    keys = {"number": "{n}", "word": "{word}", "both": "{n}. {word}"}.get(shape, "{word}")
    pairs = [
        (keys.format(n=place, word=WORDS[label]), score)
        for place, (label, score) in enumerate(zip(order, scores, strict=True), 1)
    ]
    if spoil == "drop":
        del pairs[at]
    elif spoil == "repeat":
        pairs.append(pairs[at])
    if shape == "list":
        text = json.dumps([score for _, score in pairs])
    elif shape == "objects":
        text = json.dumps([{"item": name, "score": score} for name, score in pairs])
    else:
        text = "{" + ", ".join(f"{json.dumps(name)}: {json.dumps(score)}" for name, score in pairs) + "}"
    found = read(text + (f"\n{WORDS[at]}: 4" if spoil == "rest" else ""), order)
    if spoil:
        assert found.values is None
        assert found.reason in REASONS
    else:
        assert found.values == tuple(values), found.reason


@settings(max_examples=300)
@given(st.text(alphabet='123456 .:,;()[]{}"-/\nSunyBold|*=', max_size=200))
def test_noise_never_gives_a_questionnaire_of_numbers_that_were_not_written(text: str) -> None:
    found = read(text)
    assert (found.values is None) == (found.reason in REASONS)
    if found.values is not None:
        assert sum(text.count(str(number)) for number in range(1, 7)) >= 20


def test_a_very_long_reply_is_read_in_little_time() -> None:
    for text in ("1. Sunny: 3 " * 20_000, "1 " * 100_000, "{" * 100_000, "1. " * 50_000, "Sunny " * 50_000 + "3"):
        assert read(text).values is None


@pytest.mark.parametrize(
    "text",
    [
        " " * 60_000 + "x1",
        "1" + " " * 60_000 + "x",
        "," * 60_000 + "1",
        "1 " * 30_000 + "x",
        "1, " * 20_000 + "x",
        "|" * 60_000 + "1",
        ": " * 30_000 + "1",
        "-" * 60_000 + "1",
        "1." * 30_000,
        "(1) " * 15_000,
    ],
    ids=lambda text: text[:6] + text[-3:],
)
def test_a_long_line_is_no_trap(text: str) -> None:
    """Each of these takes minutes where a repetition is gone through again and again."""
    assert read(text).values is None


WRITTEN = (
    "{n}. {word}: {v}", "{n}. {v}", "**{word}**: {v}", "- {word} = {v}/5", "| {n} | {word} | {v} |",
    "{n}. {word}: {v} ({anchor})", "{word} {v}.",
)  # fmt: skip
ANCHORS = ("very slightly or not at all", "a little", "moderately", "quite a bit", "extremely")


@settings(max_examples=300)
@given(
    values=st.lists(answer, min_size=20, max_size=20),
    others=st.lists(answer, min_size=20, max_size=20),
    order=st.permutations(range(20)),
    forms=st.tuples(st.sampled_from(WRITTEN), st.sampled_from((*WRITTEN, "JSON"))),
    mixed=st.sampled_from(("halves", "draft and final", "crossed out", "one line")),
    cut=st.integers(1, 19),
)
def test_two_ways_of_writing_in_one_reply_never_give_a_wrong_number(
    values: list[int], others: list[int], order: list[int], forms: tuple[str, str], mixed: str, cut: int
) -> None:
    """Halves of one set may be read; where two sets compete for an item, nothing is."""

    def lines(form: str, places: range, given: list[int]) -> str:
        if form == "JSON":
            return json.dumps({str(place + 1): given[order[place]] for place in places})
        return "\n".join(
            form.format(n=place + 1, word=WORDS[order[place]], v=(v := given[order[place]]), anchor=ANCHORS[v - 1])
            for place in places
        )

    first, second = forms
    if mixed == "halves":
        text = f"{lines(first, range(cut), values)}\n{lines(second, range(cut, 20), values)}"
        assert read(text, order).values in (None, tuple(values))
    elif mixed == "one line":
        found = read(lines(first, range(20), values).replace("\n", ", "), order)
        assert found.values in (None, tuple(values))
    else:
        between = "\n\nFinal answer:\n" if mixed == "draft and final" else "\nNo, rather:\n"
        assert read(lines(first, range(20), others) + between + lines(second, range(20), values), order).values is None
