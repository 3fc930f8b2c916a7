"""Replies that rate several people where the prompt asks about one."""

import json

import pytest

from tests.evaluation.benchmarks.standard import DRAFT, OK, first, four
from tests.evaluation.benchmarks.test_eqbench_forms import RIGHT, VALUES, rows, table

BOLD, BOLD_DRAFT = four("**{name}**: {value}"), rows("**{name}**: {other}")
PEOPLE = (
    *(("Ann:", "Tom:"), ("**Ann**", "**Tom**"), ("### Ann", "### Tom"), ("Ann's scores:", "Tom's scores:")),
    *(("For Ann:", "For Tom:"), ("Emotions of Ann", "Emotions of Tom"), ("[Ann]", "[Tom]"), ("1. Ann", "2. Tom")),
    *(("Character 1:", "Character 2:"), ("Speaker A:", "Speaker B:"), ("Her:", "Him:"), ("Wife", "Husband")),
    *(("Ann (mother)", "Tom (son)"), ("Ann Smith", "Tom Brown"), ("Für Anna:", "Für Max:")),
)


@pytest.mark.parametrize(("one", "other"), PEOPLE)
def test_of_the_ratings_of_several_people_the_tolerant_reading_takes_none_and_the_official_one_is_flagged(
    one: str, other: str
) -> None:
    answer = first(f"{one}\n{BOLD_DRAFT}\n\n{other}\n{BOLD}")
    assert (answer.values, answer.reason) == (None, "Angry missing (saw several people)")
    plain = first(f"{one}\n{DRAFT}\n\n{other}\n{OK}")
    assert (plain.reading, plain.values, plain.flags) == ("official", VALUES, ("several people",))


FORMS = {
    "in the line": rows("Ann: **{name}**: {other}") + "\n" + rows("Tom: **{name}**: {value}"),
    "in brackets": rows("{name} (Ann) = {other}") + "\n" + rows("{name} (Tom) = {value}"),
    "JSON": f"Ann:\n```json\n{json.dumps(dict.fromkeys(RIGHT, 9))}\n```\nTom:\n```json\n{json.dumps(RIGHT)}\n```",
    "tables": f"Ann\n{table('Emotion', 'Score')}{rows('| {name} | {other} |')}\n\n"
    f"Tom\n{table('Emotion', 'Score')}{rows('| {name} | {value} |')}",
    "rows": f"Ann: {rows('{name} = {other}')}\nTom: {rows('{name} = {value}')}".replace("\nH", ", H")
    .replace("\nR", ", R")
    .replace("\nA", ", A"),
    "three": f"Ann\n{BOLD}\n\nTom\n{BOLD_DRAFT}\n\nSue\n{BOLD}",
}


@pytest.mark.parametrize("reply", FORMS.values(), ids=FORMS)
def test_several_people_are_seen_in_other_forms_too(reply: str) -> None:
    assert first(reply).values is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Draft:", "Answer:"), ("First pass scores:", "Revised scores:"), ("Initial scores", "Final scores")),
        *(("Ann:", "Final scores:"), ("Ann (first)", "Ann (revised)"), ("Ann:", "Ann:"), ("Let me see.", "So:")),
        *(("Baseline", "Refined"), ("Dialogue 1", "Dialogue 2"), ("", "Now:"), ("Ann", "On reflection:"), ("Ann", "")),
        *(("Emotion Scores", "Reconsidered Scores"), ("My guess", "My verdict")),
    ],
)
def test_the_last_block_is_read_where_the_headings_name_no_two_people(one: str, other: str) -> None:
    assert first(f"{one}\n{BOLD_DRAFT}\n\n{other}\n{BOLD}").values == VALUES
    assert first(f"{one}\n{DRAFT}\n\n{other}\n{OK}").flags == ()


@pytest.mark.parametrize(
    "heading", ["Confidence:", "**My confidence levels**", "### Certainty", "Weights", "Reference answer:", "Ranks:"]
)
def test_a_block_of_other_numbers_below_the_ratings_is_not_taken_for_them(heading: str) -> None:
    answer = first(f"Scores:\n{BOLD}\n\n{heading}\n{BOLD_DRAFT}")
    assert (answer.values, answer.reason) == (None, "Angry missing (saw several numbers)")
    assert first(f"Scores:\n{OK}\n\n{heading}\n{DRAFT}").flags == ("second number",)
    assert first(f"{heading}\n{BOLD_DRAFT}\n\nScores, with high confidence:\n{BOLD}").values == VALUES


def test_people_who_feel_the_same_need_no_choice() -> None:
    assert first(f"Ann\n{BOLD}\n\nTom\n{BOLD}").values == VALUES
