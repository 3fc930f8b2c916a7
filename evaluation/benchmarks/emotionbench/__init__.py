"""EmotionBench: how far a model's mood moves when it imagines a situation, compared with people. Pure.

Source: Huang et al., NeurIPS 2024, arXiv 2308.03656. The alignment score is ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
    one_answer,
    take_no_system_prompt,
)
from evaluation.benchmarks.emotionbench import bank as emotion_bank
from evaluation.benchmarks.emotionbench.baselines import baselines
from evaluation.benchmarks.emotionbench.prompt import messages
from evaluation.benchmarks.emotionbench.reading import read_ratings
from evaluation.benchmarks.emotionbench.scoring import affects
from evaluation.benchmarks.emotionbench.summary import ITEM_MEASURES, MEASURES, summarise
from evaluation.benchmarks.orders import drawn_order, order_of

PLANS: Mapping[str, tuple[int, int]] = {"quick": (10, 1), "standard": (50, 3), "full": (50, 10)}
"""Plan -> requests without a situation, and requests a situation. "full" is what the authors' files hold."""

GENERATION = Generation(
    temperature=0.0,
    temperature_step=0.0,
    max_tokens=1024,
    attempts=3,
    extra={"top_p": 1.0},
    retry="reshuffled",
)
"""Source: example_generator.py of CUHK-ARISE/EmotionBench at 48f6e1b. Three attempts in all, each in a new order."""


@dataclass(frozen=True, kw_only=True)
class EmotionBench(Plain):
    """The mood questionnaire without and with a situation. Plans are variants, which never share a ranking."""

    name: str = "emotionbench"
    title: str = "EmotionBench"
    family: str = "emotionbench"
    bank: str = "emotionbench"
    scorer_version: str = "emotionbench/3"
    generation: Generation = GENERATION
    variants: tuple[str, ...] = tuple(PLANS)
    item_measures: tuple[Measure, ...] = ITEM_MEASURES
    measures: tuple[Measure, ...] = MEASURES

    def load(self, files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
        return emotion_bank.load(files, n_items)

    def repeats(self, item: Item, wanted: int, variant: str) -> int:
        """By the plan; what is wanted counts only outside of the plans, as for replies in a file."""
        default, evoked = PLANS.get(variant, (wanted, wanted))
        return default if item.id == emotion_bank.DEFAULT else evoked

    def prompt(self, ask: Ask, options: Options) -> Prompt:
        """Raises ValueError for a system prompt: the benchmark has its own."""
        take_no_system_prompt(options, self.title)
        n = len(ask.item.labels)
        shown = drawn_order(ask, n)
        return Prompt(messages(ask.item, order_of(shown, n) or range(n)), shown)

    def read(self, ask: Ask, shown: JsonValue, reply: Reply, options: Options) -> Reading:
        found = read_ratings(reply, ask.item.labels, order_of(shown, len(ask.item.labels)))
        flags = ("thinking",) if found.thinking is not None else ()
        answer = Answer(FIRST_PART, found.reading, found.values, found.reason, flags)
        return one_answer(answer, found.thinking)

    def score(self, item: Item, answer: Answer) -> tuple[float | None, ...]:
        """Positive and negative affect, from 10 to 50 points each."""
        values = [value for value in answer.values or () if value is not None]
        positive = item.extra.get("positive")
        if not values or not isinstance(positive, Sequence):
            return (None, None)
        return affects(values, [place for place in positive if isinstance(place, int)])

    def summarise(self, scores: Sequence[ItemScore], bank: Bank, *, repeats: int, variant: str) -> Summary:
        return summarise(scores, bank, {item.id: self.repeats(item, repeats, variant) for item in bank.items})

    def baselines(self, bank: Bank, seed: str) -> Sequence[Baseline]:
        return baselines(bank)


EMOTION_BENCH = EmotionBench()
