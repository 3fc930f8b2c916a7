"""What SECEU gives to answers that read nothing: it rewards flat ones, so these rows belong beside the models. Pure."""

from collections.abc import Mapping, Sequence
from math import fsum, log

from evaluation.benchmarks.base import FIRST_PART, Bank, Baseline, ItemScore, JsonValue
from evaluation.benchmarks.chance import numbers
from evaluation.benchmarks.seceu.scoring import TOTAL, distance

CONSTANTS: Mapping[str, tuple[float, ...]] = {
    "Always answers 2.5 each": (2.5, 2.5, 2.5, 2.5),
    "Always answers 4, 3, 2, 1": (4.0, 3.0, 2.0, 1.0),
    "Always answers 1, 2, 3, 4": (1.0, 2.0, 3.0, 4.0),
}
MEANING = (
    "The same points for the four options of every item, in the order in which they are printed. It reads nothing."
)
RANDOM_MEANING = "Ten points split at random, every split equally likely. It reads nothing."
NOTE = "reads nothing"
DRAWS = 25
"""Random answers an item, taken as repeats: their mean EQ then varies by about one point from seed to seed."""


def baselines(bank: Bank, seed: str) -> Sequence[Baseline]:
    """Three constant answers and random ones, all splits of ten points equally likely."""
    return [*(_constant(bank, name, values) for name, values in CONSTANTS.items()), _random(bank, seed)]


def _constant(bank: Bank, name: str, values: tuple[float, ...]) -> Baseline:
    scores = (ItemScore(item.id, 1, FIRST_PART, "JSON", (distance(values, item.reference),)) for item in bank.items)
    settings: dict[str, JsonValue] = {"answer": list(values), "note": NOTE, "meaning": MEANING}
    return Baseline(name, settings, tuple(scores), {item.id: values for item in bank.items})


def _random(bank: Bank, seed: str) -> Baseline:
    scores = tuple(
        ItemScore(item.id, repeat, FIRST_PART, "JSON", (distance(_flat(f"{seed}/{item.id}/{repeat}"), item.reference),))
        for item in bank.items
        for repeat in range(1, DRAWS + 1)
    )
    settings: dict[str, JsonValue] = {"seed": seed, "repeats": DRAWS, "note": NOTE, "meaning": RANDOM_MEANING}
    return Baseline("Random answers", settings, scores)


def _flat(seed: str) -> list[float]:
    """Four points that add up to 10, every split equally likely: a flat Dirichlet draw."""
    waits = [-log(1 - number) for number in numbers(seed, 4)]
    total = fsum(waits)
    return [TOTAL * wait / total for wait in waits]
