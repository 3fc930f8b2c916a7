"""How many items a difference needs, and which difference so many items find: asked by an address, no script needed.

Nothing of the address is trusted: what is missing, unreadable or out of bounds counts as the usual value.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from django.http import QueryDict

from evaluation.statistics.generalizability import gap_found, items_needed
from leaderboard.models import StatisticsSection
from leaderboard.pages.statistics.design import about
from leaderboard.rounding import counted, number
from leaderboard.statistics.versions import VERSIONS


@dataclass(frozen=True, slots=True)
class Bound:
    """A number that may be asked for, from `least` to `most`."""

    least: float
    most: float

    def of(self, text: str) -> float | None:
        try:
            value = float(text)
        except ValueError:
            return None
        return value if isfinite(value) and self.least <= value <= self.most else None


GAP, ITEMS = Bound(0.1, 100), Bound(2, 100_000)
CHANCE, PASSES = Bound(50, 99), Bound(1, 1000)
USUAL_GAP, USUAL_CHANCE, USUAL_PASSES = 3.0, 80.0, 1.0


@dataclass(frozen=True, slots=True)
class Calculator:
    """The form as it is filled in, and its answers: none before it is sent. No number of items means the bank's."""

    gap: str
    items: str
    chance: str
    passes: str
    answers: tuple[str, ...]


def calculator_of(ranking: str, query: QueryDict) -> Calculator | None:
    """The form of a ranking's variance components; None without any. One query once it is sent, none before."""
    gap, chance = GAP.of(query.get("gap", "")) or USUAL_GAP, CHANCE.of(query.get("chance", "")) or USUAL_CHANCE
    passes, items = int(PASSES.of(query.get("passes", "")) or USUAL_PASSES), ITEMS.of(query.get("items", ""))
    answers: tuple[str, ...] = ()
    if "gap" in query:
        stored = StatisticsSection.objects.filter(section="design", ranking=ranking, version=VERSIONS["design"])
        value: Mapping[str, Any] | None = stored.values_list("value", flat=True).first()
        if not value:
            return None
        answers = answered(value, gap, int(items or value["n_items"]), chance, passes)
    return Calculator(f"{gap:g}", f"{int(items)}" if items else "", f"{chance:g}", str(passes), answers)


def answered(value: Mapping[str, Any], gap: float, items: int, chance: float, passes: int) -> tuple[str, ...]:
    parts = value["parts"]
    rest = parts["interaction"] + parts["rerun"] / passes if parts else value["rest"]
    if rest <= 0:
        return ("The models of this field differ alike on all items, so any number of items would do.",)
    factor, power = rest / value["rest"], chance / 100
    needed = items_needed(rest, gap, power=power)
    ends = [items_needed(end * factor, gap, power=power) for end in value["rest_interval"] or ()]
    interval = f" (95 % interval {about(ends[0])} to {about(ends[1])})" if ends else ""
    found = number(gap_found(rest, items, power=power), 1)
    asked = f"with {counted(passes, 'pass', 'passes')} of each model" if parts else "asked as the models here were"
    trials = f"in {chance:g} % of trials"
    sentences = [
        f"A true difference of {gap:g} points is found {trials} by {about(needed)} items{interval}, {asked}.",
        f"{counted(items, 'item')} find a true difference of {found} points {trials}.",
    ]
    if not parts and passes > 1:
        sentences.append("No model here was asked twice, so what more passes would gain is not known.")
    return tuple(sentences)
