"""Tables that others published, each a ranking of its own without a bank: its models and their figures are
`ReferenceScore` rows under the table's key. A table is one entry of PUBLISHED.
"""

from dataclasses import dataclass, replace

from evaluation.benchmarks import BENCHMARKS
from evaluation.benchmarks.base import Benchmark, Measure


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """What a published table is. `key` is that of its ranking and of its figures (`ReferenceScore.benchmark`).

    `measures[0]` ranks, as in a benchmark; `retrieved` is an ISO 8601 date, to the known precision.
    `approximate_error` is the standard error of a figure that ranks, in its own unit, where the source gives no
    interval of each model; None where nobody knows one. `best_of` says in a phrase what a row is the best of ("the best
    of five prompts"), "" where it is one figure.

    `lede` says what was asked, in one or two sentences, `warning` what a reader must know before the table, `below`
    what stands below it, sentence by sentence. `has_intervals`: the source prints the 95 % interval of each model.
    `heat` are the keys of the measures that are shown as a heat map. `lines` names the rows that are no models but
    lines to measure models by; `beside` says in a clause what one of them gets. `benchmark` is that whose scores are
    published, where runs of it can be here as well: runs of a name in the table are the same model's.
    """

    key: str
    title: str
    measures: tuple[Measure, ...]
    source_name: str
    source_url: str
    licence: str
    retrieved: str
    note: str = ""
    approximate_error: float | None = None
    best_of: str = ""
    lede: str = ""
    warning: str = ""
    below: tuple[str, ...] = ()
    has_intervals: bool = False
    heat: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    beside: str = ""
    citation: str = ""
    benchmark: str = ""


def _trait(key: str, title: str) -> Measure:
    note = (
        f"How {title} the judge finds the model in its conversations, from 0 to 20. It describes the model; more is "
        "not better."
    )
    return Measure(key, title, "of 20", 1, "neither", 0, 20, note)


TRAITS = (
    _trait("humanlike", "humanlike"),
    _trait("safe", "safe"),
    _trait("assertive", "assertive"),
    replace(
        _trait("social_iq", "social IQ"), note="How well the model reads people, in the judge’s view, from 0 to 20."
    ),
    _trait("warm", "warm"),
    _trait("analytical", "analytical"),
    _trait("insightful", "insightful"),
    replace(
        _trait("empathy", "empathy"), note="How much empathy the judge finds in the model’s replies, from 0 to 20."
    ),
    _trait("compliant", "compliant"),
    replace(_trait("moral", "moralising"), note="How much the model moralises, in the judge’s view, from 0 to 20."),
    _trait("pragmatic", "pragmatic"),
)

EQ_BENCH_3 = PublishedTable(
    key="eq-bench-3",
    title="EQ-Bench 3",
    measures=(
        Measure(
            "elo", "Elo", "points", 0, "higher", 0, 2200,
            "A rating from pairs of models: another model judges whose conversation shows more emotional intelligence. "
            "As the authors’ page prints it, scaled so that o3 has 1500.",
        ),
        Measure(
            "rubric", "Rubric", "0–100", 1, "higher", 0, 100,
            "The judge’s marks for one conversation at a time, from 0 to 100.",
        ),
        *TRAITS,
    ),
    source_name="the authors’ page, EQ-bench/EQ-bench-site, eqbench3.js at commit 04a8066",
    source_url="https://eqbench.com/",
    licence="none seen; figures alone are quoted",
    retrieved="2026",
    lede="EQ-Bench 3 puts each model in 45 scenes. A judge compares models in pairs (Elo) and rates each by a rubric. "
    "We quote the authors’ figures unchecked.",
    note="A rank is a place by rating. Two models are tied unless their ratings differ by a two-sided test at "
    "5 %, whose errors come from the published 95 % intervals; it is not corrected for the number of pairs.",
    below=(
        "Traits are shaded within each column: the more of a trait a model has, the darker its cell.",
        "A high rating shows what this judge prefers in these scenes, not what people prefer.",
    ),
    has_intervals=True,
    heat=tuple(measure.key for measure in TRAITS),
    citation="Samuel J. Paech, EQ-Bench 3, https://eqbench.com/",
)  # fmt: skip

_CONDITIONS = (
    ("eq_direct", "Direct", "the direct prompt"),
    ("eq_zero_shot", "Zero-shot", "the zero-shot prompt"),
    ("eq_zero_shot_step", "Zero-shot, steps", "the zero-shot prompt with “step by step”"),
    ("eq_two_shot", "Two-shot", "the prompt with two worked examples"),
    ("eq_two_shot_step", "Two-shot, steps", "the prompt with two worked examples and “step by step”"),
)

_OF_PAPER = ("eq", "distance", "percent_worse", "pattern_r", "pattern_percent")

SECEU_TABLE_1 = PublishedTable(
    key="seceu-table-1",
    title="SECEU (published)",
    measures=(
        *(measure for measure in BENCHMARKS["seceu"].measures if measure.key in _OF_PAPER),
        *(
            Measure(key, title, "EQ", 0, "higher", 0, 151, f"EQ with {words}. A dash: the paper prints none.")
            for key, title, words in _CONDITIONS
        ),
        Measure(
            "nulls_direct", "Unanswered, direct", "of 40", 0, "lower", 0, 40,
            "Items without an answer to the direct prompt, where the paper says it.", shown=False,
        ),
    ),
    source_name="Wang, Li, Yin, Wu and Liu, Emotional intelligence of Large Language Models, 2023, Tables 1, S1 and S2",
    source_url="https://doi.org/10.1177/18344909231213958",
    licence="none stated; figures alone are quoted",
    retrieved="2023-12-10",
    best_of="the prompt that the paper ranks, usually the best of up to five",
    lede="Models of early 2023 read 40 short stories and rate four feelings in each. An EQ of 100 "
    "is the mean of 541 "
    "people; 15 points are one standard deviation. Scores are as the paper ranks them.",
    warning="Answering 4, 3, 2, 1 to every item gets EQ 121.6, above GPT-4’s 117: the first option is the strongest "
    "feeling on 32 of 40 items.",
    note="A rank is a place by score. The paper prints one score for each model and prompt, without repeats and "
    "without an interval, so no range of possible ranks can be given.",
    below=(
        (
            "Three models failed, since they answered too few items: LLaMA left 40 of 40 unanswered, Fastchat 31 and "
            "RWKV-v4 31, with the direct prompt."
        ),
        (
            "The five columns of prompts show all 25 completed runs. We quote the paper’s ranking as it is: it lists "
            "GPT-3.5-turbo at 103, though one of its prompts got 105."
        ),
        (
            "The 541 people are students in China, aged 17 to 30. Items and average answers have been public since "
            "July 2023 and may be in training data. The texts are not shown: their licence does not allow it."
        ),
    ),
    lines=("Always 4, 3, 2, 1 in printed order", "Mean of 541 people"),
    beside="a rule that reads nothing gets 122",
    citation="Wang, Li, Yin, Wu and Liu, Emotional intelligence of Large Language Models, 2023, "
    "doi 10.1177/18344909231213958",
    benchmark="seceu",
)  # fmt: skip

EMOTION_BENCH_2026 = PublishedTable(
    key="emotionbench-2026",
    title="EmotionBench (published)",
    # The moods before and after are what the authors publish, so they are shown here.
    measures=tuple(
        replace(measure, shown=measure.key != "gap_change")
        for measure in BENCHMARKS["emotionbench"].measures
        if not measure.key.startswith("coverage")
    ),
    source_name="CUHK-ARISE/EmotionBench, the authors’ page of 9 January 2026; LLaMA-3.1-8B from their released runs",
    source_url="https://github.com/CUHK-ARISE/EmotionBench",
    licence="GPL-3.0, research use only; we quote only means",
    retrieved="2026-01-09",
    lede="A model fills in a mood questionnaire, imagines one of 175 upsetting situations, and fills it in again. "
    "1,266 people did the same. Alignment says how close the model’s moods are to theirs. This board computed it "
    "from the authors’ published means.",
    note="A rank is a place by score. The authors do not say which prompt and how many runs are behind most of these "
    "means, so no interval and no range of possible ranks can be given.",
    below=(
        (
            "The line for people compares one half of the 1,266 people with the other half: even these two groups only "
            "reach 80.3. In the same line, the four columns of mood show the means of all 1,266."
        ),
        (
            "The authors released the runs of seven models; six of them are in this table. If the operator of this "
            "board loads those runs, they get their own ranking."
        ),
        (
            "A score says how well a model predicts what people would feel. It proves nothing about feelings of its "
            "own. 998 of the 1,266 people live in the United Kingdom."
        ),
    ),
    lines=("One half of the people",),
    beside="people against other people reach 80.3",
    citation="Huang et al., Apathetic or Empathetic? Evaluating LLMs' Emotional Alignments with Humans, NeurIPS 2024, "
    "arXiv 2308.03656",
    benchmark="emotionbench",
)

PUBLISHED: dict[str, PublishedTable] = {table.key: table for table in (EQ_BENCH_3, SECEU_TABLE_1, EMOTION_BENCH_2026)}


def tables_of(benchmark: str) -> list[str]:
    """The keys of the tables with published scores of a benchmark."""
    return [table.key for table in PUBLISHED.values() if table.benchmark == benchmark]


def benchmark_of(name: str) -> Benchmark | None:
    """The benchmark of that name, whether runs of it can be opened or not; None where there is none."""
    return BENCHMARKS.get(name)


def measures_of(name: str) -> tuple[Measure, ...]:
    """The measures of the benchmark or published table of that name; () where there is none, or none that ranks."""
    benchmark = benchmark_of(name)
    if benchmark is not None:
        return benchmark.measures
    table = PUBLISHED.get(name)
    return table.measures if table else ()
