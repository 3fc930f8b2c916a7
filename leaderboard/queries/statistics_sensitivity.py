"""The section on choices, from its stored numbers."""

from collections.abc import Mapping
from typing import Any

from leaderboard.charts.base import Column
from leaderboard.drawings.plots import Spot
from leaderboard.queries.statistics_parts import Claim, Part, named, picked, picture
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
    text = "at most is how far a model moves when one item is left out" + (
        "; first place holds each time."
        if found["keeps_first"] == found["n_items"]
        else f"; first place changes with {counted(found['n_items'] - found['keeps_first'], 'item')}."
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
            "A difference of exactly 5 costs 5 by the README rule and 4.995411 by the code "
            "rule; both on the answers of each model’s newest run."
        )),
        choice_part(value.get("strict"), "strict", "Standard", "Strict", "the standard and the strict reading", (
            "The strict reading takes only answers in the official form; the standard one "
            "takes clear answers in other forms as well."
        )),
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
        title=f"One item less moves a model by {counted(found['largest_move'], 'rank')} at most",
        how=f"{first_place(held, items)} One dot a model.",
        formula="Rank by the mean over all items but one, each left out in turn: all of them, hence no interval.",
        source=(
            f"n = {counted(found['n'], 'model')}, {counted(items, 'item')}; "
            f"{number(found['mean_move'], 2)} ranks on average."
        ),
        table=picked(found["models"], ITEM_MODEL_COLUMNS, LEFT_OUT),
        picture=picture(
            spots,
            "Largest move of rank against rank, one dot a model. The table below holds the figures.",
            "rank",
            "largest move, ranks",
        ),
    )


def choice_part(
    found: Mapping[str, Any] | None, name: str, first: str, second: str, both: str, how: str
) -> Part | None:
    if not found:
        return None
    moved = found["moved"]
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
        title=f"No rank differs between {both}"
        if not moved
        else (
            f"{counted(moved, 'model')} of {count(found['n'])} "
            f"{'has' if moved == 1 else 'have'} another rank under {both}"
        ),
        how=how,
        formula=(
            "Both scores of the same models, ranked apart. Spearman’s rho compares the orders, 1 is the same. It "
            "describes these models, hence no interval."
        ),
        source=(
            f"n = {counted(found['n'], 'model')}. Largest move "
            f"{counted(found['largest_move'], 'rank')}, largest difference "
            f"{number(found['largest_difference'], 4)} points, rho {number(found['rho'], 4)}."
        ),
        table=picked(found["models"], CHOICE_COLUMNS, choice_columns(first, second)),
        picture=picture(
            spots,
            f"{second} less {first} score against score, one dot a model. The table below holds the figures.",
            "score, points",
            "difference, points",
        )
        if moved or found["largest_difference"]
        else None,
    )


def first_place(held: int, items: int) -> str:
    if held == items:
        return "The first place holds whichever item is left out."
    return f"The first place holds without {count(held)} of the {count(items)} items."
