"""How many items a difference needs, and how reliable a test of another length would be.

Value: variances are in squared points of one item score. `needed` has the columns of NEEDED_COLUMNS, `lengths` those of
LENGTH_COLUMNS, `passes` those of PASS_COLUMNS. `parts` is None where no model was asked twice, and `passes` empty. The
value is empty where the field is too small.
"""

from math import sqrt

import numpy as np

from evaluation.statistics.arrays import Bools
from evaluation.statistics.generalizability import (
    DesignStudy,
    Ranged,
    RestParts,
    coefficient,
    design_study,
    error_of,
    gap_found,
    items_needed,
    split_rest,
)
from evaluation.statistics.intervals import Interval
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.outcomes import Outcome, ends, outcome

GAPS = (5.0, 3.0, 2.0, 1.0)
LENGTHS = (20, 60, 100, 250, 500, 1000)
PASSES = (1, 2, 3, 5, 10)
NEEDED_COLUMNS = ("gap", "items", "low", "high")
LENGTH_COLUMNS = (
    "items", "relative", "relative_low", "relative_high", "absolute", "absolute_low", "absolute_high",
    "error_same_items", "error_other_items", "gap",
)  # fmt: skip
PASS_COLUMNS = ("passes", "rest", "gap", "items")
PLANNED_GAP = 3.0


def compute(frame: Frame) -> Outcome:
    """Near copies of a model are left out."""
    copies = frame.near_copies
    frame = frame.only([row for row in range(len(frame.members)) if row not in copies])
    found = design_study(frame.scores) if frame.has_items else None
    if found is None:
        return Outcome(0, {})
    parts = parts_of(frame, found)
    return outcome(
        found.n_models,
        n_items=found.n_items,
        n_copies=len(copies),
        models=found.components.runs,
        items=found.components.items,
        rest=found.components.rest,
        rest_interval=found.rest.interval,
        needed=[needed_row(found.rest, gap) for gap in GAPS],
        lengths=[length_row(found, n) for n in sorted({*LENGTHS, found.n_items})],
        parts=part_figures(parts),
        passes=[pass_row(parts, n, found.n_items) for n in PASSES] if parts else [],
    )


def complete(frame: Frame) -> Bools:
    """Which members have every item."""
    return np.asarray(~np.isnan(frame.scores).any(axis=1))


def parts_of(frame: Frame, found: DesignStudy) -> RestParts | None:
    """The rest of one pass split, over the models that were asked twice or more on two items or more."""
    reruns = []
    n_scored = (~np.isnan(frame.scores)).sum(axis=1).tolist()
    for repeats, n in zip(frame.repeats, n_scored, strict=False):
        sem = repeats.get("sem")
        if isinstance(sem, int | float):
            # The stored figure is of a run's mean: times the number of items it is the variance of one item score.
            reruns.append(sem**2 * n)
    passes = [passes_of(repeats.get("n")) for repeats in frame.repeats]
    in_study = [n for n, is_complete in zip(passes, complete(frame), strict=False) if is_complete]
    return split_rest(found.components.rest, reruns, in_study) if in_study else None


def passes_of(stored: object) -> int:
    """A model asked once stores no agreement of its passes."""
    return stored if isinstance(stored, int) else 1


def needed_row(rest: Ranged, gap: float) -> list[object]:
    low, high = ends(rest.interval)
    return [
        gap,
        items_needed(rest.value, gap),
        None if low is None else items_needed(low, gap),
        None if high is None else items_needed(high, gap),
    ]


def length_row(found: DesignStudy, n: int) -> list[object]:
    components = found.components
    return [
        n,
        *reliability_of(found.relative, n),
        *reliability_of(found.absolute, n),
        error_of(components.rest, n),
        error_of(components.items + components.rest, n),
        gap_found(components.rest, n),
    ]


def reliability_of(ratio: Ranged | None, n: int) -> tuple[float | None, float | None, float | None]:
    """The coefficient of a test of n items with its interval; a larger ratio makes it smaller."""
    if ratio is None:
        return 0.0, None, None
    interval = ratio.interval
    turned = Interval(coefficient(interval.high, n), coefficient(interval.low, n)) if interval else None
    return coefficient(ratio.value, n), *ends(turned)


def part_figures(parts: RestParts | None) -> dict[str, object] | None:
    if parts is None:
        return None
    low, high = ends(parts.rerun.interval)
    return {
        "n": parts.n_models,
        "interaction": parts.interaction,
        "rerun": parts.rerun.value,
        "rerun_low": low,
        "rerun_high": high,
        "rerun_sd": sqrt(parts.rerun.value),
    }


def pass_row(parts: RestParts, passes: int, n_items: int) -> list[object]:
    rest = parts.rest(passes)
    needed = items_needed(rest, PLANNED_GAP) if rest > 0 else None
    return [passes, rest, gap_found(rest, n_items), needed]
