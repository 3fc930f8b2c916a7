"""EQ-Bench v1 and v2, English and German: what is asked, read and scored. Pure.

Source: Paech 2023 (arXiv 2312.06281); EQ-bench/EQ-Bench at d28c60c.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.benchmarks.base import (
    Answer,
    Ask,
    Bank,
    BankError,
    Generation,
    Item,
    ItemScore,
    JsonValue,
    Measure,
    Options,
    Plain,
    Prompt,
    Reading,
    Reply,
    Summary,
    Switch,
    ask_once,
)
from evaluation.benchmarks.eqbench_bank import BankForm, read_bank
from evaluation.benchmarks.eqbench_curve import (
    V1_SUM,
    Rule,
    full_scale_points,
    full_scale_points_by_code,
    normalised_points,
)
from evaluation.benchmarks.eqbench_prompt import REVISION, without_revision
from evaluation.benchmarks.eqbench_reading import read_reply
from evaluation.benchmarks.eqbench_summary import summarise

OFFICIAL_GENERATION = Generation(temperature=0.01, temperature_step=0.15, max_tokens=60, attempts=3)
"""Source: EQ-bench/EQ-Bench lib/eq_bench_utils.py at d28c60c. Sixty tokens hold four lines and no thinking."""

MEASURES = (
    Measure(
        "score", "Score", "points", 2, "higher", 0.0, 100.0,
        "Points; 100 matches the references, and below 0 is possible.",
    ),
    Measure(
        "strict_score", "Strict score", "points", 2, "higher", 0.0, 100.0,
        "Counts only replies that the official parser can read. The score that ranks also counts those that only our "
        "tolerant parser can read.", shown=False,
    ),
)  # fmt: skip
ITEM_MEASURES = (
    # Scores end at 10 above, thin out below -5, and have no end below.
    Measure("score", "Item score", "points, 10 at most", 2, "higher", -5.0, 10.0, "10 matches the reference answer."),
)


@dataclass(frozen=True, kw_only=True)
class EqBench(Plain):
    """One way of scoring EQ-Bench. `edits_prompt` is False for v1, whose prompt always asks for the revision."""

    name: str
    title: str
    bank: str
    scorer_version: str
    form: BankForm
    rule: Rule
    edits_prompt: bool = True
    generation: Generation = OFFICIAL_GENERATION
    switches: tuple[Switch, ...] = (Switch(REVISION, "ask for a critique and revised scores as well"),)
    measures: tuple[Measure, ...] = MEASURES
    item_measures: tuple[Measure, ...] = ITEM_MEASURES
    family: str = "eq-bench"

    def load(self, files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
        """The bank in the one file that there must be. `n_items` None takes as many items as the file holds.

        Raises BankError with item id and reason.
        """
        if len(files) != 1:
            raise BankError(f"one question file is expected, not {len(files)}")
        (content,) = files.values()
        return Bank(tuple(read_bank(content, replace(self.form, n_items=n_items))))

    def prompt(self, ask: Ask, options: Options) -> Prompt:
        edited = self.edits_prompt and REVISION not in options.switched
        text = without_revision(ask.item.prompt, self.form.language) if edited else ask.item.prompt
        return ask_once(text, options)

    def read(self, ask: Ask, shown: JsonValue, reply: Reply, options: Options) -> Reading:
        return read_reply(ask.item, reply, options, self.form.language)

    def score(self, item: Item, answer: Answer) -> tuple[float | None, ...]:
        return (None if answer.values is None else self.rule(ratings(answer.values), item.reference),)

    def summarise(self, scores: Sequence[ItemScore], bank: Bank, *, repeats: int, variant: str) -> Summary:
        return summarise(scores, n_items=len(bank.items), repeats=repeats)


def ratings(values: Sequence[float | None]) -> tuple[float, ...]:
    """The values of an answer that was read: here all of them or none."""
    return tuple([value for value in values if value is not None])  # a list is made faster than a generator runs


_V2_FORM = BankForm(n_items=171, reference_key="reference_answer_fullscale", language="en")

EQ_BENCH_V2 = EqBench(
    name="eq-bench-v2",
    title="EQ-Bench v2",
    bank="eq-bench-v2",
    scorer_version="eq-bench-v2/5",
    form=_V2_FORM,
    rule=full_scale_points,
)
EQ_BENCH_V2_CODE = replace(
    EQ_BENCH_V2,
    name="eq-bench-v2-code",
    title="EQ-Bench v2, code rule",
    scorer_version="eq-bench-v2-code/5",
    rule=full_scale_points_by_code,
)
EQ_BENCH_V1 = EqBench(
    name="eq-bench-v1",
    title="EQ-Bench v1",
    bank="eq-bench-v1",
    scorer_version="eq-bench-v1/5",
    form=BankForm(n_items=60, reference_key="reference_answer", language="en", reference_sum=V1_SUM),
    rule=normalised_points,
    answers_sum=V1_SUM,
    edits_prompt=False,
)
EQ_BENCH_V2_DE = replace(
    EQ_BENCH_V2,
    name="eq-bench-v2-de",
    title="EQ-Bench v2, German",
    bank="eq-bench-v2-de",
    scorer_version="eq-bench-v2-de/5",
    form=replace(_V2_FORM, language="de"),
)
