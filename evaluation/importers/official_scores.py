"""The shipped item scores of the 86 official run files, from which the errors of published scores come."""

import csv
from pathlib import Path

import numpy as np

from evaluation.importers.published import SHIPPED_FOLDER
from evaluation.statistics.arrays import Floats, as_floats

OFFICIAL_SCORES = SHIPPED_FOLDER / "official_item_scores.csv"


def official_item_scores(path: Path = OFFICIAL_SCORES) -> tuple[tuple[str, ...], Floats]:
    """The names of the run files and their item scores, runs x items, 0 to 10 at best, NaN where missing.

    Raises:
        ValueError: a cell is no number, or a row has another number of cells than the first.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    scores = np.array([as_floats([float(cell) if cell else np.nan for cell in row[1:]]) for row in rows])
    return tuple(row[0] for row in rows), scores
