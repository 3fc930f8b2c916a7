"""Every row of the correlation tables, with all intervals, and the figures around them (sections 5 and 6)."""

from collections.abc import Sequence

import pytest

from evaluation.statistics.correlation import Coefficient, correlate, pearson
from evaluation.statistics.intervals import Interval
from evaluation.statistics.regression import (
    disattenuated,
    fit_line,
    logit_correlation,
    partial_correlation,
    quadratic_r_squared,
)
from tests.statistics.published import ROWS, Published

MMLU, ARENA = "v2 vs MMLU preferred", "v2 vs Arena Elo 2024-10-16"


def _shown(coefficient: Coefficient) -> list[float]:
    ends = [end for i in (coefficient.interval, coefficient.bootstrap) if i for end in (i.low, i.high)]
    return [coefficient.value, *ends]


def test_every_published_row_is_checked(figures: Published) -> None:
    assert list(ROWS) == list(figures.tables["recomputed_models"])
    assert len(ROWS) == 37


@pytest.mark.parametrize("label", ROWS)
def test_a_published_row_comes_out_to_four_decimals(label: str, figures: Published) -> None:
    found, printed = correlate(*figures.pair(label)), figures.tables["recomputed_correlations"][label]
    assert found is not None
    assert found.n == printed["n"] == len(figures.models(label))
    pearson_printed = [printed["pearson"], *printed["pearson_ci95_fisher"], *printed["pearson_ci95_bootstrap"]]
    spearman_printed = [
        printed["spearman"],
        *printed["spearman_ci95_bonett_wright"],
        *printed["spearman_ci95_bootstrap"],
    ]
    kendall_printed = [printed["kendall_tau_b"], *printed["kendall_ci95_bootstrap"]]
    assert _shown(found.pearson) == pytest.approx(pearson_printed, abs=5.001e-5)
    assert _shown(found.spearman) == pytest.approx(spearman_printed, abs=5.001e-5)
    assert _shown(found.kendall) == pytest.approx(kendall_printed, abs=5.001e-5)


@pytest.mark.parametrize(
    ("label", "n", "r", "low", "high"),
    [
        ("v1 vs MMLU, all preferred", 30, 0.9569, 0.9105, 0.9795),
        ("v1 vs MMLU as listed by LMSYS", 18, 0.9606, 0.8952, 0.9855),
        (MMLU, 142, 0.8261, 0.7656, 0.8722),
        (ARENA, 81, 0.7147, 0.5881, 0.8071),
    ],
)
def test_the_headline_figures_stand_as_printed(
    label: str, n: int, r: float, low: float, high: float, figures: Published
) -> None:
    found = correlate(*figures.pair(label), draws=10, kendall_draws=10)
    assert found is not None
    interval = found.pearson.interval or Interval(0, 0)
    shown = (found.n, round(found.pearson.value, 4), round(interval.low, 4), round(interval.high, 4))
    assert shown == (n, r, low, high)


OUTLIERS = {
    "v1 vs MMLU, all preferred": (
        (-15.3642, 0.9026, 4.4578),
        [("gpt-4-0314", -2.22), ("meta-llama/Llama-2-70b-chat-hf", 2.11)],
    ),
    MMLU: (
        (-10.7001, 1.1628, 8.6361),
        [
            ("microsoft/phi-2", -3.41),
            ("Qwen/Qwen1.5-4B-Chat", -2.94),
            ("meta-llama/Llama-3.2-1B-Instruct", -2.82),
            ("stabilityai/stablelm-2-zephyr-1_6b", -2.75),
            ("timdettmers/guanaco-33b-merged", -2.35),
            ("Qwen/Qwen1.5-1.8B-Chat", -2.19),
        ],
    ),
    ARENA: (
        (-66.7489, 0.1203, 10.0051),
        [
            ("meta-llama/Llama-3.2-1B-Instruct", -3.79),
            ("google/gemma-2b-it", -2.99),
            ("Qwen/Qwen1.5-4B-Chat", -2.41),
            ("meta-llama/Llama-2-7b-chat-hf", -2.20),
            ("timdettmers/guanaco-33b-merged", -2.16),
        ],
    ),
    "v2 vs MAGI-Hard": (
        (36.1002, 0.6730, 10.7369),
        [
            ("stabilityai/stablelm-2-zephyr-1_6b", -3.72),
            ("meta-llama/Llama-3.2-1B-Instruct", -3.24),
            ("Qwen/Qwen1.5-1.8B-Chat", -3.12),
            ("TheBloke/koala-7B-HF", -2.88),
            ("Qwen/Qwen1.5-4B-Chat", -2.75),
            ("google/gemma-2b-it", -2.74),
            ("microsoft/phi-2", -2.73),
            ("lmsys/vicuna-7b-v1.1", -2.67),
            ("Qwen/Qwen-1_8B-Chat", -2.42),
            ("NousResearch/Nous-Capybara-7B-V1", -2.07),
            ("timdettmers/guanaco-33b-merged", -2.01),
        ],
    ),
}


@pytest.mark.parametrize("label", OUTLIERS)
def test_lines_and_outliers_are_those_of_the_tables(label: str, figures: Published) -> None:
    (intercept, slope, residual_sd), listed = OUTLIERS[label]
    score, other = figures.pair(label)
    line = fit_line(other, score)
    assert line is not None
    assert (round(line.intercept, 4), round(line.slope, 4)) == (intercept, slope)
    assert round(line.residual_sd, 4) == residual_sd
    models = figures.models(label)
    assert [(models[o.index], round(o.residual, 2)) for o in line.outliers] == listed


def test_the_relation_with_mmlu_bends(figures: Published) -> None:
    score, mmlu = figures.pair(MMLU)
    line = fit_line(mmlu, score)
    assert line is not None
    assert round(line.r_squared, 4) == 0.6825
    assert round(quadratic_r_squared(mmlu, score) or 0, 4) == 0.7309
    assert round(logit_correlation(mmlu, score) or 0, 4) == 0.8398


def test_unreliability_is_not_the_cause(figures: Published) -> None:
    assert round(disattenuated(pearson(*figures.pair(MMLU)) or 0, 0.9809), 4) == 0.8341


def _shared(figures: Published, names: Sequence[str], models: Sequence[str]) -> list[list[float]]:
    measures = [figures.measure(name) for name in names]
    return [[measure[model] for model in models if all(model in m for m in measures)] for measure in measures]


def test_what_v2_shares_with_the_arena_it_shares_with_mmlu(figures: Published) -> None:
    score, arena, mmlu = _shared(figures, ("v2", "arena_elo 2024-10-16", "mmlu"), figures.models(ARENA))
    found = partial_correlation(score, arena, mmlu)
    assert (found.n, round(found.linear or 0, 4), round(found.ranks or 0, 4)) == (74, -0.0162, 0.1772)


def test_the_models_of_february_have_a_lower_r_with_the_october_ratings(figures: Published) -> None:
    models = figures.models("v2 vs Arena Elo 2024-02-07")
    score, arena = _shared(figures, ("v2", "arena_elo 2024-10-16"), models)
    assert (len(score), round(pearson(score, arena) or 0, 4)) == (36, 0.7792)


@pytest.mark.parametrize(("version", "r"), [("eqbench_v1", 0.9072), ("v2", 0.9139)])
def test_on_the_models_of_both_versions_both_follow_mmlu(version: str, r: float, figures: Published) -> None:
    score, mmlu = _shared(figures, (version, "mmlu"), figures.models("v1 vs v2"))
    assert (len(score), round(pearson(score, mmlu) or 0, 4)) == (19, r)
