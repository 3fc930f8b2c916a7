"""The measures that the score is set beside, and the parts of the field over which it is. Pure, and without numpy."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.statistics.marks import Facts, Figure, References

V2, V1 = "eq-bench-v2", "eq-bench-v1"
ALL = "all models"
SIZE = "parameters (log10)"
OPEN_LLM_1 = "Open LLM Leaderboard v1"
SATURATED_FROM = 60.0
LMSYS_OWN_FIGURES = "2023-12"
"""From this table on, LMSYS lists each model itself; earlier ones give one figure for a family of snapshots."""

Values = Mapping[int, float]
Scores = Mapping[int, float]
"""Model -> score, in the order from which the bootstrap draws."""
Wanted = Callable[[Figure], bool]


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


@dataclass(frozen=True, slots=True)
class WithoutOne:
    """A row of the table taken again without one model, named in full: of `version` against the MMLU that is wanted."""

    version: str
    subset: str
    model: str
    wanted: Wanted


def preferred(figure: Figure) -> bool:
    return figure.preferred


def listed_by(source: str) -> Wanted:
    return lambda figure: source in figure.setting


def of_day(day: str) -> Wanted:
    return lambda figure: figure.as_of == day


def exactly_listed_by(source: str) -> Wanted:
    return lambda figure: source in figure.setting and not figure.match.startswith("approx")


def approximately_listed_by(source: str) -> Wanted:
    return lambda figure: source in figure.setting and figure.match.startswith("approx")


def listed_by_lmsys(figure: Figure) -> bool:
    return "LMSYS" in figure.setting and figure.as_of >= LMSYS_OWN_FIGURES


MMLU = Measure("MMLU", "mmlu", preferred, has_line=True)
ELO = Measure("Arena Elo", "arena_elo", preferred, has_line=True)
MAGI = Measure("MAGI-Hard", "magi_hard", preferred, has_line=True)
MEASURES = (
    MMLU,
    ELO,
    Measure("Arena Elo, February 2024", "arena_elo", of_day("2024-02-07")),
    Measure("Arena Elo, June 2024", "arena_elo", of_day("2024-06-19")),
    MAGI,
    Measure("MMLU-Pro", "mmlu_pro", preferred),
    Measure("MT-bench", "mt_bench", preferred),
    Measure("ARC", "arc", listed_by(OPEN_LLM_1)),
    Measure("HellaSwag", "hellaswag", listed_by(OPEN_LLM_1)),
    Measure("Winogrande", "winogrande", listed_by(OPEN_LLM_1)),
    Measure("TruthfulQA", "truthfulqa", listed_by(OPEN_LLM_1)),
    Measure("GSM8K", "gsm8k", listed_by(OPEN_LLM_1)),
)
OTHER_VERSION = Measure("EQ-Bench v2", V2, preferred)
"""Beside version 1: the same models on version 2."""

COMPARED: tuple[tuple[Measure, Measure], ...] = ((MAGI, MMLU), (MMLU, ELO))
"""Pairs of other measures, so that a correlation of the score can be told from what such measures share anyway."""

LMSYS_FAMILIES = "from the LMSYS table, with figures given for a whole family"
FROM_OPEN_LLM_1 = "from the Open LLM Leaderboard v1 only"
MMLU_SOURCES: tuple[tuple[str, Wanted], ...] = (
    (FROM_OPEN_LLM_1, exactly_listed_by(OPEN_LLM_1)),
    ("from HELM only", listed_by("HELM MMLU")),
    ("from the LMSYS table only", listed_by_lmsys),
    (LMSYS_FAMILIES, listed_by("LMSYS")),
)
LEFT_OUT_AS_APPROXIMATE: Mapping[str, Wanted] = {FROM_OPEN_LLM_1: approximately_listed_by(OPEN_LLM_1)}
"""Which figures of a source are left out since they belong to a like model: the row names their models."""

WITHOUT_ONE = (
    WithoutOne(V2, "without koala-7B, whose MMLU is at chance", "TheBloke/koala-7B-HF", preferred),
    WithoutOne(
        V1, "without una-xaberius-34b, flagged by the Open LLM Leaderboard", "fblgit/una-xaberius-34b-v1beta", preferred
    ),
    WithoutOne(
        V1, "from the LMSYS table, without oasst-pythia-12b, the weakest", "OpenAssistant/oasst-sft-1-pythia-12b",
        listed_by("LMSYS"),
    ),
)  # fmt: skip
Subset = tuple[str, Callable[[int], bool]]


def subsets(scores: Scores, references: References) -> list[Subset]:
    """The parts of the field over which the preferred MMLU is taken: a name, and which models are in it.

    Open weights are as the table of models has them. The published list of correlations counts mistral-large-2407 among
    the API models (117 and 25 models, ours 118 and 24), though its weights are open; it stays where they are.
    """
    facts = {model.pk: model for model in references.models}
    exact = {figure.model_id for figure in references.figures if is_exact(figure)}
    with_file = references.with_run_file
    return [
        ("no chain of thought, no approximate name matches", lambda model: model in exact),
        ("open weights", lambda model: facts[model].open_weights is True),
        ("API models", lambda model: facts[model].open_weights is False),
        ("with an official run file", lambda model: facts[model].full_name in with_file),
        (f"score of {SATURATED_FROM:g} or more", lambda model: scores[model] >= SATURATED_FROM),
    ]


def is_exact(figure: Figure) -> bool:
    """Of the preferred figures of MMLU: whether it is this model's, and asked without chain of thought."""
    usual = figure.benchmark == MMLU.benchmark and figure.preferred
    return usual and "CoT" not in figure.setting and not figure.match.startswith("approx")


def published_scores(version: str, references: References) -> Scores:
    """Published scores: of v2 in the order of its page, of v1 from best to worst, which the draws go by."""
    figures = Measure("", version, preferred).values(references.figures)
    in_order = ordered(figures, references)
    return in_order if version != V1 else dict(sorted(in_order.items(), key=lambda pair: -pair[1]))


def ordered(values: Values, references: References) -> Scores:
    """The same in the order in which models were stored."""
    return {model.pk: values[model.pk] for model in references.models if model.pk in values}


def part(scores: Scores, keeps: Callable[[int], bool]) -> Scores:
    return {model: score for model, score in scores.items() if keeps(model)}


def sizes(models: Sequence[Facts]) -> dict[int, float]:
    return {model.pk: math.log10(model.params_billion) for model in models if model.params_billion}
