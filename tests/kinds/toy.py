"""Two benchmarks that are as unlike EQ-Bench as the protocol allows: what only they use has to work as well.

`TOY_MINUTES` is better the lower its score, and has three figures. `TOY_CHOICES` has two groups of items, each with its
own number of repeats, shows its options in an order drawn from the seed, and has two values an item.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from evaluation.benchmarks.base import (
    FIRST_PART,
    Answer,
    Ask,
    Bank,
    BankError,
    Baseline,
    Figure,
    Generation,
    Item,
    ItemScore,
    JsonValue,
    Measure,
    Options,
    Prompt,
    Reading,
    Reply,
    Summary,
    Switch,
    ask_once,
)
from evaluation.benchmarks.chance import order

SHUFFLED = "shuffled"
OPTIONS = 4


def mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def standard_error(values: Sequence[float]) -> float | None:
    """Of the mean; None of fewer than two values."""
    if len(values) < 2:
        return None
    centre = mean(values)
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1) / len(values))


def item_means(scores: Sequence[ItemScore], value: int) -> dict[str, float]:
    """Item id -> the mean of one of its values over the repeats that have it."""
    found: dict[str, list[float]] = {}
    for score in scores:
        if (number := score.values[value]) is not None:
            found.setdefault(score.item_id, []).append(number)
    return {item_id: mean(numbers) for item_id, numbers in found.items()}


MINUTES_GENERATION = Generation(0.0, 0.1, 20, attempts=2)
CHOICES_GENERATION = Generation(0.0, 0.0, 20, attempts=3, extra={"top_p": 0.9}, retry="reshuffled")


@dataclass(frozen=True)
class ToyMinutes:
    """How long something takes: the score is the mean distance to the true number of minutes."""

    name: str = "toy-minutes"
    title: str = "Toy: minutes"
    family: str = "toy-minutes"
    bank: str = "toy-minutes"
    scorer_version: str = "toy-minutes/1"
    generation: Generation = MINUTES_GENERATION
    switches: tuple[Switch, ...] = ()
    variants: tuple[str, ...] = ("",)
    answers_sum: float | None = None
    item_measures: tuple[Measure, ...] = (Measure("miss", "Miss", "minutes", 1, "lower", low=0),)
    measures: tuple[Measure, ...] = (
        Measure("miss", "Mean miss", "minutes", 1, "lower", low=0, note="Mean distance to the true number of minutes."),
        Measure(
            "close", "Close", "%", 0, "higher", low=0, high=100, note="Share of items missed by 5 minutes or less."
        ),
        Measure("longest", "Longest miss", "minutes", 1, "lower", low=0, note="The largest distance of all items."),
    )

    def load(self, files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
        (content,) = files.values()
        entries = json.loads(content)
        if n_items is not None and len(entries) != n_items:
            raise BankError(f"{n_items} items are expected, the file holds {len(entries)}")
        return Bank(tuple(Item(key, f"How long: {key}?", ("minutes",), (true,)) for key, true in entries.items()))

    def repeats(self, item: Item, wanted: int, variant: str) -> int:
        return wanted

    def prompt(self, ask: Ask, options: Options) -> Prompt:
        return ask_once(ask.item.prompt, options)

    def read(self, ask: Ask, shown: JsonValue, reply: Reply, options: Options) -> Reading:
        text = reply.text.strip()
        answer = Answer(FIRST_PART, "none", reason="no number")
        if text.isdecimal():
            answer = Answer(FIRST_PART, "number", (float(text),))
        return Reading((answer,), complete=answer.values is not None)

    def score(self, item: Item, answer: Answer) -> tuple[float | None, ...]:
        if answer.values is None or answer.values[0] is None:
            return (None,)
        return (abs(answer.values[0] - item.reference[0]),)

    def summarise(self, scores: Sequence[ItemScore], bank: Bank, *, repeats: int, variant: str) -> Summary:
        misses = list(item_means(scores, 0).values())
        n = len(misses)
        figures = {
            "miss": Figure(mean(misses) if misses else None, standard_error(misses), n),
            "close": Figure(100 * mean([miss <= 5 for miss in misses]) if misses else None, n=n),
            "longest": Figure(max(misses, default=None), n=n),
        }
        return Summary(
            figures,
            coverage=n / len(bank.items),
            n_scored=n,
            repeat_scores=tuple(None for _ in range(repeats)),
            counted_parts=(FIRST_PART,) * repeats,
            reason="" if misses else "no reply was a number",
        )

    def baselines(self, bank: Bank, seed: str) -> Sequence[Baseline]:
        return ()


@dataclass(frozen=True)
class ToyChoices:
    """The right one of four options. Items of the group "shuffled" are asked three times as often as the others."""

    name: str = "toy-choices"
    title: str = "Toy: choices"
    family: str = "toy-choices"
    bank: str = "toy-choices"
    scorer_version: str = "toy-choices/1"
    generation: Generation = CHOICES_GENERATION
    switches: tuple[Switch, ...] = (Switch("politely", "ask politely"),)
    variants: tuple[str, ...] = ("quick", "full")
    answers_sum: float | None = None
    item_measures: tuple[Measure, ...] = (
        Measure("right", "Right", "", 0, "higher", low=0, high=1),
        Measure("place", "Place of the choice", "", 0, "neither", low=1, high=OPTIONS),
    )
    measures: tuple[Measure, ...] = (
        Measure("right", "Right", "%", 0, "higher", low=0, high=100, note="Mean of the two groups."),
        Measure("plain", "Plain", "%", 0, "higher", low=0, high=100, note="Of items in the order of the file."),
        Measure(SHUFFLED, "Shuffled", "%", 0, "higher", low=0, high=100, note="Of items in an order by chance."),
    )

    def load(self, files: Mapping[str, bytes], n_items: int | None = None) -> Bank:
        (content,) = files.values()
        found = json.loads(content)
        items = tuple(
            Item(
                key, f"Which of {key}?", tuple(entry["options"]), group=entry["group"], extra={"right": entry["right"]}
            )
            for key, entry in found["items"].items()
        )
        return Bank(items, {"people": found["people"]})

    def repeats(self, item: Item, wanted: int, variant: str) -> int:
        often = 3 if variant == "full" else 2
        return often * wanted if item.group == SHUFFLED else wanted

    def prompt(self, ask: Ask, options: Options) -> Prompt:
        places = order(ask.seed, OPTIONS) if ask.item.group == SHUFFLED else tuple(range(OPTIONS))
        lines = [f"{number}. {ask.item.labels[place]}" for number, place in enumerate(places, 1)]
        please = ["Please answer."] if "politely" in options.switched else []
        text = "\n".join([ask.item.prompt, *lines, *please])
        shown: JsonValue = {"attempt": ask.attempt, "order": list(places)} if ask.item.group == SHUFFLED else None
        return Prompt(ask_once(text, options).messages, shown)

    def read(self, ask: Ask, shown: JsonValue, reply: Reply, options: Options) -> Reading:
        places = shown["order"] if isinstance(shown, Mapping) else tuple(range(OPTIONS))
        assert isinstance(places, Sequence)
        text = reply.text.strip()
        answer = Answer(FIRST_PART, "none", reason="no number")
        if text in {"1", "2", "3", "4"}:
            chosen = places[int(text) - 1]
            answer = Answer(FIRST_PART, "number", tuple(float(label == chosen) for label in range(OPTIONS)))
        return Reading((answer,), complete=answer.values is not None)

    def score(self, item: Item, answer: Answer) -> tuple[float | None, ...]:
        if answer.values is None:
            return (None, None)
        chosen = answer.values.index(1.0)
        return (float(item.labels[chosen] == item.extra["right"]), float(chosen + 1))

    def summarise(self, scores: Sequence[ItemScore], bank: Bank, *, repeats: int, variant: str) -> Summary:
        right = item_means(scores, 0)
        groups = {name: [right[item.id] for item in bank.items if item.group == name and item.id in right]
                  for name in ("plain", SHUFFLED)}  # fmt: skip
        shares = {name: 100 * mean(found) if found else None for name, found in groups.items()}
        known = [share for share in shares.values() if share is not None]
        assert isinstance(bank.norms, Mapping)
        return Summary(
            {
                "right": Figure(mean(known) if known else None, None, len(right)),
                **{name: Figure(share, n=len(groups[name])) for name, share in shares.items()},
            },
            coverage=sum(score.score is not None for score in scores) / len(scores) if scores else 0.0,
            n_scored=len(right),
            repeat_scores=tuple(None for _ in range(repeats)),
            counted_parts=(FIRST_PART,) * repeats,
            detail={"people": bank.norms["people"]},
            reason="" if known else "no reply was a number",
        )

    def baselines(self, bank: Bank, seed: str) -> Sequence[Baseline]:
        return ()


TOY_MINUTES, TOY_CHOICES = ToyMinutes(), ToyChoices()
