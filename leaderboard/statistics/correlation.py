"""What goes with the score among models: other measures, their outliers, and what is left when one is held fixed.

Of published figures (ranking "") for EQ-Bench v2 and v1; of a ranking's own scores for that ranking. Value: `rows` has
the columns of ROW_COLUMNS; `lines` holds, for the measures that have one, the least-squares line with its outliers and
points; `partial` is the relation with Arena Elo among models alike in MMLU.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.statistics.correlation import Coefficient, Correlation, correlate
from evaluation.statistics.regression import (
    fit_line,
    logit_correlation,
    partial_correlation,
    quadratic_r_squared,
)
from leaderboard.statistics.marks import Facts, Figure, Member, References
from leaderboard.statistics.outcomes import Outcome, ends, outcome

VERSION = 1
V2, V1 = "eq-bench-v2", "eq-bench-v1"
LARGE = 400  # models from which on fewer draws are made: the interval's own error is below its last digit there
FEW_DRAWS = {"draws": 500, "kendall_draws": 100}
PAPER_R = 0.97
SATURATED_FROM = 60.0
PAIR_LEAST = 4
ROW_COLUMNS = (
    "version", "measure", "subset", "n", "pearson", "pearson_low", "pearson_high", "pearson_bootstrap_low",
    "pearson_bootstrap_high", "spearman", "spearman_low", "spearman_high", "spearman_bootstrap_low",
    "spearman_bootstrap_high", "kendall", "kendall_bootstrap_low", "kendall_bootstrap_high",
)  # fmt: skip
POINT_COLUMNS = ("model", "slug", "other", "score", "residual")

Values = Mapping[int, float]
Wanted = Callable[[Figure], bool]
Scores = Mapping[int, float]
"""Model -> score, in the order from which the bootstrap draws."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Another measure: of a benchmark's figures those that are wanted, the last stored one of a model."""

    name: str
    benchmark: str
    wanted: Wanted
    has_line: bool = False

    def values(self, figures: Iterable[Figure]) -> dict[int, float]:
        return {
            figure.model_id: figure.value
            for figure in figures
            if figure.benchmark == self.benchmark and self.wanted(figure)
        }


def preferred(figure: Figure) -> bool:
    return figure.preferred


def listed_by(source: str) -> Wanted:
    return lambda figure: source in figure.setting


def of_day(day: str) -> Wanted:
    return lambda figure: figure.as_of == day


OPEN_LLM_1 = "Open LLM Leaderboard v1"
MMLU = Measure("MMLU", "mmlu", preferred, has_line=True)
ELO = Measure("Arena Elo", "arena_elo", preferred, has_line=True)
MEASURES = (
    MMLU,
    ELO,
    Measure("Arena Elo, February 2024", "arena_elo", of_day("2024-02-07")),
    Measure("Arena Elo, June 2024", "arena_elo", of_day("2024-06-19")),
    Measure("MAGI-Hard", "magi_hard", preferred, has_line=True),
    Measure("MMLU-Pro", "mmlu_pro", preferred),
    Measure("MT-bench", "mt_bench", preferred),
    Measure("ARC", "arc", listed_by(OPEN_LLM_1)),
    Measure("HellaSwag", "hellaswag", listed_by(OPEN_LLM_1)),
    Measure("Winogrande", "winogrande", listed_by(OPEN_LLM_1)),
    Measure("TruthfulQA", "truthfulqa", listed_by(OPEN_LLM_1)),
    Measure("GSM8K", "gsm8k", listed_by(OPEN_LLM_1)),
)
LMSYS_OWN_FIGURES = "2023-12"
"""From this table on, LMSYS lists each model itself; earlier ones give one figure for a family of snapshots."""


def exactly_listed_by(source: str) -> Wanted:
    return lambda figure: source in figure.setting and not figure.match.startswith("approx")


def listed_by_lmsys(figure: Figure) -> bool:
    return "LMSYS" in figure.setting and figure.as_of >= LMSYS_OWN_FIGURES


MMLU_SOURCES: tuple[tuple[str, Wanted], ...] = (
    ("from the Open LLM Leaderboard v1 only", exactly_listed_by(OPEN_LLM_1)),
    ("from HELM only", listed_by("HELM MMLU")),
    ("from the LMSYS table only", listed_by_lmsys),
    ("as LMSYS lists it, family figures among them", listed_by("LMSYS")),
)
SIZE = "parameters (log10)"
ALL = "all models"


def of_references(references: References) -> Outcome:
    """The figures of both versions, from published scores alone."""
    parts = [version_part(name, references) for name in (V2, V1)]
    scored = [part for part in parts if part["rows"]]
    n = len({model for name in (V2, V1) for model in published_scores(name, references)})
    return outcome(n, paper_r=PAPER_R, versions=scored) if scored else Outcome(0, {})


def of_members(members: Sequence[Member], references: References) -> Outcome:
    """The figures of a ranking's own scores, measured or imported."""
    scores = {member.model_id: member.score for member in members}
    rows = relations("", scores, MEASURES, references)
    lines = lines_of(scores, [MMLU, ELO], references)
    return outcome(len(members), rows=rows, lines=lines) if rows else Outcome(0, {})


def version_part(version: str, references: References) -> dict[str, object]:
    scores = published_scores(version, references)
    rows = [
        *relations(version, scores, MEASURES, references),
        *mmlu_rows(version, scores, references),
        *size_rows(version, scores, references),
    ]
    return {
        "version": version,
        "n": len(scores),
        "rows": rows,
        "lines": lines_of(scores, [measure for measure in MEASURES if measure.has_line], references),
        "partial": partial_of(scores, references),
        "bend": bend_of(scores, references),
    }


def published_scores(version: str, references: References) -> Scores:
    """Published scores: of v2 in the order of its page, of v1 from best to worst, which the draws go by."""
    figures = {
        figure.model_id: figure.value
        for figure in references.figures
        if figure.benchmark == version and figure.preferred
    }
    in_order = {model.pk: figures[model.pk] for model in references.models if model.pk in figures}
    if version != V1:
        return in_order
    return dict(sorted(in_order.items(), key=lambda pair: -pair[1]))


def relations(version: str, scores: Scores, measures: Sequence[Measure], references: References) -> list[list[object]]:
    found = (relation(version, measure.name, ALL, scores, measure.values(references.figures)) for measure in measures)
    return [row for row in found if row]


def mmlu_rows(version: str, scores: Scores, references: References) -> list[list[object]]:
    """MMLU in parts of the field, and from one source at a time."""
    usual = MMLU.values(references.figures)
    facts = {model.pk: model for model in references.models}
    exact = {
        figure.model_id
        for figure in references.figures
        if figure.benchmark == "mmlu" and figure.preferred and is_exact(figure)
    }
    subsets: list[tuple[str, Callable[[int], bool]]] = [
        ("without chain of thought and approximate matches", lambda model: model in exact),
        ("open weights", lambda model: facts[model].open_weights is True),
        ("API models", lambda model: facts[model].open_weights is False),
        (f"score of {SATURATED_FROM:g} or more", lambda model: scores[model] >= SATURATED_FROM),
    ]
    rows = [relation(version, MMLU.name, name, part(scores, keeps), usual) for name, keeps in subsets]
    for name, wanted in MMLU_SOURCES:
        values = Measure(name, "mmlu", wanted).values(references.figures)
        rows.append(relation(version, MMLU.name, name, scores, values))
    return [row for row in rows if row]


def is_exact(figure: Figure) -> bool:
    return "CoT" not in figure.setting and not figure.match.startswith("approx")


def part(scores: Scores, keeps: Callable[[int], bool]) -> Scores:
    return {model: score for model, score in scores.items() if keeps(model)}


def size_rows(version: str, scores: Scores, references: References) -> list[list[object]]:
    row = relation(version, SIZE, ALL, scores, sizes(references.models))
    return [row] if row else []


def sizes(models: Sequence[Facts]) -> dict[int, float]:
    return {model.pk: math.log10(model.params_billion) for model in models if model.params_billion}


def relation(version: str, measure: str, subset: str, scores: Scores, others: Values) -> list[object] | None:
    """A row of the table; None for fewer than four models, where no interval is defined."""
    both = [model for model in scores if model in others]
    if len(both) < PAIR_LEAST:
        return None
    draws = FEW_DRAWS if len(both) >= LARGE else {}
    found = correlate([scores[model] for model in both], [others[model] for model in both], **draws)
    return None if found is None else [version, measure, subset, *columns(found)]


def columns(found: Correlation) -> list[object]:
    return [
        found.n, *coefficient(found.pearson), *coefficient(found.spearman), found.kendall.value,
        *ends(found.kendall.bootstrap),
    ]  # fmt: skip


def coefficient(found: Coefficient) -> list[object]:
    return [found.value, *ends(found.interval), *ends(found.bootstrap)]


def lines_of(scores: Scores, measures: Sequence[Measure], references: References) -> dict[str, object]:
    """Measure -> line, outliers and points, of the measures that enough models have."""
    names = {model.pk: model for model in references.models}
    lines = {measure.name: line_of(scores, measure.values(references.figures), names) for measure in measures}
    return {name: line for name, line in lines.items() if line}


def line_of(scores: Scores, others: Values, names: Mapping[int, Facts]) -> dict[str, object] | None:
    both = [model for model in scores if model in others]
    line = fit_line([others[model] for model in both], [scores[model] for model in both])
    if line is None or len(both) < PAIR_LEAST:
        return None
    residuals = line.studentised.tolist()
    low, high = min(others[model] for model in both), max(others[model] for model in both)
    return {
        "n": line.n,
        "intercept": line.intercept,
        "slope": line.slope,
        "residual_sd": line.residual_sd,
        "r_squared": line.r_squared,
        "band": [[x, line.at(x), *ends(line.band(x))] for x in steps(low, high)],
        "points": [
            [names[model].name, names[model].slug, others[model], scores[model], residual]
            for model, residual in zip(both, residuals, strict=True)
        ],
    }


def steps(low: float, high: float, n: int = 12) -> list[float]:
    return [low + (high - low) * at / n for at in range(n + 1)]


def partial_of(scores: Scores, references: References) -> dict[str, object] | None:
    """EQ with Arena Elo among models that are alike in MMLU."""
    mmlu, elo = MMLU.values(references.figures), ELO.values(references.figures)
    all_three = [model for model in scores if model in mmlu and model in elo]
    found = partial_correlation(
        [scores[model] for model in all_three],
        [elo[model] for model in all_three],
        [mmlu[model] for model in all_three],
    )
    if found.n < PAIR_LEAST:
        return None
    return {"n": found.n, "linear": found.linear, "ranks": found.ranks}


def bend_of(scores: Scores, references: References) -> dict[str, object] | None:
    """Whether the relation with MMLU bends: what a line and a parabola explain, and r with the score's log odds."""
    mmlu = MMLU.values(references.figures)
    both = [model for model in scores if model in mmlu]
    x, y = [mmlu[model] for model in both], [scores[model] for model in both]
    line = fit_line(x, y)
    if line is None:
        return None
    return {
        "n": line.n,
        "line": line.r_squared,
        "parabola": quadratic_r_squared(x, y),
        "logit_r": logit_correlation(x, y),
    }
