"""A reply that names another scale than 0 to 10 has a flag, however its ratings themselves look."""

import pytest

from tests.evaluation.benchmarks.standard import first, four
from tests.evaluation.benchmarks.test_eqbench_forms import table

LOW = (1, 4, 2, 5)
PLAIN, BOLD = four("{name}: {value}", values=LOW), four("**{name}**: {value}", values=LOW)
ROWS = four("| {name} | {value} |", values=LOW)
NAMED = (
    *(
        "Scale: 1-5",
        "(Scale 1–5)",
        "On a scale of 1 to 5:",
        "on a scale from 1 (low) to 5",
        "**Scale:** 1-7",
        "1-5 scale",
    ),
    *(
        "I use a 5-point scale.",
        "A 7-point Likert scale:",
        "Skala von 1 bis 5:",
        "Scores (1-5):",
        "### Ratings (0 – 5)",
    ),
    *("Scores out of 5", "Intensity (out of 20):", "Ratings (/5)", "Scale: 0-100", "Scores (0–100)", "Scale: -5 to +5"),
    *("Scores in per cent", "Scores (%)", "Rating (1 to 5 stars)", "My ratings, each out of 5:"),
)


@pytest.mark.parametrize("answer", [PLAIN, BOLD], ids=["plain", "bold"])
@pytest.mark.parametrize("scale", NAMED)
def test_a_scale_named_above_or_below_the_ratings_is_flagged(scale: str, answer: str) -> None:
    for reply in (f"{scale}\n{answer}", f"{answer}\n\n{scale}"):
        read = first(reply)
        assert read.values == tuple(map(float, LOW))
        assert "other scale" in read.flags


@pytest.mark.parametrize("title", ["Score (1-5)", "Score /5", "Rating (0–100)", "Score (%)", "Score out of 7", "%"])
def test_a_scale_in_the_head_of_a_column_is_flagged(title: str) -> None:
    read = first(table("Emotion", title) + ROWS)
    assert read.values == tuple(map(float, LOW))
    assert "other scale" in read.flags


OURS = (
    *("Scale: 0-10", "Scores (1-10):", "On a scale of 0 to 10, 4-6 is moderate.", "Scores out of 10", "(Scale 0–10)"),
    *("The scale of 2-3 such quarrels is small.", "He rated her 5 of 7 songs.", "Moderate (4-6)", "He is 50 % sure."),
    *("Scores for the 4 emotions:", "The 1-5 rows of the dialogue", "Pages 1-5", "Intensity (2-3 of them are high)"),
)


@pytest.mark.parametrize("line", OURS)
def test_other_numbers_in_a_reply_name_no_scale(line: str) -> None:
    for answer in (PLAIN, BOLD):
        assert "other scale" not in first(f"{line}\n\n{answer}").flags


def test_ratings_that_lie_above_a_scale_are_not_on_it() -> None:
    assert first(f"Scale: 1-5\n{four('{name} = {value}')}").flags == ()
