"""The sections of the statistics: how pages name each, and what makes findings and parts of its stored value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.pages.statistics import (
    agree,
    banks,
    correlation,
    design,
    emotions,
    files,
    items,
    repeatability,
    scores,
    scoring,
    sensitivity,
    structure,
)
from leaderboard.pages.statistics.parts import Claim, Part


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
        "scores", "Scores and ranks", "How precise are scores, and which ranks are certain?",
        "This section needs two models with a finished, public run or published scores with a known error.",
        scores.claims, scores.parts,
    ),
    Kind(
        "correlation", "Other measures", "How do scores relate to other benchmarks?",
        "This section needs published figures of at least four models.",
        correlation.claims, correlation.parts, of_board=True,
    ),
    Kind(
        "agree", "Do the measures agree?", "Do the measures rank models alike, and on which models do they differ?",
        "This section needs two measures with scores.",
        agree.claims, agree.parts, of_board=True,
    ),
    Kind(
        "repeatability", "Repeated runs", "Does a model score the same when it is asked again?",
        "This section needs a model with two passes: one run with repeats, or two runs.",
        repeatability.claims, repeatability.parts,
    ),
    Kind(
        "items", "Items", "Which items separate models best, and how few are enough?",
        "This section needs three models with a finished, public run on one bank.",
        items.claims, items.parts,
    ),
    Kind(
        "emotions", "Emotions", "Which feelings are overrated, which underrated?",
        "This section needs the answers of a finished, public run.",
        emotions.claims, emotions.parts,
    ),
    Kind(
        "sensitivity", "Choices", "How much do the scoring choices matter?",
        "This section needs two models with a finished, public run on one bank.",
        sensitivity.claims, sensitivity.parts,
    ),
    Kind(
        "banks", "Between banks", "Do other banks give the same order of models?",
        "This section needs two models with runs on an item bank and on its translation, or on a public and a private "
        "bank.",
        banks.claims, banks.parts, of_board=True,
    ),
    Kind(
        "design", "How many items", "How many items are needed, and how reliable is a shorter test?",
        "This section needs five models that answered every item of a bank with at least five items.",
        design.claims, design.parts,
    ),
    Kind(
        "structure", "What it measures", "Is the score one ability, and where is it most precise?",
        "This section needs ten models with a finished, public run on one bank. Near copies of a model count once.",
        structure.claims, structure.parts,
    ),
    Kind(
        "scoring", "Scoring rule", "Would another scoring rule change the ranks?",
        "This section needs the answers of four models on a bank that is scored by the EQ-Bench curve.",
        scoring.claims, scoring.parts,
    ),
    Kind(
        "files", "Files", "Can I recompute everything?",
        "This section needs two models with a finished, public run on one bank that is not private.",
        files.claims, files.parts,
    ),
)  # fmt: skip
BY_KEY = {kind.key: kind for kind in KINDS}
