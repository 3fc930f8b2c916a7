"""The section on what a score measures, from its stored numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import COUNTED_ONCE, Claim, Estimate, Part, forest, named, picked, picture
from leaderboard.rounding import count, counted, number, percent
from leaderboard.statistics.structure import FACTOR_COLUMNS, GROUP_COLUMNS, STEP_COLUMNS

FACTORS = (
    Column("factor", "Factor", 0),
    Column("eigenvalue", "Eigenvalue", 1),
    Column("share", "Share of variance", 3),
    Column("chance", "By chance", 1),
    Column("chance_low", "from", 1, wide_only=True),
    Column("chance_high", "to", 1, wide_only=True),
    Column("chance_95", "95th percentile", 1, wide_only=True),
)
GROUPS = (
    Column("from", "Scores from", 1),
    Column("to", "to", 1),
    Column("n", "Models", 0),
    Column("error", "Error, points", 2),
    Column("low", "from", 2, wide_only=True),
    Column("high", "to", 2, wide_only=True),
    Column("information", "Information", 2),
    Column("gap", "Gap needed", 1),
)
STEPS = (
    Column("from", "Border from", 1),
    Column("to", "to", 1),
    Column("n_rising", "Items that rise", 0),
    Column("n_items", "of", 0),
    Column("rising", "Share", 2),
    Column("low", "from", 2, wide_only=True),
    Column("high", "to", 2, wide_only=True),
    Column("gap", "Points between the groups", 1, wide_only=True),
)
FEW_FOR_FACTORS = "The number of factors needs ten models that have every item, near copies of one model counted once."
FEW_FOR_SCALE = "Where the test measures needs sixteen models, near copies of one model counted once."


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    found = value.get("factors")
    if not found:
        return []
    first = named(found["rows"], FACTOR_COLUMNS)[0]
    return [
        Claim(
            percent(found["first_share"]),
            f"of the variance of the items lies in one factor. {above_chance(found['n_above'])}.",
            f"{counted(found['n'], 'model')}, {counted(found['n_items'], 'item')}",
            f"by chance {percent(first['chance_low'] / found['n_items'])} to "
            f"{percent(first['chance_high'] / found['n_items'])}",
            "eigenvalues of item correlations; parallel analysis",
        )
    ]


def above_chance(n: int) -> str:
    if not n:
        return "No factor lies above chance"
    return f"{counted(n, 'factor')} {'lies' if n == 1 else 'lie'} above chance"


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value:
        return []
    return [factors_part(value.get("factors"), n), *scale_parts(value.get("scale"), n)]


def factors_part(found: Mapping[str, Any] | None, n: int) -> Part:
    if not found:
        return missing("factors", "How many things the score measures is not known yet", FEW_FOR_FACTORS, n)
    rows = named(found["rows"], FACTOR_COLUMNS)
    spots = [
        Spot(row["factor"], row[key], kind, f"factor {row['factor']}, {word}: {number(row[key], 1)}")
        for kind, key, word in (("plain", "chance_95", "95th percentile of chance"), ("stress", "eigenvalue", "found"))
        for row in rows
    ]
    one = {0: "These models are too few or too alike to show a factor.", 1: "One score is then a fair summary."}
    verdict = one.get(found["n_above"], "The score reflects more than one ability.")
    return Part(
        name="factors",
        title=f"{above_chance(found['n_above'])}; the first explains {percent(found['first_share'])} of the variance",
        how=(
            f"{verdict} If all items measured one and the same thing, only one factor would exceed chance. The "
            "score, the mean over all items, mostly follows the first factor; some items also follow other factors. "
            "Pale "
            "dots: 95th percentile of chance."
        ),
        formula=(
            "Eigenvalues of the correlation matrix of the items, each compared with the eigenvalue of the same rank "
            f"after shuffling each item’s scores among the models ({count(found['draws'])} times, seed "
            f"{found['seed']}). A factor counts if it and all before it exceed the 95th percentile (Horn’s parallel "
            "analysis)."
        ),
        source=(
            f"n = {counted(found['n'], 'model')} that have all {counted(found['n_items'], 'item')}. {COUNTED_ONCE} "
            "Chance: the middle 95 % of the shuffled values. With fewer models than items the eigenvalues describe "
            "only these models, and their intervals are not known."
        ),
        table=picked(found["rows"], FACTOR_COLUMNS, FACTORS),
        picture=picture(
            spots,
            "Eigenvalue of each factor, found and by chance. The table below holds the figures.",
            "factor, the largest first",
            "eigenvalue",
        ),
    )


def scale_parts(found: Mapping[str, Any] | None, n: int) -> list[Part]:
    if not found:
        return [missing("information", "Where on the scale the test measures is not known yet", FEW_FOR_SCALE, n)]
    rows = named(found["groups"], GROUP_COLUMNS)
    drawn = [Estimate(scores_of(row), row["error"], row["low"], row["high"], row["n"]) for row in reversed(rows)]
    information = Part(
        name="information",
        title=best_known(rows),
        how=(
            "The error is the standard error of a score when models of a group are compared on the same items. The ± "
            "of the ranking is wider, since it also covers the choice of items. Information is 1 / error²: "
            "twice the information is worth twice as many items. Two scores of a group that lie closer than the gap "
            "needed are usually tied."
        ),
        formula=(
            "Error: √(mean variance of a paired difference over all pairs of the group / 2); gap needed = 1.959964 × "
            "√2 × error. 95 % intervals: jackknife over the models of the group on the log scale, Student’s t."
        ),
        source=f"n = {counted(found['n'], 'model')} in {len(rows)} groups of about equal size by score.",
        table=picked(found["groups"], GROUP_COLUMNS, GROUPS),
        forest=forest("Scores, best first", "error of a score, points", drawn, 2, signed=False),
    )
    return [information, *steps_part(found)]


def best_known(rows: Sequence[Mapping[str, Any]]) -> str:
    """Which scores have the smallest error and which the largest, where the intervals of the two errors part."""
    best, worst = (pick(rows, key=lambda row: row["error"]) for pick in (min, max))
    low, high = number(best["error"], 1), number(worst["error"], 1)
    if best["high"] is None or worst["low"] is None or best["high"] >= worst["low"]:
        return f"Errors of scores are {low} to {high} points; where they are smallest is not clear from these models"
    smallest = f"Scores of {scores_of(best)} have the smallest error, {low} points"
    return f"{smallest}; those of {scores_of(worst)} the largest, {high}"


def scores_of(row: Mapping[str, Any]) -> str:
    return f"{number(row['from'], 0)} to {number(row['to'], 0)}"


def steps_part(found: Mapping[str, Any]) -> list[Part]:
    rows = named(found["steps"], STEP_COLUMNS)
    if not rows:
        return []
    fewest, most = (pick(rows, key=lambda row: row["rising"]) for pick in (min, max))
    drawn = [
        Estimate(f"around {middle(row)}", 100 * row["rising"], 100 * row["low"], 100 * row["high"], row["n_items"])
        for row in reversed(rows)
    ]
    return [
        Part(
            name="discrimination",
            title=(
                "Of two neighbouring groups of models the better one has the higher mean on "
                f"{number(100 * most['rising'], 0)} % of the items near {middle(most)} points"
                + (
                    f", on {number(100 * fewest['rising'], 0)} % near {middle(fewest)} points"
                    if fewest is not most
                    else ""
                )
            ),
            how=(
                "Each group of models is compared with the next better one: on how many items is the mean of the "
                "better group higher? Chance alone would give a little over half of the items, since the groups were "
                "formed by these same scores. The mean of an item may fail to be higher because it is too easy or too "
                "hard here, because it measures something else, or by chance."
            ),
            formula=(
                "Share of items whose mean is higher in the better of two neighbouring groups; Wilson’s 95 % interval "
                "over items."
            ),
            source=(
                f"n = {counted(found['n'], 'model')} in {len(rows) + 1} groups, {counted(most['n_items'], 'item')}."
            ),
            table=picked(found["steps"], STEP_COLUMNS, STEPS),
            forest=forest("Scores, best first", "items that rise, %", drawn, 0, signed=False),
        )
    ]


def middle(row: Mapping[str, Any]) -> str:
    return number((row["from"] + row["to"]) / 2, 0)


def missing(name: str, title: str, sentence: str, n: int) -> Part:
    return Part(
        name=name,
        title=title,
        how=sentence,
        formula="Not computed.",
        source=f"n = {counted(n, 'model')}.",
        table=Table((), ()),
    )
