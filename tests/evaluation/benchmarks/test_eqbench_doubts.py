"""Replies of today's models in which a second number stands beside a rating, or a plain one in a rare dress."""

import json

import pytest

from evaluation.benchmarks.base import Reply
from tests.evaluation.benchmarks.standard import ITEM, first, four
from tests.evaluation.benchmarks.test_eqbench_forms import RIGHT, VALUES, each, rows

DRAFT = dict.fromkeys(ITEM.labels, 9)
TWO_SPEAKERS = [{"character": "Ann", **DRAFT}, {"character": "Bob", **RIGHT}]
DOUBTED = {
    # Behind a number in brackets
    "brackets, then another number": rows("- {name} ({other}), {value}"),
    "brackets, then a reflection": rows("**{name} ({other})** - on reflection {value}"),
    "brackets, then a change": rows("- {name} ({other}): revised to {value}"),
    "brackets, then a line": rows("- {name} ({other})\n  - Revised: {value}"),
    # In the words behind it
    "though another seems better": rows("**{name}**: {other}, though {value} seems better"),
    "a sentence behind it": rows("**{name}**: {other}. After thinking, {value} feels right"),
    "two people": rows("**{name}**: {other} for Ann, {value} for Tom"),
    "beside people": rows("**{name}**: {other}, Human: {value}"),
    "mine": rows("**{name}**: {other}; Mine: {value}"),
    "changed in words": rows("**{name}**: {other}, lowered to {word}"),
    # In the line below it
    "an arrow below": rows("**{name}**: {other}\n→ {value}"),
    "an ASCII arrow below": rows("**{name}**: {other}\n   -> {value}"),
    "after the critique": rows("**{name}**: {other}\n  After critique: {value}"),
    "a new score": rows("**{name}**: {other}\n  New score: {value}"),
    "adjusted": rows("**{name}**: {other}\n  - Adjusted to {value}"),
    "a second pass": rows("**{name}**: {other}\n  - Second pass: {value}"),
    "a revision": rows("**{name}**: {other}\n  - Revision: {value}"),
    # In front of its name
    "numbers before names": "3/10 Angry | 6/10 Hopeful | 0/10 Relieved | 8/10 Ashamed | 17 total",
    "brackets before names": "(3) Angry (6) Hopeful (0) Relieved (8) Ashamed (17) total",
    # JSON without its quotes
    "a range in JSON": '{"Angry": 3 - 5, "Hopeful": 6 - 7, "Relieved": 0 - 1, "Ashamed": 8 - 9}',
    "alternatives in JSON": '{"Angry": 3 or 5, "Hopeful": 6 or 7, "Relieved": 0 or 1, "Ashamed": 8 or 9}',
    "per cent in JSON": '{"Angry": 30 %, "Hopeful": 60 %, "Relieved": 0 %, "Ashamed": 80 %}',
    "parts of five in JSON": '{"Angry": 3 / 5, "Hopeful": 4 / 5, "Relieved": 0 / 5, "Ashamed": 2 / 5}',
    "a changed text in JSON": each("9, revised to 3"),
    "speakers in a list": json.dumps(TWO_SPEAKERS),
    "a schema with defaults": json.dumps({name: {"type": "integer", "default": 5} for name in ITEM.labels}),
    "ranks": json.dumps({"emotions": ITEM.labels, "ranks": [3, 2, 4, 1]}),
}


@pytest.mark.parametrize("reply", DOUBTED.values(), ids=DOUBTED)
def test_s2_4_of_two_numbers_that_compete_none_is_taken(reply: str) -> None:
    answer = first(reply)
    assert answer.values is None
    assert answer.reason


HTML_ROWS = rows("<tr><td>{name}</td><td>{other}</td><td>{value}</td></tr>")
PLAIN = {
    "a total below": (rows("**{name}**: {value}") + "\n\n**Final total:** 17", ""),
    "a confidence below": (rows("**{name}**: {value}") + "\n\nFinal confidence: 9/10", ""),
    "the same in brackets": (rows("**{name}**: {value}/10 ({value}0%)"), ""),
    "the same said twice": (rows("**{name} ({value})**: {value}"), ""),
    "the reason counts friends": (rows("- {name} ({value}): because 2 friends left"), ""),
    "the reason quotes minutes": (rows('**{name}**: {value} ("you have 2 minutes")'), ""),
    "a footnote of Markdown": (rows("{name}[^1]: {value}"), "footnote"),
    "a footnote behind": (rows("**{name}**: {value}[^2]"), ""),
    "a raised footnote": (rows("<b>{name}</b><sup>1</sup>: {value}"), "HTML"),
    "an emotion by its number": (rows("Emotion 1 ({name}): {value}"), ""),
    "a bar": (rows("**{name}**: ███░░░░░░░ {value}/10"), "emoji"),
    "an ASCII bar": (rows("{name}: [###-------] {value}/10"), "emoji"),
    "squares": (rows("{name}: ■■■□□□ {value}"), "emoji"),
    "circled numbers": ("Angry: ③\nHopeful: ⑥\nRelieved: ⓪\nAshamed: ⑧", "dressed number"),
    "full-width slash": (rows("**{name}**：{value}／10"), ""),
    "LaTeX columns": ("\\begin{tabular}{lc}\n" + rows(r"{name} & {value} \\") + "\n\\end{tabular}", "LaTeX"),
    "LaTeX columns with a header": (
        "\\begin{tabular}{lcc}\nEmotion & Confidence & Score \\\\\n" + rows(r"{name} & {other} & {value} \\"), "LaTeX",
    ),
    "LaTeX alignment": ("\\begin{align}\n" + rows(r"\text{{{name}}} &= {value} \\") + "\n\\end{align}", "LaTeX"),
    "LaTeX fraction": (rows(r"{name}: $\frac{{{value}}}{{10}}$"), "LaTeX"),
    "LaTeX arrow": (rows(r"**{name}**: ${other} \to {value}$"), "changed value"),
    "LaTeX struck out": (rows(r"**{name}**: \cancel{{{other}}} {value}"), "changed value"),
    "entities": (rows("{name}:&nbsp;{value}"), "HTML"),
    "HTML definitions": ("<dl>" + rows("<dt>{name}</dt><dd>{value}</dd>") + "</dl>", "HTML"),
    "HTML table by header": (
        f"<table><tr><th>Emotion</th><th>Confidence</th><th>Score</th></tr>{HTML_ROWS}</table>", "HTML",
    ),
    "notes in JSON": (
        '{"Angry": "3 - mild", "Hopeful": "6 (moderate)", "Relieved": "0, none", "Ashamed": "8/10 – no one came"}', "",
    ),
    "comments in JSON": (
        '{"Angry": 3, // not 9\n"Hopeful": 6, // was 1\n"Relieved": 0, # none\n"Ashamed": 8 // 9 at first\n}', "",
    ),
    "an arrow in JSON": (
        '{"Angry": 9 -> 3, "Hopeful": 1 -> 6, "Relieved": 9 -> 0, "Ashamed": 2 -> 8}', "changed value",
    ),
    "parts of ten in JSON": ('{"Angry": 3 / 10, "Hopeful": 6 / 10, "Relieved": 0 / 10, "Ashamed": 8 / 10}', ""),
    "passes in JSON": (json.dumps([{"pass": 1, **DRAFT}, {"pass": 2, **RIGHT}]), ""),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "flag"), PLAIN.values(), ids=PLAIN)
def test_what_can_mean_one_thing_only_is_read(reply: str, flag: str) -> None:
    answer = first(reply)
    assert (answer.values, answer.reason) == (VALUES, "")
    assert flag in answer.flags if flag else answer.flags == ()


def test_a_decimal_comma_in_json_is_a_part_of_its_number() -> None:
    assert first('{"Angry": 3,5, "Hopeful": 6,0, "Relieved": 0,5, "Ashamed": 8}').values == (3.5, 6.0, 0.5, 8.0)


def test_the_sign_for_ten_is_read_as_ten() -> None:
    assert first("Angry: 3️⃣\nHopeful: 6️⃣\nRelieved: 0️⃣\nAshamed: 🔟").values == (3.0, 6.0, 0.0, 10.0)


@pytest.mark.parametrize(
    ("written", "flag"),
    [
        *(("3／5", "other scale"), ("3⁄5", "other scale"), ("2～4", "range"), ("2〜4", "range"), ("2..4", "range")),
        *(("2…4", "range"), ("1️⃣0️⃣", "second number")),
    ],
)
def test_what_the_official_reader_leaves_behind_is_flagged_in_other_signs_too(written: str, flag: str) -> None:
    answer = first(four("{name}: {value}", values=(written, 4, 0, 2)))
    assert (answer.reading, flag in answer.flags) == ("official", True)


def test_a_reply_that_is_cut_behind_a_decimal_point_may_lack_the_decimals() -> None:
    cut = Reply(four("{name} = {value}") + ".", finish_reason="length")
    assert first(cut).flags == ("cut number",)
