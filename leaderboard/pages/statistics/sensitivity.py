"""The section on choices, from its stored numbers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import Claim, Part, named, picked, picture
from leaderboard.rounding import count, counted, number, points
from leaderboard.statistics.sensitivity import CHOICE_COLUMNS, ITEM_MODEL_COLUMNS

LEFT_OUT = (
    Column("model", "Model"),
    Column("score", "Score", 2),
    Column("rank", "Rank", 0),
    Column("lowest_rank", "Best without an item", 0),
    Column("highest_rank", "Worst without an item", 0),
    Column("move", "Largest move", 0),
)


def choice_columns(first: str, second: str) -> tuple[Column, ...]:
    return (
        Column("model", "Model"),
        Column("score", first, 2),
        Column("other_score", second, 2),
        Column("rank", "Rank", 0),
        Column("other_rank", "Other rank", 0),
        Column("move", "Move", 0),
    )


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    found = value.get("items")
    if not found:
        return []
    text = "at most is how far dropping one item moves a model" + (
        "; the first one stays first."
        if found["keeps_first"] == found["n_items"]
        else f"; another model is first without one of {counted(found['n_items'] - found['keeps_first'], 'item')}."
    )
    who = f"{counted(found['n'], 'model')}, {counted(found['n_items'], 'item')}"
    return [
        Claim(
            counted(found["largest_move"], "rank"),
            text,
            who,
            f"none: all were tried; {number(found['mean_move'], 2)} ranks on average",
            "each item left out in turn",
        )
    ]


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    found = [
        items_part(value.get("items")),
        choice_part(value.get("rule"), "rule", "README", "Code", "the README rule and the code rule", (
            "A rating that is off by exactly 5 costs 5 by the rule in EQ-Bench’s README and 4.995411 by its code. "
            "Both rules are applied to the answers of each model’s newest run."
        )),
        strict_part(value.get("strict")),
    ]  # fmt: skip
    return [part for part in found if part]


def items_part(found: Mapping[str, Any] | None) -> Part | None:
    if not found:
        return None
    held, items = found["keeps_first"], found["n_items"]
    rows = named(found["models"], ITEM_MODEL_COLUMNS)
    spots = [Spot(row["rank"], row["move"], "plain", f"{row['model']}: {counted(row['move'], 'rank')}") for row in rows]
    return Part(
        name="items",
        title=f"Dropping one item moves no model by more than {counted(found['largest_move'], 'rank')}",
        how=f"{first_place(held, items)} Each dot is a model.",
        formula="Rank by the mean over all items but one. Each item is left out once, so there is no interval.",
        source=(
            f"n = {counted(found['n'], 'model')}, {counted(items, 'item')}; "
            f"{number(found['mean_move'], 2)} ranks on average."
        ),
        table=picked(found["models"], ITEM_MODEL_COLUMNS, LEFT_OUT),
        picture=picture(
            spots,
            "Largest move of rank against rank, one dot per model. The figures are in the table below.",
            "rank",
            "largest move, ranks",
        ),
    )


def strict_part(found: Mapping[str, Any] | None) -> Part | None:
    """Nothing where every measured model is alone or imported: imports cannot tell the two readings apart."""
    if not found or not (found["choice"] or found["without"]):
        return None
    how = (
        "The strict reading takes only answers in the official form; the standard one takes clear answers in other "
        f"forms as well. {who_is_compared(found)}"
    )
    part = choice_part(
        found["choice"], "strict", "Standard", "Strict", "the standard and the strict reading", how, "measured model"
    )
    lost = lost_text(found)
    if part is None:
        return Part(
            "strict", lost, how, STRICT_FORMULA, f"n = {counted(found['n_measured'], 'measured model')}.", NO_ROWS
        )
    return replace(part, title=f"{part.title}; {lost}") if found["without"] else part


STRICT_FORMULA = (
    "The strict score counts only answers that the official parser can read; a run with too few of them has none."
)
NO_ROWS = Table(choice_columns("Standard", "Strict"), ())
MOST_NAMED = 8


def lost_text(found: Mapping[str, Any]) -> str:
    n = len(found["without"])
    return f"{n} of {counted(found['n_measured'], 'measured model')} {'has' if n == 1 else 'have'} no strict score"


def who_is_compared(found: Mapping[str, Any]) -> str:
    """Which models the two readings can be compared for, and which not."""
    measured, without = found["n_measured"], found["without"]
    text = f"Of {counted(measured, 'measured model')} {count(measured - len(without))} have both scores."
    if without:
        names = ", ".join(without[:MOST_NAMED]) + (
            f" and {count(len(without) - MOST_NAMED)} more" if len(without) > MOST_NAMED else ""
        )
        text += (
            f" No strict score: {names}. Too few of their answers are in the official form, so they would fall out of "
            "a strict ranking."
        )
    if found["n_imported"]:
        text += (
            f" {counted(found['n_imported'], 'imported model')} cannot tell: their answers were read elsewhere, so "
            "both scores are the same. They keep their score in both orders."
        )
    return text


def choice_part(
    found: Mapping[str, Any] | None, name: str, first: str, second: str, both: str, how: str, who: str = "model"
) -> Part | None:
    if not found:
        return None
    moved, models = found["moved"], counted(found["n"], who)
    rows = named(found["models"], CHOICE_COLUMNS)
    spots = [
        Spot(
            row["score"],
            row["other_score"] - row["score"],
            "plain",
            f"{row['model']}: {points(row['other_score'] - row['score'])} points",
        )
        for row in rows
    ]
    return Part(
        name=name,
        title=f"No rank of {models} differs between {both}"
        if not moved
        else f"{count(moved)} of {models} {'has' if moved == 1 else 'have'} a different rank under {both}",
        how=how,
        formula=(
            "Both scores of the same models, ranked apart. Spearman’s rho compares the orders, 1 is the same. It "
            "describes these models, hence no interval."
        ),
        source=(
            f"n = {models}. Largest move {counted(found['largest_move'], 'rank')}, largest difference "
            f"{number(found['largest_difference'], 2)} points, rho {number(found['rho'], 3)}."
        ),
        table=picked(found["models"], CHOICE_COLUMNS, choice_columns(first, second)),
        picture=picture(
            spots,
            f"{second} less {first} score against score, one dot per model. The figures are in the table below.",
            "score, points",
            "difference, points",
        )
        if moved or found["largest_difference"]
        else None,
    )


def first_place(held: int, items: int) -> str:
    if held == items:
        return "The first of these models stays first whichever item is left out."
    return f"The first of these models stays first if one of {count(held)} of the {count(items)} items is left out."
