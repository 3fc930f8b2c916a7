"""The counts of the published study of empathetic responding, as the official files have them."""

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from evaluation.statistics.raters import Raters, raters_of
from evaluation.statistics.study_figures import Cell

PREDECESSOR = "gpt-4-plain-prompt"


def vectors(shared_data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared_data / "empathy/test_vectors.json").read_text(encoding="utf-8"))
    return found


def rows_of(shared_data: Path, name: str) -> list[dict[str, str]]:
    with (shared_data / "empathy" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells_of(shared_data: Path) -> dict[str, list[Cell]]:
    """All published counts of the main study: scope or emotion -> cells."""
    cells: dict[str, list[Cell]] = defaultdict(list)
    for name, scope in (("results_by_responder.csv", "scope"), ("results_by_emotion.csv", "emotion")):
        for row in rows_of(shared_data, name):
            if row["responder"] != PREDECESSOR:
                bad, okay = (int(row[level]) if row[level] else None for level in ("bad", "okay"))
                cell = Cell(row["responder"], int(row["n"]), int(row["good"]), bad, okay, basis=row["basis"])
                cells[row[scope]].append(cell)
    return cells


def group_of(shared_data: Path, responder: str) -> Raters:
    """The raters of one responder, ten ratings each."""
    rows = [row for row in rows_of(shared_data, "rater_good_histogram.csv") if row["responder"] == responder]
    good = [int(row["good_out_of_10"]) for row in rows for _ in range(int(row["raters"]))]
    return raters_of(good, [10] * len(good))
