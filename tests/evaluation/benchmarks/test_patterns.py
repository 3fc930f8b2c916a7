"""What the patterns of the readers may not hold, so that every Python from 3.11.0 on reads the same."""

import re
from pathlib import Path

import pytest

import evaluation.benchmarks
from evaluation.benchmarks.eqbench_mentions import mentions

SOURCES = sorted(Path(evaluation.benchmarks.__file__).parent.glob("*.py"))
# The end of a group and a possessive repetition of it, as it stands in a plain or in a formatted string.
REPEATED_GROUP = re.compile(r"\)(?:[?*+]|\{\{?[\d,]+\}\}?)\+")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_group_of_several_signs_is_repeated_possessively(path: Path) -> None:
    """Before 3.11.5 the half of a group that matched stays matched (CPython issue 106052): a comma behind a number was
    taken for a decimal one, and the reader failed at `3, `. The one group allowed has one sign in each branch.
    """
    found = [line for line in path.read_text(encoding="utf-8").splitlines() if REPEATED_GROUP.search(line)]
    assert [line for line in found if not line.startswith("_WRAP = ")] == []


@pytest.mark.parametrize(
    "text", ['{"Angry": 3, "Hopeful": 6}', "Angry: 3, Hopeful: 6", "Angry (a note, Angry: 3, Hopeful: 6"]
)
def test_what_was_begun_and_not_ended_behind_a_number_is_left_alone(text: str) -> None:
    found = [(each.label, each.rating.value) for each in mentions(text, ("Angry", "Hopeful")) if each.rating]
    assert found == [("Angry", 3.0), ("Hopeful", 6.0)]
