"""The section on pairs of banks, from its stored numbers."""

from collections.abc import Mapping
from typing import Any

from leaderboard.charts.base import Column
from leaderboard.drawings.plots import Spot
from leaderboard.queries.statistics_parts import Claim, Estimate, Part, forest, named, picked, picture, span
from leaderboard.rounding import counted, number, points
from leaderboard.statistics.banks import GAP_COLUMNS, PAIR_COLUMNS

PAIRS = (
    Column("model", "Model"),
    Column("score", "First bank", 2),
    Column("other_score", "Second bank", 2),
    Column("difference", "Difference", 2),
)
GAPS = (
    Column("model", "Model"),
    Column("public", "Public", 2),
    Column("private", "Private", 2),
    Column("difference", "Gap", 2),
    Column("low", "from", 2, wide_only=True),
    Column("high", "to", 2, wide_only=True),
    Column("beyond_median", "Beyond the median gap", 2),
)
LIMITS = (
    "A private bank may simply be harder or easier, so the gap itself shows nothing. "
    "What tells is a model whose gap is "
    "larger than that of the others. No gap proves that an item was learnt, and none proves that it was not."
)
MOST_DRAWN = 40


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    return [
        Claim(
            points(pair["difference"]),
            f"points is the mean difference of {pair['second']} from {pair['first']}, same models.",
            counted(pair["n"], "model"),
            span(pair["low"], pair["high"], 2),
            "paired t-test over models",
        )
        for pair in value.get("languages", [])
    ]


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    return [
        *(language(pair, at) for at, pair in enumerate(value.get("languages", []), 1)),
        *(private(gap, at) for at, gap in enumerate(value.get("private", []), 1)),
    ]


def language(pair: Mapping[str, Any], at: int) -> Part:
    rows = named(pair["models"], PAIR_COLUMNS)
    spots = [Spot(row["score"], row["other_score"], "plain", row["model"]) for row in rows]
    return Part(
        name=f"language-{at}",
        title=f"{pair['second']} lies {points(pair['difference'])} points from {pair['first']} on average",
        how="One dot a model, on the line where both banks give the same score.",
        formula="Mean of the differences of the same models; Student’s t, n − 1 degrees of freedom.",
        source=(
            f"n = {counted(pair['n'], 'model')}, 95 % {span(pair['low'], pair['high'], 2)} "
            f"points; r {number(pair['pearson'], 2)}, rho {number(pair['spearman'], 2)}."
        ),
        table=picked(pair["models"], PAIR_COLUMNS, PAIRS),
        picture=picture(
            spots,
            "Score on the second bank against that on the first, one dot a model. The table below holds the figures.",
            f"{pair['first']}, points",
            f"{pair['second']}, points",
            square=True,
        ),
    )


def private(gap: Mapping[str, Any], at: int) -> Part:
    rows = named(gap["models"], GAP_COLUMNS)[:MOST_DRAWN]
    drawn = [Estimate(row["model"], row["difference"], row["low"], row["high"]) for row in rows]
    return Part(
        name=f"private-{at}",
        title=f"Public less private score: {points(gap['median_gap'])} points in the median",
        how=LIMITS,
        formula=(
            "Score on the public bank less score on the private one; interval from both "
            "standard errors, since the items differ."
        ),
        source=f"n = {counted(gap['n'], 'model')} on {gap['first']} and {gap['second']}; normal 95 % intervals.",
        table=picked(gap["models"], GAP_COLUMNS, GAPS),
        forest=forest("Model, largest gap first", "public less private, points", drawn, 2, signed=True),
    )
