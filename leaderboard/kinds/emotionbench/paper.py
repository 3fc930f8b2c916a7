"""What the paper prints for its seven models, beside what their released answers give here."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from evaluation.disclosure import manifest_of
from evaluation.importers.published import SHIPPED_FOLDER
from evaluation.models import Origin, Run
from leaderboard.kinds.emotionbench.figures import MoodRow
from leaderboard.kinds.emotionbench.words import signed
from leaderboard.rounding import counted

FILE = "emotionbench_paper.csv"
AFFECT_COLUMNS = ("positive", "negative")
AFFECT_WORDS = ("pleasant", "unpleasant")
ARROWS = {"up": "↑", "down": "↓", "-": "–", "": ""}
ROUNDING = 0.0501
"""Half of the last printed digit, and a hair."""
OTHER_DEFAULT = (
    "For Guilt the paper subtracted the mood without a situation of LLaMA-3.1-8B instead of this model’s; the "
    "Depression row comes from other answers than the released file."
)
REASONS = {"mixtral-8x22b": OTHER_DEFAULT}


@dataclass(frozen=True, slots=True)
class Printed:
    """A change as the paper prints it, in points, and its arrow."""

    change: float
    arrow: str


@dataclass(frozen=True, slots=True)
class Differs:
    """One printed change or arrow that the released answers do not give."""

    row: str
    mood: str
    printed: str
    ours: str
    gap: str


@dataclass(frozen=True, slots=True)
class Paper:
    """How far the paper's table of a model agrees with ours."""

    sentence: str
    differs: tuple[Differs, ...]
    reason: str


@cache
def printed() -> dict[tuple[str, str], tuple[Printed, ...]]:
    """Model and row -> the printed changes of positive and negative affect."""
    with (SHIPPED_FOLDER / FILE).open(encoding="utf-8", newline="") as file:
        return {
            (line["model"], line["row"]): tuple(
                Printed(float(line[f"{affect}_change"]), line[f"{affect}_arrow"]) for affect in AFFECT_COLUMNS
            )
            for line in csv.DictReader(file)
        }


def paper_beside(run: Run, rows: Sequence[MoodRow]) -> Paper | None:
    """The paper's table beside the run's; None where the run is not that of the released answers of a printed model."""
    model = str(manifest_of(run).get("model_path", ""))
    known = printed()
    if run.origin != Origin.IMPORTED or not any(name == model for name, _ in known):
        return None
    cells = [
        (row, affect, known[model, row.key][affect]) for row in rows if (model, row.key) in known for affect in (0, 1)
    ]
    differs = tuple(_differs(*cell) for cell in cells if not _agrees(*cell))
    same = len(cells) - len(differs)
    sentence = f"The paper prints {counted(len(cells), 'change')} of this model; {same} are what its answers give here."
    return Paper(sentence, differs, REASONS.get(model, "") if differs else "")


def _agrees(row: MoodRow, affect: int, found: Printed) -> bool:
    cell = row.cells[affect]
    return abs(cell.change - found.change) <= ROUNDING and cell.arrow == found.arrow


def _differs(row: MoodRow, affect: int, found: Printed) -> Differs:
    cell = row.cells[affect]
    return Differs(
        row=row.name if row.level != "factor" else f"{row.emotion}: {row.name}",
        mood=AFFECT_WORDS[affect],
        printed=f"{ARROWS[found.arrow]} {signed(found.change)}",
        ours=f"{ARROWS[cell.arrow]} {signed(cell.change)}",
        gap=signed(found.change - cell.change),
    )
