"""The section on scores and ranks, from its stored numbers."""

import itertools
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

from evaluation.statistics.pairs import FEW_ITEMS
from evaluation.statistics.score_interval import half_of
from leaderboard.charts.base import Column, Table
from leaderboard.drawings.plots import Spot
from leaderboard.drawings.ranks import Held, rank_figure
from leaderboard.pages.statistics.gap import bands_of
from leaderboard.pages.statistics.parts import Claim, Part, RangesView, Step, named, picked, picture, span
from leaderboard.pages.statistics.units import axis_of, in_unit_of
from leaderboard.rounding import count, counted, number, points
from leaderboard.statistics.scores import MODEL_COLUMNS, RANGE_COLUMNS
from leaderboard.wording.gaps import leads

MOST_STEPS = 400
TALL, LOW = 34.0, 12.0
COLUMNS = (
    Column("model", "Model"),
    Column("score", "Score", 2),
    Column("standard_error", "Standard error", 2),
    Column("rank", "Rank", 0, wide_only=True),
    Column("rank_low", "Best possible rank", 0),
    Column("rank_high", "Worst possible rank", 0),
    Column("gap_to_next", "Lead over the next", 2, wide_only=True),
    Column("tied_with_next", "Tied with the next"),
)
RANGE_TABLE = (
    Column("model", "Model"),
    Column("score", "Score", 2),
    Column("rank", "Rank", 0, wide_only=True),
    Column("rank_low", "Best rank, by pair", 0),
    Column("rank_high", "Worst rank, by pair", 0),
    Column("rank_low_all", "Best rank, all at once", 0),
    Column("rank_high_all", "Worst rank, all at once", 0),
)
SMALLEST_FIGURE = 3  # models that make a picture
READING = "Line: the possible ranks of a model; dot: its rank by score."
RANGES_FORMULA = (
    "One pair at a time: ahead means the same as in the ranking. All pairs at once: a model is ahead if its lead "
    "exceeds k × q × √((e₁² + e₂²) / 2). e is the standard error of a score after each item’s mean over the models is "
    "subtracted. In each draw, the deviation of each score from the observed one is divided by its e; q "
    "is the 95th percentile, over the draws, of the largest of these less the smallest. k, above 1, makes the limit "
    "wider the fewer items there are. Best rank: 1 + the number of models "
    "ahead. Worst rank: the number of models − the number of models behind."
)
TIES = "ties as in the ranking: each pair of models compared at the 5 % level, not corrected for many comparisons"
ERROR_FORMULA = "SE = s / √n, s the standard deviation (n − 1) of the run’s n item scores, in the unit of the score."
RANGES = (
    "Possible ranks, here as in the ranking, come from 1,000 bootstrap draws of the items (seed 171), each used for "
    "all models. Before the draws, each item’s mean over the models is subtracted from its scores, so that no model "
    "gains if its score on a hard item is missing. A model is ahead of another if its mean is higher on the original "
    "items and in at least 97.5 % of the "
    "draws; pairs are compared one by one, without correction."
)
RANGES_OF_FEW = (
    "Possible ranks are those of the ranking. On so few items they come from the paired t test over the items that "
    "both models have; pairs are compared one by one, without correction."
)
GAP_FORMULA = (
    "Two models are tied if the ranking puts neither ahead of the other. Lead that a pair needs: 1.959964 × sd(d) / √m "
    "(below 30 items Student’s t in place of 1.959964), d being the differences of the two on the m items that both "
    "have. True difference that would be found four times in five: (1.959964 + 0.841621) × the median of sd(d) / √m."
)
PUBLISHED_FORMULA = (
    "Two scores are tied when they lie no further apart than 1.959964 × √(e₁² + e₂²), where e is the error of each "
    "score. What shifts all models together, such as a difficult set of items, is left out of e. Without answers, e is "
    "estimated from the score."
)


def claims(value: Mapping[str, Any], n: int) -> list[Claim]:
    if not value:
        return []
    tied = f"{count(value['neighbours_tied'])} of {count(value['neighbours'])}"
    if value["kind"] == "published":
        low, high = value["gap_quartiles"]
        lead = in_unit_of(value, number(value["gap"], 1))
        text = f"pairs of neighbours are tied. Over the whole range of scores, a lead below {lead} is usually a tie."
        gap = f"lead at which a pair is not tied: {in_unit_of(value, span(low, high, 1))} for the middle half of pairs"
        return [Claim(tied, text, counted(n, "score"), gap, "errors estimated from the scores, 5 %")]
    low, high = value["gap_quartiles"] or (None, None)
    lead = in_unit_of(value, number(value["gap"], 1))
    text = f"pairs of neighbours are tied. Over the whole range of scores, a lead below about {lead} is usually a tie."
    gap = f"lead at which a pair is not tied: {in_unit_of(value, span(low, high, 1))} for the middle half of pairs"
    return [
        Claim(
            tied,
            text,
            f"{counted(n, 'model')}, {counted(value['n_items'], 'item')}",
            gap,
            "ties as in the ranking; gap: paired differences over items, 5 %",
        ),
        *error_claims(value),
    ]


def error_claims(value: Mapping[str, Any]) -> list[Claim]:
    errors = value["errors"]
    if errors["median"] is None:
        return []
    half = half_of(errors["median"], value["n_items"]) or 0.0
    text = (
        f"is the 95 % interval of a typical score, with its {counted(value['n_items'], 'item')} taken as a "
        "random sample of possible questions."
    )
    low, high = (number(half_of(errors[end], value["n_items"]), 1) for end in ("low", "high"))
    widths = f"from ±{low} to {in_unit_of(value, f'±{high}')} by model"
    return [
        Claim(
            in_unit_of(value, f"±{number(half, 1)}"),
            text,
            counted(errors["n"], "score"),
            widths,
            "t × median standard error over items",
        )
    ]


def parts(value: Mapping[str, Any], n: int) -> list[Part]:
    if not value:
        return []
    rows = named(value["models"], MODEL_COLUMNS)
    found = [ties(value, n, rows), ranges_part(value), errors_part(value, rows)]
    return [part for part in found if part]


def table(rows: Sequence[Sequence[Any]]) -> Table:
    found = picked(rows, MODEL_COLUMNS, COLUMNS)
    words = {True: "yes", False: "no", None: ""}
    return Table(found.columns, tuple((*row[:-1], words[row[-1]]) for row in found.rows))  # type: ignore[index]


def ties(value: Mapping[str, Any], n: int, rows: Sequence[Mapping[str, Any]]) -> Part:
    apart = [(first, second) for first, second in itertools.pairwise(rows) if not first["tied_with_next"]]
    return Part(
        name="ties",
        title=f"{count(value['neighbours_tied'])} of {count(value['neighbours'])} pairs of neighbours are tied",
        how="Each cell is two models next to each other by score, the best at the left. " + tall_ones(apart),
        formula=GAP_FORMULA if value["kind"] == "items" else PUBLISHED_FORMULA,
        source=f"n = {counted(n, 'model')}"
        + (
            f", each pair on the items with scores for both ({value['n_items']} in all); {TIES}."
            if value["kind"] == "items"
            else f", of which at most one has stored answers, so the errors are estimated; {TIES}."
        ),
        table=table(value["models"]),
        strip=steps(rows) if len(rows) <= MOST_STEPS else (),
        more=tuple(sentences(value, n)),
    )


def ranges_part(value: Mapping[str, Any]) -> Part | None:
    """The possible ranks of all models, each two compared by themselves or all at once."""
    rows = named(value["ranges"], RANGE_COLUMNS)
    if len(rows) < SMALLEST_FIGURE:
        return None
    n, pairs = counted(len(rows), "model"), count(len(rows) * (len(rows) - 1) // 2)
    each = (
        f"Each pair of {n} compared on its own at the 5 % level, without correction: some of {pairs} comparisons "
        f"differ by chance. {width_words(rows, '')} {READING}"
    )
    at_once = (
        f"All {pairs} comparisons of {n} at once, at a joint level of 5 %: if all models were equal, a "
        f"false difference would be found in 5 of 100 such rankings. {width_words(rows, '_all')} {READING}"
    )
    return Part(
        name="ranges",
        title="Possible ranks of each model",
        how="Ranges from comparing one pair at a time, or all pairs at once; the latter are wider.",
        formula=RANGES_FORMULA,
        source=f"n = {n}.",
        table=picked(value["ranges"], RANGE_COLUMNS, RANGE_TABLE),
        views=(
            RangesView("pairs", "Pair by pair", each, rank_figure(held_of(rows, ""), None)),
            RangesView("all", "All at once", at_once, rank_figure(held_of(rows, "_all"), None)),
        ),
    )


def held_of(rows: Sequence[Mapping[str, Any]], which: str) -> list[Held]:
    return [Held(row["rank"], row[f"rank_low{which}"], row[f"rank_high{which}"]) for row in rows]


def width_words(rows: Sequence[Mapping[str, Any]], which: str) -> str:
    widths = [held.width for held in held_of(rows, which)]
    found = {"mean": fmean(widths), "median": median(widths), "largest": max(widths)}
    return f"On average a model has a range of {widths_text(found)}."


def tall_ones(apart: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    if not apart:
        return "All are tied."
    names = "; ".join(f"{first['model']} and {second['model']}" for first, second in apart[:3])
    return f"Tall: not tied, {counted(len(apart), 'pair')}: {names}" + ("." if len(apart) <= 3 else ", and others.")


def sentences(value: Mapping[str, Any], n: int) -> list[str]:
    """What else the tests of n models say, one sentence each."""
    if value["kind"] == "published":
        others = value["others_tied"]
        return [
            (
                f"On average a model is tied with {number(others['mean'], 1)} others (median "
                f"{number(others['median'], 0)}, most {count(others['largest'])})."
            ),
            f"First place: tied with {counted(value['tied_with_first'], 'other model')}.",
            f"The median gap between neighbours is {in_unit_of(value, points(value['gap_between_neighbours']))}.",
        ]
    found = [
        f"{count(value['pairs_tied'])} of all {count(value['pairs'])} pairs are tied{unpaired_words(value)}.",
        f"The best of these models is tied with {count(value['tied_with_first'])} of the others.",
        (
            f"{RANGES_OF_FEW if value['n_items'] < FEW_ITEMS else RANGES} Each of these models can have one of "
            f"several ranks among all ranked models: {widths_text(value['widths'])}."
        ),
    ]
    bands = bands_of(value["gap_bands"])
    if bands:
        found.append(
            f"Errors vary with the score. Among these {counted(n, 'model')} a lead is usually a tie below "
            f"{leads(bands, in_unit_of(value, ''))}."
        )
    if value["resolvable_gap"] is not None:
        gap = in_unit_of(value, number(value["resolvable_gap"], 1))
        found.append(f"A true difference of {gap} would be found four times in five.")
    return found


def widths_text(widths: Mapping[str, Any]) -> str:
    return (
        f"on average {number(widths['mean'], 1)} ranks are possible (median {number(widths['median'], 1)}, maximum "
        f"{count(widths['largest'])})"
    )


def unpaired_words(value: Mapping[str, Any]) -> str:
    n = value["pairs_tied_unpaired"]
    return "" if n is None else f". Compared without pairing the items, {count(n)} would be tied"


def steps(rows: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    width = 100 / max(1, len(rows) - 1)
    return tuple(step(at * width, width, first, second) for at, (first, second) in enumerate(itertools.pairwise(rows)))


def step(x: float, width: float, first: Mapping[str, Any], second: Mapping[str, Any]) -> Step:
    tied = bool(first["tied_with_next"])
    height = LOW if tied else TALL
    words = "tied" if tied else "apart"
    return Step(
        f"{x:.2f}%", f"{0.82 * width:.2f}%", f"{TALL - height:.0f}", f"{height:.0f}",
        "cell-pale" if tied else "cell-accent", f"{first['model']} and {second['model']}: {words}",
    )  # fmt: skip


def errors_part(value: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Part | None:
    known = [row for row in rows if row["standard_error"] is not None]
    if len(known) < 3:
        return None
    line, errors = value["error_line"], value["errors"]
    scores = [row["score"] for row in known]
    ends = (min(scores), max(scores))
    drawn = [end for x in ends for end in (x, line["intercept"] + line["slope"] * x)] if line else []
    spots = [
        Spot(row["score"], row["standard_error"], "plain", f"{row['model']}: {points(row['standard_error'])}")
        for row in known
    ]
    return Part(
        name="errors",
        title="Higher scores have smaller standard errors" if line else "How precise each score is",
        how=(
            f"The line is {number(line['intercept'], 3)} − {number(-line['slope'], 4)} × "
            f"score, r = {number(line['r'], 2)}, Fisher 95 % {span(line['r_low'], line['r_high'], 2)}."
        )
        if line
        else "Each dot is a model.",
        formula=ERROR_FORMULA,
        source=(
            f"n = {counted(errors['n'], 'score')}. Standard error: mean "
            f"{points(errors['mean'])}, median {points(errors['median'])}, from "
            f"{points(errors['low'])} to {in_unit_of(value, points(errors['high']))}."
        ),
        table=table(value["models"]),
        picture=picture(
            spots,
            "Standard error against score, one dot per model. The figures are in the table below.",
            axis_of(value, "score"),
            axis_of(value, "standard error"),
            line=drawn,
        ),
    )
