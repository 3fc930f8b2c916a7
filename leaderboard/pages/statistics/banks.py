"""The section on pairs of banks, from its stored numbers."""

from collections.abc import Mapping
from typing import Any

from leaderboard.charts.base import Column
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import Claim, Estimate, Part, ends_text, forest, named, picked, picture, span
from leaderboard.pages.statistics.units import axis_of, in_unit_of
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
    Column("private", "Private", 0),
    Column("difference", "Gap", 0),
    Column("beyond_median", "Beyond the median gap", 0),
    Column("low", "from", 0, wide_only=True),
    Column("high", "to", 0, wide_only=True),
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
            f"{in_unit_of(pair, '')} is {pair['second']} less {pair['first']} on average, same models".strip()
            + (": zero is possible too." if is_open(pair) else "."),
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
        title=title_of(pair),
        how="Each dot is a model; on the line both banks give the same score. "
        + ("The interval of the mean difference includes zero." if is_open(pair) else ""),
        formula=(
            "Mean of the differences of the same models, second bank less first; paired t-test over models, n − 1 "
            "degrees of freedom. r with Fisher’s interval, rho with the interval of Bonett and Wright."
        ),
        source=(
            f"n = {counted(pair['n'], 'model')}, 95 % {in_unit_of(pair, span(pair['low'], pair['high'], 2))}; "
            f"r = {number(pair['pearson'], 2)}, {ends_text(pair['pearson_interval'], 2)}; rho = "
            f"{number(pair['spearman'], 2)}, {ends_text(pair['spearman_interval'], 2)}."
        ),
        table=picked(pair["models"], PAIR_COLUMNS, PAIRS),
        picture=picture(
            spots,
            "Score on the second bank against that on the first, one dot per model. The figures are in the table "
            "below.",
            axis_of(pair, pair["first"]),
            axis_of(pair, pair["second"]),
            square=True,
        ),
    )


def is_open(pair: Mapping[str, Any]) -> bool:
    """Whether the data leave open that the banks give the same score."""
    return pair["low"] is None or bool(pair["low"] <= 0 <= pair["high"])


def title_of(pair: Mapping[str, Any]) -> str:
    first, second = pair["first"], pair["second"]
    if is_open(pair):
        return f"No difference between {second} and {first} is found on average"
    return f"{second} lies {in_unit_of(pair, points(pair['difference']))} from {first} on average"


def private(gap: Mapping[str, Any], at: int) -> Part:
    rows = named(gap["models"], GAP_COLUMNS)[:MOST_DRAWN]
    drawn = [beyond(row) for row in rows]
    return Part(
        name=f"private-{at}",
        title=f"{gap['first']} less {gap['second']}: {in_unit_of(gap, number(gap['median_gap'], 0))} in the median",
        how=LIMITS,
        formula=(
            "Score on the public bank less score on the private one; of a private bank only whole points are public, "
            "and so is the gap. Drawn: the gap less the median gap ± t × √(s₁²/n₁ + s₂²/n₂), s being the standard "
            "deviation of the model’s n item scores on a bank, each less the mean of its item over these models, which "
            "takes out how hard the items are; t is Student’s with the degrees of freedom of Welch and Satterthwaite. "
            "Each interval is 95 % for its own model: of models with the median gap about one "
            "in twenty misses zero by chance."
        ),
        source=(
            f"n = {counted(gap['n'], 'model')} on {gap['first']} (public) and {gap['second']} (private); 95 % "
            f"intervals in whole points; {apart(gap)}."
        ),
        table=picked(gap["models"], GAP_COLUMNS, GAPS),
        forest=forest("Model, largest gap first", axis_of(gap, "gap less the median gap"), drawn, 0, signed=True),
    )


def beyond(row: Mapping[str, Any]) -> Estimate:
    """A model's gap less the median gap, with its interval."""
    return Estimate(row["model"], row["beyond_median"], row["low"], row["high"])


def apart(gap: Mapping[str, Any]) -> str:
    """How many models differ from the median gap by more than their errors."""
    found = [beyond(row) for row in named(gap["models"], GAP_COLUMNS)]
    known = [(each.low, each.high) for each in found if each.low is not None and each.high is not None]
    if not known:
        return "an interval needs three models with item scores on both banks"
    n = sum(not low <= 0 <= high for low, high in known)
    return f"{counted(n, 'model')} of {len(known)} {'has' if n == 1 else 'have'} a gap that departs from the median gap"
