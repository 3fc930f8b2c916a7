"""The section on items, from its stored numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.drawings.plots import Spot
from leaderboard.queries.statistics_parts import Claim, Part, named, picked, picture, span
from leaderboard.rounding import count, counted, number, points
from leaderboard.statistics.items import FAMILY_COLUMNS, ITEM_COLUMNS

COLUMNS = (
    Column("item", "Item", 0),
    Column("n", "Models", 0, wide_only=True),
    Column("difficulty", "Mean score", 2),
    Column("sd", "Spread", 2, wide_only=True),
    Column("discrimination", "Discrimination", 2),
    Column("low", "from", 2, wide_only=True),
    Column("high", "to", 2, wide_only=True),
    Column("families", "Treats unlike"),
)
FAMILIES = (
    Column("family", "Family"),
    Column("item", "Item", 0),
    Column("effect", "Effect, of 10", 2),
    Column("t", "t", 2, wide_only=True),
    Column("p_corrected", "p, corrected", 4),
    Column("n_members", "Models of it", 0, wide_only=True),
    Column("n_others", "Others", 0, wide_only=True),
)


RUNNING = (
    "While a run is under way, its page estimates its final score: the mean difficulty of all its items, plus the "
    "mean of score less difficulty over those scored so far (difference estimator, Cochran 1977, chapter 7). Its "
    "95 % interval is Student’s t over the scored items, with the correction for a finite number of items, and closes "
    "as the run ends."
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    found = value.get("reliability")
    if not found or found["alpha"] is None:
        return []
    negative = [row for row in named(value["items"], ITEM_COLUMNS) if row["negative"]]
    odd = f"{below_title(negative)}." if negative else "No item correlates below zero with the rest."
    text = f"is how well the items agree on the order of models (Cronbach’s alpha, 1 is best). {odd}"
    who = f"{counted(found['n_runs'], 'model')} with all {count(found['n_items'])} items"
    return [
        Claim(
            number(found["alpha"], 3),
            text,
            who,
            span(found["alpha_low"], found["alpha_high"], 3),
            "alpha; interval of Feldt",
        )
    ]


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value.get("items"):
        return []
    found = [discrimination(value, n), reliability_part(value), short_part(value), families_part(value)]
    return [part for part in found if part]


def discrimination(value: Mapping[str, Any], n: int) -> Part:
    rows = named(value["items"], ITEM_COLUMNS)
    known = [row for row in rows if row["discrimination"] is not None and row["difficulty"] is not None]
    negative = [row for row in known if row["negative"]]
    names = ", ".join(str(row["item"]) for row in negative)
    spots = [
        Spot(
            row["difficulty"],
            row["discrimination"],
            "stress" if row["negative"] else "plain",
            f"item {row['item']}: {points(row['discrimination'])}",
            str(row["item"]) if row["negative"] else "",
        )
        for row in sorted(known, key=lambda row: row["negative"])
    ]
    return Part(
        name="discrimination",
        title=f"{below_title(negative)}: {names}" if negative else "No item correlates below zero with the rest",
        how=(
            "One dot an item, the hard ones at the left. Below zero, models that do well "
            "elsewhere do worse: a reference that most readers would not give can have this "
            "effect."
        ),
        formula=(
            "Difficulty: mean item score, 0 to 10. Discrimination: Pearson’s r of the item "
            "with the sum of the others; interval of Fisher."
        ),
        source=(
            f"n = {counted(n, 'model')}; discrimination over the {count(value['n_complete'])} that have every item."
            f"{below_zero(negative)} Each interval is 95 % for its own item, not corrected for {len(rows)} items."
        ),
        table=picked(value["items"], ITEM_COLUMNS, COLUMNS),
        picture=picture(
            spots,
            "Discrimination of each item against its mean score. The table below holds the figures.",
            "mean item score, 10 is best",
            "discrimination, −1 to 1",
        )
        if spots
        else None,
    )


def below_title(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many items lie below zero, and of how many the data leave zero open."""
    n, n_open = len(rows), sum(row["high"] is None or row["high"] >= 0 for row in rows)
    found = f"{counted(n, 'item')} {'correlates' if n == 1 else 'correlate'} below zero with the rest"
    if not n_open:
        return found
    return f"{found}, zero left open for {'each' if n_open == n > 1 else 'it' if n == 1 else n_open}"


def below_zero(rows: Sequence[Mapping[str, Any]]) -> str:
    """The items below zero with what is left open of each."""
    found = [
        f"item {row['item']}: {number(row['discrimination'], 2)}, {span(row['low'], row['high'], 2)}" for row in rows
    ]
    return f" Below zero: {'; '.join(found)}." if found else ""


def reliability_part(value: Mapping[str, Any]) -> Part | None:
    found = value["reliability"]
    if not found:
        return None
    components = found["components"]
    rows = [
        ("Cronbach’s alpha", found["alpha"], found["alpha_low"], found["alpha_high"]),
        ("Odd against even items", found["odd_even"], None, None),
        ("the same, Spearman–Brown", found["odd_even_spearman_brown"], None, None),
        *half_rows(found["halves"]),
        ("Mean correlation of two items", found["mean_inter_item"], None, None),
        ("Dependability (phi)", components["dependability"], None, None),
    ]  # fmt: skip
    columns = (
        Column("figure", "Figure"),
        Column("value", "Value", 4),
        Column("low", "from", 4),
        Column("high", "to", 4),
    )
    return Part(
        name="reliability",
        title=f"Two halves of the items order the models alike: alpha {number(found['alpha'], 4)}",
        how=(
            "Near 1: one half of the items orders the models much as the other does. One model’s score still has an "
            f"error of {points(found['standard_error_of_measurement'])} points on these very items, SD × √(1 − α)."
        ),
        formula=(
            "α = k/(k − 1) × (1 − sum of item variances / variance of the total). Halves: "
            "10,000 random splits, seed 171. Spearman–Brown: 2r/(1 + r)."
        ),
        source=(
            f"n = {counted(found['n_runs'], 'model')} with all {count(found['n_items'])} "
            f"items. Alpha: Feldt 95 % {span(found['alpha_low'], found['alpha_high'], 4)}. Halves: 2.5th to 97.5th "
            "percentile of the splits. The other figures describe these models and have no interval."
        ),
        table=Table(columns, tuple(rows)),
        more=(RUNNING,),
    )


def half_rows(halves: Mapping[str, Any] | None) -> list[tuple[Any, ...]]:
    if not halves:
        return []
    return [
        ("Random halves, mean r", halves["mean_r"], *ends_of(halves["interval"])),
        ("the same, Spearman–Brown", halves["spearman_brown"], None, None),
    ]


def ends_of(interval: Any) -> tuple[float | None, float | None]:
    low, high = (interval["low"], interval["high"]) if isinstance(interval, dict) else interval
    return low, high


def short_part(value: Mapping[str, Any]) -> Part | None:
    form = value["short"]
    if not form:
        return None
    length, errors, largest = len(form["items"]), form["errors"], number(form["largest_error"], 0)
    spots = [
        Spot(
            at,
            error,
            "stress" if at == length else "plain",
            f"{counted(at, 'item')}: ±{points(error)} points",
            counted(at, "item") if at == length else "",
        )
        for at, error in enumerate(errors, 1)
        if at > 2
    ]
    numbers = ", ".join(str(number) for number in sorted(form["items"]))
    columns = (Column("items", "Items", 0), Column("error", "Error, points", 2), Column("added", "Item added", 0))
    added = [*form["items"], *([None] * (len(errors) - length))]
    return Part(
        name="short-form",
        title=f"{counted(length, 'item')} predict the full score with a typical error of {largest} points",
        how=(
            f"Items {numbers}. Score = {number(form['intercept'], 2)} + "
            f"{number(form['slope'], 3)} × their mean in points."
        ),
        formula=(
            "Items are added one at a time, each the one that brings their mean closest to "
            f"the full score; the error is the root mean square over {form['folds']} folds of models that "
            "did not choose them."
        ),
        source=(
            f"n = {counted(form['n_runs'], 'model')} with all items, near copies of one model "
            "taken once. About a third of models miss by more than the typical error. It is an estimate itself, a "
            "little too good since it chose the number of items, and no interval of it is known. The full score holds "
            "the chosen items: good for predicting it, not for another set."
        ),
        table=Table(
            columns, tuple((at, error, item) for at, (error, item) in enumerate(zip(errors, added, strict=True), 1))
        ),
        picture=picture(
            spots,
            "Cross-validated error against the number of items. The table below holds the figures.",
            "number of items",
            "error, points",
        )
        if spots
        else None,
    )


def families_part(value: Mapping[str, Any]) -> Part | None:
    tested = value["families_tested"]
    if not tested:
        return None
    names = ", ".join(f"{family} ({counted(members, 'model')})" for family, members, *_ in tested)
    flagged = value["families"]
    return Part(
        name="families",
        title=families_title(len({row[1] for row in flagged})),
        how=f"Tested: {names}. Families go by the model’s name, a grouping of our own.",
        formula=(
            "Item score on the mean of the other items and membership of the family; t test "
            "with n − 3 degrees of freedom, Holm’s correction over all items of a family, none over families."
        ),
        source=f"n = {counted(value['n_distinct'], 'model')}, near copies of one model taken once; flagged below 5 %.",
        table=picked(flagged, FAMILY_COLUMNS, FAMILIES),
    )


def families_title(n: int) -> str:
    if not n:
        return "No item treats a family of models unlike others of its strength"
    return f"{counted(n, 'item')} {'treats' if n == 1 else 'treat'} a family of models unlike others of its strength"
