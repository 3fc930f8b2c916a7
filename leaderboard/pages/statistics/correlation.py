"""The section on other measures, from its stored numbers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leaderboard.charts.base import Column, Table
from leaderboard.drawings.plots import Spot
from leaderboard.pages.statistics.parts import Claim, Estimate, Part, ends_text, forest, named, picked, picture, span
from leaderboard.pages.statistics.units import axis_of
from leaderboard.rounding import counted, number, points
from leaderboard.statistics.correlation import POINT_COLUMNS, ROW_COLUMNS
from leaderboard.statistics.measures import ALL, V1, V2

TITLES = {V2: "EQ-Bench v2, official scores", V1: "EQ-Bench v1, paper’s models", "": "this ranking"}
SHORT = {V2: "v2", V1: "v1", "": "this ranking"}
UNITS = {"MMLU": "MMLU, per cent", "Arena Elo": "Arena Elo", "MAGI-Hard": "MAGI-Hard, per cent"}
OUTLYING = 2.0
DIGITS = 2
"""Decimals of coefficients: their intervals are about a tenth wide, so that more decimals would say nothing."""

FORMULA = (
    "Pearson’s r with Fisher’s interval, tanh(atanh r ± 1.959964 / √(n − 3)); Spearman’s rho with the interval of "
    "Bonett and Wright, tanh(atanh rho ± 1.959964 √((1 + rho² / 2) / (n − 3))); Kendall’s tau-b. Bootstrap: the "
    "middle 95 % of 10,000 draws of models with replacement (2,000 for tau). With 400 or more models there are 500 "
    "draws (100 for tau). Seed 20231211. By makers: the same, but makers are drawn with all their models, since "
    "models of one maker are not "
    "independent. Each 95 % interval is for its own row: about one in twenty misses the true value."
)
LINE_FORMULA = (
    "Least squares. Outlier: internally studentised residual e / (s √(1 − h)), s with n − 2, of 2 or more in size; by "
    "chance alone about one model in twenty lies so far off."
)
COLUMNS = (
    Column("version", "Version", wide_only=True),
    Column("measure", "Measure"),
    Column("subset", "Models", wide_only=True),
    Column("n", "n", 0),
    Column("pearson", "Pearson r", DIGITS),
    Column("pearson_low", "from", DIGITS, wide_only=True),
    Column("pearson_high", "to", DIGITS, wide_only=True),
    Column("pearson_bootstrap_low", "bootstrap from", DIGITS, wide_only=True),
    Column("pearson_bootstrap_high", "to", DIGITS, wide_only=True),
    Column("spearman", "Spearman", DIGITS),
    Column("spearman_low", "from", DIGITS, wide_only=True),
    Column("spearman_high", "to", DIGITS, wide_only=True),
    Column("spearman_bootstrap_low", "bootstrap from", DIGITS, wide_only=True),
    Column("spearman_bootstrap_high", "to", DIGITS, wide_only=True),
    Column("kendall", "Kendall", DIGITS),
    Column("kendall_bootstrap_low", "bootstrap from", DIGITS, wide_only=True),
    Column("kendall_bootstrap_high", "to", DIGITS, wide_only=True),
    Column("n_makers", "Makers", 0, wide_only=True),
    Column("pearson_makers_low", "r by makers, from", DIGITS, wide_only=True),
    Column("pearson_makers_high", "to", DIGITS, wide_only=True),
)
OUTLIERS = (
    Column("model", "Model"),
    Column("other", "Other measure", 2),
    Column("score", "Score", 2),
    Column("residual", "Studentised residual", 2),
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    versions = {version["version"]: version for version in value.get("versions", [])}
    found = [claim_of(versions[key], value["paper_r"]) for key in (V2, V1) if key in versions]
    return [claim for claim in found if claim]


def claim_of(version: Mapping[str, Any], paper_r: float) -> Claim | None:
    row = row_of(version["rows"], "MMLU")
    if row is None:
        return None
    text = (
        "with MMLU, EQ-Bench v2: models with a high MMLU mostly have a high score too."
        if version["version"] == V2
        else f"with MMLU, EQ-Bench v1. The paper reports {paper_r} for v1; we do not know its n."
    )
    by_makers = row["pearson_makers_low"] is not None
    of_makers = f", of {counted(row['n_makers'], 'maker')}" if by_makers else ""
    low, high = (f"pearson_{'makers_' if by_makers else ''}{end}" for end in ("low", "high"))
    return Claim(
        f"r = {number(row['pearson'], DIGITS)}",
        text,
        f"{counted(row['n'], 'model')} with a score published by EQ-Bench{of_makers}",
        span(row[low], row[high], DIGITS),
        "Pearson; bootstrap by maker" if by_makers else "Pearson, interval of Fisher",
    )


def row_of(rows: Sequence[Sequence[Any]], measure: str) -> dict[str, Any] | None:
    return next((row for row in named(rows, ROW_COLUMNS) if row["measure"] == measure and row["subset"] == ALL), None)


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if "versions" in value:
        found = [part for version in value["versions"] for part in version_parts(version, value["paper_r"])]
        return [*found, compared_part(value["compared"])] if value["compared"] else found
    if not value.get("rows"):
        return []
    return [measures_part("", value["rows"], ()), *line_parts("", value["lines"], axis_of(value, "score"))]


def version_parts(version: Mapping[str, Any], paper_r: float) -> Iterable[Part]:
    key = version["version"]
    more = [
        *paper_sentence(key, version, paper_r),
        *bend_sentence(version["bend"]),
        *partial_sentence(version["partial"]),
    ]
    yield measures_part(key, [row for row in version["rows"] if row[2] == ALL], more)
    subsets = [row for row in version["rows"] if row[2] != ALL]
    if subsets:
        yield subsets_part(key, [row for row in version["rows"] if row[1] == "MMLU"])
    yield from line_parts(key, version["lines"])


def measures_part(key: str, rows: Sequence[Sequence[Any]], more: Sequence[str]) -> Part:
    found = named(rows, ROW_COLUMNS)
    first = next((row for row in found if row["measure"] == "MMLU"), found[0])
    drawn = [estimate(row["measure"], row) for row in found]
    return Part(
        name=f"measures{suffix(key)}",
        title=(
            f"{TITLES[key][:1].upper()}{TITLES[key][1:]}: r = {number(first['pearson'], DIGITS)} with "
            f"{first['measure']} (n = {first['n']})"
        ),
        how="Each row compares the score with another measure: Pearson’s r, with its 95 % interval, over the models "
        "that have both.",
        formula=FORMULA,
        source=(f"r with {first['measure']}: {interval_of(first)}. Correlation is not causation."),
        table=picked(rows, ROW_COLUMNS, COLUMNS),
        forest=forest("Measure", "Pearson’s r", drawn, DIGITS, signed=False),
        more=tuple(more),
    )


def estimate(name: str, row: Mapping[str, Any]) -> Estimate:
    return Estimate(name, row["pearson"], row["pearson_low"], row["pearson_high"], row["n"])


def interval_of(row: Mapping[str, Any]) -> str:
    """How many models stand behind r, and what they leave open."""
    text = f"n = {row['n']}, Fisher 95 % {span(row['pearson_low'], row['pearson_high'], DIGITS)}"
    if row["pearson_makers_low"] is None:
        return text
    drawn = span(row["pearson_makers_low"], row["pearson_makers_high"], DIGITS)
    return f"{text}; {drawn} by a bootstrap that draws {counted(row['n_makers'], 'maker')} with all their models"


def suffix(key: str) -> str:
    return f"-{SHORT[key]}" if key else ""


def subsets_part(key: str, rows: Sequence[Sequence[Any]]) -> Part:
    found = named(rows, ROW_COLUMNS)
    drawn = [estimate(row["subset"], row) for row in found]
    lowest = min(found, key=lambda row: row["pearson"])
    return Part(
        name=f"subsets{suffix(key)}",
        title=(
            f"Correlation with MMLU by group ({SHORT[key]}), lowest for “{lowest['subset']}”: "
            f"{number(lowest['pearson'], 2)}"
        ),
        how="The correlation depends on which models and which source of MMLU are used.",
        formula=FORMULA,
        source=(
            f"The lowest of {len(found)} rows: {interval_of(lowest)}. The rows share models, so they are "
            f"not independent.{open_weights_text(key)}"
        ),
        table=picked(rows, ROW_COLUMNS, COLUMNS),
        forest=forest("Models", "Pearson’s r with MMLU", drawn, DIGITS, signed=False),
    )


def open_weights_text(key: str) -> str:
    """Why two counts are not those of the published list."""
    if key != V2:
        return ""
    return " mistral-large-2407 counts as open weights, since its weights can be downloaded."


def compared_part(rows: Sequence[Sequence[Any]]) -> Part:
    found = named(rows, ROW_COLUMNS)
    drawn = [estimate(f"{row['version']} and {row['measure']}", row) for row in found]
    first = found[0]
    columns = (Column("version", "Measure", wide_only=True), Column("measure", "Other measure"), *COLUMNS[2:])
    return Part(
        name="compared",
        title=(
            f"For comparison: {first['version']} and {first['measure']} correlate at "
            f"r = {number(first['pearson'], DIGITS)}"
        ),
        how="How closely these other measures correlate with each other, for models that have an EQ-Bench v2 score.",
        formula=FORMULA,
        source=f"{first['version']} and {first['measure']}: {interval_of(first)}.",
        table=picked(rows, ROW_COLUMNS, columns),
        forest=forest("Measures", "Pearson’s r", drawn, DIGITS, signed=False),
    )


def line_parts(key: str, lines: Mapping[str, Any], axis: str = "score, points") -> list[Part]:
    return [line_part(key, measure, line, axis) for measure, line in lines.items()]


def slope_digits(line: Mapping[str, Any]) -> int:
    """So many that the line moves by less than its first decimal over the measure's usual range."""
    return 2 if abs(line["slope"]) >= 0.5 else 3


def line_part(key: str, measure: str, line: Mapping[str, Any], axis: str) -> Part:
    rows = sorted(named(line["points"], POINT_COLUMNS), key=lambda row: -abs(row["residual"] or 0.0))
    outliers = [row for row in rows if abs(row["residual"] or 0.0) >= OUTLYING]
    spots = [
        Spot(
            row["other"],
            row["score"],
            "stress" if row in outliers else "plain",
            f"{row['model']}: {row['other']:g}, {points(row['score'])}",
            row["model"] if row in outliers[:5] else "",
        )
        for row in reversed(rows)
    ]
    first, last = line["band"][0], line["band"][-1]
    sign = "+" if line["slope"] >= 0 else "−"
    return Part(
        name=f"line{suffix(key)}-{measure.lower().replace(' ', '-')}",
        title=outlier_title(outliers, measure, key),
        how=(
            f"Line: score = {number(line['intercept'], 1)} {sign} "
            f"{number(abs(line['slope']), slope_digits(line))} × {measure}, residual SD "
            f"{number(line['residual_sd'], 1)}."
        ),
        formula=LINE_FORMULA,
        source=f"n = {counted(line['n'], 'model')}, R² = {number(line['r_squared'], DIGITS)}. Marked: outliers.",
        table=Table(OUTLIERS, tuple(tuple(row[column.name] for column in OUTLIERS) for row in rows)),
        picture=picture(
            spots,
            f"Score against {measure}, one dot per model. The figures are in the table below.",
            UNITS.get(measure, measure),
            axis,
            line=[first[0], first[1], last[0], last[1]],
        ),
    )


def outlier_title(outliers: Sequence[Mapping[str, Any]], measure: str, key: str) -> str:
    where = f"{measure} ({SHORT[key]})" if key else measure
    below = sum(row["residual"] < 0 for row in outliers)
    if not outliers:
        return f"No model lies far from the trend with {where}"
    if below == len(outliers):
        return (
            f"{counted(below, 'model')} {'lies' if below == 1 else 'lie'} far below the trend with {where}, none far "
            f"above it"
        )
    return f"{counted(below, 'model')} far below and {len(outliers) - below} far above the trend with {where}"


def paper_sentence(key: str, version: Mapping[str, Any], paper_r: float) -> list[str]:
    row = row_of(version["rows"], "MMLU")
    if key != V1 or row is None:
        return []
    holds = row["pearson_low"] is not None and row["pearson_low"] <= paper_r <= row["pearson_high"]
    where = "lies inside this interval" if holds else "lies outside this interval"
    return [
        (
            f"The paper (arXiv 2312.06281) prints r = {paper_r} for v1 with MMLU; we could "
            "not read its n and its MMLU values. "
            f"Ours is {number(row['pearson'], DIGITS)}, {interval_of(row)}: {paper_r} {where}."
        )
    ]


def bend_sentence(bend: Mapping[str, Any] | None) -> list[str]:
    if not bend or bend["parabola"] is None:
        return []
    return [
        (
            f"A curve (a parabola in MMLU) has R² = {number(bend['parabola'], DIGITS)}, the line "
            f"{number(bend['line'], DIGITS)}; r with the log odds of the score is "
            f"{number(bend['logit_r'], DIGITS)}, Fisher 95 % {ends_text(bend['logit_interval'], DIGITS)} "
            f"(n = {bend['n']}; R² describes these models and has no interval)."
        )
    ]


def partial_sentence(partial: Mapping[str, Any] | None) -> list[str]:
    if not partial:
        return []
    by_values, by_ranks = (ends_text(partial[f"{name}_interval"], DIGITS) for name in ("linear", "ranks"))
    return [
        (
            "With MMLU held constant (partial correlation), score and Arena Elo correlate at "
            f"{number(partial['linear'], DIGITS)} by values, Fisher 95 % {by_values}, and "
            f"{number(partial['ranks'], DIGITS)} by ranks, Bonett and Wright 95 % {by_ranks} "
            f"(n = {partial['n']})."
        )
    ]
