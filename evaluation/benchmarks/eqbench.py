"""EQ-Bench v1 and v2, English and German: what is asked, read and scored. Pure.

Source: Paech 2023 (arXiv 2312.06281); EQ-bench/EQ-Bench at d28c60c.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evaluation.benchmarks.base import (
    Answer,
    Generation,
    Item,
    ItemScore,
    Measure,
    Message,
    Options,
    Reading,
    Reply,
    Summary,
)
from evaluation.benchmarks.eqbench_bank import BankForm, read_bank
from evaluation.benchmarks.eqbench_curve import (
    Rule,
    full_scale_points,
    full_scale_points_by_code,
    normalised_points,
)
from evaluation.benchmarks.eqbench_prompt import without_revision
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
        "Counts only replies that the official reader can read. The score that ranks adds those that our tolerant one "
        "can.", shown=False,
    ),
)  # fmt: skip
ITEM_MEASURES = (
    # Scores end at 10 above, thin out below -5, and have no end below.
    Measure("score", "Item score", "points, 10 at most", 2, "higher", -5.0, 10.0, "10 matches the reference answer."),
)


@dataclass(frozen=True)
class EqBench:
    """One way of scoring EQ-Bench. `edits_prompt` is False for v1, whose prompt always asks for the revision."""

    name: str
    title: str
    bank: str
    scorer_version: str
    form: BankForm
    rule: Rule
    edits_prompt: bool = True
    generation: Generation = OFFICIAL_GENERATION
    measures: tuple[Measure, ...] = MEASURES
    item_measures: tuple[Measure, ...] = ITEM_MEASURES

    def load(self, content: bytes) -> list[Item]:
        return read_bank(content, self.form)

    def load_sized(self, content: bytes, n_items: int | None) -> list[Item]:
        """As `load`, for another bank of the same form; `n_items` None takes as many as the file holds."""
        return read_bank(content, replace(self.form, n_items=n_items))

    def messages(self, item: Item, options: Options) -> list[Message]:
        edited = self.edits_prompt and not options.revision
        prompt = without_revision(item.prompt, self.form.language) if edited else item.prompt
        system = [Message("system", options.system_prompt)] if options.system_prompt else []
        return [*system, Message("user", prompt)]

    def read(self, item: Item, reply: Reply, options: Options) -> Reading:
        return read_reply(item, reply, options, self.form.language)

    def score(self, item: Item, answer: Answer) -> float | None:
        return None if answer.values is None else self.rule(answer.values, item.reference)

    def summarise(self, scores: Sequence[ItemScore], *, n_items: int, repeats: int) -> Summary:
        return summarise(scores, n_items=n_items, repeats=repeats)


_V2_FORM = BankForm(n_items=171, reference_key="reference_answer_fullscale", language="en")

EQ_BENCH_V2 = EqBench(
    name="eq-bench-v2",
    title="EQ-Bench v2",
    bank="eq-bench-v2",
    scorer_version="eq-bench-v2/2",
    form=_V2_FORM,
    rule=full_scale_points,
)
EQ_BENCH_V2_CODE = EqBench(
    name="eq-bench-v2-code",
    title="EQ-Bench v2, code rule",
    bank="eq-bench-v2",
    scorer_version="eq-bench-v2-code/2",
    form=_V2_FORM,
    rule=full_scale_points_by_code,
)
EQ_BENCH_V1 = EqBench(
    name="eq-bench-v1",
    title="EQ-Bench v1",
    bank="eq-bench-v1",
    scorer_version="eq-bench-v1/2",
    form=BankForm(n_items=60, reference_key="reference_answer", language="en", reference_sum=10.0),
    rule=normalised_points,
    edits_prompt=False,
)
EQ_BENCH_V2_DE = EqBench(
    name="eq-bench-v2-de",
    title="EQ-Bench v2, German",
    bank="eq-bench-v2-de",
    scorer_version="eq-bench-v2-de/2",
    form=BankForm(n_items=171, reference_key="reference_answer_fullscale", language="de"),
    rule=full_scale_points,
)
