"""The section on items, from its stored numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import COUNTED_ONCE, Claim, Part, named, picked, picture, span
from leaderboard.rounding import count, counted, number, points
from leaderboard.statistics.items import ALPHA_COLUMNS, FAMILY_COLUMNS, ITEM_COLUMNS

ALPHA_DIGITS = 2
MOST_NAMED = 8
SHARES = {0.5: "the best half", 0.25: "the best quarter"}

COLUMNS = (
    Column("item", "Item", 0),
    Column("n", "Models", 0, wide_only=True),
    Column("difficulty", "Mean score", 2),
    Column("sd", "Spread", 2, wide_only=True),
    Column("discrimination", "Discrimination", 2),
    Column("low", "from", 2, wide_only=True),
    Column("high", "to", 2, wide_only=True),
    Column("families", "Favours or penalises"),
)
FAMILIES = (
    Column("family", "Family"),
    Column("item", "Item", 0),
    Column("effect", "Effect, of 10", 1),
    Column("p_corrected", "p, corrected", 3, of_p=True),
    Column("n_members", "Models of it", 0, wide_only=True),
    Column("n_others", "Others", 0, wide_only=True),
)


RUNNING = (
    "The page of a run under way uses the mean scores of the items to estimate its final score. The estimate is the "
    "mean of the other models over all items of the run, plus the lead of the run on the items scored so far "
    "(difference estimator, Cochran 1977, chapter 7). Its 95 % interval is Student’s t over the scored items, with "
    "the correction for a finite number of items, and closes as the run ends."
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    found = value.get("reliability")
    if not found or found["alpha"] is None:
        return []
    text = f"is Cronbach’s alpha: how well the items agree on the order of all models, 1 being best.{best_words(value)}"
    who = f"{counted(found['n_runs'], 'model')} with all {count(found['n_items'])} items{without_copies(value)}"
    interval = span(found["alpha_low"], found["alpha_high"], ALPHA_DIGITS)
    return [Claim(number(found["alpha"], ALPHA_DIGITS), text, who, interval, "alpha; interval of Feldt")]


def alphas(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    return named(value["alphas"], ALPHA_COLUMNS)


def best_of(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """The smallest share of the best models that has an alpha; None where there is no share but the whole."""
    shares = [row for row in alphas(value) if row["share"] is not None and row["share"] < 1]
    return min(shares, key=lambda row: row["share"], default=None)


def lowest_of(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """The band of scores, closed at both ends, in which the items agree least on the order."""
    bands = [row for row in alphas(value) if row["from_score"] is not None and row["below_score"] is not None]
    return min(bands, key=lambda row: row["alpha"], default=None)


def best_words(value: Mapping[str, Any]) -> str:
    """Alpha where readers look: among the best, and where it is lowest."""
    return "".join(
        f" Among {part_name(row)} ({counted(row['n'], 'model')}) it is {number(row['alpha'], ALPHA_DIGITS)}, "
        f"{span(row['low'], row['high'], ALPHA_DIGITS)}."
        for row in (best_of(value), lowest_of(value))
        if row
    )


def part_name(row: Mapping[str, Any]) -> str:
    """ "the best quarter", "models of 60 to below 70 points"."""
    low, high = row["from_score"], row["below_score"]
    if row["share"] is not None:
        return SHARES.get(row["share"], "all models")
    if high is None:
        return f"models of {low:g} points or more"
    return f"models below {high:g} points" if low is None else f"models of {low:g} to below {high:g} points"


def without_copies(value: Mapping[str, Any]) -> str:
    """ ", 4 near copies left out"; "" where there are none."""
    n = len(value["copies"])
    return f", {counted(n, 'near copy', 'near copies')} left out" if n else ""


def copies_text(value: Mapping[str, Any]) -> str:
    """The near copies by name, as far as they are few."""
    copies = value["copies"]
    if not copies:
        return ""
    names = "; ".join(f"{name} (answers as {first})" for name, first in copies[:MOST_NAMED])
    more = f"; and {count(len(copies) - MOST_NAMED)} more" if len(copies) > MOST_NAMED else ""
    return f" Left out as near copies, equal answers on 95 % of the items or more: {names}{more}."


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
            "Each dot is an item; harder ones are on the left. If an item’s discrimination is below zero, models that "
            "do well on the other items do badly on it, perhaps because few readers would rate it as the reference "
            "does."
        ),
        formula=(
            "Mean score: mean item score, 0 to 10. Discrimination: Pearson’s r of the item "
            "with the sum of the others; interval of Fisher."
        ),
        source=(
            f"n = {counted(n, 'model')}; discrimination over the {count(value['n_complete'])} that have every item."
            f"{copies_text(value)}{below_zero(negative)} Each interval is 95 % for its own item, not corrected for "
            f"{len(rows)} items."
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
    return f"{found} ({'' if n_open == n else f'{n_open} of them '}not significant)"


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
        *(alpha_line(row) for row in alphas(value)),
        ("Odd against even items", found["n_runs"], found["odd_even"], None, None),
        ("the same, Spearman–Brown", found["n_runs"], found["odd_even_spearman_brown"], None, None),
        *half_rows(found["halves"], found["n_runs"]),
        ("Mean correlation of two items", found["n_runs"], found["mean_inter_item"], None, None),
        ("Dependability (phi)", found["n_runs"], components["dependability"], None, None),
    ]  # fmt: skip
    columns = (
        Column("figure", "Figure"),
        Column("n", "Models", 0),
        Column("value", "Value", ALPHA_DIGITS),
        Column("low", "from", ALPHA_DIGITS),
        Column("high", "to", ALPHA_DIGITS),
    )
    return Part(
        name="reliability",
        title=alpha_title(value),
        how=(
            "Alpha says how well the items agree on the order of the models that it is taken over. Where weak models "
            "stand beside strong ones it is large for this reason alone; among models of nearly the same score the "
            "items agree less. Even where all models have the same items, a score has an error of "
            f"{number(found['standard_error_of_measurement'], 1)} points, SD × √(1 − α), since models find different "
            "items hard."
        ),
        formula=(
            "α = k/(k − 1) × (1 − sum of item variances / variance of the total), for groups of five models or more. "
            "Halves: 10,000 random splits, seed 171. Spearman–Brown: 2r/(1 + r)."
        ),
        source=(
            f"n = {counted(found['n_runs'], 'model')} with all {count(found['n_items'])} items.{copies_text(value)} "
            "Alpha: Feldt, 95 %. Its interval supposes independent models; merges of one base model are not, so it is "
            "somewhat too narrow. Halves: 2.5th to 97.5th percentile of the splits. The other figures describe these "
            "models and have no interval."
        ),
        table=Table(columns, tuple(rows)),
        more=(RUNNING,),
    )


def alpha_title(value: Mapping[str, Any]) -> str:
    alpha = value["reliability"]["alpha"]
    if alpha is None:
        return "How well the items agree on the order of the models"
    parts = [row for row in (best_of(value), lowest_of(value)) if row]
    among = [f"{number(row['alpha'], ALPHA_DIGITS)} among {part_name(row)}" for row in parts]
    return ", ".join([f"Alpha is {number(alpha, ALPHA_DIGITS)} over all models", *among])


def alpha_line(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return f"Cronbach’s alpha, {part_name(row)}", row["n"], row["alpha"], row["low"], row["high"]


def half_rows(halves: Mapping[str, Any] | None, n: int) -> list[tuple[Any, ...]]:
    if not halves:
        return []
    return [
        ("Random halves, mean r", n, halves["mean_r"], *ends_of(halves["interval"])),
        ("the same, Spearman–Brown", n, halves["spearman_brown"], None, None),
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
            f"{counted(at, 'item')}: ±{number(error, 1)} points",
            counted(at, "item") if at == length else "",
        )
        for at, error in enumerate(errors, 1)
        if at > 2
    ]
    numbers = ", ".join(str(number) for number in sorted(form["items"]))
    columns = (Column("items", "Items", 0), Column("error", "Error, points", 1), Column("added", "Item added", 0))
    added = [*form["items"], *([None] * (len(errors) - length))]
    return Part(
        name="short-form",
        title=f"Predicting the full score with a typical error of {largest} points takes {length_text(form)}",
        how=(
            f"Judged by all divisions together, {counted(length, 'item')} are enough: {numbers}. Score = "
            f"{number(form['intercept'], 1)} + {number(form['slope'], 3)} × their mean in points."
        ),
        formula=(
            "Items are added one at a time, each time the one that brings their mean closest to the full score. The "
            f"error is from a cross-validation: the models are divided into {form['folds']} parts, and for each part "
            f"items are chosen on the other parts and tested on it{splits_text(form)}. The typical error is the root "
            "mean square over all models and divisions."
        ),
        source=(
            f"n = {counted(form['n_runs'], 'model')} with all items. {COUNTED_ONCE} About a third of models miss by "
            "more than the typical error. The error is slightly too small, since it also decided how many items to "
            "take. It holds for the full score of this bank, which includes "
            "the chosen items, and not for other items."
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


def length_text(form: Mapping[str, Any]) -> str:
    """ "47 to 55 items", as far as single splits into folds agree; of one split "about 52 items"."""
    if form["splits"] == 1:
        return f"About {counted(len(form['items']), 'item')}"
    if form["shortest"] == form["longest"]:
        return counted(form["longest"], "item")
    return f"{count(form['shortest'])} to {counted(form['longest'], 'item')}"


def splits_text(form: Mapping[str, Any]) -> str:
    if form["splits"] == 1:
        return ""
    return (
        f". This is repeated for {form['splits']} random divisions; each alone would need a different number of items"
    )


def families_part(value: Mapping[str, Any]) -> Part | None:
    tested = value["families_tested"]
    if not tested:
        return None
    names = ", ".join(f"{family} ({counted(members, 'model')})" for family, members, _ in tested)
    return Part(
        name="families",
        title=families_title(len({row[1] for row in value["families"]})),
        how=f"Tested: {names}.{too_few_text(value)} Families go by the model’s name, a grouping of our own.",
        formula=(
            "Item score less a cubic in the mean of the other items. Exact permutation test in strata of about ten "
            "models of similar score: is the mean of the family more extreme than the means of other sets of equally "
            "many models? "
            "(From 500 models of a family on, by the normal distribution.) "
            "Effect: mean of the family less mean of the others of the same strata. Holm’s correction over all items "
            "of all families; flagged below 5 %."
        ),
        source=(
            f"n = {counted(value['n_distinct'], 'model')}. {COUNTED_ONCE} If no item favoured "
            "or penalised a family, a false flag would appear in at most 5 of 100 such analyses. An item without a "
            "flag may still favour a family: with few models only large effects are found."
        ),
        table=picked(value["families"], FAMILY_COLUMNS, FAMILIES),
    )


def too_few_text(value: Mapping[str, Any]) -> str:
    too_few = value["families_too_few"]
    if not too_few:
        return ""
    names = ", ".join(f"{family} ({counted(members, 'model')})" for family, members in too_few)
    return f" Not tested, for want of others of their strength: {names}."


def families_title(n: int) -> str:
    if not n:
        return "No item is found to favour or penalise a model family"
    return f"{counted(n, 'item')} {'favours or penalises' if n == 1 else 'favour or penalise'} a model family"
