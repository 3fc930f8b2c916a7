"""SECEU, the Situational Evaluation of Complex Emotional Understanding: asked in three ways, which never mix. Pure.

Source: Wang et al. 2023, doi 10.1177/18344909231213958.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.benchmarks.base import (
    FIRST_PART,
    Answer,
    Ask,
    Bank,
    Baseline,
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
    ask_once,
    one_answer,
)
from evaluation.benchmarks.orders import drawn_order, order_of
from evaluation.benchmarks.seceu import bank as seceu_bank
from evaluation.benchmarks.seceu.baselines import baselines
from evaluation.benchmarks.seceu.prompt import filled
from evaluation.benchmarks.seceu.reading import ALL_ZERO, THINKING_FLAG, read_points
from evaluation.benchmarks.seceu.scoring import distance, normalised
from evaluation.benchmarks.seceu.summary import ITEM_MEASURES, MEASURES, summarise

ZERO_SHOT_GENERATION = Generation(
    temperature=0.0, temperature_step=0.15, max_tokens=2048, attempts=3, extra={"top_p": 0.9}
)
"""Source: the paper's Methods, prompt engineering. It does not say how often an item was asked again; a further attempt
is ours, and hotter, since the same request at temperature 0 gives the same reply."""

DIRECT_GENERATION = Generation(temperature=0.1, temperature_step=0.15, max_tokens=512, attempts=3, extra={"top_p": 1.0})
"""Source: the paper's Methods, the SECEU test for LLMs."""


@dataclass(frozen=True, kw_only=True)
class Seceu(Plain):
    """One way of asking SECEU. `template` is a key of the bank's prompts."""

    name: str
    title: str
    scorer_version: str
    template: str
    generation: Generation
    shuffled: bool = False
    family: str = "seceu"
    bank: str = "seceu"
    item_measures: tuple[Measure, ...] = ITEM_MEASURES
    measures: tuple[Measure, ...] = MEASURES

    def load(self, files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
        return seceu_bank.load(files, n_items)

    def prompt(self, ask: Ask, options: Options) -> Prompt:
        n = len(ask.item.labels)
        shown = drawn_order(ask, n) if self.shuffled else None
        text = filled(ask.item, self.template, order_of(shown, n) or range(n))
        return ask_once(text, options, shown)

    def read(self, ask: Ask, shown: JsonValue, reply: Reply, options: Options) -> Reading:
        """The answer is normalised, so that its four values add up to 10 points."""
        found = read_points(
            reply.text, ask.item.labels, order_of(shown, len(ask.item.labels)), finish_reason=reply.finish_reason
        )
        flags = (THINKING_FLAG,) if found.thinking is not None else ()
        values = None if found.values is None else normalised(found.values)
        if values is None:
            answer = Answer(FIRST_PART, "none", reason=found.reason or ALL_ZERO, flags=flags)
        else:
            answer = Answer(FIRST_PART, found.reading, values, flags=flags + found.flags)
        return one_answer(answer, found.thinking)

    def score(self, item: Item, answer: Answer) -> tuple[float | None, ...]:
        """The distance to the standards; None for no answer, which only `summarise` turns into a number."""
        values = [value for value in answer.values or () if value is not None]
        return (distance(values, item.reference) if values else None,)

    def summarise(self, scores: Sequence[ItemScore], bank: Bank, *, repeats: int, variant: str) -> Summary:
        return summarise(scores, bank, repeats=repeats)

    def baselines(self, bank: Bank, seed: str) -> Sequence[Baseline]:
        return baselines(bank, seed)


SECEU = Seceu(
    name="seceu",
    title="SECEU",
    scorer_version="seceu/3",
    template="zero_shot",
    generation=ZERO_SHOT_GENERATION,
)
SECEU_DIRECT = replace(
    SECEU,
    name="seceu-direct",
    title="SECEU, direct prompt",
    scorer_version="seceu-direct/3",
    template="direct",
    generation=DIRECT_GENERATION,
)
SECEU_SHUFFLED = replace(
    SECEU,
    name="seceu-shuffled",
    title="SECEU, shuffled options",
    scorer_version="seceu-shuffled/3",
    generation=replace(ZERO_SHOT_GENERATION, temperature_step=0.0, retry="reshuffled"),
    shuffled=True,
)
"""Departs from the paper, which shows the options in one order: beside `seceu` it shows what their places do."""
