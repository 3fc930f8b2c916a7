"""The section on the scoring rule, from its stored numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.pages.statistics.parts import Claim, Estimate, Forest, Part, forest, named, picked, span
from leaderboard.rounding import count, counted, number
from leaderboard.statistics.scoring import MODEL_COLUMNS, PUBLISHED, RULE_COLUMNS

RULES = (
    Column("rule", "Rule"),
    Column("moved", "Models that move", 0),
    Column("largest_move", "Largest move", 0),
    Column("mean_move", "Mean move", 2, wide_only=True),
    Column("beyond", "Out of range", 0),
    Column("rho", "rho", 3),
    Column("rho_low", "from", 3, wide_only=True),
    Column("rho_high", "to", 3, wide_only=True),
)
FORMULA = (
    "By the published rule, a rating that is off by d costs 6.5 / (1 + exp(−1.2 × (d − 4))) if 0 < d < 5, else d; "
    "an item’s score is 10 − 0.7477 × the sum of these costs. A row named after a constant has another value of that "
    "constant; the height, 6.5, is then adjusted so that the curve still reaches 4.995 at d = 5. Mean absolute and "
    "root mean squared "
    "error are taken over all ratings of a model; correlation is Pearson’s r of its ratings with the references, and 0 "
    "if all its ratings are the same."
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    if not value:
        return []
    worst = largest(with_curve(value))
    low, high = worst["rho_low"], worst["rho_high"]
    return [
        Claim(
            counted(worst["largest_move"], "rank"),
            f"at most is how far a model moves under the other constants of the curve that we tried ({worst['rule']}).",
            f"{counted(n, 'model')}, {counted(value['n_items'], 'item')}",
            f"rho {number(worst['rho'], 3)}, {span(low, high, 3)}",
            "same answers scored again; Spearman’s rho, Bonett–Wright",
        )
    ]


def with_curve(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in named(value["rules"], RULE_COLUMNS) if row["constant"]]


def without_curve(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in named(value["rules"], RULE_COLUMNS) if not row["constant"]]


def largest(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return max(rows, key=lambda row: (row["largest_move"], row["mean_move"]))


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value:
        return []
    return [constants_part(value, n), others_part(value, n), models_part(value, n)]


def constants_part(value: Mapping[str, Any], n: int) -> Part:
    rows = with_curve(value)
    worst = largest(rows)
    return Part(
        name="constants",
        title=f"Changing constants of the rule moves no model by more than {counted(worst['largest_move'], 'rank')}",
        how=(
            f"Published constants: multiplier {PUBLISHED['multiplier']:g}, steepness {PUBLISHED['steepness']:g}, "
            f"midpoint {PUBLISHED['midpoint']:g}. The multiplier can move no rank: it stretches all scores alike, by "
            f"construction. {beyond_words(rows)}"
        ),
        formula=FORMULA,
        source=source(value, n),
        table=picked([row for row in value["rules"] if row[1]], RULE_COLUMNS, RULES),
        forest=rho_forest(rows),
    )


def others_part(value: Mapping[str, Any], n: int) -> Part:
    rows = without_curve(value)
    worst = largest(rows)
    return Part(
        name="other-rules",
        title=f"Scored by {worst['rule']}, a model moves by up to {counted(worst['largest_move'], 'rank')}",
        how=(
            "Three rules without the curve, on the same answers. Correlation forgives a model that rates everything "
            f"too high or too low. {beyond_words(rows)}"
        ),
        formula=FORMULA,
        source=source(value, n),
        table=picked([row for row in value["rules"] if not row[1]], RULE_COLUMNS, RULES),
        forest=rho_forest(rows),
    )


def models_part(value: Mapping[str, Any], n: int) -> Part:
    # Errors and correlation first: these move ranks most. The multiplier moves none, so it has no column.
    rows = [*without_curve(value), *(row for row in with_curve(value) if row["constant"] != "multiplier")]
    columns = (
        Column("model", "Model"),
        Column("score", "Score", 2),
        Column("rank", "Rank", 0),
        *(Column(column_of(row["rule"]), row["rule"].capitalize(), 0, wide_only=bool(row["constant"])) for row in rows),
    )
    stored = (*MODEL_COLUMNS, *map(column_of, value["names"]))
    return Part(
        name="ranks",
        title="The rank of each model under each rule",
        how="Ranks among the models with stored answers, by each model’s newest run.",
        formula="Equal scores share the better rank.",
        source=f"{source(value, n)} Ranks describe only these models, without intervals.",
        table=picked(value["models"], stored, columns) if value["models"] else Table((), ()),
    )


def column_of(rule: str) -> str:
    return rule.replace(" ", "_")


def beyond_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many models leave the ranks that their items leave open, at most."""
    known = [row["beyond"] for row in rows if row["beyond"] is not None]
    if not known:
        return "No ranges of ranks are known here."
    if not max(known):
        return "Under each of these rules, every model’s rank lies within its possible ranks by the published rule."
    of = f"{counted(max(known), 'model')} of {count(rows[0]['n'])}"
    return f"Under each of these rules, at most {of} have a rank outside their possible ranks by the published rule."


def source(value: Mapping[str, Any], n: int) -> str:
    left = (
        f", {counted(value['n_left_out'], 'model')} without a complete answer left out" if value["n_left_out"] else ""
    )
    return (
        f"n = {counted(n, 'model')}, {counted(value['n_items'], 'item')}{left}. Rho: Spearman’s, of each rule’s scores "
        "with the published rule’s; Bonett–Wright 95 % interval."
    )


def rho_forest(rows: Sequence[Mapping[str, Any]]) -> Forest | None:
    drawn = [
        Estimate(row["rule"], row["rho"], row["rho_low"], row["rho_high"], row["n"])
        for row in rows
        if row["rho"] is not None
    ]
    if not drawn:
        return None
    found = forest("Rule", "rho with the published rule", drawn, 3, signed=False)
    return replace(found, ticks=found.ticks[::2])  # numbers like 0.975 would run into each other on a narrow screen
