"""Forms of an answer that can only mean one thing are read and flagged; where two numbers compete, none is taken."""

import json

import pytest

from tests.evaluation.benchmarks.standard import DRAFT, ITEM, first, four

VALUES = (3.0, 6.0, 0.0, 8.0)
RIGHT = dict(zip(ITEM.labels, VALUES, strict=True))
WORDS = ("three", "six", "zero", "eight")
JSON_OF = json.dumps


def rows(shape: str) -> str:
    """Four lines of a shape that may use {name}, {value}, {word} and {other}, another number than the rating."""
    parts = zip(ITEM.labels, (3, 6, 0, 8), WORDS, (9, 1, 9, 2), strict=True)
    return "\n".join(shape.format(name=n, value=v, word=w, other=o) for n, v, w, o in parts)


def each(entry: object) -> str:
    """A JSON object of the four names; in the entry 3 stands for the rating and 9 for another number."""
    made = {}
    for name, value, other in zip(ITEM.labels, (3, 6, 0, 8), (9, 1, 9, 2), strict=True):
        made[name] = json.loads(json.dumps(entry).replace("3", str(value)).replace("9", str(other)))
    return json.dumps(made)


def listed(entry: dict[str, object], **around: object) -> str:
    made = []
    for name, value, other in zip(ITEM.labels, (3, 6, 0, 8), (9, 1, 9, 2), strict=True):
        made.append(
            json.loads(json.dumps(entry).replace("NAME", name).replace("3", str(value)).replace("9", str(other)))
        )
    return json.dumps({**around, "ratings": made} if around else made)


def table(*titles: str) -> str:
    """The header of a Markdown table with its rule."""
    return "|".join(["", *titles, ""]) + "\n|" + "---|" * len(titles) + "\n"


BOX = "┌─────────┬───┐\n│ Emotion │ Score │\n├─────────┼───┤\n" + rows("│ {name} │ {value} │") + "\n└─────────┴───┘"
READ = {
    # One number behind a name, in another dress
    "arrow": (rows("{name} → {value}"), "arrow"),
    "ASCII arrow": (rows("{name} -> {value}"), "arrow"),
    "double arrow": (rows("**{name}** => {value}"), "arrow"),
    "heavy arrow": (rows("- {name} ➜ {value}/10"), "arrow"),
    "emoji": (rows("{name} 😠: {value}"), "emoji"),
    "emoji in front": (rows("😠 **{name}**: {value}"), ""),
    "emoji before the number": (rows("{name}: 🔥 {value}"), "emoji"),
    "score word behind the colon": (rows("{name}: Score {value}"), "score word"),
    "score word with a colon": (rows("{name}: Score: {value}"), "score word"),
    "score of": (rows("{name}: a score of {value}"), "score word"),
    "rating in front of the colon": (rows("{name} rating: {value}"), "score word"),
    "possessive": (rows("{name}'s score: {value}"), "score word"),
    "intensity": (rows("{name} - Intensity: {value}"), "score word"),
    "emotion and score in a line": (rows("Emotion: {name}, Score: {value}"), "score word"),
    "bold emotion and score": (rows("**Emotion:** {name} | **Score:** {value}"), "score word"),
    "is": (rows("{name} is {value}"), "score word"),
    "a sentence": (rows("The score for {name} is {value}."), "score word"),
    "sentences in a row": (rows("{name} is {value}/10.").replace("\n", " "), "score word"),
    "about": (rows("{name}: ≈{value}"), "approximate"),
    "tilde": (rows("{name}: ~{value}"), "approximate"),
    "approximately": (rows("{name} = approx. {value}"), "approximate"),
    "plus": (rows("{name}: +{value}"), "dressed number"),
    "braces": (rows("{name}: {{{value}}}"), "dressed number"),
    "dollars": (rows("{name}: ${value}$"), "LaTeX"),
    "boxed": (rows(r"{name}: \boxed{{{value}}}"), "LaTeX"),
    "boxed in dollars": (rows(r"\textbf{{{name}}}: $\boxed{{{value}}}$"), "LaTeX"),
    "boxed line": (rows(r"\boxed{{{name} = {value}}}"), "LaTeX"),
    "number word": (rows("{name}: {word} ({value})"), "number word"),
    "number word after a dash": (rows("**{name}** – {word} ({value}/10)"), "number word"),
    "adjective": (rows("{name}: high ({value})"), "number word"),
    "tab": (rows("{name}\t{value}"), "CSV"),
    "space": (rows("{name} {value}"), "no separator"),
    "spaces in a row": (rows("{name} {value}").replace("\n", ", "), "no separator"),
    "a reason with a number": (rows("{name} = {value} because 2 friends left"), ""),
    "another pair behind": (rows("{name} = {value}, Pride = {other}"), ""),
    # Notes and footnotes
    "scale in square brackets": (rows("{name} [0–10]: {value}"), ""),
    "scale in braces": (rows("{name} {{0-10}}: {value}"), ""),
    "scale in words": (rows("{name} (on a scale of 0 to 10): {value}"), ""),
    "scale behind the colon": (rows("{name}: (0-10) {value}"), ""),
    "square scale behind the colon": (rows("**{name}:** [0-10] {value}"), ""),
    "note in words": (rows("{name} [towards her]: {value}"), ""),
    "footnote": ("Angry[1]: 3\nHopeful[2]: 6\nRelieved: 0\nAshamed[3]: 8", "footnote"),
    "superscript": (rows("{name}¹: {value}"), "footnote"),
    "footnote behind": (rows("{name} = {value}[1]"), ""),
    # Changed values
    "struck out": (rows("**{name}**: ~~{other}~~ {value}"), "changed value"),
    "struck out with a space": (rows("{name} = ~~{other}~~, {value}").replace(",", ""), "changed value"),
    "struck out with an arrow": (rows("{name} - ~~{other}~~ → {value}"), "changed value"),
    "score word in brackets": (rows("**{name}**: [Score: {value}/10]"), "score word"),
    "struck out in HTML": (rows("{name}: <del>{other}</del> {value}"), "changed value"),
    "struck out by signs": (rows("{name} = {other}\u0336 {value}"), "changed value"),
    "changed by an arrow": (rows("**{name}**: {other} → {value}"), "changed value"),
    "changed twice": (rows("{name} = {other} -> 5 -> {value}"), "changed value"),
    # Lines
    "number on the next line": (rows("**{name}**\n{value}"), "next line"),
    "number on the next line with a ratio": (rows("{name}\n{value}/10\n"), "next line"),
    "headings": (rows("### {name}\n**Score:** {value}\n"), "next line"),
    "headings with a reason": (
        rows("### 1. {name}\nHe lost 2.\n**Score:** {value}\n**Confidence:** {other}"), "next line",
    ),
    "numbered names": (rows("1. **{name}**\n   {value}"), "next line"),
    # YAML
    "YAML": (rows("{name}:\n  score: {value}\n  reason: he lost 2"), "YAML"),
    "YAML with the reason first": (rows("{name}:\n  reason: he lost 2\n  score: {value}"), "YAML"),
    "YAML list": (rows("- emotion: {name}\n  score: {value}"), "YAML"),
    "YAML list with the reason first": (rows("- emotion: {name}\n  reason: he said {other}\n  score: {value}"), "YAML"),
    "YAML with a confidence": (rows("{name}:\n  confidence: {other}\n  score: {value}"), "YAML"),
    "YAML with a revision": (rows("{name}:\n  score: {other}\n  revised: {value}"), "YAML"),
    "YAML in braces": (rows("{name}: {{score: {value}, reason: none}}"), "JSON"),
    # XML and HTML
    "XML": ("<scores>" + rows("<{name}>{value}</{name}>") + "</scores>", "XML"),
    "XML in lower case": (rows("<{name}>{value}</{name}>").lower(), "XML"),
    "XML nested": (rows("<{name}><reason>of {other}</reason><score>{value}</score></{name}>"), "XML"),
    "XML attribute": (rows('<emotion name="{name}">{value}</emotion>'), "XML"),
    "XML attributes": (rows('<emotion name="{name}" score="{value}"/>'), "XML"),
    "XML pairs": (rows("<emotion>{name}</emotion><score>{value}</score>"), "XML"),
    "XML items": (
        rows("<item><name>{name}</name><confidence>{other}</confidence><score>{value}</score></item>"), "XML",
    ),
    "HTML": (rows("<b>{name}</b>: {value}<br>"), "HTML"),
    "HTML list": ("<ul>" + rows("<li><strong>{name}</strong> = {value}</li>") + "</ul>", "HTML"),
    "HTML table": ("<table>" + rows("<tr><td>{name}</td><td>{value}</td></tr>") + "</table>", "HTML"),
    # JSON
    "JSON with the reason first": (each({"reason": "he lost 2", "score": 3}), "JSON"),
    "JSON with the reason behind": (each({"score": 3, "reason": "he lost 2"}), ""),
    "JSON with a confidence": (each({"confidence": 9, "score": 3}), "JSON"),
    "JSON with a revision": (each({"first": 9, "revised": 3}), "JSON"),
    "JSON with a value": (each({"why": "x", "value": "3/10"}), "JSON"),
    "JSON list": (listed({"emotion": "NAME", "reasoning": "of 2", "score": 3}), "JSON"),
    "JSON list with the score first": (listed({"score": 3, "emotion": "NAME"}), "JSON"),
    "JSON list with a confidence": (listed({"name": "NAME", "confidence": 9, "rating": 3}), "JSON"),
    "JSON list inside": (listed({"label": "NAME", "why": "9", "intensity": 3}, thoughts="Angry: 9"), "JSON"),
    "JSON with numbers in a text": (
        JSON_OF(RIGHT | {"why": "\n".join(f'"{name}": 9' for name in ITEM.labels)}), "",
    ),
    "JSON with a draft behind": (
        JSON_OF({"final": RIGHT, "draft": dict.fromkeys(ITEM.labels, 9)}), "",
    ),
    "JSON with confidences behind": (
        JSON_OF({"scores": RIGHT, "confidence": dict.fromkeys(ITEM.labels, 9)}), "",
    ),
    "JSON side by side": (JSON_OF({"emotions": ITEM.labels, "scores": VALUES}), "JSON"),
    "JSON pairs": (JSON_OF(list(zip(ITEM.labels, VALUES, strict=True))), "JSON"),
    "JSON in a fence with words": ("```json\n" + each({"why": "a", "score": 3}) + "\n```\nIt helps, 10/10!", "JSON"),
    "JSON with single quotes": (each({"reason": "a", "score": 3}).replace('"', "'"), "JSON"),
    "JSON with a comma too many": (each(3).replace("}", ",}"), ""),
    "JSON cut off in a text": (
        '{"Angry": 3, "Hopeful": 6, "Relieved": 0, "Ashamed": 8, "why": "\\"Angry\\": 9, \\"Hopeful\\": 1', "",
    ),
    "JSON keys with a suffix": (each(3).replace('":', '_score":'), ""),
    "JSON keys with a scale": (each(3).replace('":', ' (0-10)":'), ""),
    "JSON behind thinking in words": ("I first thought Angry = 9.\n" + each({"reason": "a", "score": 3}), "JSON"),
    # Tables
    "table by header": (table("Emotion", "Confidence", "Score") + rows("| {name} | {other} | {value} |"), "table"),
    "table with a revision": (table("Emotion", "First", "Revised") + rows("| {name} | {other} | {value} |"), "table"),
    "table with a reason": (table("Emotion", "Why", "Score") + rows("| {name} | he lost 2 | {value} |"), "table"),
    "table with the score first": ("| Score | Emotion |\n|---|---|\n" + rows("| {value} | {name} |"), "table"),
    "table without outer bars": (
        "Emotion | Rating | Certainty\n--- | --- | ---\n" + rows("**{name}** | {value} | {other}"), "table",
    ),
    "table with an index": (table("#", "Emotion", "Score") + rows("| {other} | {name} | {value}/10 |"), "table"),
    "box drawing": (BOX, "table"),
    "ASCII box": ("+----+---+\n" + rows("| {name} | {value} |\n+----+---+"), ""),
    "table across": ("| Angry | Hopeful | Relieved | Ashamed |\n|---|---|---|---|\n| 3 | 6 | 0 | 8 |", "table"),
    "table across with titles": (
        table("", *ITEM.labels) + "| Confidence | 9 | 1 | 9 | 2 |\n| Score | 3 | 6 | 0 | 8 |",
        "table",
    ),
    # CSV
    "CSV": (rows("{name},{value}"), "CSV"),
    "CSV with a header": ("emotion,score\n" + rows("{name},{value}"), "CSV"),
    "CSV with a reason": ("emotion,reason,score\n" + rows('{name},"he lost 2, badly",{value}'), "CSV"),
    "CSV with a confidence": ("emotion;confidence;score\n" + rows("{name};{other};{value}"), "CSV"),
    "CSV in quotes": (rows('"{name}","{value}"'), "CSV"),
    "CSV across": ("Angry,Hopeful,Relieved,Ashamed\n3,6,0,8", "CSV"),
    # Nothing but four numbers
    "bare lines": ("3\n6\n0\n8", "bare numbers"),
    "bare in a row": ("3 6 0 8", "bare numbers"),
    "bare with commas": (" 3, 6, 0, 8\n", "bare numbers"),
    "bare with ratios": ("3/10\n6/10\n0/10\n8/10", "bare numbers"),
    "bare in a list": ("- 3\n- 6\n- 0\n- 8", "bare numbers"),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "flag"), READ.values(), ids=READ)
def test_what_can_only_mean_one_thing_is_read_with_the_flag_of_its_form(reply: str, flag: str) -> None:
    answer = first(reply)
    assert (answer.values, answer.reason) == (VALUES, "")
    assert flag in answer.flags if flag else answer.flags == ()


UNREAD = {
    # Two numbers for a name
    "two columns": table("Emotion", "A", "B") + rows("| {name} | {other} | {value} |"),
    "two scores": table("Emotion", "Score", "Score") + rows("| {name} | {other} | {value} |"),
    "columns without a header": rows("| {name} | {other} | {value} |"),
    "confidence alone": table("Emotion", "Confidence") + rows("| {name} | {value} |"),
    "CSV without a header": rows("{name},{other},{value}"),
    "second number": rows("{name} = {other} {value}"),
    "second number after a comma": rows("{name} = {other}, {value}"),
    "second number in brackets": rows("**{name}**: {other} ({value})"),
    "bracket and number": rows("{name} ({other}): {value}"),
    "said and changed": rows("{name} = {other}, no, {value}"),
    "second number after a dash and a comma": rows("{name} - {other}, {value}"),
    "table with numbers in both cells": table("Emotion", "Score") + rows("| {name} (2) | {value} |"),
    "CSV with numbers in both cells": "Emotion,Score\n" + rows("{name} {other},{value}"),
    "score before the name in tabs": rows("{value}\t{name}\t{other}"),
    "said again": rows("{name} = {other} - wait, {value}"),
    "meant otherwise": rows("{name} = {other}, I mean {value}"),
    "made another": rows("{name} = {other} (make it {value})"),
    "times": rows("{name} = {other} x {value}"),
    "revised in the line": rows("{name} - {other}, revised to {value}"),
    "revised in the next line": rows("{name} = {other}\nRevised: {value}"),
    "confidence in the line": rows("{name} = {value}, confidence {other}"),
    "word and number differ": rows("{name}: two ({other})"),
    "JSON with two scores": each({"score": 9, "rating": 3}),
    "JSON with two unknown numbers": each({"a": 9, "b": 3}),
    "JSON with two lists": each([9, 3]),
    "JSON of two speakers": JSON_OF({"Ann": dict.fromkeys(ITEM.labels, 3), "Bob": RIGHT}),
    "YAML with two numbers": rows("{name}:\n  a: {other}\n  score: {other}\n  rating: {value}"),
    "XML with two numbers": rows("<{name}><score>{other}</score><rating>{value}</rating></{name}>"),
    "two numbers under a name": rows("**{name}**\n{other}\n{value}"),
    "struck out alone": rows("{name}: ~~{value}~~"),
    # The number in front of its name
    "number above": rows("{value}\n{name}") + "\n4",
    "score above": rows("Score: {value}\nEmotion: {name}") + "\nScore: 4",
    "numbers before names in a line": rows("{value} - {name}").replace("\n", " - ") + " - 4",
    "numbers before names with arrows": rows("{value} → {name}").replace("\n", " → ") + " → 4",
    "list of names": "1. Angry =\n2. Hopeful =\n3. Relieved =\n4. Ashamed =\n5. Other =",
    "list of names without colons": "1. Angry\n2. Hopeful\n3. Relieved\n4. Ashamed\n5. Other",
    "names and then numbers": "Angry\nHopeful\nRelieved\nAshamed\n3\n6\n0\n8",
    # Not a number
    "ranges": rows("{name} → 2-4"),
    "fractions": rows("{name} → ½"),
    "words": rows("{name}: {word}"),
    "not applicable": rows("{name}: N/A"),
    "negative": rows("{name} → -{value}"),
    "other scale after an arrow": rows("{name} → {value}/5"),
    "greater than": rows("{name} > {value}"),
    "prose": rows("{name} is {value} times worse"),
    "a bracketed list": "[3, 6, 0, 8]",
    "five bare numbers": "3 6 0 8 2",
    "three bare numbers": "3 6 0",
    "a numbered list of numbers": "1. 3\n2. 6\n3. 0\n4. 8",
    "bare numbers with a word": "Scores: 3 6 0 8",
    "synonyms": "Mad: 3\nOptimistic: 6\nCalm: 0\nEmbarrassed: 8",
    "misspelt": "Angyr: 3\nHopefull: 6\nRelived: 0\nAshmed: 8",
    "JSON in a text only": JSON_OF({"why": rows("{name} = {value}")}),
}  # fmt: skip


@pytest.mark.parametrize("reply", UNREAD.values(), ids=UNREAD)
def test_what_may_mean_another_thing_is_refused_with_a_reason(reply: str) -> None:
    answer = first(reply)
    assert answer.values is None
    assert answer.reason


OTHER_SCALES = (
    *("{name}: {value}/5", "{name}: {value}/100", "{name}: {value} out of 5", "{name}: {value}%", "{name}: {value} %"),
    *("{name}: 1{value}.5", "{name}: 0.{value}", "{name}: 1{value}", "{name}: {value}.7"),
)


@pytest.mark.parametrize("form", OTHER_SCALES)
def test_r08_another_scale_has_one_fate_in_plain_and_in_bold(form: str) -> None:
    plain = first(rows(form))
    for bold in ("**{name}**:", "**{name}:**", "- __{name}__:", '"{name}":'):
        dressed = first(rows(form.replace("{name}:", bold)))
        assert (dressed.values, dressed.reason) == (plain.values, plain.reason)
        assert dressed.flags == plain.flags


def test_r08_a_part_of_five_is_flagged_as_another_scale() -> None:
    assert first(rows("{name}: {value}/5")).flags == ("other scale",)
    assert first("Angry: 30\nHopeful: 60\nRelieved: 0\nAshamed: 80").flags == ("other scale", "above 10")


def test_s3_8_a_later_block_that_only_the_tolerant_reader_reads_is_flagged() -> None:
    answer = first(f"{DRAFT}\n\n**Revised scores**\n{four('**{name}**: {value}')}")
    assert (answer.reading, answer.values, answer.flags) == ("official", (9.0, 1.0, 9.0, 2.0), ("later block differs",))
    assert first(f"{DRAFT}\n\n{four('**{name}**: {value}', values=(9, 1, 9, 2))}").flags == ()
