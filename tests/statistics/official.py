"""The 60 official run files as a score matrix, read and scored here with code of its own.

Nothing of the product is imported: the figures that the product must reach stand on this reading. Rules and traps are
those of EQ-bench/EQ-Bench at commit d28c60c: the stored `individual_scores` are stale, so scores come from the stored
ratings; a rating above 10 is scored as it stands; the revised pass counts when its score is not lower and it has at
least 0.95 of the first pass's answers.
"""

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MULTIPLIER = 0.7477
PASSES = ("first_pass", "revised")


@dataclass(frozen=True)
class Question:
    labels: tuple[str, ...]
    reference: Floats


@dataclass(frozen=True)
class OfficialRuns:
    """Rows are files in the order of their names, columns the items 1 to 171; item scores on the 0 to 10 scale."""

    files: tuple[str, ...]
    scores: Floats
    ratings: Floats
    reference: Floats
    labels: tuple[tuple[str, ...], ...]
    printed: Floats

    def row(self, name: str) -> int:
        return self.files.index(f"{name}_eqbench_v2_results.json")

    @property
    def points(self) -> Floats:
        """Item scores in points, so that a run's score is their mean."""
        return 10 * self.scores

    @property
    def complete(self) -> Floats:
        return self.points[~np.isnan(self.points).any(axis=1)]


def loss(distance: Floats, rule: str) -> Floats:
    """The published curve. "readme": 5 and more count one to one; "code": 5 still lies on the curve."""
    curve = 6.5 / (1 + np.exp(-1.2 * (np.minimum(distance, 5) - 4)))
    straight = distance >= 5 if rule == "readme" else distance > 5
    return np.where(distance == 0, 0.0, np.where(straight, distance, curve))


def _questions(folder: Path) -> list[Question]:
    stored = json.loads((folder / "eqbench/eq_bench_v2_questions_171.json").read_text())
    answers = [stored[str(number)]["reference_answer_fullscale"] for number in range(1, 172)]
    return [
        Question(
            tuple(answer[f"emotion{i}"] for i in range(1, 5)),
            np.array([float(answer[f"emotion{i}_score"]) for i in range(1, 5)]),
        )
        for answer in answers
    ]


def _ratings(answers: dict[str, Any], questions: list[Question], part: str) -> Floats:
    """Items x 4 ratings of one pass; a row of NaN where the four emotions of the item were not read."""
    ratings = np.full((len(questions), 4), np.nan)
    for index, question in enumerate(questions):
        given = answers.get(str(index + 1), {}).get(part) or {}
        if set(given) == set(question.labels):
            ratings[index] = [float(given[label]) for label in question.labels]
    return ratings


def _counted(passes: list[Floats], reference: Floats, rule: str) -> tuple[Floats, Floats]:
    """Item scores and ratings of the pass that makes the run's score."""
    scored = [10 - MULTIPLIER * loss(np.abs(ratings - reference), rule).sum(axis=1) for ratings in passes]
    counts = [int(np.isfinite(scores).sum()) for scores in scored]
    enough = counts[1] > 0 and counts[1] >= 0.95 * counts[0]
    revised = enough and bool(np.nanmean(scored[1]) >= np.nanmean(scored[0]))
    return scored[revised], passes[revised]


@cache
def official_runs(folder: Path, rule: str = "readme") -> OfficialRuns:
    questions = _questions(folder)
    reference = np.array([question.reference for question in questions])
    paths = sorted((folder / "eqbench/official_runs").glob("*.json"))
    stored = [json.loads(path.read_text()) for path in paths]
    answers = [run["raw_results"]["1"]["respondent_answers"] for run in stored]
    counted = [_counted([_ratings(a, questions, part) for part in PASSES], reference, rule) for a in answers]
    return OfficialRuns(
        files=tuple(path.name for path in paths),
        scores=np.array([scores for scores, _ in counted]),
        ratings=np.array([ratings for _, ratings in counted]),
        reference=reference,
        labels=tuple(question.labels for question in questions),
        printed=np.array([run["benchmark_score"] for run in stored]),
    )


@cache
def published_runs(folder: Path) -> dict[str, dict[str, str]]:
    """The rows of official_runs.csv by file name."""
    with (folder / "published/official_runs.csv").open(newline="") as lines:
        return {row["file"]: row for row in csv.DictReader(lines)}
