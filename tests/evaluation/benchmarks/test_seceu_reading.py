"""How SECEU replies are read: a truth table of forms, and replies made at random that never give a wrong number."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.benchmarks.seceu.reading import (
    ALL_ZERO,
    CUT_IN_THINKING,
    DIFFERS,
    MISSING,
    MIXED_UNITS,
    NO_SCORES,
    ODD_NAME,
    REASONS,
    TWICE,
    UNCLEAR,
    read_points,
)

LABELS = ("Calm", "Worn out", "Curious", "Torn")
VALUES = (4.0, 3.0, 2.0, 1.0)
JSON = (
    '{"Emotion": [{"name": "Calm", "score": 4}, {"name": "Worn out", "score": 3}, '
    '{"name": "Curious", "score": 2}, {"name": "Torn", "score": 1}]}'
)
LINES = "Calm: 4\nWorn out: 3\nCurious: 2\nTorn: 1"

READ = {
    "published shape": JSON,
    "fenced": f"Here you are:\n```json\n{JSON}\n```",
    "end marker": f"{JSON}<end>\nQ: another story\nCalm: 1\nWorn out: 1\nCurious: 4\nTorn: 4",
    "end marker in capitals": f"{JSON} <END> Calm: 9",
    "thinking": f"<think>Calm: 9, or Torn: 1?</think>{JSON}",
    "plain list": JSON[len('{"Emotion": ') : -1],
    "a score a name": '{"Calm": 4, "Worn out": 3, "Curious": 2, "Torn": 1}',
    "other order": '{"Torn": 1, "Calm": 4, "Curious": 2, "Worn out": 3}',
    "other case and blanks": '{"calm": 4, "WORNOUT": 3, " curious ": 2, "tOrN": 1}',
    "numbered names": '{"(1) Calm": 4, "(2) Worn out": 3, "(3) Curious": 2, "(4) Torn": 1}',
    "numbers that are not the order": '{"(4) Torn": 1, "(1) Calm": 4, "(2) Worn out": 3, "(3) Curious": 2}',
    "strings": '{"Calm": "4", "Worn out": "3", "Curious": "2", "Torn": "1"}',
    "of ten": '{"Calm": "4/10", "Worn out": "3/10", "Curious": "2/10", "Torn": "1/10"}',
    "columns": '{"name": ["Calm", "Worn out", "Curious", "Torn"], "score": [4, 3, 2, 1]}',
    "four objects": '{"Calm": 4}\n{"Worn out": 3}\n{"Curious": 2}\n{"Torn": 1}',
    "four objects in a list": '[{"Calm": 4}, {"Worn out": 3}, {"Curious": 2}, {"Torn": 1}]',
    "four objects of two keys": "\n".join(
        f'{{"name": "{name}", "score": {value}}}' for name, value in zip(LABELS, VALUES, strict=True)
    ),
    "a total": '{"Calm": 4, "Worn out": 3, "Curious": 2, "Torn": 1, "Total": 10}',
    "a total among pairs": JSON[:-2] + ', {"name": "Total", "score": 10}]}',
    "an item number beside": '{"id": 7, "answer": {"Calm": 4, "Worn out": 3, "Curious": 2, "Torn": 1}}',
    "a comma too many": JSON[:-2] + ",]}",
    "score before name": '[{"score": 4, "emotion": "Calm"}, {"score": 3, "emotion": "Worn out"}, '
    '{"score": 2, "emotion": "Curious"}, {"score": 1, "emotion": "Torn"}]',
    "draft, then the answer": '{"Calm": 1, "Worn out": 1, "Curious": 4, "Torn": 4} no: ' + JSON,
    "draft without one, then the answer": '{"Calm": 1, "Worn out": 1, "Curious": 4} and now ' + JSON,
    "reasons behind that agree": f"{JSON}\n\n- **Calm (4)**: it is quiet.\n- Torn: 1, a little.",
    "lines": LINES,
    "numbered lines": "(1) Calm: 4\n(2) Worn out: 3\n(3) Curious: 2\n(4) Torn: 1",
    "list": "1. Calm: 4\n2. Worn out: 3\n3. Curious: 2\n4. Torn: 1",
    "dashes": "Calm - 4\nWorn out - 3\nCurious - 2\nTorn - 1",
    "long dashes": "Calm – 4\nWorn out — 3\nCurious – 2\nTorn — 1",
    "equals": "Calm = 4\nWorn out = 3\nCurious = 2\nTorn = 1",
    "bold": "**Calm:** 4\n**Worn out**: 3\n- Curious: **2**\n* Torn: `1`",
    "one line": "Calm: 4, Worn out: 3, Curious: 2, Torn: 1",
    "one numbered line": "(1) Calm: 4, (2) Worn out: 3, (3) Curious: 2, (4) Torn: 1",
    "one line without a sign": "Calm 4, Worn out 3, Curious 2, Torn 1.",
    "points": "Calm: 4 points\nWorn out: 3 points\nCurious: 2 pts\nTorn: 1 point",
    "of ten in lines": "Calm: 4/10\nWorn out: 3/10\nCurious: 2 / 10\nTorn: 1 out of 10",
    "of ten in brackets": "Calm: 4 (out of 10)\nWorn out: 3 (out of 10)\nCurious: 2 (out of 10)\nTorn: 1 (out of 10)",
    "per cent": "Calm: 40%\nWorn out: 30 %\nCurious: 20 percent\nTorn: 10 per cent",
    "brackets": "Calm (4)\nWorn out (3)\nCurious (2)\nTorn (1)",
    "reasons in the lines": "Calm: 4 - it is quiet.\nWorn out: 3 (the long day).\nCurious: 2, who is it?\nTorn: 1.",
    "table": "| Emotion | Score |\n|---|---|\n| Calm | 4 |\n| Worn out | 3 |\n| Curious | 2 |\n| Torn | 1 |",
    "table with numbers": "| 1 | Calm | 4 |\n| 2 | Worn out | 3 |\n| 3 | Curious | 2 |\n| 4 | Torn | 1 |\n|Total|10|",
    "table in columns": "| Curious | Torn | Calm | Worn out |\n|---|---|---|---|\n| 2 | 1 | 4 | 3 |",
    "CSV": "emotion,score\nCalm,4\nWorn out,3\nCurious,2\nTorn,1",
    "single quotes": "{'Calm': 4, 'Worn out': 3, 'Curious': 2, 'Torn': 1}",
    "a total in lines": LINES + "\nTotal: 10",
    "two sets of lines": "Calm: 1\nWorn out: 1\nCurious: 4\nTorn: 4\nLet me correct that.\n" + LINES,
    "a draft, then the final set": "Draft:\nCalm: 1\nWorn out: 1\nCurious: 4\nTorn: 4\n\nFinal:\n" + LINES,
    "the final set twice": f"Final answer:\n{LINES}\n\nOnce more:\n{LINES}",
    "options repeated first": "Options: (1) Calm; (2) Worn out; (3) Curious; (4) Torn\n" + LINES,
    "full width": "Calm：４\nWorn out：３\nCurious：２\nTorn：１",
    "bare": "4, 3, 2, 1",
    "bare with blanks": "4 3 2 1",
    "bare in brackets": "The story is sad.\n[4, 3, 2, 1]",
    "bare with a word": "Scores: 4, 3, 2, 1",
    "bare, the last wins": "1, 1, 4, 4\n\n4, 3, 2, 1",
    "bare per cent": "40%, 30%, 20%, 10%",
    "a confidence beside": "Calm: 4 (confidence 9)\nWorn out: 3\nCurious: 2, certainty: 80\nTorn: 1",
    "a revised part before its draft": json.dumps(
        {"final": dict(zip(LABELS, VALUES, strict=True)), "first": dict.fromkeys(LABELS, 1)}
    ),
    "a part of confidences behind": json.dumps(
        {"scores": dict(zip(LABELS, VALUES, strict=True)), "confidence": dict.fromkeys(LABELS, 9)}
    ),
    "JSON with comments": '{"Calm": 4, // not 1\n"Worn out": 3,\n"Curious": 2, // was 4\n"Torn": 1\n}',
}  # fmt: skip

UNREAD = {
    "empty": ("", NO_SCORES),
    "refusal": ("I'm sorry, but I cannot rate feelings.", NO_SCORES),
    "thinking only": ("<think>Calm: 4, Worn out: 3, Curious: 2, Torn: 1", CUT_IN_THINKING),
    "one missing in JSON": ('{"Calm": 4, "Worn out": 3, "Curious": 2}', MISSING),
    "one missing in lines": ("Calm: 4\nWorn out: 3\nCurious: 2", MISSING),
    "a name twice in lines": ("Calm: 4\nCalm: 3\nWorn out: 3\nCurious: 2\nTorn: 1", TWICE),
    "a name twice instead of another": ("Calm: 4\nCalm: 3\nCurious: 2\nTorn: 1", TWICE),
    "a name twice in JSON": (JSON[:-2] + ', {"name": "Calm", "score": 2}]}', TWICE),
    "a JSON key twice": ('{"Calm": 4, "Calm": 5, "Worn out": 3, "Curious": 2, "Torn": 1}', ODD_NAME),
    "a full set and one more": (LINES + "\nCalm: 5", TWICE),
    "JSON and one more": (JSON + "\nOn reflection, Calm: 5", DIFFERS),
    "JSON and another set": (JSON + "\nCalm: 1\nWorn out: 2\nCurious: 3\nTorn: 4", DIFFERS),
    "a final set and then another": (
        f"**Final answer:**\n{LINES}\n\nAn alternative:\n1. Calm: 1\n2. Worn out: 2\n3. Curious: 3\n4. Torn: 4",
        DIFFERS,
    ),
    "JSON and other bare numbers": (JSON + "\nFinal: none\n1, 2, 3, 4", DIFFERS),
    "lines and other bare numbers": (LINES + "\n1, 2, 3, 4", DIFFERS),
    "a fifth option": ('{"Calm": 4, "Worn out": 3, "Curious": 2, "Torn": 1, "Sad": 2}', ODD_NAME),
    "a range": (LINES.replace("Calm: 4", "Calm: 3-4"), UNCLEAR),
    "a range in words": (LINES.replace("Calm: 4", "Calm: 3 to 4"), UNCLEAR),
    "a range in JSON": ('{"Calm": "3-4", "Worn out": 3, "Curious": 2, "Torn": 1}', UNCLEAR),
    "a changed number": (LINES.replace("Calm: 4", "Calm: 3 → 4"), UNCLEAR),
    "a sum": (LINES.replace("Calm: 4", "Calm: 2 + 2 = 4"), UNCLEAR),
    "a second number": (LINES.replace("Calm: 4", "Calm: 4 (5)"), UNCLEAR),
    "a second column": ("| Calm | 4 | 6 |\n| Worn out | 3 | 3 |\n| Curious | 2 | 1 |\n| Torn | 1 | 0 |", UNCLEAR),
    "a decimal comma": (LINES.replace("Calm: 4", "Calm: 3,5"), UNCLEAR),
    "of five": (LINES.replace("Calm: 4", "Calm: 4/5"), UNCLEAR),
    "of a hundred": (LINES.replace("Calm: 4", "Calm: 4/100"), UNCLEAR),
    "dash or minus": (LINES.replace("Calm: 4", "Calm -4"), UNCLEAR),
    "minus apart": (LINES.replace("Calm: 4", "Calm: - 4"), UNCLEAR),
    "no number": ('{"Calm": NaN, "Worn out": 3, "Curious": 2, "Torn": 1}', UNCLEAR),
    "endless": ('{"Calm": 1e999, "Worn out": 3, "Curious": 2, "Torn": 1}', UNCLEAR),
    "seven digits": (f'{{"Calm": {"9" * 7}, "Worn out": 3, "Curious": 2, "Torn": 1}}', UNCLEAR),
    "thousands of digits": (f'{{"Calm": {"9" * 5000}, "Worn out": 3, "Curious": 2, "Torn": 1}}', UNCLEAR),
    "null": ('{"Calm": null, "Worn out": 3, "Curious": 2, "Torn": 1}', UNCLEAR),
    "true": ('{"Calm": true, "Worn out": 3, "Curious": 2, "Torn": 1}', UNCLEAR),
    "revised in the line": ("Calm: 1 (revised to 4)\nWorn out: 3\nCurious: 2\nTorn: 1", UNCLEAR),
    "revised behind a comma": ("Calm: 1, revised: 4\nWorn out: 3\nCurious: 2\nTorn: 1", UNCLEAR),
    "on reflection": ("Calm: 1; on reflection 4\nWorn out: 3\nCurious: 2\nTorn: 1", UNCLEAR),
    "two people": ("Calm: 1 for Ann, 4 for Tom\nWorn out: 3\nCurious: 2\nTorn: 1", UNCLEAR),
    "revised below": ("Calm: 1\n  Revised: 4\nWorn out: 3\nCurious: 2\nTorn: 1", UNCLEAR),
    "an arrow below": ("Calm: 1\n  → 4\nWorn out: 3\nCurious: 2\nTorn: 1", UNCLEAR),
    "revised behind brackets": ("Calm (1) - revised to 4\nWorn out: 3\nCurious: 2\nTorn: 1", UNCLEAR),
    "two people in JSON": (
        json.dumps({"Ann": dict.fromkeys(LABELS, 1), "Tom": dict(zip(LABELS, VALUES, strict=True))}),
        DIFFERS,
    ),
    "mixed units": ("Calm: 40%\nWorn out: 3\nCurious: 2\nTorn: 1", MIXED_UNITS),
    "mixed units in JSON": ('{"Calm": "40%", "Worn out": 3, "Curious": 2, "Torn": 1}', MIXED_UNITS),
    "options repeated only": ("(1) Calm; (2) Worn out; (3) Curious; (4) Torn", NO_SCORES),
    "numbers before the names": ("4 - Calm, 3 - Worn out, 2 - Curious, 1 - Torn, 10 in all", MISSING),
    "points before the names": ("4 Calm, 3 Worn out, 2 Curious, 1 Torn", NO_SCORES),
    "three bare numbers": ("4, 3, 2", NO_SCORES),
    "five bare numbers": ("4, 3, 2, 1, 10", NO_SCORES),
    "bare with a range": ("4, 3, 2-3, 1", NO_SCORES),
    "bare with decimal commas": ("1,5 3,5", NO_SCORES),
    "bare mixed units": ("40%, 3, 2, 1", NO_SCORES),
    "four lines of one number": ("4\n3\n2\n1", NO_SCORES),
    "a sentence with numbers": ("I give 4, 3, 2, 1 in some order.", NO_SCORES),
    "only brackets": ("[" * 5000, UNCLEAR),
}  # fmt: skip


@pytest.mark.parametrize("form", READ)
def test_a_reply_is_read_in_the_order_of_the_options(form: str) -> None:
    found = read_points(READ[form], LABELS)
    assert found.values is not None, found.reason
    per_cent = 10 if "per cent" in form else 1
    assert found.values == tuple(per_cent * value for value in VALUES)
    assert found.reason == ""


@pytest.mark.parametrize("form", UNREAD)
def test_an_unclear_reply_is_no_answer(form: str) -> None:
    text, reason = UNREAD[form]
    found = read_points(text, LABELS)
    assert (found.values, found.reason) == (None, reason)


def test_reasons_are_our_own_fixed_words() -> None:
    assert {reason for _, reason in UNREAD.values()} | {ALL_ZERO} == set(REASONS)


@pytest.mark.parametrize(
    ("text", "first"),
    [("Calm: -4\nWorn out: -2\nCurious: -2\nTorn: 2", -4),
     ('{"Calm": -4, "Worn out": -2, "Curious": -2, "Torn": 2}', -4),
     ("Calm – -4\nWorn out - -2\nCurious - -2\nTorn - 2", -4), ("-4, -2, -2, 2", -4)],
)  # fmt: skip
def test_a_clear_minus_is_read(text: str, first: float) -> None:
    assert read_points(text, LABELS).values == (first, -2, -2, 2)


def test_bare_numbers_stand_in_the_order_shown() -> None:
    order = (2, 0, 3, 1)  # first "Curious" was shown, then "Calm"
    assert read_points("2, 4, 1, 3", LABELS, order).values == VALUES
    assert read_points(JSON, LABELS, order).values == VALUES


def test_a_name_within_another_word_is_not_the_option() -> None:
    assert read_points("Calmness: 9\nCalm: 4\nWorn out: 3\nCurious: 2\nTorn: 1", LABELS).values == VALUES
    assert read_points("Uncalm: 4\nWorn out: 3\nCurious: 2\nTorn: 1", LABELS).reason == MISSING


def test_chinese_options_are_read() -> None:
    labels = ("平静", "疲惫", "好奇", "矛盾")
    for text in (
        '{"平静": 4, "疲惫": 3, "好奇": 2, "矛盾": 1}',
        "（1）平静：4分\n（2）疲惫：3分\n（3）好奇：2分\n（4）矛盾：1分",
        "平静：4，疲惫：3，好奇：2，矛盾：1。总分：10",
    ):
        assert read_points(text, labels).values == VALUES, text


FORMS = ("{name}: {value}", "{name} - {value}", "**{name}** = {value}", "| {name} | {value} |", "({n}) {name}: {value}")
number = st.decimals(0, 10, places=1).map(lambda value: f"{value.normalize():f}")


def joined(lines: Sequence[str], style: str) -> str:
    return {"lines": "\n", "blank lines": "\n\n", "one line": "; "}[style].join(lines)


@settings(max_examples=300)
@given(
    values=st.lists(number, min_size=4, max_size=4),
    order=st.permutations(range(4)),
    form=st.sampled_from(FORMS),
    style=st.sampled_from(("lines", "blank lines", "one line")),
    before=st.sampled_from(("", "Sure!\n", "She lost 3 of 4 games.\n", "<think>Calm: 9</think>")),
    spoil=st.sampled_from(("", "drop", "repeat", "range", "unit", "word")),
    at=st.integers(0, 3),
)  # fmt: skip
def test_replies_made_at_random_give_the_right_numbers_or_none(
    values: list[str], order: list[int], form: str, style: str, before: str, spoil: str, at: int
) -> None:
    lines = [form.format(n=place + 1, name=LABELS[label], value=values[label]) for place, label in enumerate(order)]
    spoiled = {
        "": lines,
        "drop": lines[:at] + lines[at + 1 :],
        "repeat": [*lines, lines[at]],
        "range": [*lines[:at], form.format(n=1, name=LABELS[order[at]], value="2-3"), *lines[at + 1 :]],
        "unit": [*lines[:at], form.format(n=1, name=LABELS[order[at]], value="20%"), *lines[at + 1 :]],
        "word": [*lines[:at], form.format(n=1, name=LABELS[order[at]], value="some"), *lines[at + 1 :]],
    }[spoil]
    found = read_points(before + joined(spoiled, style), LABELS)
    if spoil:
        assert found.values is None
        assert found.reason in REASONS
    else:
        assert found.values == tuple(map(float, values)), found.reason


def as_json(pairs: Sequence[tuple[str, object]], shape: str) -> str:
    if shape == "published":
        return json.dumps({"Emotion": [{"name": name, "score": value} for name, value in pairs]})
    if shape == "four values":
        return "\n".join(json.dumps({name: value}) for name, value in pairs)
    if shape == "columns":
        return json.dumps({"name": [name for name, _ in pairs], "score": [value for _, value in pairs]})
    return "{" + ", ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in pairs) + "}"


@settings(max_examples=300)
@given(
    values=st.lists(st.integers(-20, 20), min_size=4, max_size=4),
    order=st.permutations(range(4)),
    shape=st.sampled_from(("published", "four values", "columns", "map")),
    written=st.sampled_from((int, float, str)),
    after=st.sampled_from(("", "<end> Calm: 9", "\nThat is how Ann feels, 10 in all.")),
    spoil=st.sampled_from(("", "drop", "repeat", "range", "unit", "null", "fifth", "rest")),
    at=st.integers(0, 3),
)  # fmt: skip
def test_json_made_at_random_gives_the_right_numbers_or_none(
    values: list[int], order: list[int], shape: str, written: type, after: str, spoil: str, at: int
) -> None:
    pairs: list[tuple[str, object]] = [(LABELS[label], written(values[label])) for label in order]
    name = pairs[at][0]
    spoils: dict[str, list[tuple[str, object]]] = {
        "drop": pairs[:at] + pairs[at + 1 :],
        "repeat": [*pairs, pairs[at]],
        "fifth": [*pairs, ("Angry", 2)],
        **{
            key: [*pairs[:at], (name, value), *pairs[at + 1 :]]
            for key, value in (("range", "2-3"), ("unit", "20%"), ("null", None))
        },
    }
    after = f"\nSo {name}: 77" if spoil == "rest" else after
    found = read_points(as_json(spoils.get(spoil, pairs), shape) + after, LABELS)
    if spoil in ("", "fifth") and not (spoil and shape != "four values"):
        assert found.values == tuple(map(float, values)), found.reason
    else:
        assert found.values is None
        assert found.reason in REASONS


@settings(max_examples=300)
@given(st.text(alphabet='CalmWornutiosT 0123456789.,:;-–/%()[]{}"\n|<>*', max_size=200))
def test_noise_never_fails_and_gives_four_finite_numbers_or_a_reason(text: str) -> None:
    found = read_points(text, LABELS)
    assert (found.values is None) == bool(found.reason)
    assert found.values is None or len(found.values) == 4


def test_a_very_long_reply_is_read_in_little_time() -> None:
    for text in ("Calm: 4, " * 200_000, "{" * 200_000, "Calm" + " " * 200_000 + ": 4", "1, 2, 3, " * 50_000):
        assert read_points(text, LABELS).values is None


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
    assert read_points(text, LABELS).values is None
