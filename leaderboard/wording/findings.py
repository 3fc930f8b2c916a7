"""The sentences that open a page, each computed from the rows it speaks of. Pure: no query, no request."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, median_high
from typing import Protocol

from evaluation.baselines import reads_nothing
from evaluation.benchmarks.base import Measure
from evaluation.models import Origin
from leaderboard.rounding import counted


class ScoredModel(Protocol):
    @property
    def name(self) -> str: ...


class ScoredRow(Protocol):
    """What a finding needs of a row of the table."""

    @property
    def model(self) -> ScoredModel: ...
    @property
    def origin(self) -> str: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def low(self) -> int | None: ...
    @property
    def high(self) -> int | None: ...
    @property
    def high_all(self) -> int | None: ...
    @property
    def score(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Field:
    """A ranking in a few figures. Scores are those of the ranked rows and None where there are none.

    `n_beside_best` counts the models that cannot be told apart from the best one when all are compared at once, None
    where no errors are known. `best_baseline` names the best answer that reads nothing, "" without one. `median_width`
    is how many ranks a typical model may hold, None where no range is known. Scores are written with `digits` decimals.
    """

    n_ranked: int
    n_beside_best: int | None
    only_published: bool
    best_name: str
    best_score: float | None
    median_score: float | None
    best_baseline: str
    median_width: int | None = None
    digits: int = 2


NOBODY = Field(0, None, False, "", None, None, "")


def field(rows: Sequence[ScoredRow], measure: Measure) -> Field:
    ranked = [row for row in rows if row.rank is not None and row.score is not None]
    scores = [row.score for row in ranked if row.score is not None]
    baselines = [
        row for row in rows if row.origin == Origin.BASELINE and row.score is not None and reads_nothing(row.model.name)
    ]
    best = min(ranked, key=lambda row: row.rank or 0, default=None)
    widths = [row.high - row.low + 1 for row in ranked if row.low is not None and row.high is not None]
    return Field(
        n_ranked=len(ranked),
        n_beside_best=best.high_all - 1 if best and best.high_all else None,
        only_published=bool(ranked) and all(row.origin == Origin.PUBLISHED for row in ranked),
        best_name=best.model.name if best else "",
        best_score=best.score if best else None,
        median_score=median(scores) if scores else None,
        best_baseline=max(baselines, key=lambda row: measure.turned(row.score or 0.0)).model.name if baselines else "",
        median_width=median_high(widths) if widths else None,
        digits=measure.digits,
    )


def headline(title: str, field: Field) -> str:
    """Who leads the table, and how many others may be as good, in one line."""
    if not field.n_ranked:
        return f"No model is ranked on {title} yet" if title else "No scores yet"
    if field.n_beside_best is None or field.n_ranked == 1:
        return f"{counted(field.n_ranked, 'model')} ranked on {title}"
    if field.n_beside_best == field.n_ranked - 1:
        return f"{counted(field.n_ranked, 'model')}, all statistically tied with the first"
    if not field.n_beside_best:
        return f"{field.best_name} leads {counted(field.n_ranked - 1, 'other model')}"
    tied = f"{counted(field.n_beside_best, 'model')} {'is' if field.n_beside_best == 1 else 'are'}"
    return f"{field.best_name} leads; {tied} statistically tied with it"


def ranks_note(field: Field) -> str:
    """What the headline and the ranges rest on. "" where no errors are known."""
    if field.n_beside_best is None or field.n_ranked < 2:
        return ""
    approximate = "No answers behind these scores are stored, so intervals, possible ranks and ties are estimates (≈). "
    return (
        f"{approximate if field.only_published else ''}The headline compares all models at once (5 % level), so it "
        "counts more ties. Ranges and shaded rows compare one pair at a time, without that correction."
    )
