"""An example item of our own, scored step by step by the functions that score every run. Pure: no query, no request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import getsource

from evaluation.benchmarks import eqbench_curve
from evaluation.benchmarks.base import Item
from evaluation.benchmarks.eqbench_curve import (
    ADJUSTMENT,
    FULL_MARKS,
    code_penalty,
    full_scale_points,
    full_scale_points_by_code,
    normalised_points,
    readme_penalty,
)
from evaluation.benchmarks.eqbench_summary import POINTS

ITEM = Item("example", "", ("Angry", "Hopeful", "Relieved", "Ashamed"), (3.0, 6.0, 0.0, 8.0))
ANSWER = (4.0, 8.0, 5.0, 8.0)
SHARED_REFERENCE = (2.0, 3.0, 0.0, 5.0)  # as v1 has it: the four sum to 10
SHARED_ANSWER = (4.0, 8.0, 1.0, 7.0)
SHOWN_DIFFERENCES = (0, 1, 2, 3, 4, 5, 6, 8, 10)
PLOT_HEIGHT, PLOT_TOP = 180.0, 8.0  # of the drawing, and the largest difference in it


@dataclass(frozen=True, slots=True)
class CurveRow:
    """What one rating that is off by `difference` costs: by each rule, and in points of the item under ours."""

    difference: int
    readme: float
    code: float
    cost: float


@dataclass(frozen=True, slots=True)
class Step:
    """One label of the example. `given` is the rating as it is compared: for v1 after all were rescaled."""

    label: str
    answer: float
    given: float
    reference: float
    difference: float
    penalty: float


@dataclass(frozen=True, slots=True)
class Worked:
    """The example in steps. `points` are the item's own, `by_code` those of the other rule (None for v1)."""

    steps: tuple[Step, ...]
    penalties: float
    points: float
    by_code: float | None

    @property
    def run_points(self) -> float:
        return POINTS * self.points


def curve_rows() -> tuple[CurveRow, ...]:
    return tuple(
        CurveRow(d, readme_penalty(d), code_penalty(d), ADJUSTMENT * readme_penalty(d)) for d in SHOWN_DIFFERENCES
    )


def curve_path() -> str:
    """The README rule from 0 to 8 as an SVG path in a box of 100 by `PLOT_HEIGHT`."""
    at = [step / 10 for step in range(int(PLOT_TOP * 10) + 1)]
    places = [f"{100 * d / PLOT_TOP:.2f} {PLOT_HEIGHT * (1 - readme_penalty(d) / PLOT_TOP):.1f}" for d in at]
    return "M" + "L".join(places)


def worked_v2() -> Worked:
    steps = steps_of(ANSWER, ANSWER, ITEM.reference, readme_penalty)
    return Worked(
        steps=steps,
        penalties=sum(step.penalty for step in steps),
        points=full_scale_points(ANSWER, ITEM.reference),
        by_code=full_scale_points_by_code(ANSWER, ITEM.reference),
    )


def worked_v1() -> Worked:
    total = sum(SHARED_ANSWER)
    shared = [FULL_MARKS * value / total for value in SHARED_ANSWER]
    steps = steps_of(SHARED_ANSWER, shared, SHARED_REFERENCE, lambda difference: difference)
    points = normalised_points(SHARED_ANSWER, SHARED_REFERENCE)
    return Worked(steps, sum(step.penalty for step in steps), 0.0 if points is None else points, None)


def steps_of(
    answer: Sequence[float], given: Sequence[float], reference: Sequence[float], penalty: Callable[[float], float]
) -> tuple[Step, ...]:
    columns = zip(ITEM.labels, answer, given, reference, strict=True)
    return tuple(
        Step(label, raw, value, wanted, abs(value - wanted), penalty(abs(value - wanted)))
        for label, raw, value, wanted in columns
    )


@cache
def scoring_code() -> str:
    """The module that scores, as it runs here."""
    return getsource(eqbench_curve)
