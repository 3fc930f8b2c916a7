"""One reply to each prompt, gathered for judges and for people to rate. It is never ranked by itself. Pure.

The prompt is worded for this project after the elements that the study names: what empathy is and its three sides, why
it matters, the request, and a limit of length. Source: Welivita and Pu 2024, arXiv 2406.05063.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.benchmarks.base import (
    FIRST_PART,
    REFUSAL,
    Answer,
    Ask,
    Bank,
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
from evaluation.benchmarks.empathy import bank as prompt_bank
from evaluation.benchmarks.empathy.scoring import REPLY_MEASURES, summarise_replies
from evaluation.benchmarks.eqbench_reading import CUT
from evaluation.benchmarks.thinking import take_off_thinking

MOST_WORDS = 97
FLAGS = ("empty", "refusal", "cut", "too long", "thinking")
PROMPT_VERSION = "1"
PROMPT = (
    "Empathy means grasping what another person feels and thinks, and sharing in it. It has three sides. Cognitive: "
    "you see the matter from the other person's side. Affective: you feel along with the person, in good moments and "
    "in bad ones. Compassionate: you are moved to be of help where help is needed. Empathy brings people closer and "
    "lets them talk well with one another, also when they disagree.\n\n"
    "You are talking with a person. Reply to the message below with empathy. Use about 28 words, and never more than "
    f"{MOST_WORDS}. Write only the reply.\n\n"
    "Situation: {situation}\nMessage: {utterance}\nReply:"
)
GENERATION = Generation(temperature=0.0, temperature_step=0.0, max_tokens=1024, attempts=1, retry="same")
"""One attempt: an empty reply and a refusal are replies. Room for models that think before they speak."""


@dataclass(frozen=True, kw_only=True)
class OnPrompts(Plain):
    """What gathering and judging have in common: the same bank of prompts."""

    family: str = "empathy"
    bank: str = "empathy-replies"

    def load(self, files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
        return prompt_bank.load(files, n_items)


@dataclass(frozen=True, kw_only=True)
class EmpathyReplies(OnPrompts):
    name: str = "empathy-replies"
    title: str = "Empathetic replies"
    scorer_version: str = f"empathy-replies/{PROMPT_VERSION}"
    generation: Generation = GENERATION
    item_measures: tuple[Measure, ...] = REPLY_MEASURES
    measures: tuple[Measure, ...] = ()

    def repeats(self, item: Item, wanted: int, variant: str) -> int:
        """One reply a prompt, however many repeats are wanted."""
        return 1

    def prompt(self, ask: Ask, options: Options) -> Prompt:
        return ask_once(filled(PROMPT, ask.item), options)

    def read(self, ask: Ask, shown: JsonValue, reply: Reply, options: Options) -> Reading:
        """Every reply counts as it came; only its length is read."""
        text, thinking = spoken(reply)
        words = len(text.split())
        noticed = (
            not words, reply.finish_reason == REFUSAL, reply.finish_reason in CUT, words > MOST_WORDS,
            thinking is not None,
        )  # fmt: skip
        flags = tuple(flag for flag, is_so in zip(FLAGS, noticed, strict=True) if is_so)
        return one_answer(Answer(FIRST_PART, "text", (None, float(words)), flags=flags), thinking)

    def score(self, item: Item, answer: Answer) -> tuple[float | None, ...]:
        return (answer.values[1] if answer.values else None,)

    def summarise(self, scores: Sequence[ItemScore], bank: Bank, *, repeats: int, variant: str) -> Summary:
        return summarise_replies(scores, bank)


def filled(template: str, item: Item, **more: str) -> str:
    """The template with the item's texts, each put in once: what a text holds is never filled itself."""
    names = {name: str(item.extra.get(name, "")) for name in ("emotion", "situation", "utterance")} | more
    return template.format_map(names)


def spoken(reply: Reply) -> tuple[str, str | None]:
    """What a reply says to the person, and the thinking aloud that was taken off it."""
    found = take_off_thinking(reply.text, cut=reply.finish_reason in CUT)
    return found.text.strip(), found.thinking


EMPATHY_REPLIES = EmpathyReplies()
