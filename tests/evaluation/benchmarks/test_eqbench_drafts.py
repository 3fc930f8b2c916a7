"""Drafts in replies that go on to rate anew: where the reply was cut on its way, the draft is no answer."""

import json

import pytest

from evaluation.benchmarks.base import Reply
from tests.evaluation.benchmarks.standard import DRAFT, ITEM, OK, first, four, strict_points
from tests.evaluation.benchmarks.test_eqbench_forms import RIGHT, VALUES, rows, table

BOLD = four("**{name}**: {value}")
BOLD_DRAFT = rows("**{name}**: {other}")
FIRST = dict(zip(ITEM.labels, (9, 1, 9, 2), strict=True))
BEGUN = "**Angry**: 3\n**Hopeful**: 6\n**Rel"
UNDER_WAY = {
    "begun anew": f"{BOLD_DRAFT}\n\nLet me redo it:\n{BEGUN}",
    "begun plainly": f"{BOLD_DRAFT}\n\nAfter reflection:\nAngry: 3\nHope",
    "a heading": f"{BOLD_DRAFT}\n\n**Final scores:**\n",
    "a short heading": f"{BOLD_DRAFT}\n\nRevised:\n",
    "a heading in the middle": f"{BOLD_DRAFT}\n\n## Updated ratings\n\nAnger seemed",
    "JSON": f'{{"first_pass": {json.dumps(FIRST)}, "revised": {{"Angry": 3, "Hop',
    "JSON before its revision": f'{{"initial": {json.dumps(FIRST)}, "critique": "9 is too',
    "JSON records": json.dumps([{"emotion": n, "first": FIRST[n], "revised": RIGHT[n]} for n in RIGHT])[:-16],
    "XML": "<first_pass>" + rows("<{name}>{other}</{name}>") + "</first_pass><revised><Angry>3</Angry><Hop",
    "a table": table("Emotion", "First", "Revised") + rows("| {name} | {other} | {value} |")[:-5],
    "two tables": table("Emotion", "First")
    + rows("| {name} | {other} |")
    + f"\n\n{table('Emotion', 'Revised')}| Angry |",
    "headings": rows("### {name}\n**First:** {other}\n**Final:** {value}\n")[:-14],
    "arrows": rows("**{name}**: {other} → {value}")[:-2],
}


@pytest.mark.parametrize("reply", UNDER_WAY.values(), ids=UNDER_WAY)
def test_a_draft_is_no_answer_where_the_reply_was_cut_on_its_way_to_another(reply: str) -> None:
    answer = first(Reply(reply, finish_reason="length"))
    assert (answer.values, answer.reason, answer.flags) == (None, "cut off", ("cut off",))


CSV = "emotion,confidence,score\n" + rows("{name},{value},{other}")
LATER = {
    "another CSV": f"{CSV}\n\nscore,emotion,certainty\n{rows('{value},{name},{other}')}",
    "another CSV right below": f"{CSV}\nemotion,score,certainty\n{rows('{name},{value},{other}')}",
    "another CSV with another sign": f"{CSV}\n\nemotion;score;certainty\n{rows('{name};{value};{other}')}",
    "headings behind two forms": "> Angry:\n9\n> **Hopeful**:\nscore: 1\n> Relieved:\n9\n> Ashamed:\n2\n\nNow:\n"
    + rows("### {name}\n**Score:** {value}\n"),
    "another row of names": "Angry,Hopeful,Relieved,Ashamed\n9,1,9,2\n\nAngry,Hopeful,Relieved,Ashamed\n3,6,0,8",
    "another table below a line": table("Emotion", "Confidence", "Score")
    + rows("| {name} | {value} | {other} |")
    + "\n---\n"
    + table("Emotion", "Score", "Confidence")
    + rows("| {name} | {value} | {other} |"),
    "another table right below": table("Emotion", "Confidence", "Score")
    + rows("| {name} | {value} | {other} |")
    + "\n"
    + table("Emotion", "Score", "Confidence")
    + rows("| {name} | {value} | {other} |"),
    "headings behind JSON": json.dumps(FIRST) + "\n\nNow:\n" + rows("### {name}\n**Score:** {value}\n"),
    "YAML behind lines": BOLD_DRAFT + "\n\nNow:\n" + rows("- emotion: {name}\n  score: {value}"),
}


@pytest.mark.parametrize("reply", LATER.values(), ids=LATER)
def test_of_two_answers_in_unlike_forms_the_later_one_is_read(reply: str) -> None:
    assert first(reply).values == VALUES


@pytest.mark.parametrize(
    "end", [rows("- score: {value}\n  emotion: {name}"), rows("{name}: about {word}") + "\nOf 10."]
)
def test_an_answer_whose_revision_cannot_be_read_is_none(end: str) -> None:
    assert first(f"{BOLD_DRAFT}\n\n**Final scores**\n{end}").values is None
    assert first(f"{BOLD}\n\nFinal scores:\nAll as above, of 10.").values == VALUES


CORRECTIONS = (
    *("Actually, Angry should be 3.", "I'd lower Angry to 3.", "Correction: **Angry**: 3", "On reflection, Angry = 3."),
    *(
        "Wait, angry should be **3**, not 9.",
        "Adjusting Relieved to 0.",
        "Relieved is now 0.",
        "I would change Ashamed to 8.",
    ),
)


@pytest.mark.parametrize("line", CORRECTIONS)
def test_a_rating_that_is_corrected_below_the_answer_is_none(line: str) -> None:
    assert first(f"{BOLD_DRAFT}\n\n{line}").values is None


@pytest.mark.parametrize(
    "line",
    [
        "Still, Angry = 9 would be fair.",
        "Angry should be 3 at this point.",
        "She lowers her voice; Angry is right, at 9 pm.",
        "I changed Angry to 3 since 2 friends left.",
        "Angry people wait 5 minutes.",
    ],
)
def test_a_sentence_below_the_answer_that_corrects_nothing_leaves_it(line: str) -> None:
    assert first(f"{BOLD}\n\n{line}").values == VALUES


ENOUGH = {
    "an explanation": f"{BOLD}\n\n**Explanation:** She is angry (3 of 10) but hopef",
    "the same again": f"{BOLD}\n\nSo:\n**Angry**: 3\n**Hop",
    "a sentence": f"{BOLD}\n\nThese final scores reflect that she",
    "a total": f"{BOLD}\n\nTotal: 17\nAver",
    "a table with words": f"{table('Emotion', 'Score', 'Why')}{rows('| {name} | {value} | he lost 2 |')}"[:-10],
    "other names": f"{BOLD}\n\nDialogue 2\n**Bored**: 4\n**Shy",
    "a whole revision": f"{BOLD_DRAFT}\n\nRevised scores:\n{BOLD}\n\nI",
    "a whole revision in JSON": f'{{"first_pass": {json.dumps(FIRST)}, "revised": {json.dumps(RIGHT)}, "why": "She',
}


@pytest.mark.parametrize("reply", ENOUGH.values(), ids=ENOUGH)
def test_what_follows_an_answer_in_a_cut_reply_does_not_take_it_back(reply: str) -> None:
    assert first(Reply(reply, finish_reason="length")).values == VALUES


@pytest.mark.parametrize("end", [BEGUN, "Angry: 3\nHopeful: 6\nRel", '{"Angry": 3, "Ho', "**Final answer**\n"])
def test_an_official_answer_is_flagged_where_a_cut_reply_had_begun_another(end: str) -> None:
    answer = first(Reply(f"Draft:\n{DRAFT}\n\nNow:\n{end}", finish_reason="length"))
    assert (answer.reading, answer.flags) == ("official", ("later block differs",))
    assert "later block differs" not in first(Reply(f"{OK}\n\nSo:\nAngry: 3\nHope", finish_reason="length")).flags


@pytest.mark.parametrize(
    "name", ["pondering", "work", "step", "evaluation", "réflexion", "pensamiento", "emotion_check"]
)
@pytest.mark.parametrize("draft", [DRAFT, BOLD_DRAFT], ids=["plain", "bold"])
def test_a_draft_in_any_tag_gives_way_to_the_ratings_behind_it(name: str, draft: str) -> None:
    element = f"<{name}>\n{draft}\n</{name}>"
    assert first(f"{element}\n{BOLD}").values == VALUES
    assert strict_points(f"{element}\n{OK}") == 10.0
    cut = first(Reply(f"{element}\n{BEGUN}", finish_reason="length"))
    assert (cut.values, cut.reason) == (None, "cut off")


@pytest.mark.parametrize("draft", [DRAFT, BOLD_DRAFT], ids=["plain", "bold"])
@pytest.mark.parametrize("name", ["pondering", "work", "evaluation", "pesquisa"])
@pytest.mark.parametrize("end", ["", "\nBut wait", "</{name}>", "</{name}>\nSo"])
def test_a_draft_in_any_tag_is_no_answer_where_the_reply_was_cut(name: str, draft: str, end: str) -> None:
    answer = first(Reply(f"<{name}>\n{draft}{end.format(name=name)}", finish_reason="length"))
    assert (answer.values, answer.reason) == (None, "cut off in thinking")


@pytest.mark.parametrize("name", ["answer", "scores", "emotions", "result"])
def test_a_tag_of_the_answer_that_was_cut_still_holds_it(name: str) -> None:
    assert first(Reply(f"<{name}>\n{OK}\n", finish_reason="length")).values == VALUES
    assert first(Reply(f"<{name}>" + rows("<{name}>{value}</{name}>"), finish_reason="length")).values == VALUES


def test_a_tag_that_opens_behind_a_draft_takes_it_back_where_the_reply_was_cut() -> None:
    for end in ("<second_look>\nBut wait", "<final>\n", "<note>Hm.</note><checking>"):
        cut = first(Reply(f"{BOLD_DRAFT}\n{end}", finish_reason="length"))
        assert (cut.values, cut.reason) == (None, "cut off")
        plain = first(Reply(f"{DRAFT}\n{end}", finish_reason="length"))
        assert (plain.reading, plain.flags) == ("official", ("later block differs",))
    for end in ("<note>Hm.</note>", "<br>", "<end_of_turn>"):
        assert first(Reply(f"{BOLD}\n{end}", finish_reason="length")).values == VALUES


@pytest.mark.parametrize(
    "reply",
    [
        f"<pondering>{OK}</pondering>\nThat is all.",
        f"<emotion_profile>\n{OK}\n</emotion_profile>\n<why>Angry (3): he left.</why>",
        f"<answer>{OK}</answer>\n<p>**Angry**: 9 would be too much.</p>",
        f"<div>{OK}</div>\n**Angry**: 9 would be too much.",
        f"<pondering>Angry: 9</pondering>\n{OK}",
    ],
)
def test_a_tag_around_the_answer_itself_takes_nothing_off(reply: str) -> None:
    assert strict_points(reply) == 10.0


FIXED = {
    "the first": (f"Angyr: 9\nHopeful: 1\nRelieved: 9\nAshamed: 2\n\nRevised:\n{OK}\nTotal: 17", None),
    "the third": (f"Angry: 9\nHopeful: 1\nRelived: 9\nAshamed: 2\n\nRevised:\n{OK}\nTotal: 17", VALUES),
    "two": (f"Angry: 9\nHopfull: 1\nRelieved: 9\nAshmed: 2\n\nRevised:\n{OK}\nTotal: 17", VALUES),
    "a third block": (f"Angyr: 9\nHopeful: 1\nRelieved: 9\nAshamed: 2\n\n{DRAFT}\n\nFinal:\n{BOLD}", None),
    "in the revision": (f"{BOLD_DRAFT}\n\nRevised:\n{BOLD.replace('Relieved', 'Relived')}", None),
    "two in the revision": (f"{BOLD_DRAFT}\n\nRevised:\nAngry = 3, Hopeful = 6, Relief = 0, Shame = 8", None),
}


@pytest.mark.parametrize(("reply", "values"), FIXED.values(), ids=FIXED)
def test_a_draft_with_a_name_misspelt_does_not_mix_with_its_revision(
    reply: str, values: tuple[float, ...] | None
) -> None:
    assert first(reply).values == values
