"""The section on emotions, from its stored numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.charts.base import Column
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import Claim, Estimate, Part, forest, named, picked, picture, span
from leaderboard.rounding import count, counted, number, points, with_sign
from leaderboard.statistics.emotions import BIAS_COLUMNS, CALIBRATION_COLUMNS, GROUP_COLUMNS, MODEL_COLUMNS

MOST_WORDS = 12
FORMULA = (
    "Error = mean answer over the models less reference, on the scale of 0 to 10. Each feeling asked for is one "
    "observation; 95 % interval of Student’s t. The four feelings of an item are taken as independent, so intervals "
    "are a little too narrow; they are not corrected for the number of groups."
)
AT_EQUAL_REFERENCE = (
    "Mean error = mean answer over the models less reference, on the scale of 0 to 10. At equal reference = the same "
    "less the mean error of all feelings with that reference. Each feeling asked for is one observation; 95 % interval "
    "of Student’s t, feelings taken as independent. A title names a group only if its interval still leaves out zero "
    "when the 5 % are shared by all groups in the table (Bonferroni)."
)
WHY_EQUAL_REFERENCE = (
    "Low references leave room only for ratings that are too high, high ones only for ratings that are too low. So "
    "each feeling is compared with all feelings of the same reference rating; the table has the raw error beside it. "
)
GROUPS = (
    Column("name", "Group", None),
    Column("n", "Feelings", 0),
    Column("mean_error", "Mean error", 2),
    Column("adjusted", "At equal reference", 2),
    Column("low", "from", 2),
    Column("high", "to", 2),
)
BIASES = (
    Column("name", "Group", None),
    Column("n", "Feelings", 0),
    Column("mean_error", "Mean error", 2),
    Column("low", "from", 2),
    Column("high", "to", 2),
)
POINTS = (
    Column("reference", "Reference", 1),
    Column("n", "Feelings", 0),
    Column("mean_answer", "Mean answer", 2),
    Column("low", "from", 2),
    Column("high", "to", 2),
)
MODELS = (
    Column("model", "Model"),
    Column("n", "Answers", 0, wide_only=True),
    Column("mean_error", "Mean error", 2),
    Column("mean_absolute_error", "Mean distance", 2),
    Column("absent", "Where reference is 0", 2),
    Column("strong", "Where it is 7 or more", 2),
    Column("slope", "Slope", 2, wide_only=True),
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    absent = next((row for row in named(value.get("bands", []), BIAS_COLUMNS) if row["name"] == "0"), None)
    if absent is None:
        return []
    text = (
        "out of 10 is the mean answer where the reference is 0. Errors there can only be upwards, so only their size "
        "is informative."
    )
    copies = value["n_copies"]
    left_out = f", {counted(copies, 'near copy', 'near copies')} left out" if copies else ""
    who = f"{counted(absent['n'], 'feeling')}, answers of {counted(n, 'model')}{left_out}"
    return [
        Claim(
            number(absent["mean_error"], 1),
            text,
            who,
            span(absent["low"], absent["high"], 1),
            "mean error over feelings",
        )
    ]


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value.get("bands"):
        return []
    found = [curve(value, n), bands(value, n), families(value, n), words(value, n), models(value)]
    return [part for part in found if part]


def curve(value: Mapping[str, Any], n: int) -> Part | None:
    rows = named(value["calibration"], CALIBRATION_COLUMNS)
    if not rows:
        return None
    spots = [
        Spot(
            row["reference"],
            row["mean_answer"],
            "stress",
            f"reference {row['reference']:g}: {points(row['mean_answer'])}, n = {row['n']}",
        )
        for row in rows
    ]
    return Part(
        name="calibration",
        title=ends_title(rows),
        how=(
            "Each dot is a level of the reference. On the line the mean answer equals the reference. At the ends of "
            "the "
            "scale an answer can only err inwards, so random errors alone would pull the means towards the middle."
        ),
        formula=FORMULA,
        source=(
            f"n = {count(value['n_slots'])} feelings, answers of {counted(n, 'model')} by the newest run. "
            f"{ends_of(rows)}"
        ),
        table=picked(value["calibration"], CALIBRATION_COLUMNS, POINTS),
        picture=picture(
            spots,
            "Mean answer against reference intensity. The table below holds the figures.",
            "reference, 0 to 10",
            "mean answer, 0 to 10",
            square=True,
        ),
    )


def ends_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """The lowest and the highest level with what is left open of each."""
    return " ".join(
        f"Reference {row['reference']:g}: {points(row['mean_answer'])}, {span(row['low'], row['high'], 2)}."
        for row in (rows[0], rows[-1])
    )


def ends_title(rows: Sequence[Mapping[str, Any]]) -> str:
    """The mean answers at both ends; that they lie inside is no finding, since answers there can only err inwards."""
    first, last = rows[0], rows[-1]
    if first is last:
        return "Mean answer against the reference"
    return (
        f"The mean answer is {number(first['mean_answer'], 1)} where the reference is {first['reference']:g}, and "
        f"{number(last['mean_answer'], 1)} where it is {last['reference']:g}"
    )


def estimates(rows: Sequence[Sequence[Any]]) -> list[Estimate]:
    return [Estimate(name, error, low, high, n) for name, n, error, low, high in rows]


def bands(value: Mapping[str, Any], n: int) -> Part:
    return Part(
        name="bands",
        title="By the intensity of the reference",
        how=(
            "Right of zero: rated too high. A model that prefers middle ratings leans right in the lowest band "
            "and left in the highest."
        ),
        formula=FORMULA,
        source=f"n = {count(value['n_slots'])} feelings, answers of {counted(n, 'model')}.",
        table=picked(value["bands"], BIAS_COLUMNS, BIASES),
        forest=forest("Reference", "mean error", estimates(value["bands"]), 2, signed=True),
    )


def families(value: Mapping[str, Any], n: int) -> Part | None:
    rows = named(value["families"], GROUP_COLUMNS)
    if not rows:
        return None
    return Part(
        name="families",
        title=clearest(rows, "family", "words of "),
        how=WHY_EQUAL_REFERENCE
        + "We grouped the words into families ourselves, by the kind of situation that each feeling implies: a "
        "loss, a threat, an insult.",
        formula=AT_EQUAL_REFERENCE,
        source=f"{ends_of_groups(rows)} These are the first and the last of {len(rows)} families; answers of "
        f"{counted(n, 'model')}.",
        table=picked(value["families"], GROUP_COLUMNS, GROUPS),
        forest=forest("Family", "error at equal reference", adjusted(rows), 2, signed=True),
    )


def clearest(rows: Sequence[Mapping[str, Any]], kind: str, before: str) -> str:
    """Which group is rated highest and which lowest at equal reference, of those that are clear of zero."""
    clear = [row for row in rows if row["is_clear"]]
    over = [row for row in clear[:1] if row["adjusted"] > 0]
    under = [row for row in clear[-1:] if row["adjusted"] < 0]
    found = [
        *(f"highest: {before}{row['name']}, {with_sign(row['adjusted'], 2)}" for row in over),
        *(f"lowest: {before}{row['name']}, {with_sign(row['adjusted'], 2)}" for row in under),
    ]
    return f"Rated {'; '.join(found)} (at equal reference)" if found else f"No {kind} is clearly over- or underrated"


def adjusted(rows: Sequence[Mapping[str, Any]]) -> list[Estimate]:
    return [Estimate(row["name"], row["adjusted"], row["low"], row["high"], row["n"]) for row in rows]


def ends_of_groups(rows: Sequence[Mapping[str, Any]]) -> str:
    """The first and the last group, each with its n and its interval."""
    return " ".join(group_text(row) for row in (rows if len(rows) < 2 else (rows[0], rows[-1])))


def group_text(row: Mapping[str, Any]) -> str:
    who = f"{row['name']}: n = {counted(row['n'], 'feeling')}"
    return f"{who}, {points(row['adjusted'])}, {span(row['low'], row['high'], 2)}; raw {points(row['mean_error'])}."


def words(value: Mapping[str, Any], n: int) -> Part | None:
    rows = named(value["words"], GROUP_COLUMNS)
    if not rows:
        return None
    drawn = rows if len(rows) <= 2 * MOST_WORDS else [*rows[:MOST_WORDS], *rows[-MOST_WORDS:]]
    return Part(
        name="words",
        title=clearest(rows, "word", ""),
        how=f"{WHY_EQUAL_REFERENCE}Words that are asked for at least {value['word_least']} times"
        + (f", the first and last {MOST_WORDS}" if len(drawn) < len(rows) else "")
        + ". With so few feelings per word, many intervals are wide.",
        formula=AT_EQUAL_REFERENCE,
        source=f"{ends_of_groups(rows)} These are the first and the last of {counted(len(rows), 'word')}; answers of "
        f"{counted(n, 'model')}.",
        table=picked(value["words"], GROUP_COLUMNS, GROUPS),
        forest=forest("Word", "error at equal reference", adjusted(drawn), 2, signed=True),
    )


def models(value: Mapping[str, Any]) -> Part | None:
    rows = named(value["models"], MODEL_COLUMNS)
    if not rows:
        return None
    spots = [
        Spot(
            row["absent"],
            row["strong"],
            "plain",
            f"{row['model']}: {points(row['absent'])} and {points(row['strong'])}",
        )
        for row in rows
        if row["absent"] is not None and row["strong"] is not None
    ]
    return Part(
        name="models",
        title="Model by model: absent feelings against strong ones",
        how=(
            "Further right: gives higher ratings to feelings that the reference puts at 0. Lower: underrates strong "
            "feelings. "
            "The closer to zero on both, the better."
        ),
        formula=(
            "Mean error over the answers with reference 0, and with reference 7 or more. "
            "Slope: least squares of answers on references, 1 is right."
        ),
        source=(
            f"n = {counted(len(rows), 'model')}, each by its newest run. Means over a model’s answers; the "
            f"intervals are on its page."
        ),
        table=picked(value["models"], MODEL_COLUMNS, MODELS),
        picture=picture(
            spots,
            (
                "Error where the reference is 7 or more against error where it is 0, one dot per model. The "
                "figures are in the table below."
            ),
            "error where the reference is 0",
            "error where it is 7 or more",
        )
        if spots
        else None,
    )
