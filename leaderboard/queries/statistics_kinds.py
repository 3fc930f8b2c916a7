"""The sections of the statistics: how pages name each, and what makes findings and parts of its stored value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.queries import (
    statistics_banks,
    statistics_correlation,
    statistics_design,
    statistics_emotions,
    statistics_files,
    statistics_items,
    statistics_repeatability,
    statistics_scores,
    statistics_scoring,
    statistics_sensitivity,
    statistics_structure,
)
from leaderboard.queries.statistics_parts import Claim, Part


@dataclass(frozen=True, slots=True)
class Kind:
    """A section as the pages name it. `missing` says what it waits for. `of_board`: belongs to no single ranking."""

    key: str
    title: str
    question: str
    missing: str
    claims: Callable[[Mapping[str, Any], int], list[Claim]]
    parts: Callable[[Mapping[str, Any], int], list[Part]]
    of_board: bool = False


KINDS = (
    Kind(
        "scores", "Scores and ranks", "How exactly are scores known, and which ranks are settled?",
        "Scores and ranks need two models with a finished, public run or published scores with a known error.",
        statistics_scores.claims, statistics_scores.parts,
    ),
    Kind(
        "correlation", "Other measures", "What goes with the score, and how closely?",
        "Other measures need published figures of at least four models.",
        statistics_correlation.claims, statistics_correlation.parts, of_board=True,
    ),
    Kind(
        "repeatability", "Repeated runs", "Does a model score the same when it is asked again?",
        "Repeated runs need a model with two passes: one run with repeats, or a second run.",
        statistics_repeatability.claims, statistics_repeatability.parts,
    ),
    Kind(
        "items", "Items", "Which items tell models apart, and how few would do?",
        "Items need three models with a finished, public run on one bank.",
        statistics_items.claims, statistics_items.parts,
    ),
    Kind(
        "emotions", "Emotions", "Which feelings are seen too strongly, which too weakly?",
        "Emotions need the answers of a finished, public run.",
        statistics_emotions.claims, statistics_emotions.parts,
    ),
    Kind(
        "sensitivity", "Choices", "How far do ranks hang on reading, rule and single items?",
        "Choices need two models with a finished, public run on one bank.",
        statistics_sensitivity.claims, statistics_sensitivity.parts,
    ),
    Kind(
        "banks", "Between banks", "Do other languages and closed items give the same picture?",
        "Between banks needs two models with runs on two banks: a translation, or a private bank beside a public one.",
        statistics_banks.claims, statistics_banks.parts, of_board=True,
    ),
    Kind(
        "design", "How many items", "How many items does a difference need, and how reliable is a shorter test?",
        "How many items needs five models with all items, on a bank of five items or more.",
        statistics_design.claims, statistics_design.parts,
    ),
    Kind(
        "structure", "What it measures", "Is one score one ability, and where on the scale does it measure?",
        "What it measures needs ten models with a finished, public run on one bank, near copies counted once.",
        statistics_structure.claims, statistics_structure.parts,
    ),
    Kind(
        "scoring", "Scoring rule", "Would another scoring rule rank the models otherwise?",
        "Scoring rule needs the answers of four models on a bank that EQ-Bench’s curve scores.",
        statistics_scoring.claims, statistics_scoring.parts,
    ),
    Kind(
        "files", "Files", "Can I compute all this again?",
        "Files need two models with a finished, public run on one bank that is not private.",
        statistics_files.claims, statistics_files.parts,
    ),
)  # fmt: skip
BY_KEY = {kind.key: kind for kind in KINDS}
