"""Notes, brackets and words around ratings as models of many languages write them, and numbers that are none."""

import json

import pytest

from tests.evaluation.benchmarks.standard import ITEM, first, four
from tests.evaluation.benchmarks.test_eqbench_forms import RIGHT, VALUES, rows, table

OTHER = dict(zip(ITEM.labels, (9, 1, 9, 2), strict=True))
READ = {
    # A note in the cell of the number
    "note in brackets": table("Emotion", "Score") + rows("| {name} | {value} (mild) |"),
    "note after a dash": table("Emotion", "Score", "Why") + rows("| {name} | **{value}** – mild | he lost 2 |"),
    "note after a comma": table("Emotion", "Score") + rows("| {name} | {value}/10, because he left |"),
    "note without a header": rows("| {name} | {value}; she left |"),
    # Brackets and quotes of other scripts
    "full-width scale": rows("{name}（0-10）：{value}"),
    "full-width note": rows("**{name}**（愤怒）：{value}"),
    "full-width brackets alone": rows("{name}（{value}）"),
    "lenticular brackets": rows("【{name}】：{value}/10"),
    "corner brackets": rows("「{name}」：{value}"),
    "angle quotes": rows("‹{name}›: {value}"),
    # The scale behind the number
    "out of ten in brackets": rows("**{name}**: {value} (out of 10)"),
    "scale in brackets": rows("**{name}**: {value} (0-10)"),
    "points of ten": rows("{name}：{value}分（满分10分）"),
    "French": rows("**{name}** : **{value}** sur 10"),
    "Spanish": rows("**{name}**: {value} de 10"),
    "Russian": rows("**{name}**: {value} из 10"),
    # The value that it replaces
    "down from": rows("**{name}**: {value} (down from {other})"),
    "was": rows("- {name} = {value}/10 (was {other}/10)"),
    "not": rows("**{name}**: {value}, not {other}."),
    "instead of": rows("{name} - **{value}** instead of **{other}**"),
    "reduced from": rows("**{name}**: {value} (reduced from {other}, as he has left)"),
    # Words for a score
    "Spanish word": rows("{name}: puntuación {value}"),
    "Chinese word": rows("{name} 得分：{value}"),
    "Chinese word behind the colon": rows("{name}：评分 {value}"),
    "Japanese word": rows("{name} スコア：{value}"),
    "Chinese columns": table("情绪", "置信度", "分数") + rows("| {name} | {other} | {value} |"),
    "Spanish columns": table("Emoción", "Confianza", "Puntuación") + rows("| {name} | {other} | {value} |"),
    # Names and their numbers
    "emotions by number": rows("**Emotion {value}: {name}**\nScore: {value}\n").replace("Emotion 0", "Emotion 3"),
    "a tag for the score": rows("{name}: <score>{value}</score>"),
    "a heading in the line": f"**Final scores:** {rows('{name} {value}').replace(chr(10), ', ')}",
    "bars between": rows("{name} {value}").replace("\n", " | "),
    "dots between": rows("{name} {value}/10").replace("\n", " • "),
    "bold names and a space": rows("- **{name}** {value}/10"),
    "bold numbers and a space": rows("{name} **{value}**"),
    "code and a space": rows("`{name}` `{value}`"),
    "bold pairs in a line": "**Answer:** " + rows("**{name}** {value}").replace("\n", ", "),
    "dot leaders in bold": rows("**{name}** ..... **{value}**"),
    "explanations with numbers": json.dumps({"scores": RIGHT, "explanations": dict.fromkeys(RIGHT, "9")}),
    "an item below": rows("**{name}:**\n- {value}"),
    "a quote below": rows("**{name}:**\n> {value}/10\n"),
    "items of items": rows("- {name}\n  - {value}"),
    "a bar between": rows("{name} ▓▓▓▓░░░░░░ {value}/10"),
    "the scale between": rows("{name} (0-10) {value}"),
    "dot leaders": rows("{name} ............ {value}"),
    "the scale without brackets": rows("{name} out of 10: {value}"),
    "the scale as a range": rows("{name} 0-10: {value}"),
    "a call of a tool": "<function=rate>\n" + rows("<parameter={name}>\n{value}\n</parameter>") + "\n</function>",
    "a row of TOON": "scores[1]{Angry,Hopeful,Relieved,Ashamed}:\n  3,6,0,8",
    "a word of score in front of the number": rows("{name} rating {value}"),
    "the same behind a bold name": rows("**{name}** rating {value}"),
    "the same with a bold number": rows("{name} score **{value}**"),
    "the same with of": rows("{name} rating of {value}"),
    "the same joined": rows("{name}_score: {value}"),
    "the same in a line": rows("{name} rating {value}").replace("\n", ", "),
    "of a bold name": rows("**{name}**'s rating: {value}"),
    "the number in words behind": rows("**{name}**: {value} ({word})"),
    "words that count": rows("**{name}**: {value} because two friends left her with no one"),
    "change in a column": table("Emotion", "First", "Change", "New") + rows("| {name} | {other} | 2 | {value} |"),
}


@pytest.mark.parametrize("reply", READ.values(), ids=READ)
def test_words_and_notes_around_a_rating_do_not_hide_it(reply: str) -> None:
    answer = first(reply)
    assert (answer.values, answer.reason) == (VALUES, "")


UNREAD = {
    "a count in the note": table("Emotion", "Reason") + rows("| {name} | {other} friends left |"),
    "two numbers in a cell": table("Emotion", "Score") + rows("| {name} | {other} (now {value}) |"),
    "a changed cell": table("Emotion", "Score") + rows("| {name} | {other}, lowered to {word} |"),
    "from and to": rows("**{name}**: {other} (down from 5 to {value})"),
    "was and now": rows("**{name}**: {other} (was 5, now {value})"),
    "no": rows("**{name}**: {other}, no: {value}"),
    "people in a list": json.dumps([{"name": "Ann", "scores": OTHER}, {"name": "Bob", "scores": RIGHT}]),
    "people further down": json.dumps(
        [{"character": "Ann", "a": {"b": OTHER}}, {"character": "Bob", "a": {"b": RIGHT}}]
    ),
    "bold numbers in a sentence": rows("**{name}** **{value}** times"),
    "reasons counted below": rows("**{name}:**\n- {value} insults were thrown"),
    "negative below": rows("**{name}:**\n-{value}"),
    "a header that does not fit": "So: "
    + table("Emotion", "Confidence", "Score")
    + rows("| {name} | {other} | {value} |"),
    "ordinals": "Angry - 3rd\nHopeful - 2nd\nRelieved - 4th\nAshamed - 1st",
    "ordinals in bold": "**Angry**: 3rd\n**Hopeful**: 2nd\n**Relieved**: 4th\n**Ashamed**: 1st",
    "times": rows("**{name}**: {value}x"),
    "times in a word": rows("**{name}**: {value} times"),
    "mentions": rows("{name} = {value} mentions"),
    "confidences": rows("**{name}**: {value}/10 confidence"),
    "confidences in brackets": rows("**{name}**: **{value}** (confidence)"),
    "confidences behind the name": rows("**{name} (confidence)**: {value}"),
    "weights behind the name": rows("{name} [weight] = {value}"),
    "money": rows("**{name}**: {value}€"),
    "letters": rows("{name} = {value}b"),
    "halves in words": rows("**{name}**: {value} and a half"),
    "thousands": rows("**{name}**: {value}k"),
    "degrees": rows("**{name}**: {value}°"),
    "minutes": rows("**{name}**: {value} minutes"),
    "lower": rows("**{name}**: {value} points lower"),
    "higher": rows("{name} = {value} higher"),
    "too high": rows("**{name}**: {value} too high"),
    "bounded below": rows("**{name}**: {value}+"),
    "bounded in words": rows("**{name}**: {value} or more"),
    "bounded above": rows("**{name}**: {value} at most"),
    "another in words": rows("**{name}**: {other} ({word})"),
    "another in words behind an arrow": rows("**{name}**: {other} → {word}"),
    "another in words after a doubt": rows("**{name}**: {other}, no, {word}"),
    "another in words made": rows("{name} = {other}, make that {word}."),
    "a range in words": rows("{name} = {other} or {word}"),
    "less than": rows("**{name}**: <{value}"),
    "less than with a space": rows("{name} = < {value}/10"),
    "of five": rows("{name} = {value} sur 5"),
    "of twenty": rows("**{name}** - {value}（满分20分）"),
    "places": table("Emotion", "Position") + rows("| {name} | {value} |"),
    "frequencies": table("Emotion", "Frequency") + rows("| {name} | {value} |"),
    "mentions in JSON": json.dumps({"mentions": RIGHT}),
    "changes": table("Emotion", "Change") + rows("| {name} | {value} |"),
    "an unknown tag": rows("{name}: <turn>{value}</turn>"),
    "names before a row of numbers": "Final scores: Angry Hopeful Relieved Ashamed 3 6 0 8",
    "numbers before names with dots": rows("{value} • {name}").replace("\n", " • ") + " • 4",
    "numbers before names with bars": rows("{value} | {name}").replace("\n", " | ") + " | 4",
}


@pytest.mark.parametrize("reply", UNREAD.values(), ids=UNREAD)
def test_what_is_no_rating_from_0_to_10_is_not_taken_for_one(reply: str) -> None:
    answer = first(reply)
    assert answer.values is None
    assert answer.reason


SECOND = (
    *("9 (revised to 3)", "9, on reflection 3", "9 - actually 3", "9. Wait, 3", "9 ... no, 3", "9, lowered to three"),
    *("9\n  - Revised to 3", "9\n→ 3", "9 (confidence 8)", "9; 3 at the end", "9 (three)", "9, no, three"),
)


@pytest.mark.parametrize("written", SECOND)
def test_the_official_reader_flags_each_number_that_the_tolerant_one_would_doubt(written: str) -> None:
    answer = first(four("{name}: {value}", values=(written, 6, 0, 8)))
    assert (answer.reading, answer.values) == ("official", (9.0, 6.0, 0.0, 8.0))
    assert "second number" in answer.flags


@pytest.mark.parametrize("written", ["3", "3/10", "3 (mild)", "3 because 2 friends left", "3 out of 10."])
def test_the_official_reader_flags_no_number_that_counts_something_else(written: str) -> None:
    assert first(f"Angry: {written}\nHopeful: 6\nRelieved: 0\nAshamed: 8\n\nConfidence is high.").flags == ()


LINES = rows("**{name}**: {value}")
CALL = {"name": "rate", "arguments": json.dumps(RIGHT)}
TEXTS = {
    "an answer": json.dumps({"answer": four("{name}: {value}")}),
    "a response in a fence": f"```json\n{json.dumps({'response': LINES})}\n```",
    "a message": json.dumps({"choices": [{"message": {"role": "assistant", "content": LINES}}]}),
    "with its thinking": json.dumps({"thinking": "He is sad.", "final_answer": LINES}),
    "arguments of a call": json.dumps(CALL),
    "JSON as a text": json.dumps(json.dumps(RIGHT)),
    "JSON with escaped quotes": json.dumps(RIGHT).replace('"', '\\"'),
}


@pytest.mark.parametrize("reply", TEXTS.values(), ids=TEXTS)
def test_the_one_text_of_a_reply_in_json_is_read_as_a_reply(reply: str) -> None:
    answer = first(reply)
    assert (answer.values, "JSON" in answer.flags) == (VALUES, True)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"why": LINES}),
        json.dumps({"reasoning": LINES}),
        json.dumps({"answer": LINES, "response": rows("**{name}**: {other}")}),
        json.dumps({"prompt": LINES, "answer": "I cannot say."}),
        json.dumps({"answer": LINES})[:-1],
    ],
)
def test_a_text_in_json_that_may_be_no_answer_is_not_read(reply: str) -> None:
    assert first(reply).values is None


def test_numbers_beside_a_text_in_json_win() -> None:
    assert first(json.dumps({"answer": rows("**{name}**: {other}"), "scores": RIGHT})).values == VALUES
