"""What strangers may have run: each bank by its own benchmark, and by the others that ask or score its items
differently. Each of them has a ranking of its own."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from evaluation.benchmarks import BENCHMARKS, why_no_run
from evaluation.benchmarks.base import Benchmark
from evaluation.models import Access, ItemBank

BETWEEN = ":"
"""Separates slug and benchmark in a key; it can be in neither."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A bank and a benchmark that scores it."""

    bank: ItemBank
    benchmark: Benchmark

    @property
    def is_own(self) -> bool:
        """Whether this is how the bank is asked and scored unless somebody chooses otherwise."""
        return self.benchmark.name == self.bank.benchmark

    @property
    def key(self) -> str:
        """How forms and stored submissions name it: "seceu" or "seceu:seceu-shuffled"."""
        return self.bank.slug if self.is_own else f"{self.bank.slug}{BETWEEN}{self.benchmark.name}"

    @property
    def title(self) -> str:
        """ "SECEU" or "SECEU, shuffled options"."""
        own = self.bank.title
        if self.is_own:
            return own
        return f"{own}, {self.benchmark.title.rpartition(', ')[2]}"

    @property
    def max_tokens(self) -> int:
        """The benchmark's own limit of tokens a reply."""
        return self.benchmark.generation.max_tokens

    @property
    def has_variants(self) -> bool:
        return len(self.benchmark.variants) > 1


def offered_banks() -> Any:
    """The banks that strangers may run: those with a known way of scoring that are not an operator's own."""
    banks = ItemBank.objects.filter(benchmark__in=BENCHMARKS).exclude(access=Access.PRIVATE)
    return banks.annotate(n_items=Count("items")).order_by("pk")


def offers_of(banks: Iterable[ItemBank]) -> tuple[Offer, ...]:
    """The banks by their own benchmarks in their order, then all other ways."""
    known = list(banks)
    others = [
        Offer(bank, benchmark)
        for bank in known
        for benchmark in BENCHMARKS.values()
        if benchmark.bank == bank.benchmark and benchmark.name != bank.benchmark and not why_no_run(benchmark.name)
    ]
    return (*(own_offer(bank) for bank in known), *others)


def own_offer(bank: ItemBank) -> Offer:
    return Offer(bank, BENCHMARKS[bank.benchmark])


def offers_named(keys: Collection[str]) -> tuple[Offer, ...]:
    """Those of these keys that are still on offer, in the order of the form."""
    return tuple(offer for offer in offers_of(offered_banks()) if offer.key in keys)


def no_longer_offered(keys: Collection[str]) -> list[str]:
    """Those of these keys of which no run may be opened any more, as since their bank became private."""
    offered = {offer.key for offer in offers_named(keys)}
    return [key for key in keys if key not in offered]


def run_title(bank: ItemBank, benchmark: str) -> str:
    """What a run of the bank by this benchmark is called."""
    found = BENCHMARKS.get(benchmark)
    return Offer(bank, found).title if found else bank.title
