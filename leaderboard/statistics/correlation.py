"""What goes with the score among models: other measures, their outliers, and what is left when one is held fixed.

Of published figures (ranking "") for EQ-Bench v2 and v1; of a ranking's own scores for that ranking. Value: `rows` has
the columns of ROW_COLUMNS, as has `compared`, of other measures with each other; `lines` holds, for the measures that
have one, the least-squares line with its outliers and points; `partial` is the relation with Arena Elo among models
alike in MMLU.
"""

from collections.abc import Mapping, Sequence

from evaluation.statistics.correlation import (
    DRAWS,
    Coefficient,
    Correlation,
    bonett_wright_interval,
    clustered_interval,
    correlate,
    fisher_interval,
)
from evaluation.statistics.regression import (
    fit_line,
    logit_correlation,
    partial_correlation,
    quadratic_r_squared,
)
from leaderboard.statistics.marks import Facts, Member, References
from leaderboard.statistics.measures import (
    ALL,
    COMPARED,
    ELO,
    LEFT_OUT_AS_APPROXIMATE,
    MEASURES,
    MMLU,
    MMLU_SOURCES,
    OTHER_VERSION,
    SIZE,
    V1,
    V2,
    WITHOUT_ONE,
    Measure,
    Scores,
    Values,
    ordered,
    part,
    published_scores,
    sizes,
    subsets,
)
from leaderboard.statistics.outcomes import Outcome, ends, outcome

LARGE = 400  # models from which on fewer draws are made: the interval's own error is below its last digit there
FEW_DRAWS = {"draws": 500, "kendall_draws": 100}
PAPER_R = 0.97
PAIR_LEAST = 4
MOST_NAMED = 3
ROW_COLUMNS = (
    "version", "measure", "subset", "n", "pearson", "pearson_low", "pearson_high", "pearson_bootstrap_low",
    "pearson_bootstrap_high", "spearman", "spearman_low", "spearman_high", "spearman_bootstrap_low",
    "spearman_bootstrap_high", "kendall", "kendall_bootstrap_low", "kendall_bootstrap_high", "n_makers",
    "pearson_makers_low", "pearson_makers_high",
)  # fmt: skip
POINT_COLUMNS = ("model", "slug", "other", "score", "residual")


def of_references(references: References) -> Outcome:
    """The figures of both versions, from published scores alone."""
    parts = [version_part(name, references) for name in (V2, V1)]
    scored = [part for part in parts if part["rows"]]
    n = len({model for name in (V2, V1) for model in published_scores(name, references)})
    if not scored:
        return Outcome(0, {})
    return outcome(n, paper_r=PAPER_R, versions=scored, compared=compared_rows(references))


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
        *other_version_rows(version, scores, references),
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


def relations(version: str, scores: Scores, measures: Sequence[Measure], references: References) -> list[list[object]]:
    makers = makers_of(references)
    found = (
        relation(version, measure.name, ALL, scores, measure.values(references.figures), makers) for measure in measures
    )
    return [row for row in found if row]


def makers_of(references: References) -> dict[int, str]:
    """Model -> who made it."""
    return {model.pk: model.maker for model in references.models}


def mmlu_rows(version: str, scores: Scores, references: References) -> list[list[object]]:
    """MMLU in parts of the field, without single models, and from one source at a time."""
    usual, makers = MMLU.values(references.figures), makers_of(references)
    rows = [
        relation(version, MMLU.name, name, part(scores, keeps), usual, makers)
        for name, keeps in subsets(scores, references)
    ]
    for name, wanted in MMLU_SOURCES:
        label = f"{name}{left_out_text(name, scores, references)}"
        values = Measure(name, "mmlu", wanted).values(references.figures)
        rows.append(relation(version, MMLU.name, label, scores, values, makers))
    return [row for row in (*rows, *without_rows(version, scores, references)) if row]


def left_out_text(name: str, scores: Scores, references: References) -> str:
    """Whose figures this source has for a like model only, which are left out: by name, as far as they are few."""
    like = LEFT_OUT_AS_APPROXIMATE.get(name)
    if like is None:
        return ""
    dropped = {figure.model_id for figure in references.figures if figure.benchmark == MMLU.benchmark and like(figure)}
    names = sorted(model.name for model in references.models if model.pk in dropped and model.pk in scores)
    if not names:
        return ""
    if len(names) > MOST_NAMED:
        return f", without {len(names)} approximate matches"
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f", without the approximate match{'es' if len(names) > 1 else ''} of {listed}"


def without_rows(version: str, scores: Scores, references: References) -> list[list[object] | None]:
    """Rows without one model, of those that it would be part of."""
    keys = {model.full_name: model.pk for model in references.models}
    rows = []
    for each in WITHOUT_ONE:
        left_out, values = keys.get(each.model), Measure("", "mmlu", each.wanted).values(references.figures)
        if each.version == version and left_out in scores and left_out in values:
            others = {model: score for model, score in scores.items() if model != left_out}
            rows.append(relation(version, MMLU.name, each.subset, others, values, makers_of(references)))
    return rows


def other_version_rows(version: str, scores: Scores, references: References) -> list[list[object]]:
    return relations(version, scores, [OTHER_VERSION], references) if version == V1 else []


def compared_rows(references: References) -> list[list[object]]:
    """Other measures with each other, over the models of the page of v2; the first stands in the place of a version."""
    page = published_scores(V2, references)
    rows = []
    for first, second in COMPARED:
        scores = part(ordered(first.values(references.figures), references), page.__contains__)
        values = second.values(references.figures)
        rows.append(relation(first.name, second.name, ALL, scores, values, makers_of(references)))
    return [row for row in rows if row]


def size_rows(version: str, scores: Scores, references: References) -> list[list[object]]:
    row = relation(version, SIZE, ALL, scores, sizes(references.models), makers_of(references))
    return [row] if row else []


def relation(
    version: str, measure: str, subset: str, scores: Scores, others: Values, makers: Mapping[int, str]
) -> list[object] | None:
    """A row of the table; None for fewer than four models, where no interval is defined."""
    both = [model for model in scores if model in others]
    if len(both) < PAIR_LEAST:
        return None
    draws = FEW_DRAWS if len(both) >= LARGE else {}
    x, y = [scores[model] for model in both], [others[model] for model in both]
    found, clusters = correlate(x, y, **draws), [makers.get(model, str(model)) for model in both]
    if found is None:
        return None
    by_maker = clustered_interval(x, y, clusters, draws=draws.get("draws", DRAWS))
    return [version, measure, subset, *columns(found), len(set(clusters)), *ends(by_maker)]


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
    if found.n < PAIR_LEAST or found.linear is None or found.ranks is None:
        return None
    # One measure held fixed costs one model: the intervals are those of a correlation over one model fewer.
    linear, ranks = fisher_interval(found.linear, found.n - 1), bonett_wright_interval(found.ranks, found.n - 1)
    return {
        "n": found.n,
        "linear": found.linear,
        "linear_interval": linear,
        "ranks": found.ranks,
        "ranks_interval": ranks,
    }


def bend_of(scores: Scores, references: References) -> dict[str, object] | None:
    """Whether the relation with MMLU bends: what a line and a parabola explain, and r with the score's log odds."""
    mmlu = MMLU.values(references.figures)
    both = [model for model in scores if model in mmlu]
    x, y = [mmlu[model] for model in both], [scores[model] for model in both]
    line, logit_r = fit_line(x, y), logit_correlation(x, y)
    if line is None:
        return None
    return {
        "n": line.n,
        "line": line.r_squared,
        "parabola": quadratic_r_squared(x, y),
        "logit_r": logit_r,
        "logit_interval": fisher_interval(logit_r, sum(0 < score < 100 for score in y))
        if logit_r is not None
        else None,
    }
