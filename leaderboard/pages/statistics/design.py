"""The section on the number of items, from its stored numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import Claim, Part, ends_text, named, picked, picture, span
from leaderboard.rounding import count, counted, number, points
from leaderboard.statistics.design import LENGTH_COLUMNS, NEEDED_COLUMNS, PASS_COLUMNS, PLANNED_GAP

NEEDED = (
    Column("gap", "True difference, points", 0),
    Column("items", "Items needed", 0),
    Column("low", "from", 0),
    Column("high", "to", 0),
)
LENGTHS = (
    Column("items", "Items", 0),
    Column("relative", "Order: E rho²", 3),
    Column("relative_low", "from", 3, wide_only=True),
    Column("relative_high", "to", 3, wide_only=True),
    Column("absolute", "Score: phi", 3),
    Column("absolute_low", "from", 3, wide_only=True),
    Column("absolute_high", "to", 3, wide_only=True),
    Column("error_same_items", "Error, same items", 2, wide_only=True),
    Column("error_other_items", "Error, other items", 2, wide_only=True),
    Column("gap", "Difference found", 1),
)
PASSES = (
    Column("passes", "Passes", 0),
    Column("rest", "Variance of an item score", 1),
    Column("gap", "Difference found, points", 2),
    Column("items", f"Items for {PLANNED_GAP:g} points", 0),
)
COUNTS = frozenset(("items", "low", "high"))
NEEDED_FORMULA = (
    "A paired test at 5 % finds a true difference d in 80 % of trials with n = (1.959964 + 0.841621)² × 2 × rest / d² "
    "items, rest being the residual variance of an item score after the effects of model and item (two-way analysis "
    "of variance, one score per model and item)."
)
JACKKNIFE = (
    "The 95 % intervals are computed on the log scale, with Student’s t (degrees of freedom: models − 1). The "
    "variances of a jackknife over models and of one over items are added."
)
NO_REPEATS = (
    "The variance that models and items do not explain (the “rest”) cannot be divided further: this needs at least one "
    "model that was asked twice, by one run with repeats or by a second run."
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    if not value:
        return []
    row = next(row for row in named(value["needed"], NEEDED_COLUMNS) if row["gap"] == PLANNED_GAP)
    return [
        Claim(
            f"{about(row['items'])} items",
            f"are needed to find a true difference of {PLANNED_GAP:g} points between two models in 4 trials of 5.",
            who(value, n),
            f"{about(row['low'])} to {about(row['high'])} items" if row["low"] is not None else "no interval is known",
            "variance components of the field; paired test, 5 %",
        )
    ]


def about(items: int) -> str:
    return count(two_digits(items))


def two_digits(items: int) -> int:
    """As exact as these estimates are: their intervals go from a fifth below to a quarter above, or wider."""
    step: int = 10 ** max(0, len(str(items)) - 2)
    return round(items / step) * step


def rounded(rows: Sequence[Sequence[Any]], names: Sequence[str], whole: frozenset[str]) -> list[list[Any]]:
    """Stored rows whose numbers of items, in the columns `whole`, have two digits."""
    return [
        [
            two_digits(value) if name in whole and value is not None else value
            for name, value in zip(names, row, strict=True)
        ]
        for row in rows
    ]


def who(value: Mapping[str, Any], n: int) -> str:
    copies = value["n_copies"]
    left_out = f", {counted(copies, 'near copy', 'near copies')} left out" if copies else ""
    return f"{counted(n, 'model')} with all {count(value['n_items'])} items{left_out}"


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value:
        return []
    return [needed_part(value, n), lengths_part(value, n), rest_part(value, n)]


def gap_of(needed: Mapping[str, Any]) -> str:
    return f"{needed['gap']:g} point{'' if needed['gap'] == 1 else 's'}"


def needed_part(value: Mapping[str, Any], n: int) -> Part:
    rows = named(value["needed"], NEEDED_COLUMNS)
    widest, closest = rows[0], rows[-1]
    return Part(
        name="needed",
        title=(
            f"Detecting a true difference of {gap_of(widest)} takes {about(widest['items'])} items, detecting one of "
            f"{gap_of(closest)} takes {about(closest['items'])}"
        ),
        how=(
            "With so many items such a difference is found in 4 of 5 trials. To find half the difference takes four "
            "times as many "
            "items. The number is for one difference between two models that were chosen beforehand; to tell a whole "
            "set of models apart takes more."
        ),
        formula=f"{NEEDED_FORMULA} {JACKKNIFE}",
        source=(
            f"n = {who(value, n)}. Variance of one item score, in squared points: models {number(value['models'], 0)}, "
            f"items {number(value['items'], 0)}, rest {number(value['rest'], 0)} "
            f"({ends_text(value['rest_interval'], 0)})."
        ),
        table=picked(rounded(value["needed"], NEEDED_COLUMNS, COUNTS), NEEDED_COLUMNS, NEEDED),
    )


def lengths_part(value: Mapping[str, Any], n: int) -> Part:
    rows = named(value["lengths"], LENGTH_COLUMNS)
    own = next(row for row in rows if row["items"] == value["n_items"])
    spots = [
        Spot(
            row["items"],
            row["gap"],
            "stress" if row is own else "plain",
            f"{counted(row['items'], 'item')}: {number(row['gap'], 1)} points",
            "this bank" if row is own else "",
        )
        for row in rows
    ]
    return Part(
        name="lengths",
        title=(
            f"With {counted(own['items'], 'item')} like these, reliability is {number(own['relative'], 2)} for the "
            f"order and {number(own['absolute'], 2)} for the score itself"
        ),
        how=(
            "E rho² says how much of the variance between scores is due to true differences between models if all "
            "answer the same items; phi is that share if each model answers different items. Both are high if these "
            "models "
            "differ a lot; the error of a score does not depend on that."
        ),
        formula=(
            "D study: E rho² = models / (models + rest / n), phi = models / (models + (items + rest) / n) for n items "
            "and the variance components above. Errors in points: √(rest / n) on the same items, √((items + rest) / n) "
            f"on other ones. {JACKKNIFE}"
        ),
        source=(
            f"n = {who(value, n)}. At this length E rho² {span(own['relative_low'], own['relative_high'], 2)}, phi "
            f"{span(own['absolute_low'], own['absolute_high'], 2)}. Other lengths assume items of the same kind."
        ),
        table=picked(value["lengths"], LENGTH_COLUMNS, LENGTHS),
        picture=picture(
            spots,
            "True difference that is found in 4 trials of 5 against the number of items. The table below holds the "
            "figures.",
            "number of items",
            "difference found, points",
        ),
    )


def rest_part(value: Mapping[str, Any], n: int) -> Part:
    split = value["parts"]
    if not split:
        return Part(
            name="rest",
            title="How much a score varies when a model is asked again is not known yet",
            how=NO_REPEATS,
            formula="Rest = interaction of models and items + re-run noise / passes.",
            source=f"n = 0 models with two passes, of {counted(n, 'model')}.",
            table=Table((), ()),
        )
    low, high = split["rerun_low"], split["rerun_high"]
    interval = (
        f"Student’s t over models, 95 % {span(low, high, 1)} squared points"
        if low is not None
        else "no interval from a single model"
    )
    share = 100 * split["rerun"] / (split["interaction"] + split["rerun"]) if split["rerun"] else 0.0
    return Part(
        name="rest",
        title=f"Asking again explains {number(share, 0)} % of the variance that models and items leave",
        how=(
            f"When it is asked again, the score of a model on one item varies with a standard deviation of "
            f"{points(split['rerun_sd'])} points. More passes lower this part. The other part remains however often a "
            "model is asked: only more items lower it."
        ),
        formula=(
            "Re-run noise: variance of an item score over the passes of a model, a mean over the models asked twice or "
            "more. Interaction: the rest less re-run noise / passes. The difference found is that of a paired test at "
            "5 % in 4 trials of 5, with this bank’s items and so many passes of both models."
        ),
        source=(
            f"n = {counted(split['n'], 'model')} with two passes or more. Squared points: interaction "
            f"{number(split['interaction'], 1)}, re-run noise {number(split['rerun'], 1)}; {interval}."
        ),
        table=picked(rounded(value["passes"], PASS_COLUMNS, COUNTS), PASS_COLUMNS, PASSES),
    )
