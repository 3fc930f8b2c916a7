"""The sections of the statistics: how pages name each, and what makes findings and parts of its stored value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.queries import (
    statistics_banks,
    statistics_correlation,
    statistics_emotions,
    statistics_items,
    statistics_repeatability,
    statistics_scores,
    statistics_sensitivity,
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
)  # fmt: skip
BY_KEY = {kind.key: kind for kind in KINDS}
