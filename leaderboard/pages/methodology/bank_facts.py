"""What the makers of a bank say of it: who wrote and rated its items, and how far two readings agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Agreement:
    """Reference and second reading of each emotion. Shares 0 to 1; a difference is in points of the rating scale."""

    ratings: int
    mean_absolute_difference: float
    pearson_r: float
    share_equal: float
    share_within_1: float
    share_within_2: float
    largest_difference: float
    items_with_a_difference_of_4_or_more: int
    items_with_the_same_strongest_emotion: int

    @property
    def equal_text(self) -> str:
        return percent(self.share_equal)

    @property
    def within_1_text(self) -> str:
        return percent(self.share_within_1)

    @property
    def within_2_text(self) -> str:
        return percent(self.share_within_2)


@dataclass(frozen=True, slots=True)
class BankFacts:
    who: str
    caution: str
    before: Agreement
    shipped: Agreement


def bank_facts(facts: Mapping[str, Any]) -> BankFacts | None:
    """From `ItemBank.facts`; None where its makers say nothing of two readings."""
    if "agreement" not in facts:
        return None
    shipped = facts["agreement"]
    before = facts.get("agreement_before_revision", shipped)
    return BankFacts(facts.get("who", ""), facts.get("caution", ""), Agreement(**before), Agreement(**shipped))


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
