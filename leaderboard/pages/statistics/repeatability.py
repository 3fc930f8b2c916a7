"""The section on repeated runs, from its stored numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.charts.base import Column
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import Claim, Estimate, Part, forest, named, picked, picture, span
from leaderboard.pages.statistics.units import axis_of, in_unit_of
from leaderboard.rounding import count, counted, number, points
from leaderboard.statistics.repeatability import DRIFT_COLUMNS, MODEL_COLUMNS, PAPER_CV_PERCENT

MOST_DRAWN = 25
PAPER = (
    f"The paper gives {PAPER_CV_PERCENT} % for version 1 (arXiv 2312.06281, section 4.2), "
    "over models and runs that its "
    "readable part does not list."
)
COVERS = (
    "Here: passes of one model on one bank. Those asked from here asked by the same settings; imported ones "
    "may differ in template and quantisation. It leaves out other items."
)
COLUMNS = (
    Column("model", "Model"),
    Column("n", "Passes", 0),
    Column("mean", "Mean", 2),
    Column("sd", "SD", 2),
    Column("cv_percent", "CV, %", 2),
    Column("low", "Lowest", 2, wide_only=True),
    Column("high", "Highest", 2, wide_only=True),
    Column("sem", "SEM", 2, wide_only=True),
    Column("icc", "ICC(2,1)", 3),
    Column("icc_low", "from", 3, wide_only=True),
    Column("icc_high", "to", 3, wide_only=True),
    Column("icc_mean", "ICC(2,k)", 3, wide_only=True),
    Column("icc_mean_low", "from", 3, wide_only=True),
    Column("icc_mean_high", "to", 3, wide_only=True),
)
AGREEMENT = (
    Column("model", "Model"),
    Column("first", "First pass", 2),
    Column("last", "Last pass", 2),
    Column("n_equal", "Items equal", 0),
    Column("n_shared", "Items shared", 0),
    Column("r", "r over items", 3),
)
DRIFTS = (
    Column("model", "Model"),
    Column("difference", "Newest less earlier", 2),
    Column("low", "from", 2, wide_only=True),
    Column("high", "to", 2, wide_only=True),
    Column("p", "p", 3, of_p=True),
    Column("n_items", "Items", 0, wide_only=True),
    Column("n_earlier", "Earlier passes", 0, wide_only=True),
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    cv = value.get("cv")
    if not cv:
        return []
    paper = f" The paper gives {PAPER_CV_PERCENT} % for version 1." if value["is_of_paper"] else ""
    text = f"is the mean spread (CV) of repeated passes.{paper}"
    who = f"{counted(cv['n'], 'model')}, {counted(cv['n_passes'], 'pass', 'passes')}"
    interval = f"{span(cv['low'], cv['high'], 1)} %" if cv["low"] is not None else "none: too few models for one"
    return [Claim(f"{number(cv['mean'], 1)} %", text, who, interval, "CV = 100 × SD / mean; Student’s t over models")]


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value.get("models"):
        return []
    found = [spread_part(value, n), retest_part(value), drift_part(value)]
    return [part for part in found if part]


def spread_part(value: Mapping[str, Any], n: int) -> Part:
    icc = value["icc"]
    rows = [row for row in named(value["models"], MODEL_COLUMNS) if row["icc"] is not None][:MOST_DRAWN]
    estimates = [Estimate(row["model"], row["icc"], row["icc_low"], row["icc_high"], row["n"]) for row in rows]
    return Part(
        name="spread",
        title=f"Repeated passes of a model spread by {in_unit_of(value, number(value['sd'], 1))} (median SD)",
        how=" ".join(filter(None, [cv_words(value), PAPER if value["is_of_paper"] else "", COVERS])),
        formula=(
            "CV = 100 × SD / mean, SD with n − 1. ICC(2,1) and ICC(2,k): Shrout and Fleiss, "
            "case 2, over items; 95 % intervals of McGraw and Wong. SEM = √(pooled variance "
            "within items / number of items)."
        ),
        source=f"n = {counted(n, 'model')} with two passes or more, of {count(value['n_members'])} in the ranking. "
        "The median SD describes these models and has no interval"
        + ("; that of the mean CV is Student’s t over models." if value["cv"] else ".")
        + (
            f" ICC(2,1): median {number(icc['median'], 3)}, from {number(icc['low'], 3)} to {number(icc['high'], 3)}."
            if icc
            else ""
        ),
        table=picked(value["models"], MODEL_COLUMNS, COLUMNS),
        forest=forest("Model, widest spread first", "ICC(2,1) over items", estimates, 3, signed=False)
        if estimates
        else None,
    )


def cv_words(value: Mapping[str, Any]) -> str:
    """The mean CV with the number of models behind it, or why there is none."""
    cv = value["cv"]
    if not value["has_ratio"]:
        return "No CV: this score has no natural zero."
    if not cv:
        return "No CV: no mean score lies above zero."
    interval = f", 95 % {span(cv['low'], cv['high'], 1)} %" if cv["low"] is not None else ""
    return f"Mean CV {number(cv['mean'], 1)} % over {counted(cv['n'], 'model')}{interval}."


def retest_part(value: Mapping[str, Any]) -> Part:
    rows = named(value["models"], MODEL_COLUMNS)
    spots = [
        Spot(row["first"], row["last"], "plain", f"{row['model']}: {points(row['first'])}, then {points(row['last'])}")
        for row in rows
    ]
    return Part(
        name="retest",
        title="Test and retest: the first pass against the last",
        how="On the line both passes score the same.",
        formula="r is Pearson’s over the items that both passes have; equal means the same item score.",
        source=f"n = {counted(len(rows), 'model')}.",
        table=picked(value["models"], MODEL_COLUMNS, AGREEMENT),
        picture=picture(
            spots,
            "Score of the last pass against that of the first, one dot per model. The figures are in the table below.",
            axis_of(value, "first pass"),
            axis_of(value, "last pass"),
            square=True,
        ),
    )


def drift_part(value: Mapping[str, Any]) -> Part | None:
    rows = named(value["drifts"], DRIFT_COLUMNS)
    if not rows:
        return None
    moved = sum(row["drifted"] for row in rows)
    rows = sorted(rows, key=lambda row: -abs(row["difference"]))
    drawn = [
        Estimate(row["model"], row["difference"], row["low"], row["high"], row["n_items"]) for row in rows[:MOST_DRAWN]
    ]
    return Part(
        name="drift",
        title=f"{counted(moved, 'model')} of {count(len(rows))} moved between runs"
        if moved
        else "No model is found to have moved between its runs",
        how=(
            "The newest run of a model less its earlier ones, item by item. By chance alone "
            "one model in twenty would seem to move."
        ),
        formula=(
            "Paired t-test over items (n − 1 degrees of freedom), newest run against the mean of the earlier passes."
        ),
        source=f"n = {counted(len(rows), 'model')} with two runs or more; 95 % intervals.",
        table=picked(drifted_first(rows), DRIFT_COLUMNS, DRIFTS),
        forest=forest("Model", axis_of(value, "newest less earlier"), drawn, 2, signed=True),
    )


def drifted_first(rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    return [[row[name] for name in DRIFT_COLUMNS] for row in rows]
