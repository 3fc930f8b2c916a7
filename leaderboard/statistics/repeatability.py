"""How far repeated passes of a model agree. Value: `models` has the columns of MODEL_COLUMNS, widest spread first.

`cv` is the mean coefficient of variation of the `n` models that have one, from `n_passes` passes; None without any.
`has_ratio` tells whether the scale of the score has a zero that a ratio can refer to, without which nobody has one, and
`is_of_paper` whether the benchmark is that of the paper whose mean CV is quoted. `drifts` lists, for models with
several runs, the newest run less the earlier ones over the items.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from evaluation.benchmarks.base import JsonValue
from evaluation.statistics.intervals import around
from evaluation.statistics.scores import score_estimate
from evaluation.statistics.students_t import t_critical
from leaderboard.kinds import kind_of
from leaderboard.statistics.frames import Frame
from leaderboard.statistics.marks import Member
from leaderboard.statistics.outcomes import Outcome, Value, ends, outcome

PAPER_CV_PERCENT, PAPER_FAMILY = 2.93, "eq-bench"
MODEL_COLUMNS = (
    "model", "slug", "n", "mean", "sd", "cv_percent", "low", "high", "sem", "icc", "icc_low", "icc_high", "icc_mean",
    "icc_mean_low", "icc_mean_high", "first", "last", "n_equal", "n_shared", "r",
)  # fmt: skip
DRIFT_COLUMNS = ("model", "slug", "difference", "low", "high", "p", "n_items", "n_earlier", "drifted")

Repeated = list[tuple[Member, Value]]


def compute(frame: Frame) -> Outcome:
    repeated = [(member, value) for member, value in zip(frame.members, frame.repeats, strict=False) if value]
    if not repeated:
        return outcome(0, n_members=len(frame.members))
    kind = kind_of(frame.rule)
    if kind.zero is not None:  # such a score has no natural zero: a ratio to it says nothing
        repeated = [(member, {**value, "cv_percent": None}) for member, value in repeated]
    repeated.sort(key=lambda pair: -number(pair[1], "sd"))
    with_cv = [value for _, value in repeated if value["cv_percent"] is not None]
    iccs = [first_of(value["icc"]) for _, value in repeated if value["icc"]]
    return outcome(
        len(repeated),
        n_members=len(frame.members),
        n_passes=n_passes_of(value for _, value in repeated),
        has_ratio=kind.zero is None,
        is_of_paper=kind.family == PAPER_FAMILY,
        cv=mean_cv(with_cv),
        sd=float(np.median([number(value, "sd") for _, value in repeated])),
        sem=float(np.median([number(value, "sem") for _, value in repeated])),
        icc={"median": float(np.median(iccs)), "low": min(iccs), "high": max(iccs), "n": len(iccs)} if iccs else None,
        models=[model_row(member, value) for member, value in repeated],
        drifts=[row for member, value in repeated if (row := drift_row(member, value["drift"]))],
    )


def number(value: Mapping[str, JsonValue], key: str) -> float:
    found = value[key]
    return float(found) if isinstance(found, int | float) else 0.0


def first_of(values: JsonValue) -> float:
    return float(values[0]) if isinstance(values, list) and isinstance(values[0], int | float) else float("nan")


def n_passes_of(values: Iterable[Value]) -> int:
    return sum(int(number(value, "n")) for value in values)


def mean_cv(values: Sequence[Value]) -> dict[str, object] | None:
    """The mean over models that have a CV with Student's interval. There is none where it would reach below 0: no CV
    lies there, so that the interval does not fit these few models."""
    found = score_estimate([number(value, "cv_percent") for value in values])
    if found is None:
        return None
    interval = around(found.mean, found.standard_error, t_critical(found.n_items - 1)) if found.n_items > 1 else None
    low, high = ends(interval if interval and interval.low > 0 else None)
    return {"n": found.n_items, "n_passes": n_passes_of(values), "mean": found.mean, "low": low, "high": high}


def model_row(member: Member, value: Value) -> list[object]:
    icc, mean = (three(value[key]) for key in ("icc", "icc_mean"))
    plain = [value[key] for key in ("n", "mean", "sd", "cv_percent", "low", "high", "sem")]
    return [
        member.name, member.slug, *plain, *icc, *mean,
        *(value[key] for key in ("first", "last", "n_equal", "n_shared", "r")),
    ]  # fmt: skip


def three(values: JsonValue) -> list[JsonValue]:
    return list(values) if isinstance(values, list) else [None, None, None]


def drift_row(member: Member, drift: JsonValue) -> list[object] | None:
    if not isinstance(drift, dict):
        return None
    return [member.name, member.slug, *(drift[column] for column in DRIFT_COLUMNS[2:])]
